import { ArrowRight, FilePlus, FolderOpen, MessageSquareText, Plug } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";

import { skip, useQuery } from "@/backend";
import { PresetNames } from "@/domains/connection";
import { AskFolder, carry } from "@/domains/knowledge";
import { changeSettings, useSettings } from "@/domains/settings";
import { go, hrefOf } from "@/routes";
import { Button, ErrorCard, Skeleton, TextArea, Waiting } from "@/shared";

import { examplesOf, pausesInWords, readyAgents } from "./steps";
import { useStart, type Start } from "./useStart";

/** The first page: four ways in. */
export function WelcomePage() {
    const { settings } = useSettings();
    const over = useQuery("connection_list", null).data?.find((row) => row.default);
    const welcomed = useRef(settings?.welcomed);
    useEffect(() => {
        welcomed.current = settings?.welcomed;
    });
    // Whichever way it is left, it was seen.
    useEffect(
        () => () => {
            if (welcomed.current === false) void changeSettings({ welcomed: true });
        },
        [],
    );
    return (
        <div className="min-h-0 flex-1 overflow-y-auto">
            <div className="mx-auto w-full max-w-[44rem] px-6 pt-8 pb-8">
                <h1 className="text-page font-semibold tracking-[-0.01em]">Research you can sign your name under</h1>
                <p className="mt-1.5 max-w-[38rem] text-ui text-ink-2">
                    Ask a question. An agent plans, searches, writes and checks in stages, and pauses when you need to
                    decide. The result is a document in which every citation has been checked against its paragraph.
                </p>
                <div className="mt-6 border-y border-hairline">
                    <StartCard
                        icon={<MessageSquareText size={16} strokeWidth={1.5} aria-hidden />}
                        title="Research a question now"
                        line={
                            over === undefined || over.provider === "offline"
                                ? "Offline. No key, no account, nothing leaves this machine."
                                : `With ${over.name}: the question and the paragraphs it needs are sent to the provider.`
                        }
                    >
                        <Ask />
                    </StartCard>
                    <StartCard
                        icon={<FilePlus size={16} strokeWidth={1.5} aria-hidden />}
                        title="Add your documents"
                        line="Standards, manuals, policies, laws: as PDF (.pdf), Word (.docx), Excel (.xlsx), EPUB (.epub), HTML (.html), XML (.xml), Markdown (.md), text (.txt), tables (.csv), pictures of pages (.png), (.jpg) or JSONL (.jsonl), also compressed (.gz). They become a knowledge base that agents cite."
                    >
                        <div className="flex flex-wrap items-start gap-2">
                            <AskFolder
                                onPaths={(paths) => {
                                    carry(paths);
                                    go({ page: "new" });
                                }}
                            />
                            <Button variant="quiet" onClick={() => go({ page: "knowledge", adding: true })}>
                                Add documents with options…
                            </Button>
                        </div>
                    </StartCard>
                    <StartCard
                        icon={<FolderOpen size={16} strokeWidth={1.5} aria-hidden />}
                        title="Work in a folder"
                        line="A conversation in which a model reads, searches and edits the files of a folder and runs commands, and asks before it changes anything. Needs a connected model."
                    >
                        <Button onClick={() => go({ page: "new", agent: "" })}>Start a chat</Button>
                    </StartCard>
                    <StartCard
                        icon={<Plug size={16} strokeWidth={1.5} aria-hidden />}
                        title="Connect a model"
                        line="Use your own key, or a model on this machine. Without a model, the offline engine answers: it selects and quotes instead of writing freely, and its citations are checked in the same way."
                    >
                        <PresetNames />
                    </StartCard>
                </div>
                <p className="mt-4 text-small text-ink-3">
                    To return to this page, press Ctrl+K and choose “Welcome”.{" "}
                    <a
                        href={hrefOf({ page: "inbox", view: "inbox" })}
                        className="text-accent underline underline-offset-2"
                    >
                        Go to the inbox
                    </a>
                </p>
            </div>
        </div>
    );
}

function StartCard({
    icon,
    title,
    line,
    children,
}: {
    icon: ReactNode;
    title: string;
    line: string;
    children: ReactNode;
}) {
    return (
        <section aria-label={title} className="flex gap-3 border-b border-hairline py-4 last:border-b-0">
            <span className="mt-[3px] shrink-0 text-ink-3">{icon}</span>
            <div className="min-w-0 flex-1">
                <h2 className="text-title font-semibold">{title}</h2>
                <p className="mt-0.5 mb-3 text-ui text-ink-2">{line}</p>
                {children}
            </div>
        </section>
    );
}

/** Questions that one click starts, and room for one's own. */
function Ask() {
    const { settings } = useSettings();
    const agents = useQuery("agent_list", null);
    const start = useStart();
    const ready = readyAgents(agents.data ?? [], settings?.defaultAgent ?? "");
    const examples = examplesOf(ready, 3);
    const agent = examples[0]?.agent ?? ready[0];
    const view = useQuery("agent_show", agent === undefined ? skip : { slug: agent.slug }).data;
    const pauses = view?.stages.filter((stage) => stage.pauses).length;

    if (agents.data === undefined) {
        if (agents.problem === undefined) return <Skeleton lines={3} />;
        return (
            <ErrorCard title="Could not load the agents" actions={<Button onClick={agents.reload}>Try again</Button>}>
                {agents.problem.message}
            </ErrorCard>
        );
    }
    if (agent === undefined) {
        return (
            <p className="text-ui text-ink-2">
                No agent is ready: each has a problem or needs a knowledge base.{" "}
                <a className="text-accent underline underline-offset-2" href={hrefOf({ page: "agents" })}>
                    Show agents
                </a>
            </p>
        );
    }
    return (
        <>
            {examples.length > 0 && (
                <ul aria-label="Example questions" className="border-y border-hairline">
                    {examples.map(({ question }) => (
                        <li key={question} className="border-b border-hairline last:border-b-0">
                            <button
                                type="button"
                                disabled={start.under !== undefined}
                                onClick={() => void start.start(agent.slug, question)}
                                className="ring-inside group -mx-2 flex w-[calc(100%+1rem)] items-center gap-3 rounded-control px-2 py-2.5 text-left text-ui hover:bg-hover disabled:opacity-50 disabled:hover:bg-transparent"
                            >
                                <span className="min-w-0 flex-1">{question}</span>
                                <ArrowRight
                                    size={16}
                                    strokeWidth={1.5}
                                    aria-hidden
                                    className="shrink-0 text-ink-3 group-hover:text-accent"
                                />
                            </button>
                        </li>
                    ))}
                </ul>
            )}
            <OwnQuestion agent={agent.slug} start={start} enterSends={settings?.enterSends ?? true} />
            <div aria-live="polite" className="mt-3 min-h-7">
                {start.under === undefined ? (
                    <p className="text-small text-ink-3">
                        {agent.name} reads {agent.defaultCorpus === null ? "its sources" : "the built-in primer"}
                        {pauses !== undefined &&
                            pauses > 0 &&
                            `, with ${pauses > 1 ? "at most " : ""}${pausesInWords(pauses)} for your decision`}
                        , and ends with a document whose citations are checked. Takes about a minute of your time.
                    </p>
                ) : (
                    <Waiting
                        what="Starting the run. The first run also loads the knowledge base."
                        since={start.under.since}
                        onStop={start.stop}
                    />
                )}
            </div>
            {start.problem !== undefined && (
                <ErrorCard
                    className="mt-3"
                    title="The run did not start"
                    kept="Nothing was spent and nothing was stored."
                    advice={
                        start.problem.action ?? "Try again. If it fails again, look at the checks in Settings > Health."
                    }
                    actions={<Button onClick={() => go({ page: "settings", section: "health" })}>Open Health</Button>}
                >
                    {start.problem.message}
                </ErrorCard>
            )}
        </>
    );
}

function OwnQuestion({ agent, start, enterSends }: { agent: string; start: Start; enterSends: boolean }) {
    const [text, setText] = useState("");
    const ask = () => {
        const question = text.trim();
        if (question !== "" && start.under === undefined) void start.start(agent, question);
    };
    return (
        <div className="mt-3 flex items-end gap-2">
            <TextArea
                label="Your own question"
                hideLabel
                placeholder="Or ask your own question…"
                value={text}
                onChange={setText}
                maxRows={6}
                className="flex-1"
                onKeyDown={(event) => {
                    if (
                        event.key !== "Enter" ||
                        event.nativeEvent.isComposing ||
                        event.shiftKey ||
                        (!enterSends && !event.ctrlKey && !event.metaKey)
                    )
                        return;
                    event.preventDefault();
                    ask();
                }}
            />
            <Button
                variant="primary"
                disabled={text.trim() === "" || start.under !== undefined}
                onClick={ask}
                shortcut={enterSends ? "Enter" : "Ctrl+Enter"}
                className="h-[30px]"
            >
                Ask
            </Button>
        </div>
    );
}
