// How a source stands: its status with what to do, its approved tools, what it wrote, and how its checks went.

import { useState } from "react";

import {
    openOutside,
    toProblem,
    useCommand,
    useQuery,
    type OmittedTool,
    type SourceView,
    type ToolRow,
} from "@/backend";
import { go } from "@/routes";
import {
    Badge,
    Button,
    CodeBlock,
    Fold,
    JsonView,
    RelativeTime,
    Section,
    StateMark,
    Switch,
    Checkbox,
    TextArea,
    InlineCode,
    confirm,
    sentence,
    toastProblem,
    problemText,
    formatDuration,
} from "@/shared";

import { isProgram, warningsOf } from "./config";
import { statusOf } from "./labels";

/** The status with what the person can do about it. */
export function SourceHealth({ view, onChanged }: { view: SourceView; onChanged: () => void }) {
    const { source } = view;
    const status = statusOf(source.status);
    const enable = useCommand("source_enable");
    const remove = useCommand("source_remove");
    const sign = useCommand("source_sign_in");
    const drop = async () => {
        const sure = await confirm({
            title: `Remove “${source.name}”?`,
            body: "The source’s folder, processes and secrets are removed. Sessions continue without it. This can’t be undone.",
            confirmLabel: "Remove",
            cancelLabel: "Keep",
            danger: true,
        });
        if (!sure) return;
        const { problem } = await remove.run({ slug: source.slug });
        if (problem === undefined) go({ page: "sources" });
        else toastProblem(problem, "Not removed");
    };
    const signIn = async () => {
        const { value } = await sign.run({ slug: source.slug });
        if (value !== undefined && value.url !== "")
            await openOutside(value.url).catch((thrown: unknown) =>
                toastProblem(toProblem(thrown), "The page could not be opened"),
            );
    };
    const problem = enable.problem ?? sign.problem;
    return (
        <div className="mb-5">
            <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
                <StateMark state={status.state} word={status.word} />
                {source.statusDetail !== "" && (
                    <span className="min-w-0 flex-1 text-ui text-ink-2">
                        <InlineCode text={sentence(source.statusDetail)} />
                    </span>
                )}
            </div>
            <div className="mt-3 flex flex-wrap items-center gap-3">
                <Switch
                    label="Enabled"
                    checked={source.enabled}
                    disabled={enable.pending}
                    onChange={(on) => void enable.run({ slug: source.slug, on })}
                />
                {source.enabled && view.approved && view.signsIn && !view.signedIn && (
                    <Button variant="primary" disabled={sign.pending} onClick={() => void signIn()}>
                        {sign.pending ? "Starting…" : "Sign in"}
                    </Button>
                )}
                {!source.shipped && (
                    <>
                        <Button onClick={() => go({ page: "source", slug: source.slug, edit: true })}>Edit</Button>
                        <Button variant="quiet" disabled={remove.pending} onClick={() => void drop()}>
                            Remove…
                        </Button>
                    </>
                )}
            </div>
            {source.enabled && !source.shipped && !view.approved && view.reach !== "" && (
                <Approve key={view.reach} view={view} onApproved={onChanged} />
            )}
            {source.status === "needs_approval" && view.approved && view.tools.length === 0 && (
                <p className="mt-2 text-ui text-ink-2">
                    Test this source below. Its tools are then listed here for your approval.
                </p>
            )}
            {problem !== undefined && (
                <p role="alert" className="mt-2 text-ui text-failed">
                    {problemText(problem)}
                </p>
            )}
        </div>
    );
}

/** What it runs or reaches, to be approved: its file was put there or changed by hand. */
function Approve({ view, onApproved }: { view: SourceView; onApproved: () => void }) {
    const [read, setRead] = useState(false);
    const test = useCommand("source_test");
    const { source } = view;
    const approve = async () => {
        const { value } = await test.run({ slug: source.slug, approve: view.reach });
        onApproved();
        if (value !== undefined && value.problem !== null) toastProblem(value.problem, "Approved. The test failed");
    };
    return (
        <div className="mt-3 rounded-card border border-hairline border-l-2 border-l-needs px-4 py-3">
            <p className="text-ui font-medium">
                {source.kind === "mcp" && isProgram(view.config)
                    ? "This source runs a program with your user rights:"
                    : "This source reaches:"}
            </p>
            <pre className="mt-1.5 font-mono text-code break-all whitespace-pre-wrap">{view.reaches}</pre>
            {warningsOf(view.reaches).map((warning) => (
                <p key={warning} className="mt-1 text-small text-needs">
                    {warning}
                </p>
            ))}
            <p className="mt-1 text-small text-ink-2">Variables and headers are in the configuration below.</p>
            <div className="mt-2">
                <Checkbox label="I have read this and trust it" checked={read} onChange={setRead} />
            </div>
            <Button variant="primary" className="mt-2" disabled={!read || test.pending} onClick={() => void approve()}>
                {test.pending ? "Testing…" : "Approve and test"}
            </Button>
            {test.problem !== undefined && (
                <p role="alert" className="mt-2 text-ui text-failed">
                    {test.problem.message}
                </p>
            )}
        </div>
    );
}

/** Its tools as they were listed last: those that are new or changed are kept from the model until they are approved. */
export function SourceTools({ view }: { view: SourceView }) {
    const { source, tools } = view;
    const [believe, setBelieve] = useState(false);
    const trust = useCommand("source_trust");
    const waiting = tools.filter((tool) => tool.approval !== undefined && tool.approval !== "");
    if (tools.length === 0) return <LeftOut tools={view.leftOut} />;
    return (
        <Section
            title="Known tools"
            note={waiting.length === 0 ? `${tools.length} approved` : `${waiting.length} waiting for approval`}
        >
            {waiting.length > 0 && (
                <div className="mb-3 rounded-card border border-hairline border-l-2 border-l-needs px-4 py-3">
                    <p className="text-ui">
                        {waiting.some((tool) => tool.approval === "changed")
                            ? "Some tools changed since you approved them. They are withheld from the model until you review the changes."
                            : "These tools are not approved yet. Read their descriptions: the model reads them, too."}
                    </p>
                    <div className="mt-2">
                        <Checkbox
                            label="Trust read-only claims"
                            hint="A tool that claims to be read-only then runs without asking, also in Explore. Leave this off unless you trust the source’s operator."
                            checked={believe}
                            onChange={setBelieve}
                        />
                    </div>
                    <Button
                        variant="primary"
                        className="mt-2"
                        disabled={trust.pending}
                        onClick={() => void trust.run({ slug: source.slug, believe })}
                    >
                        {trust.pending ? "Approving…" : "Approve tools"}
                    </Button>
                    {trust.problem !== undefined && (
                        <p role="alert" className="mt-2 text-ui text-failed">
                            {problemText(trust.problem)}
                        </p>
                    )}
                </div>
            )}
            <div className="border-y border-hairline">
                {tools.map((tool) => (
                    <Tool key={tool.name} slug={source.slug} tool={tool} />
                ))}
            </div>
            <LeftOut tools={view.leftOut} />
        </Section>
    );
}

/** Tools that its server lists and that can't be used; the others are not touched by them. */
export function LeftOut({ tools = [] }: { tools?: OmittedTool[] }) {
    if (tools.length === 0) return null;
    return (
        <div className="mt-3 text-ui">
            <p>
                {tools.length === 1
                    ? "1 tool listed by the server is not usable:"
                    : `${tools.length} tools listed by the server are not usable:`}
            </p>
            <ul className="mt-1 list-disc pl-5 text-ink-2">
                {tools.map(({ tool, reason }, index) => (
                    <li key={index}>
                        <code className="font-mono text-code text-ink">{tool}</code>: {reason}
                    </li>
                ))}
            </ul>
        </div>
    );
}

function Tool({ slug, tool }: { slug: string; tool: ToolRow }) {
    return (
        <Fold
            className="border-b border-hairline py-1.5 last:border-b-0"
            label={
                <span className="flex min-w-0 flex-wrap items-center gap-2">
                    <code className="font-mono text-code text-ink">{tool.name}</code>
                    {tool.readOnly && <Badge>claims read-only</Badge>}
                    {tool.approval === "new" && <Badge tone="needs">new</Badge>}
                    {tool.approval === "changed" && <Badge tone="needs">changed</Badge>}
                </span>
            }
        >
            <div className="pt-1 pb-2 pl-5">
                <p className="max-w-[42rem] text-ui whitespace-pre-line text-ink-2">{tool.description}</p>
                {tool.approved !== undefined && tool.approved !== null && (
                    <Fold label="Approved version" className="mt-2" open>
                        <JsonView value={tool.approved} label="Approved version" open={2} />
                    </Fold>
                )}
                <Fold label="Schema" className="mt-2">
                    <JsonView value={tool.input} label={`Schema of ${tool.name}`} open={2} />
                </Fold>
                <Try slug={slug} tool={tool.name} />
            </div>
        </Fold>
    );
}

/** Calls a tool once, as the person. */
function Try({ slug, tool }: { slug: string; tool: string }) {
    const [text, setText] = useState("{}");
    const [fault, setFault] = useState("");
    const [given, setGiven] = useState<{ ok: boolean; text: string; ms: number; problem: string } | undefined>();
    const run = useCommand("source_call");
    const start = async () => {
        let args: unknown;
        try {
            args = JSON.parse(text);
        } catch (thrown) {
            return setFault(thrown instanceof Error ? thrown.message : "The arguments are not valid JSON.");
        }
        setFault("");
        const { value } = await run.run({ slug, tool, arguments: args });
        if (value !== undefined)
            setGiven({ ok: value.ok, text: value.text, ms: value.ms, problem: value.problem?.message ?? "" });
    };
    return (
        <Fold label="Try it" className="mt-2">
            <div className="mt-1 flex max-w-[42rem] flex-col items-start gap-2">
                <TextArea
                    label="Arguments"
                    hideLabel
                    value={text}
                    onChange={setText}
                    rows={3}
                    mono
                    error={fault === "" ? undefined : fault}
                    className="w-full"
                />
                <Button size="small" disabled={run.pending} onClick={() => void start()}>
                    {run.pending ? "Calling…" : "Call tool"}
                </Button>
                {run.problem !== undefined && (
                    <p role="alert" className="text-ui text-failed">
                        {problemText(run.problem)}
                    </p>
                )}
                {given !== undefined && (
                    <div className="w-full">
                        <p className="text-small text-ink-3">
                            {given.ok ? "Succeeded" : `Failed: ${given.problem}`} after {formatDuration(given.ms)}
                        </p>
                        {given.text !== "" && <CodeBlock code={given.text} wrap height="max-h-60" className="mt-1" />}
                    </div>
                )}
            </div>
        </Fold>
    );
}

/** What it wrote, and how its checks went. */
export function SourceHistory({ slug }: { slug: string }) {
    const log = useQuery("source_log", { slug });
    if (log.data === undefined || (log.data.log.trim() === "" && log.data.checks.length === 0)) return null;
    return (
        <Section title="History">
            {log.data.checks.length > 0 && (
                <ol className="flex flex-col-reverse gap-0.5 text-small" aria-label="Checks, newest first">
                    {log.data.checks
                        .slice(0, 10)
                        .reverse()
                        .map((check) => (
                            <li key={check.at} className="flex flex-wrap items-center gap-x-3">
                                <StateMark
                                    state={check.ok ? "done" : "failed"}
                                    word={check.ok ? "worked" : "failed"}
                                    size={14}
                                />
                                <span className="text-ink-3">
                                    <RelativeTime at={check.at} />, {formatDuration(check.ms)}
                                </span>
                                {check.detail !== "" && <span className="min-w-0 text-ink-2">{check.detail}</span>}
                            </li>
                        ))}
                </ol>
            )}
            {log.data.log.trim() !== "" && (
                <Fold label="Log" className="mt-2">
                    <CodeBlock code={log.data.log} wrap height="max-h-60" className="mt-1" />
                </Fold>
            )}
        </Section>
    );
}
