// Settings: connections to model providers. A list, and behind it a form for a new one or everything about one.

import { Cpu, Plus, Star } from "lucide-react";

import { send, toProblem, useQuery, type ConnectionRow } from "@/backend";
import { go, hrefOf } from "@/routes";
import {
    Badge,
    Button,
    EmptyState,
    ErrorCard,
    AsyncBoundary,
    RelativeTime,
    Row,
    Rows,
    Section,
    StateMark,
    toast,
    toastProblem,
    InlineCode,
    problemText,
} from "@/shared";

import { BackLink } from "./BackLink";
import { ConnectionDetail } from "./ConnectionDetail";
import { ConnectionForm } from "./ConnectionForm";
import { PresetGrid } from "./PresetGrid";
import { credentialStatus, lacks, providerWord, verdictStatus } from "./labels";

const show = (at: { open?: string; add?: string } = {}) => go({ page: "settings", section: "connections", ...at });

/** `open`: the slug of one; `add`: a preset, empty for the choice of one. */
export function ConnectionSettings({ open, add }: { open?: string; add?: string }) {
    const connections = useQuery("connection_list", null);
    if (add !== undefined) return add === "" ? <Choice /> : <Adding preset={add} rows={connections.data ?? []} />;
    if (open !== undefined) return <ConnectionDetail key={open} slug={open} rows={connections.data ?? []} />;
    return (
        <Section title="Connections" note="Model providers for agents, with their credentials">
            <AsyncBoundary of={connections} what="the connections">
                {(rows) => (
                    <>
                        {rows.length > 0 && (
                            <Rows label="Connections">
                                {rows.map((row) => (
                                    <ConnectionLine key={row.slug} row={row} />
                                ))}
                            </Rows>
                        )}
                        {rows.some((row) => !row.builtIn) ? (
                            <Button
                                className="mt-4"
                                icon={<Plus size={16} strokeWidth={1.5} />}
                                onClick={() => show({ add: "" })}
                            >
                                Add connection
                            </Button>
                        ) : (
                            <EmptyState
                                className="px-0 pb-0"
                                title="No model is connected"
                                actions={
                                    <Button
                                        variant="primary"
                                        icon={<Plus size={16} strokeWidth={1.5} />}
                                        onClick={() => show({ add: "" })}
                                    >
                                        Add connection
                                    </Button>
                                }
                            >
                                The offline engine answers for now: it selects and quotes paragraphs instead of writing
                                freely, needs no key or network, and its citations are checked in the same way.
                            </EmptyState>
                        )}
                    </>
                )}
            </AsyncBoundary>
        </Section>
    );
}

function ConnectionLine({ row }: { row: ConnectionRow }) {
    const credential = credentialStatus(row.credential);
    const verdict = row.tested === null ? undefined : verdictStatus(row.tested);
    return (
        <Row
            href={hrefOf({ page: "settings", section: "connections", open: row.slug })}
            icon={<Cpu size={16} strokeWidth={1.5} aria-hidden />}
            title={row.name}
            marks={
                <>
                    {row.default && <DefaultMark />}
                    {row.flatRate && <Badge>subscription</Badge>}
                </>
            }
            line={
                <>
                    <span className="block truncate">
                        {row.builtIn
                            ? row.description
                            : [providerWord(row.provider), row.address.replace(/^https:\/\//, ""), row.defaultModel]
                                  .filter(Boolean)
                                  .join(" · ")}
                    </span>
                    {row.problem !== null && <span className="mt-0.5 block text-failed">{row.problem.message}</span>}
                    {row.outdated && (
                        <span className="mt-0.5 block text-failed">
                            <InlineCode text={problemText({ message: row.outdated.message })} />
                        </span>
                    )}
                </>
            }
            end={
                row.builtIn ? undefined : (
                    <span className="flex flex-col items-end gap-0.5">
                        <StateMark state={credential.state} word={credential.word} size={14} />
                        {verdict === undefined || row.tested === null ? (
                            lacks(row) === undefined && <span>Not tested</span>
                        ) : (
                            <span className="flex items-center gap-1.5">
                                <StateMark state={verdict.state} word={verdict.word} size={14} />
                                <RelativeTime at={row.tested.at} />
                            </span>
                        )}
                    </span>
                )
            }
        />
    );
}

export function DefaultMark() {
    return (
        <Badge tone="accent" icon={<Star size={12} strokeWidth={2} aria-hidden />}>
            default
        </Badge>
    );
}

function Choice() {
    return (
        <>
            <BackLink />
            <div className="@container">
                <Section title="Add connection" note="Choose a provider">
                    <PresetGrid />
                </Section>
            </div>
        </>
    );
}

/** Loads the models of a new connection that can be used. The first one becomes the default: nothing else was chosen. */
async function prepare(slug: string, first: boolean): Promise<void> {
    try {
        const { row } = await send("connection_show", { slug });
        if (lacks(row) !== undefined) return;
        if (first) {
            await send("settings_update", { defaultConnection: slug });
            toast({ text: `“${row.name}” is now the default connection.` });
        }
        await send("connection_models", { slug });
    } catch (thrown) {
        toastProblem(toProblem(thrown), "The models could not be listed");
    }
}

function Adding({ preset: name, rows }: { preset: string; rows: readonly ConnectionRow[] }) {
    const presets = useQuery("connection_presets", null);
    return (
        <>
            <BackLink to={{ add: "" }} label="All providers" />
            <AsyncBoundary of={presets} what="the providers">
                {(all) => {
                    const preset = all.find((each) => each.preset === name);
                    if (preset === undefined)
                        return (
                            <ErrorCard
                                title={`Unknown provider “${name}”.`}
                                actions={<Button onClick={() => show({ add: "" })}>Show all providers</Button>}
                            />
                        );
                    return (
                        <div key={name}>
                            <Section title={preset.name} note={preset.description}>
                                <ConnectionForm
                                    connection={preset.connection}
                                    preset={preset}
                                    taken={rows.map((row) => row.slug)}
                                    onSaved={(slug) => {
                                        show({ open: slug });
                                        void prepare(slug, !rows.some((row) => !row.builtIn));
                                    }}
                                    onCancel={() => show()}
                                />
                            </Section>
                        </div>
                    );
                }}
            </AsyncBoundary>
        </>
    );
}
