// Where a person writes: a question, a follow-up, guidance for a run that goes on, an answer to a pause.

import { ArrowUp, RotateCcw, Square } from "lucide-react";
import { memo, useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";

import {
    call,
    send as carryOut,
    toProblem,
    useCommand,
    type ChatState,
    type JobState,
    type RunState,
    type SessionRow,
    type TurnHead,
    useDraft,
    type DraftUse,
    useOfWorkspace,
} from "@/backend";
import { useDroppedFiles } from "@/domains/knowledge";
import { allowStages } from "@/domains/permission";
import { baseName } from "@/domains/run";
import { go } from "@/routes";
import { Button, dollarsOf, TextArea, cx, lazyPart, toast, problemText } from "@/shared";

import { AttachButton, AttachedFiles } from "./Attached";
import { isDocument, useAttaching } from "./attachments";
import { ChatComposer, type Sent } from "./ChatComposer";
import { destinationOf, hasSwitch, sends, wordsOf, type Destination } from "./destination";
import { EarlierDrafts } from "./EarlierDrafts";
import { useWritingGoesOn, writesOn } from "./focus";
import { ForecastLine, useForecast } from "./ForecastLine";
import { OptionBar } from "./OptionBar";
import { askedBase, useOptions, type Choice, type Options } from "./options";
import { useParts } from "./draft-parts";
import { useInputs } from "./useInputs";

const InputForm = lazyPart(() => import("./InputForm").then((part) => part.InputForm));

export interface ComposerProps {
    /** The session that is written under; without it a new question. */
    session?: string;
    /** Its newest run, where that came last. */
    run?: RunState;
    /** Its newest turn, where that came last. */
    turn?: TurnHead;
    /** What the session has as a conversation. */
    chat?: ChatState;
    /** Whether the session is a conversation, of which a run is a part. */
    talks?: boolean;
    /** What the person wrote in the session, oldest first. */
    history?: readonly Sent[];
    /** What its next run goes over. */
    over?: Pick<SessionRow, "connection" | "model" | "connectionGone">;
    /** Filled in by a link; never sent by itself. */
    prefill?: string;
    agent?: string;
    /** Of a link: the knowledge base that is asked. */
    base?: string;
    /** Large and first on the page. */
    big?: boolean;
    /** Whether it takes the focus when it appears. */
    focus?: boolean;
    /** Of a page that shows or changes them too. */
    options?: Options;
    draft?: DraftUse;
    /** A pause stays open: what it said. */
    onNote?: (run: string, pause: string, message: string) => void;
    /** A run was begun in the session on the page. */
    onStarted?: (run: string) => void;
}

export const Composer = memo(function Composer(props: ComposerProps) {
    return props.draft === undefined ? <Kept {...props} /> : <Placed {...props} draft={props.draft} />;
});

function Kept(props: ComposerProps) {
    const own = useOfWorkspace("new");
    return <Placed {...props} draft={useDraft(props.session ?? own)} />;
}

/** What a text under a finished run becomes. */
type Becomes = "follow_up" | "new" | "chat";

/** Under a turn the conversation goes on; under a run the person can begin one; on a page of its own it depends on the agent. */
function Placed(props: ComposerProps & { draft: DraftUse }) {
    const [chosen, setBecomes] = useState<Becomes | undefined>();
    // In a conversation a run is one answer among others: what is written next goes on with it.
    const becomes = chosen ?? (props.talks === true ? "chat" : "follow_up");
    if (props.turn !== undefined) return <ConversationComposer {...props} picksAgent={false} />;
    if (props.run === undefined)
        return props.session === undefined ? (
            <FirstComposer {...props} />
        ) : (
            <ConversationComposer {...props} picksAgent={false} />
        );
    const free = props.run.status !== "running" && props.run.status !== "paused";
    if (free && becomes === "chat")
        return (
            <ConversationComposer
                {...props}
                picksAgent={false}
                switcher={<Switcher becomes={becomes} run={props.run} onChange={setBecomes} />}
            />
        );
    return <Writing {...props} becomes={becomes} onBecomes={setBecomes} />;
}

function FirstComposer(props: ComposerProps & { draft: DraftUse }) {
    const own = useOptions(props.agent, undefined, undefined, undefined, props.base);
    const options = props.options ?? own;
    // What was sent before it was known that a conversation begins goes off when that is known.
    const [waits, setWaits] = useState(false);
    return options.chat ? (
        <ChatComposer {...props} options={options} picksAgent sendsAtOnce={waits} />
    ) : (
        <Writing {...props} options={options} becomes="follow_up" onBecomes={() => undefined} onWait={setWaits} />
    );
}

function ConversationComposer({
    over,
    switcher,
    ...props
}: ComposerProps & { draft: DraftUse; picksAgent: boolean; switcher?: ReactNode }) {
    const { session } = props;
    const options = useOptions(
        props.agent,
        undefined,
        over === undefined || over.connection === ""
            ? undefined
            : { connection: over.connection, model: over.model === "" ? null : over.model },
        (choice) => {
            if (session !== undefined) void keepChoice(session, choice);
        },
    );
    return <ChatComposer {...props} options={options} switcher={switcher} />;
}

function Writing({
    draft,
    session,
    over,
    run,
    prefill,
    agent,
    big = false,
    focus = false,
    options: given,
    becomes,
    onBecomes,
    onNote,
    onStarted,
    onWait,
}: ComposerProps & {
    draft: DraftUse;
    becomes: Becomes;
    onBecomes: (becomes: Becomes) => void;
    /** The text was sent, and goes off when what it needs is known; or no more. */
    onWait?: (waits: boolean) => void;
}) {
    const fresh = becomes === "new";
    const destination = destinationOf(run, fresh);
    const fixedAgent = destination.to === "follow_up" ? destination.agent : undefined;
    const inSession =
        destination.to === "follow_up" || (destination.to === "question" && destination.session !== undefined);
    const own = useOptions(
        agent ?? run?.agent,
        fixedAgent,
        over === undefined || over.connection === ""
            ? undefined
            : { connection: over.connection, model: over.model === "" ? null : over.model },
        (choice) => {
            // A question that begins a session of its own changes nothing in this one.
            if (session !== undefined && inSession) void keepChoice(session, choice);
        },
        baseName(run?.corpus ?? ""),
    );
    const options = given ?? own;
    // A follow-up keeps what the run before it was given.
    const form = useInputs(destination.to === "question" ? options.agent : undefined, fresh ? undefined : run);
    // Below a document the form of another run would hide what is read.
    const [unfolded, setUnfolded] = useState(false);
    const folded =
        form !== undefined && run?.status === "completed" && !fresh && !big && !unfolded && draft.text === "";
    const words = wordsOf(destination, form !== undefined);
    const area = useRef<HTMLTextAreaElement>(null);
    const attaching = useAttaching(inSession ? session : undefined, "run");
    useParts(draft, attaching);
    // A follow-up asks the documents of the run before it.
    const before = destination.to === "follow_up" ? (run?.attached ?? []) : [];
    const hasDocuments = [...before, ...attaching.files].some(isDocument);
    const { setAttached } = options;
    useEffect(() => setAttached(hasDocuments), [hasDocuments, setAttached]);
    const start = useCommand("run_start");
    const guide = useCommand("run_guide");
    const answer = useCommand("run_answer");
    const stop = useCommand("run_suspend");
    const sending = start.pending || guide.pending || answer.pending;
    const problem = start.problem ?? guide.problem ?? answer.problem ?? stop.problem;
    const asks = destination.to === "question" || destination.to === "follow_up";
    const text = draft.text.trim();
    // Inputs say what is wanted; a question may go with them.
    const unsaid = text === "" && form === undefined;
    const foretold = useForecast(options, text, fixedAgent, asks);
    const limit = dollarsOf(options.budget);

    // A link fills the field in; what stood there comes back with one key.
    const filled = useRef<string>(undefined);
    const { ready, text: kept, setText } = draft;
    useEffect(() => {
        if (!ready || prefill === undefined || filled.current === prefill) return;
        filled.current = prefill;
        if (kept === prefill) return;
        setText(prefill);
        if (kept.trim() !== "") toast({ text: "The question was filled in from a link.", onUndo: () => setText(kept) });
        area.current?.focus();
    }, [ready, prefill, kept, setText]);
    useEffect(() => {
        if (focus) area.current?.focus();
    }, [focus]);
    useWritingGoesOn(area);

    const begin = async (to: Extract<Destination, { to: "question" | "follow_up" }>) => {
        if (limit === null)
            return toast({
                text: `“${options.budget.trim()}” is not a valid cost limit. Nothing was sent.`,
                tone: "failed",
            });
        const asked = to.to === "follow_up" ? to.agent : options.agent?.slug;
        const given = form?.read();
        if (form !== undefined && given === undefined) return;
        const params = {
            agent: asked,
            request: text,
            ...given,
            depth: options.depth === "" ? null : options.depth,
            corpus: askedBase(options, attaching.files),
            session: to.session ?? null,
            ...(to.to === "follow_up"
                ? { previous: to.previous, pauseAtPlan: options.pausesAtPlan }
                : { previous: null }),
            ...(attaching.files.length === 0 ? {} : { attachments: [...attaching.files] }),
            ...(options.choice === undefined ? {} : options.choice),
            ...(typeof limit === "number" ? { budgetUsd: limit } : {}),
        };
        const started = await start.run(params);
        const again = started.problem?.code === "permission" && asked !== undefined && (await allowStages(asked));
        const { value, problem: refused } = again ? await start.run(params) : started;
        if (refused !== undefined) form?.blame(refused.message);
        if (value === undefined) return;
        form?.clear();
        params.attachments?.forEach((file) => attaching.remove(file.id));
        onBecomes("follow_up");
        if (to.session !== undefined) {
            draft.sent(text);
            return onStarted?.(value);
        }
        const opened = await sessionOf(value);
        draft.sent(text, opened);
        writesOn();
        go(opened === undefined ? { page: "run", run: value } : { page: "session", session: opened });
    };
    // Sent before the agents were known or the base was ready: it goes off when they are, unless the person writes on.
    const due = useRef(false);
    const [waits, setWaits] = useState(false);
    const wait = (until: boolean) => {
        due.current = until;
        setWaits(until);
        onWait?.(until);
    };
    const { ingest, adding } = options;
    const askable = options.agent !== undefined && ingest === undefined && adding !== "under way";
    const send = async () => {
        if (unsaid || sending || attaching.reading.length > 0) return;
        switch (destination.to) {
            case "question":
            case "follow_up":
                wait(!askable && (ingest === undefined || ingest.status === "running"));
                if (askable) await begin(destination);
                break;
            case "guidance": {
                const { problem: refused } = await guide.run({ run: destination.run, text });
                if (refused === undefined) draft.sent(text);
                break;
            }
            case "pause": {
                const { value } = await answer.run({ run: destination.run, pause: destination.pause, reply: { text } });
                if (value !== undefined) draft.sent(text);
                if (value?.result === "still_open") onNote?.(destination.run, destination.pause, value.message);
                break;
            }
        }
    };
    useEffect(() => {
        if (due.current && adding === "failed") wait(false);
        else if (due.current && askable) void send();
        else if (due.current && ingest !== undefined && ingest.status !== "running") wait(false);
    });
    const held = useDroppedFiles((paths) => {
        if (asks) void options.addPaths(paths);
    });
    const write = (value: string) => {
        wait(false);
        draft.setText(value);
    };
    const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
        if (event.nativeEvent.isComposing || !sends(event, options.enterSends)) return;
        event.preventDefault();
        void send();
    };
    const running = run?.status === "running";
    // A call under way is ended first: until then the run still counts as running.
    const [stopped, setStopped] = useState<string | undefined>();
    if (!running && stopped !== undefined) setStopped(undefined);
    const stopping = running && (stop.pending || stopped === run.run);
    const halt = async () => {
        if (run === undefined) return;
        const { problem: refused } = await stop.run({ run: run.run });
        if (refused === undefined) setStopped(run.run);
    };
    const gone = asks && !fresh && over?.connectionGone === true && options.choice === undefined;
    const failed = asks && ingest !== undefined && ingest.status !== "running" ? ingest : undefined;
    const hint = !asks
        ? ""
        : ingest?.status === "running"
          ? `${waits ? "The question is asked when" : "Reading files:"} “${ingest.subject}” ${waits ? "is ready" : ""}`.trim()
          : adding === "under way"
            ? waits
                ? "The question is asked when the files are ready"
                : "Reading files"
            : gone
              ? "The session’s connection no longer exists: another one is used."
              : fresh
                ? "A new question starts a new session."
                : words.hint;
    if (folded)
        return (
            <div className="w-full max-w-[47.5rem] pb-2 print:hidden">
                <Button
                    icon={<RotateCcw size={16} strokeWidth={1.5} />}
                    data-composer
                    onClick={() => setUnfolded(true)}
                >
                    Run {options.agent?.name ?? "the agent"} again with other inputs
                </Button>
            </div>
        );
    return (
        <div className={cx("@container print:hidden", !big && "w-full max-w-[47.5rem]")}>
            <div
                className={cx(
                    "rounded-card border bg-surface focus-within:border-accent focus-within:outline-1 focus-within:outline-accent",
                    held && asks ? "border-dashed border-accent" : "border-hairline-strong",
                )}
            >
                {form !== undefined && (
                    <div
                        className={big ? undefined : "max-h-[50vh] overflow-y-auto"}
                        // Before the field: a closed list would open.
                        onKeyDownCapture={(event) => {
                            if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
                            event.preventDefault();
                            event.stopPropagation();
                            void send();
                        }}
                    >
                        <InputForm
                            key={options.agent?.slug}
                            agent={options.agent?.name ?? ""}
                            use={form}
                            disabled={sending}
                            focus={focus}
                        />
                    </div>
                )}
                <TextArea
                    ref={area}
                    label={words.placeholder}
                    hideLabel
                    bare
                    minRows={big && form === undefined ? 4 : 1}
                    maxRows={big ? 16 : 10}
                    value={draft.text}
                    onChange={write}
                    onBlur={draft.flush}
                    onKeyDown={onKeyDown}
                    placeholder={held && asks ? "Drop files or a folder to ask them" : words.placeholder}
                    data-composer
                    className={cx(
                        "px-3 pt-2",
                        big && form === undefined && "[&_textarea]:text-title",
                        form?.named === true && draft.text === "" && "hidden",
                    )}
                />
                {asks && <AttachedFiles attaching={attaching} disabled={sending} />}
                <div className="flex items-end gap-2 pr-1.5 pb-1.5 pl-1">
                    <div className="min-w-0 flex-1 text-ui">
                        {asks ? (
                            <OptionBar
                                options={options}
                                fixedAgent={fixedAgent}
                                forecast={foretold.forecast}
                                disabled={sending}
                            />
                        ) : (
                            <p className="px-2 py-1 text-small text-ink-3">{words.hint}</p>
                        )}
                    </div>
                    {asks && <AttachButton attaching={attaching} />}
                    {running && (
                        <Button
                            icon={<Square size={12} strokeWidth={1.5} />}
                            disabled={stopping}
                            onClick={() => void halt()}
                            title="Stop the run. You can resume it later."
                        >
                            {stopping ? "Stopping…" : "Stop"}
                        </Button>
                    )}
                    {(!running || text !== "") && (
                        <Button
                            variant={running || destination.to === "pause" ? "secondary" : "primary"}
                            icon={<ArrowUp size={16} strokeWidth={1.5} />}
                            aria-disabled={unsaid || sending}
                            shortcut={options.enterSends && form === undefined ? "Enter" : "Ctrl+Enter"}
                            onClick={() => void send()}
                        >
                            {sending ? "Sending…" : waits ? "Waiting…" : words.send}
                        </Button>
                    )}
                </div>
            </div>
            <div
                className={cx(
                    "flex flex-wrap items-center gap-x-3 px-1 text-small text-ink-3 @min-[40rem]:flex-nowrap",
                    asks || problem !== undefined ? "mt-1 min-h-6" : "h-2",
                )}
            >
                {run !== undefined && asks && <Switcher becomes={becomes} run={run} onChange={onBecomes} />}
                {problem === undefined && failed === undefined ? (
                    <>
                        {/* Between the switch and the forecast there is room for few words. */}
                        <span
                            className={cx(
                                gone ? "shrink-0 text-needs" : "min-w-0 truncate",
                                !gone && hasSwitch(run) && foretold.forecast !== undefined && "sr-only",
                            )}
                        >
                            {hint}
                        </span>
                        {asks && (
                            <span
                                className={cx(
                                    "ml-auto flex max-w-full min-w-0 items-center gap-1",
                                    !gone && "shrink-0",
                                )}
                            >
                                <ForecastLine {...foretold} options={options} />
                                <EarlierDrafts
                                    draft={draft}
                                    onWrite={(value) => {
                                        write(value);
                                        area.current?.focus();
                                    }}
                                />
                            </span>
                        )}
                    </>
                ) : (
                    <span role="alert" className="min-w-0 text-failed">
                        {problem === undefined ? ingestFailure(failed) : problemText(problem)}{" "}
                        <span className="text-ink-2">Your text is kept.</span>
                    </span>
                )}
            </div>
        </div>
    );
}

/** Why there is no base to ask. */
function ingestFailure(job: JobState | undefined): string {
    if (job === undefined) return "";
    return job.status === "cancelled"
        ? `Reading “${job.subject}” was stopped.`
        : problemText(job.problem ?? { message: "unknown" }, `“${job.subject}” could not be made a knowledge base`);
}

/** The session goes on over another connection. What was chosen holds here also where it can't be kept. */
async function keepChoice(session: string, choice: Choice | undefined): Promise<void> {
    try {
        await carryOut("session_update", {
            sessions: [session],
            patch: { connection: choice?.connection ?? "", model: choice?.model ?? "" },
        });
    } catch (thrown) {
        toast({
            text: `${problemText(toProblem(thrown), "The session’s connection could not be saved")} Your choice applies to the next question.`,
            tone: "failed",
        });
    }
}

/** How often, and after how many milliseconds each time, a run is looked for whose first event is still being stored. */
const LOOKS = 20;
const LOOK_MS = 100;

async function sessionOf(run: string): Promise<string | undefined> {
    for (let look = 0; look < LOOKS; look += 1) {
        const found = await call("run_list", { limit: 20 }).catch(() => undefined);
        const row = found?.runs.find((each) => each.run === run);
        if (row !== undefined) return row.session;
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    return undefined;
}

const BECOMES: { readonly [B in Becomes]: string } = {
    follow_up: "Follow-up",
    new: "New question",
    chat: "Conversation",
};

/** A run that takes follow-ups offers one; every finished run can be talked about. */
function Switcher({
    becomes,
    run,
    onChange,
}: {
    becomes: Becomes;
    run: RunState;
    onChange: (becomes: Becomes) => void;
}) {
    const choices: readonly Becomes[] = hasSwitch(run) ? ["follow_up", "new", "chat"] : ["follow_up", "chat"];
    const current = choices.includes(becomes) ? becomes : "follow_up";
    const word = (each: Becomes) => (each === "follow_up" && !hasSwitch(run) ? BECOMES.new : BECOMES[each]);
    return (
        <div
            role="radiogroup"
            aria-label="Message type"
            className="flex shrink-0 gap-0.5"
            onKeyDown={(event) => {
                if (!event.key.startsWith("Arrow")) return;
                event.preventDefault();
                const step = event.key === "ArrowLeft" || event.key === "ArrowUp" ? choices.length - 1 : 1;
                const at = (choices.indexOf(current) + step) % choices.length;
                onChange(choices[at] ?? "follow_up");
                event.currentTarget.querySelectorAll<HTMLButtonElement>("[role=radio]")[at]?.focus();
            }}
        >
            {choices.map((each) => (
                <button
                    key={each}
                    type="button"
                    role="radio"
                    aria-checked={current === each}
                    tabIndex={current === each ? 0 : -1}
                    onClick={() => onChange(each)}
                    className={cx(
                        "h-5 rounded-[4px] px-1.5",
                        current === each ? "bg-hover text-ink" : "text-ink-2 hover:text-ink",
                    )}
                >
                    {word(each)}
                </button>
            ))}
        </div>
    );
}
