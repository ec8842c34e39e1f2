// Where a message of a conversation is written: with its files, its names, and what the conversation is set to.

import { ArrowUp, Square } from "lucide-react";
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";

import {
    call,
    send as carryOut,
    shell,
    toProblem,
    useCommand,
    type ChatState,
    type Completion,
    type Mention,
    type Mode,
    type SessionSetup,
    type TurnHead,
    type UserMessage,
    type WhenBusy,
    type DraftUse,
} from "@/backend";
import { mayBecome, nextMode } from "@/domains/permission";
import { canResume, isLive } from "@/domains/turn";
import { useWorkspace } from "@/domains/workspace";
import { go } from "@/routes";
import { Button, dollarsOf, Select, cx, lazyPart, toast, useShortcut, toastProblem, problemText } from "@/shared";

import { AttachButton, AttachedFiles } from "./Attached";
import { isDocument, useAttaching } from "./attachments";
import { sends } from "./destination";
import { EarlierDrafts } from "./EarlierDrafts";
import { useWritingGoesOn, writesOn } from "./focus";
import { MentionArea } from "./MentionArea";
import { moved, skillAtStart, trimmed } from "./mentions";
import { RunSelects } from "./OptionBar";
import { askedBase, type Options } from "./options";
import { useParts } from "./draft-parts";
import { SetupBar, type Change } from "./SetupBar";

const QueueChips = lazyPart(() => import("./Chips").then((part) => part.QueueChips));
const ShellChips = lazyPart(() => import("./Chips").then((part) => part.ShellChips));

/** A message that was sent. */
export type Sent = Pick<UserMessage, "text" | "mentions">;

export interface ChatComposerProps {
    session?: string;
    /** Its newest turn. */
    turn?: TurnHead;
    chat?: ChatState;
    /** What the person wrote in the session, oldest first: comes back with the arrow. */
    history?: readonly Sent[];
    prefill?: string;
    big?: boolean;
    focus?: boolean;
    options: Options;
    draft: DraftUse;
    /** A turn was begun, or a message queued, in the session on the page. */
    onStarted?: (run: string) => void;
    /** Before the hint: a choice of what else the text could become. */
    switcher?: ReactNode;
    /** Whether an agent can be chosen here. */
    picksAgent: boolean;
    /** Whether the person sent the text already, before this could be shown. */
    sendsAtOnce?: boolean;
}

const NEW: SessionSetup = { mode: "ask", folders: [], sources: [], agent: "", whenBusy: "queue" };
const COMMANDS: readonly Completion[] = [
    { kind: "skill", name: "compact", title: "compact", detail: "Compact the conversation" },
];
/** Two Escapes within this time stop the turn. */
const TWICE_MS = 4_000;

export function ChatComposer({
    session,
    turn,
    chat,
    history = [],
    prefill,
    big = false,
    focus = false,
    options,
    draft,
    onStarted,
    switcher,
    picksAgent,
    sendsAtOnce = false,
}: ChatComposerProps) {
    const area = useRef<HTMLTextAreaElement>(null);
    const [mentions, setMentions] = useState<Mention[]>([]);
    const [over, setOver] = useState(false);
    const attaching = useAttaching(session, "message");
    useParts(draft, attaching, mentions, setMentions);
    const latest = useRef({ text: draft.text, mentions });
    useEffect(() => {
        latest.current = { text: draft.text, mentions };
    });
    const send = useCommand("turn_send");
    const compact = useCommand("session_compact");
    const stop = useCommand("turn_stop");
    const { setup, change } = useSetup(session, chat?.setup);
    const live = turn !== undefined && isLive(turn.status);
    const [stopped, setStopped] = useState<string | undefined>();
    // One that is resumed can be stopped again.
    if (!live && stopped !== undefined) setStopped(undefined);
    const stopping = live && (stop.pending || stopped === turn.run);
    const sending = send.pending || compact.pending;
    const problem = send.problem ?? compact.problem ?? stop.problem;
    // An agent with stages that the message names: it begins a run, which can be given more.
    const named = options.agents.find(
        (agent) =>
            agent.stages > 0 &&
            trimmed(draft.text, mentions).mentions?.some((each) => each.kind === "agent" && each.name === agent.slug),
    );
    const [depth, setDepth] = useState("");
    const empty = draft.text.trim() === "" && attaching.files.length === 0;

    // A link fills the field in; what stood there comes back with one key.
    const filled = useRef<string>(undefined);
    const { ready, text: kept, setText } = draft;
    useEffect(() => {
        if (!ready || prefill === undefined || filled.current === prefill) return;
        filled.current = prefill;
        setMentions(skillAtStart(prefill));
        if (kept === prefill) return;
        setText(prefill);
        if (kept.trim() !== "") toast({ text: "The question was filled in from a link.", onUndo: () => setText(kept) });
        area.current?.focus();
    }, [ready, prefill, kept, setText]);
    useEffect(() => {
        if (focus) area.current?.focus();
    }, [focus]);
    useWritingGoesOn(area);

    const setMode = async (mode: Mode) => {
        if (mode !== setup.mode && (await mayBecome(mode, session ?? "new"))) change({ mode });
    };
    const halt = () => {
        if (!live || stopping) return;
        setStopped(turn.run);
        void stop.run({ run: turn.run }).then(({ problem: refused }) => refused !== undefined && setStopped(undefined));
    };
    const [struck, setStruck] = useState(0);
    const warned = live && !stopping && struck > 0;
    useEffect(() => {
        if (struck === 0) return;
        const timer = setTimeout(() => setStruck(0), TWICE_MS);
        return () => clearTimeout(timer);
    }, [struck]);
    useShortcut(
        "stop",
        "Escape",
        "Stop the turn (press twice)",
        (event) => {
            setStruck(warned ? 0 : Math.max(1, event.timeStamp));
            if (warned) halt();
        },
        { group: "Session", enabled: live },
    );

    const submit = async (busy?: WhenBusy) => {
        if (empty || sending || attaching.reading.length > 0) return;
        const limit = dollarsOf(options.budget);
        if (limit === null) {
            toast({ text: `“${options.budget.trim()}” is not a valid cost limit. Nothing was sent.`, tone: "failed" });
            return;
        }
        const { text } = draft;
        if (session !== undefined && text.trim() === "/compact") {
            const { problem: refused } = await compact.run({ session });
            if (refused === undefined) draft.sent(text);
            return;
        }
        const message = { ...trimmed(draft.text, mentions), attachments: [...attaching.files] };
        const { value } = await send.run({
            session: session ?? null,
            message,
            ...(options.choice === undefined
                ? {}
                : { connection: options.choice.connection, model: options.choice.model }),
            ...(session === undefined
                ? {
                      setup: {
                          mode: setup.mode,
                          folders: setup.folders,
                          sources: setup.sources,
                          agent: options.agent?.slug ?? "",
                          effort: setup.effort ?? null,
                      },
                  }
                : {}),
            ...(busy === undefined ? {} : { whenBusy: busy }),
            ...(named === undefined
                ? {}
                : {
                      depth: named.depths.includes(depth) ? depth : null,
                      corpus: askedBase(options, attaching.files),
                  }),
            ...(typeof limit === "number" ? { budgetUsd: limit } : {}),
        });
        if (value === undefined) return;
        // What was written and attached while it was sent stays.
        const { text: now, mentions: written } = latest.current;
        const rest = draft.sent(text, value.session);
        setMentions(session === undefined ? [] : moved(written, now, rest));
        message.attachments.forEach((file) => attaching.remove(file.id));
        recalled.current = undefined;
        if (session === undefined) writesOn();
        for (const note of value.notes) toast({ text: note });
        if (session === undefined) go({ page: "session", session: value.session });
        else onStarted?.(value.turn ?? value.run ?? value.queued ?? "");
    };
    const due = useRef(sendsAtOnce);
    useEffect(() => {
        if (!due.current || !ready) return;
        due.current = false;
        void submit();
    });
    // The arrow brings back what was written before, the newest first.
    const recalled = useRef<number>(undefined);
    const recall = (step: 1 | -1): boolean => {
        const at = recalled.current ?? history.length;
        const next = at - step;
        const shown = recalled.current !== undefined && draft.text === history[recalled.current]?.text;
        if (!shown && draft.text !== "") return false;
        if (step === -1 && !shown) return false;
        if (next < 0) return true;
        recalled.current = next >= history.length ? undefined : next;
        setMentions([...(history[next]?.mentions ?? [])]);
        draft.setText(history[next]?.text ?? "");
        return true;
    };
    const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
        if (event.nativeEvent.isComposing) return;
        if (event.key === "Tab" && event.shiftKey) {
            event.preventDefault();
            void setMode(nextMode(setup.mode));
        } else if (
            (event.key === "ArrowUp" || event.key === "ArrowDown") &&
            !event.shiftKey &&
            !event.altKey &&
            history.length > 0 &&
            !draft.text.includes("\n")
        ) {
            if (recall(event.key === "ArrowUp" ? 1 : -1)) event.preventDefault();
        } else if (sends(event, options.enterSends)) {
            event.preventDefault();
            void submit();
        }
    };
    const desktop = shell();
    const { addPaths } = attaching;
    const { addPaths: addBase } = options;
    const dropped = useRef<(paths: string[]) => void>(() => undefined);
    useEffect(() => {
        // A folder can't go with a message: where a question begins, it becomes a base that is asked.
        dropped.current = (paths) => void (picksAgent ? sorted(paths, addPaths, addBase) : addPaths(paths));
    });
    useEffect(() => desktop?.onDrop((paths) => dropped.current(paths)), [desktop]);
    const placeholder = live
        ? setup.whenBusy === "steer"
            ? "Steer the turn: read before its next step"
            : "Write the next message: sent after this turn"
        : session === undefined
          ? "Ask a question or describe a task"
          : "Reply";
    const word = live ? (setup.whenBusy === "steer" ? "Steer" : "Queue") : "Send";
    return (
        <div className={cx("@container print:hidden", !big && "w-full max-w-[47.5rem]")}>
            {session !== undefined && chat !== undefined && (
                <>
                    {chat.shells.length > 0 && <ShellChips shells={chat.shells} />}
                    {chat.queue.length > 0 && (
                        <QueueChips
                            session={session}
                            queue={chat.queue}
                            held={turn !== undefined && canResume(turn.status)}
                        />
                    )}
                </>
            )}
            <div
                className={cx(
                    "rounded-card border bg-surface focus-within:border-accent focus-within:outline-1 focus-within:outline-accent",
                    over ? "border-dashed border-accent" : "border-hairline-strong",
                )}
                onDragOver={(event) => {
                    if (!event.dataTransfer.types.includes("Files")) return;
                    event.preventDefault();
                    setOver(true);
                }}
                onDragLeave={() => setOver(false)}
                onDrop={(event) => {
                    setOver(false);
                    if (event.dataTransfer.files.length === 0) return;
                    event.preventDefault();
                    void attaching.add([...event.dataTransfer.files]);
                }}
            >
                <MentionArea
                    ref={area}
                    label={placeholder}
                    placeholder={over ? "Drop files here" : placeholder}
                    session={session}
                    folders={setup.folders}
                    text={draft.text}
                    mentions={mentions}
                    commands={session === undefined ? [] : COMMANDS}
                    onChange={(text, next) => {
                        setMentions(next);
                        draft.setText(text);
                    }}
                    onBlur={draft.flush}
                    onFiles={(files) => void attaching.add(files)}
                    onKeyDown={onKeyDown}
                    big={big}
                >
                    <AttachedFiles attaching={attaching} session={session} disabled={sending} />
                </MentionArea>
                <div className="flex flex-wrap items-end justify-end gap-2 pr-1.5 pb-1.5 pl-1">
                    <div className="min-w-0 flex-1 basis-full text-ui @min-[28rem]:basis-0">
                        <SetupBar
                            setup={setup}
                            onChange={(next) => (next.mode === undefined ? change(next) : void setMode(next.mode))}
                            options={options}
                            picksAgent={picksAgent}
                            disabled={send.pending}
                        />
                        {named !== undefined && (
                            <div className="flex flex-wrap items-center gap-x-0.5">
                                <RunSelects
                                    attached={attaching.files.some(isDocument)}
                                    agent={named}
                                    options={{ ...options, depth, setDepth }}
                                    disabled={send.pending}
                                />
                            </div>
                        )}
                    </div>
                    <AttachButton attaching={attaching} label="Attach files (or paste or drop them)" />
                    {live && (
                        <Button
                            icon={<Square size={12} strokeWidth={1.5} />}
                            disabled={stopping}
                            onClick={halt}
                            title="Stop (Esc Esc)"
                        >
                            {stopping ? "Stopping…" : "Stop"}
                        </Button>
                    )}
                    {(!live || !empty) && (
                        <Button
                            variant={live ? "secondary" : "primary"}
                            icon={<ArrowUp size={16} strokeWidth={1.5} />}
                            aria-disabled={empty || sending || attaching.reading.length > 0}
                            shortcut={options.enterSends ? "Enter" : "Ctrl+Enter"}
                            onClick={() => void submit()}
                        >
                            {sending ? "Sending…" : word}
                        </Button>
                    )}
                </div>
            </div>
            <div className="mt-1 flex min-h-6 flex-wrap items-center gap-x-3 px-1 text-small text-ink-3 @min-[40rem]:flex-nowrap">
                {switcher}
                {problem === undefined ? (
                    live ? (
                        <span className="flex min-w-0 items-center gap-1">
                            <Select
                                label="Messages sent during a turn"
                                variant="quiet"
                                value={setup.whenBusy}
                                options={[
                                    {
                                        value: "queue",
                                        label: "Queue messages",
                                        hint: "A message becomes the next turn.",
                                    },
                                    {
                                        value: "steer",
                                        label: "Steer with messages",
                                        hint: "The model reads a message before its next step.",
                                    },
                                ]}
                                onChange={(whenBusy) => change({ whenBusy: whenBusy })}
                            />
                            {warned && (
                                <span role="status" className="text-ink-2">
                                    Press <Hint>Esc</Hint> again to stop the turn
                                </span>
                            )}
                        </span>
                    ) : (
                        // Keys are no help on a telephone, and there is no room for them.
                        <span className="hidden min-w-0 truncate @min-[28rem]:inline">
                            <Hint>@</Hint> mentions agents, sources and files, <Hint>/</Hint> skills,{" "}
                            <Hint>Shift+Tab</Hint> changes the mode
                        </span>
                    )
                ) : (
                    <span role="alert" className="min-w-0 text-failed">
                        {problemText(problem)} <span className="text-ink-2">Your text is kept.</span>
                    </span>
                )}
                <EarlierDrafts
                    draft={draft}
                    onWrite={(text) => {
                        setMentions([]);
                        draft.setText(text);
                        area.current?.focus();
                    }}
                />
            </div>
        </div>
    );
}

function Hint({ children }: { children: string }) {
    return <kbd className="rounded-[4px] border border-hairline px-1 font-ui">{children}</kbd>;
}

/** A session's setup, changed at once on the page and then in the core; before there is a session only on the page. */
function useSetup(
    session: string | undefined,
    stored: SessionSetup | undefined,
): { setup: SessionSetup; change: (change: Change & { whenBusy?: WhenBusy }) => void } {
    const [own, setOwn] = useState<Partial<SessionSetup>>({});
    const [seen, setSeen] = useState(stored);
    // What the core says now holds the changes that were made here.
    if (seen !== stored) {
        setSeen(stored);
        if (session !== undefined) setOwn({});
    }
    const first = useWorkspace()?.setup;
    const setup = { ...(stored ?? (session === undefined ? first : undefined) ?? NEW), ...own };
    const change = (patch: Change & { whenBusy?: WhenBusy }) => {
        setOwn((before) => ({ ...before, ...patch }));
        if (session === undefined) return;
        carryOut("session_setup", { session, patch }).catch((thrown: unknown) => {
            setOwn({});
            toastProblem(toProblem(thrown), "Not changed");
        });
    };
    return { setup, change };
}

/** Files go with the message, folders become a base. */
async function sorted(
    paths: readonly string[],
    attach: (paths: readonly string[]) => Promise<void>,
    addBase: (paths: readonly string[]) => Promise<void>,
): Promise<void> {
    const rows = await call("paths_check", { paths: [...paths] }).catch(() => []);
    const folders = rows.filter((row) => row.kind === "folder").map((row) => row.path);
    const files = paths.filter((path) => !folders.includes(path));
    if (files.length > 0) await attach(files);
    if (folders.length > 0) await addBase(folders);
}
