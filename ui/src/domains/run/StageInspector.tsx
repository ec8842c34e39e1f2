// One stage from the inside: what its model was shown, what came back, its calls, its events.

import { X } from "lucide-react";
import { useEffect, useState } from "react";

import { useQuery, useRunField, useStageText, type CallRow, type RunLive, type SectionRow, type StageDetail } from "@/backend";
import { Badge, CodeBlock, CopyButton, Duration, ErrorCard, Fold, IconButton, JsonView, Skeleton, StateMark, Tabs, cx } from "@/shared";

import { Exchange } from "./Exchange";
import { EventTable } from "./EventTable";
import { SectionBar } from "./SectionBar";
import { callStanding, formatMoney, formatNumber, formatTokens, stageStanding, tokensOf } from "./words";

const selectSeq = (live: RunLive) => live.seq;

export interface StageInspectorProps {
    run: string;
    stage: string | number;
    onClose: () => void;
}

export function StageInspector({ run, stage, onClose }: StageInspectorProps) {
    const seq = useRunField(run, selectSeq);
    const { data, problem, reload } = useQuery("run_stage", { run, stage });
    // Every event of the run may be one of this stage.
    useEffect(() => {
        if (seq > 0) reload();
    }, [seq, reload]);
    const row = data?.stage;
    return (
        <div className="flex h-full flex-col">
            <header className="flex shrink-0 items-start gap-2 px-4 pt-3 pb-2">
                <div className="min-w-0 flex-1">
                    <h2 className="truncate text-title font-semibold">{row?.title ?? "Stage"}</h2>
                    {row !== undefined && (
                        <p className="mt-0.5 flex flex-wrap items-center gap-x-3 text-small text-ink-2">
                            <StateMark state={stageStanding(row.phase).state} word={stageStanding(row.phase).word} size={14} />
                            {row.activeMs > 0 && <Duration ms={row.activeMs} />}
                            <span className="tabular">{formatMoney(row.cost)}</span>
                            <span className="tabular">{formatTokens(tokensOf(row.usage))}</span>
                            {row.attempt > 1 && <span>attempt {row.attempt}</span>}
                        </p>
                    )}
                    {row !== undefined && row.summary !== "" && <p className="mt-1 text-ui text-ink-2">{row.summary}</p>}
                </div>
                <IconButton label="Close" shortcut="Escape" size="small" icon={<X size={16} strokeWidth={1.5} />} onClick={onClose} />
            </header>
            {data === undefined ? (
                <div className="px-4 pt-2">{problem === undefined ? <Skeleton lines={6} /> : <ErrorCard title={problem.message} advice={problem.action ?? undefined} />}</div>
            ) : (
                <StageTabs run={run} detail={data} className="px-4" />
            )}
        </div>
    );
}

export function StageTabs({ run, detail, className }: { run: string; detail: StageDetail; className?: string }) {
    const { sections, calls, events, stage } = detail;
    const shown = sections.reduce((sum, section) => sum + section.tokens, 0);
    // A stage that asks no model has no prompt: its calls tell what it did.
    const [tab, setTab] = useState(sections.length > 0 || calls.length === 0 ? "input" : "calls");
    return (
        <Tabs
            label="Stage"
            value={tab}
            onChange={setTab}
            className={cx("min-h-0 flex-1", className)}
            tabs={[
                {
                    id: "input",
                    label: "Input",
                    note: sections.length > 0 ? formatNumber(shown) : undefined,
                    content: <Sections sections={sections} kind={stage.kind} />,
                },
                {
                    id: "output",
                    label: "Output",
                    content:
                        stage.phase === "running" ? (
                            <Writing run={run} stage={stage.id} />
                        ) : detail.output === null || detail.output === undefined ? (
                            <Nothing>{stage.phase === "skipped" ? `Skipped: ${stage.summary}` : "Nothing yet."}</Nothing>
                        ) : (
                            <JsonView value={detail.output} label={`Output of ${stage.title}`} open={2} height="max-h-[70vh]" className="mb-4" />
                        ),
                },
                { id: "calls", label: "Calls", note: calls.length, content: <Calls calls={calls} /> },
                { id: "events", label: "Events", note: events.length, content: <EventTable events={events} compact /> },
            ]}
        />
    );
}

function Nothing({ children }: { children: React.ReactNode }) {
    return <p className="pb-4 text-ui text-ink-2">{children}</p>;
}

function Sections({ sections, kind }: { sections: readonly SectionRow[]; kind: string }) {
    if (sections.length === 0) return <Nothing>{kind === "model" ? "Its prompt has not been written yet." : "This stage asks no model. Its calls show what it was given."}</Nothing>;
    return (
        <>
            <SectionBar sections={sections} />
            <ul className="pb-4">
                {sections.map((section, index) => (
                    <li key={`${section.name}.${index}`} className="border-b border-hairline py-1 last:border-b-0">
                        <Fold label={<span className="font-mono text-code text-ink">{section.name}</span>} note={<span className="tabular text-small text-ink-3">{formatTokens(section.tokens)}</span>}>
                            <div className="relative my-1">
                                <pre className="max-h-[50vh] overflow-auto rounded-control bg-sunken p-3 pr-9 font-mono text-code break-words whitespace-pre-wrap">{section.text}</pre>
                                <CopyButton text={section.text} label={`Copy ${section.name}`} className="absolute top-1 right-1" />
                            </div>
                        </Fold>
                    </li>
                ))}
            </ul>
        </>
    );
}

function Writing({ run, stage }: { run: string; stage: string | number }) {
    const { text, thinking } = useStageText(run, stage);
    if (text === "" && thinking === "") return <Nothing>Nothing yet.</Nothing>;
    return (
        <div className="pb-4">
            {thinking !== "" && (
                <Fold label="Thinking" className="mb-2">
                    <p className="text-ui whitespace-pre-wrap text-ink-2">{thinking}</p>
                </Fold>
            )}
            {text !== "" && <CodeBlock code={text} />}
        </div>
    );
}

export function Calls({ calls }: { calls: readonly CallRow[] }) {
    if (calls.length === 0) return <Nothing>No call has been made.</Nothing>;
    return (
        <ol className="pb-4">
            {calls.map((call) => (
                <li key={call.key} className="border-b border-hairline py-2 last:border-b-0">
                    <CallLine call={call} />
                </li>
            ))}
        </ol>
    );
}

/** A call in one line that opens to what was sent and what came back. A failure is seen folded. */
export function CallLine({ call }: { call: CallRow }) {
    const { state, word } = callStanding(call.status);
    const tokens = tokensOf(call.usage);
    return (
        <div className="min-w-0">
            <Fold
                label={
                    <span className="flex min-w-0 items-center gap-2">
                        <StateMark state={state} word={word} show="icon" size={14} />
                        <span className="min-w-0 flex-1 truncate text-ui text-ink">{call.title === "" ? call.key : call.title}</span>
                    </span>
                }
                note={
                    <span className="tabular flex shrink-0 items-center gap-2 text-small text-ink-3">
                        {call.tries > 1 && <Badge>{call.tries} tries</Badge>}
                        {tokens > 0 && <span>{formatTokens(tokens)}</span>}
                        {call.status === "completed" && <Duration ms={call.ms} />}
                    </span>
                }
            >
                <div className="mt-1 flex flex-col gap-2 pl-4">
                    <p className="font-mono text-code text-ink-3">{call.key}</p>
                    <Exchange call={call} />
                </div>
            </Fold>
            {call.problem !== null && (
                <p className="mt-1 pl-4 text-small text-failed">
                    {call.problem.message}
                    {typeof call.problem.action === "string" && <span className="text-ink-2"> {call.problem.action}</span>}
                </p>
            )}
        </div>
    );
}
