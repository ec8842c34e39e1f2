import { MessageSquareText, PencilLine, PlugZap, Star, Trash2 } from "lucide-react";
import { useState } from "react";

import { send, toProblem, useCommand, useQuery, type ConnectionRow, type ConnectionView } from "@/backend";
import { go, hrefOf } from "@/routes";
import {
    Badge,
    Button,
    ErrorCard,
    AsyncBoundary,
    Properties,
    Section,
    StateMark,
    Waiting,
    confirm,
    toast,
    toastProblem,
    problemText,
} from "@/shared";

import { BackLink } from "./BackLink";
import { ConnectionForm } from "./ConnectionForm";
import { FirstLimits } from "./FirstLimits";
import { DefaultMark } from "./ConnectionSettings";
import { ConnectionSharing } from "./ConnectionSharing";
import { ModelTable } from "./ModelTable";
import { SignIn } from "./SignIn";
import { TestVerdict } from "./TestVerdict";
import { usesOf } from "./connected";
import { credentialStatus, lacks, providerWord } from "./labels";

const icon = { size: 16, strokeWidth: 1.5 } as const;

/** Everything about one connection. */
export function ConnectionDetail({ slug, rows }: { slug: string; rows: readonly ConnectionRow[] }) {
    const view = useQuery("connection_show", { slug });
    const gone = view.data === undefined && view.problem?.code === "not_found";
    return (
        <>
            <BackLink />
            {gone ? (
                <ErrorCard
                    title={`No connection “${slug}”.`}
                    actions={
                        <Button onClick={() => go({ page: "settings", section: "connections" })}>
                            Show connections
                        </Button>
                    }
                />
            ) : (
                <AsyncBoundary of={view} what="the connection">
                    {(data) => <Known view={data} rows={rows} />}
                </AsyncBoundary>
            )}
        </>
    );
}

function Known({ view, rows }: { view: ConnectionView; rows: readonly ConnectionRow[] }) {
    const { row, config } = view;
    const [editing, setEditing] = useState(false);
    const settings = useCommand("settings_update");
    const remove = async () => {
        const uses = await usesOf(row);
        const sure = await confirm({
            title: `Remove “${row.name}”?`,
            body: [...uses, "Sessions and usage are kept. This can’t be undone."].join(" "),
            confirmLabel: "Remove",
            cancelLabel: "Keep",
            danger: true,
        });
        if (!sure) return;
        try {
            await send("connection_remove", { slug: row.slug });
            go({ page: "settings", section: "connections" });
            toast({ text: `“${row.name}” was removed.` });
        } catch (thrown) {
            toastProblem(toProblem(thrown), "Not removed");
        }
    };
    const prefer = async () => {
        const { problem } = await settings.run({ defaultConnection: row.slug });
        if (problem === undefined)
            toast({ text: `New questions use “${row.name}”, unless you or an agent choose another connection.` });
        else toastProblem(problem, "Not changed", () => void prefer());
    };
    if (editing && config !== null) {
        return (
            <div>
                <Section title={row.name} note="Edit">
                    <ConnectionForm
                        connection={config}
                        view={view}
                        taken={rows.map((each) => each.slug).filter((slug) => slug !== row.slug)}
                        onCancel={() => setEditing(false)}
                        onSaved={(slug) => {
                            setEditing(false);
                            if (slug !== row.slug)
                                go({ page: "settings", section: "connections", open: slug }, { replace: true });
                        }}
                    />
                </Section>
            </div>
        );
    }
    const credential = credentialStatus(row.credential);
    const auth = config?.auth;
    return (
        <>
            {config !== null && config !== undefined && <FirstLimits connection={config} />}
            <section aria-label={row.name}>
                <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
                    <h2 className="text-title font-semibold">{row.name}</h2>
                    <code className="font-mono text-code text-ink-3">{row.slug}</code>
                    {row.default && <DefaultMark />}
                    {row.flatRate && <Badge>subscription</Badge>}
                </div>
                {row.description !== "" && row.description !== providerWord(row.provider) && (
                    <p className="mt-1 max-w-[38rem] text-ui text-ink-2">{row.description}</p>
                )}
                {row.problem !== null && (
                    <ErrorCard
                        className="mt-3"
                        title={row.problem.message}
                        advice={row.problem.action ?? undefined}
                        actions={
                            row.credential === "locked" ? (
                                <a
                                    className="text-ui text-accent hover:underline"
                                    href={hrefOf({ page: "settings", section: "credentials" })}
                                >
                                    Open the vault settings
                                </a>
                            ) : undefined
                        }
                    />
                )}
                {row.outdated && (
                    <ErrorCard
                        className="mt-3"
                        title="The entry of this connection is wrong."
                        advice={row.outdated.action ?? undefined}
                    >
                        {problemText({ message: row.outdated.message })}
                    </ErrorCard>
                )}
                <div className="mt-3 flex flex-wrap gap-2">
                    {row.default && !row.builtIn && lacks(row) === undefined && (
                        <Button
                            variant="primary"
                            icon={<MessageSquareText {...icon} />}
                            onClick={() => go({ page: "new", agent: "" })}
                        >
                            Start a chat
                        </Button>
                    )}
                    {config !== null && (
                        <Button icon={<PencilLine {...icon} />} onClick={() => setEditing(true)}>
                            Edit…
                        </Button>
                    )}
                    {!row.default && (
                        <Button icon={<Star {...icon} />} disabled={settings.pending} onClick={() => void prefer()}>
                            Set as default
                        </Button>
                    )}
                    {!row.builtIn && (
                        <Button variant="quiet" icon={<Trash2 {...icon} />} onClick={() => void remove()}>
                            Remove…
                        </Button>
                    )}
                </div>
                {!row.builtIn && (
                    <Properties
                        className="mt-4"
                        items={[
                            { name: "API", value: providerWord(row.provider) },
                            {
                                name: "Address",
                                value: <code className="font-mono text-code break-all">{row.address}</code>,
                            },
                            {
                                name: "Authentication",
                                value: (
                                    <span className="flex flex-wrap items-center gap-x-3">
                                        <StateMark state={credential.state} word={credential.word} size={14} />
                                        {auth !== undefined && "env" in auth && typeof auth.env === "string" && (
                                            <code className="font-mono text-code text-ink-2">{auth.env}</code>
                                        )}
                                        {row.credential === "missing" && auth?.kind !== "oauth" && (
                                            <Button size="small" onClick={() => setEditing(true)}>
                                                Add the key…
                                            </Button>
                                        )}
                                        {row.credential === "locked" && (
                                            <a
                                                className="text-accent hover:underline"
                                                href={hrefOf({ page: "settings", section: "credentials" })}
                                            >
                                                Unlock the vault
                                            </a>
                                        )}
                                    </span>
                                ),
                            },
                            {
                                name: "Model",
                                value:
                                    row.defaultModel === null ? (
                                        <span className="text-ink-2">First listed model</span>
                                    ) : (
                                        <code className="font-mono text-code break-all">{row.defaultModel}</code>
                                    ),
                            },
                            ...advancedOf(view),
                        ]}
                    />
                )}
            </section>
            {auth?.kind === "oauth" && typeof auth.service.authorizeUrl === "string" && (
                <Section title="Sign-in">
                    <SignIn slug={row.slug} expired={row.credential !== "stored"} />
                </Section>
            )}
            {!row.builtIn && <Test row={row} />}
            {!row.builtIn && <ConnectionSharing row={row} />}
            <Section title="Models" note={view.models.length === 0 ? undefined : String(view.models.length)}>
                <ModelTable view={view} />
            </Section>
        </>
    );
}

function advancedOf({ config }: ConnectionView): { name: string; value: string }[] {
    if (config === null) return [];
    const headers = Object.keys(config.headers ?? {});
    return [
        ...(typeof config.judgeModel === "string" ? [{ name: "Judge model", value: config.judgeModel }] : []),
        ...(headers.length > 0 ? [{ name: "Headers", value: headers.join(", ") }] : []),
        ...(typeof config.proxy === "string"
            ? [{ name: "Proxy", value: config.proxy === "none" ? "None" : config.proxy }]
            : []),
        ...(typeof config.caFile === "string" ? [{ name: "Certificates", value: config.caFile }] : []),
        ...(config.background === true
            ? [{ name: "Background answers", value: "On; the provider stores requests and answers" }]
            : []),
        ...(typeof config.maxParallelCalls === "number"
            ? [{ name: "Parallel calls", value: `At most ${config.maxParallelCalls}` }]
            : []),
        ...(typeof config.silenceSeconds === "number"
            ? [{ name: "Idle timeout", value: `${config.silenceSeconds} s` }]
            : []),
    ];
}

function Test({ row }: { row: ConnectionRow }) {
    const test = useCommand("connection_test");
    const [since, setSince] = useState(0);
    const start = () => {
        setSince(Date.now());
        void test.run({ slug: row.slug });
    };
    return (
        <Section title="Test">
            <div aria-live="polite" className="flex min-h-16 flex-col items-start gap-3">
                <div className="flex flex-wrap items-center gap-3">
                    <Button icon={<PlugZap {...icon} />} disabled={test.pending} onClick={start}>
                        {row.tested === null ? "Test" : "Test again"}
                    </Button>
                    {test.pending ? (
                        <Waiting what="Sending a test request" since={since} />
                    ) : (
                        row.tested === null && (
                            <span className="text-small text-ink-3">Sends one very short request to the provider.</span>
                        )
                    )}
                </div>
                {!test.pending && test.problem !== undefined && (
                    <p role="alert" className="text-ui text-failed">
                        The test could not run: {test.problem.message}{" "}
                        <span className="text-ink">{test.problem.action ?? ""}</span>
                    </p>
                )}
                {!test.pending && test.problem === undefined && row.tested !== null && (
                    <TestVerdict test={row.tested} />
                )}
            </div>
        </Section>
    );
}
