import { Copy, MessageSquarePlus, Pencil } from "lucide-react";

import { shell, useQuery, type AgentView } from "@/backend";
import { go, hrefOf } from "@/routes";
import {
    Badge,
    Button,
    CodeBlock,
    Fold,
    JsonView,
    AsyncBoundary,
    Page,
    Picture,
    Properties,
    Section,
    StateMark,
    Tooltip,
    count,
    toast,
} from "@/shared";
import { Markdown } from "@/shared/markdown";

import { AgentConnection } from "./AgentConnection";
import { AgentEditor } from "./AgentEditor";
import { AgentRuns } from "./AgentRuns";
import { DepthTable, Thresholds } from "./DepthTable";
import { MakeAgent } from "./MakeAgent";
import { Problems } from "./Problems";
import { StageDiagram } from "./StageDiagram";

const BACK = { label: "Agents", href: hrefOf({ page: "agents" }) };

/** One agent: what it is, what it does stage by stage, and what it did. */
export function AgentPage({ slug, edit = false }: { slug: string; edit?: boolean }) {
    const query = useQuery("agent_show", { slug });
    const view = query.data;
    const broken = (view?.agent.problems.length ?? 0) > 0;
    const own = view !== undefined && !view.agent.shipped;
    if (edit && own)
        return (
            <Page
                title={`Edit ${view.agent.name}`}
                back={{ label: view.agent.name, href: hrefOf({ page: "agent", slug }) }}
                width="reading"
            >
                <AgentEditor agent={view.agent} />
            </Page>
        );
    return (
        <Page
            title={view?.agent.name ?? slug}
            lead={view?.agent.description}
            back={BACK}
            marks={
                view !== undefined && (
                    <>
                        {typeof view.agent.icon === "string" && <Picture src={view.agent.icon} />}
                        {broken && <StateMark state="failed" word="Can’t run" show="badge" />}
                        <Badge>{view.agent.shipped ? "built-in" : "yours"}</Badge>
                    </>
                )
            }
            actions={
                view !== undefined && (
                    <>
                        {!broken && (
                            <MakeAgent from={view.agent} label="Copy" icon={<Copy size={16} strokeWidth={1.5} />} />
                        )}
                        {own && (
                            <Button
                                icon={<Pencil size={16} strokeWidth={1.5} />}
                                onClick={() => go({ page: "agent", slug, edit: true })}
                            >
                                Edit
                            </Button>
                        )}
                        <Tooltip
                            label={
                                broken
                                    ? "Fix the agent’s files first"
                                    : view.stages.length === 0
                                      ? "Start a conversation with this agent"
                                      : "Start a question for this agent"
                            }
                        >
                            <Button
                                variant="primary"
                                aria-disabled={broken}
                                icon={<MessageSquarePlus size={16} strokeWidth={1.5} />}
                                onClick={() => !broken && go({ page: "new", agent: slug })}
                            >
                                {!broken && view.stages.length === 0 ? "Talk to this agent" : "Ask this agent"}
                            </Button>
                        </Tooltip>
                    </>
                )
            }
        >
            <AsyncBoundary of={query} what={`the agent ${slug}`}>
                {(known) => <Parts view={known} onReload={query.reload} />}
            </AsyncBoundary>
        </Page>
    );
}

function Parts({ view, onReload }: { view: AgentView; onReload: () => void }) {
    const { agent } = view;
    return (
        <>
            <Problems problems={agent.problems} what="agent" folder={view.folder} onReload={onReload} />
            {view.stages.length > 0 && (
                <Section
                    title="Stages"
                    note={`${count(view.stages.length, "stage")}, ${count(view.stages.filter((stage) => stage.pauses).length, "pause")} for your decision`}
                >
                    <StageDiagram stages={view.stages} />
                </Section>
            )}
            <div className="mt-8 grid gap-x-10 gap-y-8 min-[68rem]:grid-cols-[minmax(0,1fr)_20rem]">
                <div className="min-w-0">
                    {view.about.trim() !== "" && (
                        <Section title={view.stages.length === 0 ? "Instructions" : "About"}>
                            <Markdown text={withoutTitle(view.about, agent.name)} className="max-w-[42rem]" />
                        </Section>
                    )}
                    {view.stages.length > 0 && (
                        <Section title="Runs">
                            <AgentRuns slug={agent.slug} />
                        </Section>
                    )}
                </div>
                <div className="min-w-0 space-y-8">
                    <Section title="Facts" className="mt-0">
                        <Properties
                            items={[
                                {
                                    name: "Folder name",
                                    value: <code className="font-mono text-code">{agent.slug}</code>,
                                },
                                {
                                    name: "Knowledge base",
                                    value:
                                        agent.defaultCorpus === null ? (
                                            agent.needsCorpus ? (
                                                "Chosen with each question"
                                            ) : (
                                                "None"
                                            )
                                        ) : (
                                            <a
                                                className="text-accent hover:underline"
                                                href={hrefOf({ page: "base", base: agent.defaultCorpus })}
                                            >
                                                {agent.defaultCorpus}
                                            </a>
                                        ),
                                },
                                { name: "Sources", value: <Sources sources={view.sources} /> },
                                { name: "Connection", value: <AgentConnection slug={agent.slug} /> },
                                // A built-in agent is in the program, in no folder.
                                ...(agent.shipped ? [] : [{ name: "Folder", value: <Folder path={view.folder} /> }]),
                            ]}
                        />
                    </Section>
                    {view.stages.length > 0 && (
                        <Section title="Thresholds" className="mt-0">
                            <Thresholds thresholds={view.thresholds} />
                        </Section>
                    )}
                </div>
            </div>
            {view.stages.length > 0 && <Workings view={view} />}
            {view.config !== null && view.stages.length > 0 && (
                <Section title="Configuration" note="From config.json">
                    <JsonView value={view.config} label="Configuration" open={1} height="max-h-[32rem]" />
                </Section>
            )}
        </>
    );
}

/** What only an agent that can be read has. */
function Workings({ view }: { view: AgentView }) {
    const { agent } = view;
    return (
        <>
            <Section title="Depths" note="How thorough a run is. Chosen with each question.">
                <DepthTable modes={view.depthModes} order={agent.depths} standard={agent.defaultDepth} />
            </Section>
            <Section title="Prompts" note={count(view.prompts.length, "file")}>
                {view.prompts.length === 0 && <p className="text-ui text-ink-2">No stage calls a model.</p>}
                <div className="border-y border-hairline">
                    {view.prompts.map((prompt) => (
                        <Fold
                            key={prompt.name}
                            label={<code className="font-mono text-code">{prompt.name}</code>}
                            note={count(prompt.text.length, "character")}
                            className="border-b border-hairline py-1 last:border-b-0"
                        >
                            <CodeBlock
                                code={prompt.text}
                                language="markdown"
                                wrap
                                height="max-h-[32rem]"
                                className="my-1"
                            />
                        </Fold>
                    ))}
                </div>
            </Section>
        </>
    );
}

function Sources({ sources }: { sources: string[] }) {
    if (sources.length === 0) return "None";
    return sources.map((slug) => (
        <a
            key={slug}
            href={hrefOf({ page: "source", slug: slug.split(" ")[0] ?? slug })}
            className="block text-accent hover:underline"
        >
            {slug}
        </a>
    ));
}

function Folder({ path }: { path: string }) {
    const desktop = shell();
    return (
        <span className="block">
            <code className="font-mono text-code break-all text-ink-2">{path}</code>
            {desktop !== undefined && (
                <Button
                    size="small"
                    className="mt-1"
                    onClick={() =>
                        void desktop.openPath(path).catch(() =>
                            toast({
                                text: "This folder does not exist yet. Copy the agent there to create it.",
                                tone: "failed",
                            }),
                        )
                    }
                >
                    Open
                </Button>
            )}
        </span>
    );
}

/** The page has the title already. */
export function withoutTitle(about: string, name: string): string {
    const [first = "", ...rest] = about.trimStart().split("\n");
    return first.replace(/^#\s+/, "").trim() === name && first.startsWith("#") ? rest.join("\n").trimStart() : about;
}
