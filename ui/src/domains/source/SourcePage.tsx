import { useQuery, shell, type SourceView } from "@/backend";
import { Problems } from "@/domains/agent";
import { go, hrefOf } from "@/routes";
import { Badge, Button, JsonView, AsyncBoundary, Page, Properties, Section, StateMark, toast } from "@/shared";
import { Markdown } from "@/shared/markdown";

import { SourceForm } from "./SourceForm";
import { SourceSecrets } from "./SourceSecrets";
import { SourceHistory, SourceHealth, SourceTools } from "./SourceHealth";
import { SourceTrial } from "./SourceTrial";
import { kindWord } from "./labels";

const BACK = { label: "Sources", href: hrefOf({ page: "sources" }) };

/** One source: whether it works, what it offers, how to use it. */
export function SourcePage({ slug, edit = false }: { slug: string; edit?: boolean }) {
    const query = useQuery("source_show", { slug });
    const source = query.data?.source;
    const broken = (source?.problems.length ?? 0) > 0;
    return (
        <Page
            title={source?.name || slug}
            lead={source?.description}
            back={BACK}
            width="reading"
            marks={
                source !== undefined && (
                    <>
                        {broken && <StateMark state="failed" word="Can’t be used" show="badge" />}
                        <Badge>{kindWord(source.kind)}</Badge>
                        <Badge>{source.shipped ? "built-in" : "yours"}</Badge>
                    </>
                )
            }
        >
            <AsyncBoundary of={query} what={`the source ${slug}`}>
                {(view) =>
                    edit ? (
                        <SourceForm
                            config={JSON.stringify(view.config, null, 4)}
                            guide={view.guide}
                            onDone={() => go({ page: "source", slug }, { replace: true })}
                        />
                    ) : (
                        <Parts view={view} onReload={query.reload} />
                    )
                }
            </AsyncBoundary>
        </Page>
    );
}

function Parts({ view, onReload }: { view: SourceView; onReload: () => void }) {
    const { source } = view;
    const desktop = shell();
    return (
        <>
            <Problems problems={source.problems} what="source" folder={view.folder} onReload={onReload} />
            <SourceHealth view={view} onChanged={onReload} />
            <SourceSecrets view={view} />
            <Section title="Test">
                <SourceTrial slug={source.slug} listed={view.tools.length > 0} onTested={onReload} />
            </Section>
            <SourceTools view={view} />
            <SourceHistory slug={source.slug} />
            <Section title="Used by">
                {source.usedBy.length === 0 ? (
                    <p className="text-ui text-ink-2">No agent uses this source.</p>
                ) : (
                    <ul className="flex flex-wrap gap-x-4 gap-y-1">
                        {source.usedBy.map((agent) => (
                            <li key={agent}>
                                <a
                                    href={hrefOf({ page: "agent", slug: agent })}
                                    className="text-accent hover:underline"
                                >
                                    {agent}
                                </a>
                            </li>
                        ))}
                    </ul>
                )}
            </Section>
            {view.guide.trim() !== "" && (
                <Section title="Guide" note="Agents read this guide, too.">
                    <Markdown text={view.guide.trimStart().replace(/^# .*\n+/, "")} />
                </Section>
            )}
            <Section title="Configuration" note="Secrets are not shown.">
                <Properties
                    className="mb-3"
                    items={[
                        { name: "Folder name", value: <code className="font-mono text-code">{source.slug}</code> },
                        {
                            name: "Folder",
                            value: (
                                <>
                                    <code className="font-mono text-code break-all text-ink-2">{view.folder}</code>
                                    {desktop !== undefined && (
                                        <Button
                                            size="small"
                                            className="ml-2"
                                            onClick={() =>
                                                void desktop.openPath(view.folder).catch(() =>
                                                    toast({
                                                        text: "This folder does not exist yet. Copy the source there to create it.",
                                                        tone: "failed",
                                                    }),
                                                )
                                            }
                                        >
                                            Open
                                        </Button>
                                    )}
                                </>
                            ),
                        },
                    ]}
                />
                <JsonView value={view.config} label="Configuration" open={2} />
            </Section>
        </>
    );
}
