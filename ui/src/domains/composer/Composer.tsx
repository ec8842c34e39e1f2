// Where a person writes: a question, a follow-up, guidance for a run that goes on, an answer to a pause.

import { ArrowUp, Square } from "lucide-react";
import { useEffect, useRef, useState, type KeyboardEvent } from "react";

import { call, send as carryOut, toProblem, useCommand, type RunState, type SessionRow } from "@/backend";
import { go } from "@/routes";
import { Button, TextArea, cx, toast } from "@/shared";

import { destinationOf, hasSwitch, sends, wordsOf, type Destination } from "./destination";
import { useDraft, type DraftUse } from "./draft";
import { ForecastLine, useForecast } from "./ForecastLine";
import { dollarsOf } from "./forecast";
import { OptionBar } from "./OptionBar";
import { useOptions, type Choice, type Options } from "./options";

export interface ComposerProps {
    /** The session that is written under; without it a new question. */
    session?: string;
    /** Its newest run. */
    run?: RunState;
    /** What its next run goes over. */
    over?: Pick<SessionRow, "connection" | "model" | "connectionGone">;
    /** Filled in by a link; never sent by itself. */
    prefill?: string;
    agent?: string;
    /** Large and first on the page. */
    big?: boolean;
    /** Whether it takes the focus when it appears. */
    focus?: boolean;
    /** Of a page that shows or changes them too. */
    options?: Options;
    draft?: DraftUse;
    /** A pause stays open: what it said. */
    onNote?: (pause: string, message: string) => void;
    /** A run was begun in the session on the page. */
    onStarted?: (run: string) => void;
}

export function Composer(props: ComposerProps) {
    return props.draft === undefined ? <Kept {...props} /> : <Writing {...props} draft={props.draft} />;
}

function Kept(props: ComposerProps) {
    return <Writing {...props} draft={useDraft(props.session ?? "new")} />;
}

function Writing({ draft, session, over, run, prefill, agent, big = false, focus = false, options: given, onNote, onStarted }: ComposerProps & { draft: DraftUse }) {
    const [fresh, setFresh] = useState(false);
    const destination = destinationOf(run, fresh);
    const fixedAgent = destination.to === "follow_up" ? destination.agent : undefined;
    const inSession = destination.to === "follow_up" || (destination.to === "question" && destination.session !== undefined);
    const own = useOptions(agent, fixedAgent, over === undefined || over.connection === "" ? undefined : { connection: over.connection, model: over.model === "" ? null : over.model }, (choice) => {
        // A question that begins a session of its own changes nothing in this one.
        if (session !== undefined && inSession) void keepChoice(session, choice);
    });
    const options = given ?? own;
    const words = wordsOf(destination);
    const area = useRef<HTMLTextAreaElement>(null);
    const start = useCommand("run_start");
    const guide = useCommand("run_guide");
    const answer = useCommand("run_answer");
    const stop = useCommand("run_suspend");
    const sending = start.pending || guide.pending || answer.pending;
    const problem = start.problem ?? guide.problem ?? answer.problem ?? stop.problem;
    const asks = destination.to === "question" || destination.to === "follow_up";
    const text = draft.text.trim();
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
        if (kept.trim() !== "") toast({ text: "A link filled in the question.", onUndo: () => setText(kept) });
        area.current?.focus();
    }, [ready, prefill, kept, setText]);
    useEffect(() => {
        if (focus) area.current?.focus();
    }, [focus]);

    const begin = async (to: Extract<Destination, { to: "question" | "follow_up" }>) => {
        if (limit === null) return toast({ text: `“${options.budget.trim()}” is no sum to stop at. Nothing was sent.`, tone: "failed" });
        const { value } = await start.run({
            agent: to.to === "follow_up" ? to.agent : options.agent?.slug,
            request: text,
            depth: options.depth === "" ? null : options.depth,
            corpus: options.base === "" ? null : options.base,
            session: to.session ?? null,
            previous: to.to === "follow_up" ? to.previous : null,
            ...(options.choice === undefined ? {} : options.choice),
            ...(typeof limit === "number" ? { budgetUsd: limit } : {}),
        });
        if (value === undefined) return;
        draft.clear();
        setFresh(false);
        if (to.session !== undefined) return onStarted?.(value);
        const opened = await sessionOf(value);
        go(opened === undefined ? { page: "run", run: value } : { page: "session", session: opened });
    };
    // Sent before the agents were known: it goes off when they are, unless the person writes on.
    const due = useRef(false);
    const send = async () => {
        if (text === "" || sending) return;
        switch (destination.to) {
            case "question":
            case "follow_up":
                due.current = options.agent === undefined;
                if (!due.current) await begin(destination);
                break;
            case "guidance": {
                const { problem: refused } = await guide.run({ run: destination.run, text });
                if (refused === undefined) draft.clear();
                break;
            }
            case "pause": {
                const { value } = await answer.run({ run: destination.run, pause: destination.pause, reply: { text } });
                if (value?.result === "accepted") draft.clear();
                // What was asked stays in the field: it may become the answer.
                if (value?.result === "still_open") onNote?.(destination.pause, value.message);
                break;
            }
        }
    };
    useEffect(() => {
        if (due.current && options.agent !== undefined) void send();
    });
    const write = (value: string) => {
        due.current = false;
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
    const hint =
        !asks ? ""
        : gone ? "Its connection is gone: another is taken."
        : fresh ? "A new question begins a session of its own."
        : words.hint;
    return (
        <div className={cx("@container print:hidden", !big && "w-full max-w-[47.5rem]")}>
            <div className="rounded-card border border-hairline-strong bg-surface focus-within:border-accent focus-within:outline-1 focus-within:outline-accent">
                <TextArea
                    ref={area}
                    label={words.placeholder}
                    hideLabel
                    bare
                    minRows={big ? 4 : 1}
                    maxRows={big ? 16 : 10}
                    value={draft.text}
                    onChange={write}
                    onBlur={draft.flush}
                    onKeyDown={onKeyDown}
                    placeholder={words.placeholder}
                    data-composer
                    className={cx("px-3 pt-2", big && "[&_textarea]:text-title")}
                />
                <div className="flex items-end gap-2 pr-1.5 pb-1.5 pl-1">
                    <div className="min-w-0 flex-1 text-ui">
                        {asks ? <OptionBar options={options} fixedAgent={fixedAgent} forecast={foretold.forecast} disabled={sending} /> : <p className="px-2 py-1 text-small text-ink-3">{words.hint}</p>}
                    </div>
                    {running && (
                        <Button icon={<Square size={12} strokeWidth={1.5} />} disabled={stopping} onClick={() => void halt()} title="The run stops and can go on later">
                            {stopping ? "Stopping…" : "Stop"}
                        </Button>
                    )}
                    {(!running || text !== "") && (
                        <Button variant={running || destination.to === "pause" ? "secondary" : "primary"} icon={<ArrowUp size={16} strokeWidth={1.5} />} aria-disabled={text === "" || sending} shortcut={options.enterSends ? "Enter" : "Ctrl+Enter"} onClick={() => void send()}>
                            {sending ? "Sending…" : words.send}
                        </Button>
                    )}
                </div>
            </div>
            <div className={cx("flex flex-wrap items-center gap-x-3 px-1 text-small text-ink-3 @min-[40rem]:flex-nowrap", asks || problem !== undefined ? "mt-1 min-h-6" : "h-2")}>
                {hasSwitch(run) && <Switcher fresh={fresh} onChange={setFresh} />}
                {problem === undefined ? (
                    <>
                        {/* Between the switch and the forecast there is room for few words. */}
                        <span className={cx(gone ? "shrink-0 text-needs" : "min-w-0 truncate", !gone && hasSwitch(run) && foretold.forecast !== undefined && "sr-only")}>{hint}</span>
                        {asks && (
                            <span className={cx("ml-auto max-w-full min-w-0", !gone && "shrink-0")}>
                                <ForecastLine {...foretold} options={options} />
                            </span>
                        )}
                    </>
                ) : (
                    <span role="alert" className="min-w-0 text-failed">
                        {problem.message} {problem.action} <span className="text-ink-2">Your text is kept.</span>
                    </span>
                )}
            </div>
        </div>
    );
}

/** The session goes on over another connection. What was chosen holds here also where it can't be kept. */
async function keepChoice(session: string, choice: Choice | undefined): Promise<void> {
    try {
        await carryOut("session_update", { sessions: [session], patch: { connection: choice?.connection ?? "", model: choice?.model ?? "" } });
    } catch (thrown) {
        toast({ text: `The session’s connection could not be kept: ${toProblem(thrown).message} Your choice holds for the next question.`, tone: "failed" });
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

function Switcher({ fresh, onChange }: { fresh: boolean; onChange: (fresh: boolean) => void }) {
    const one = (value: boolean, label: string) => (
        <button
            type="button"
            role="radio"
            aria-checked={fresh === value}
            tabIndex={fresh === value ? 0 : -1}
            onClick={() => onChange(value)}
            className={cx("h-5 rounded-[4px] px-1.5", fresh === value ? "bg-hover text-ink" : "text-ink-2 hover:text-ink")}
        >
            {label}
        </button>
    );
    return (
        <div
            role="radiogroup"
            aria-label="What this is"
            className="flex shrink-0 gap-0.5"
            onKeyDown={(event) => {
                if (!event.key.startsWith("Arrow")) return;
                event.preventDefault();
                onChange(!fresh);
                const buttons = event.currentTarget.querySelectorAll<HTMLButtonElement>("[role=radio]");
                buttons[fresh ? 0 : 1]?.focus();
            }}
        >
            {one(false, "Follow-up")}
            {one(true, "New question")}
        </div>
    );
}
