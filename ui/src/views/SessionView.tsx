// A session: its questions with what came of them, and where the next one is written.

import { ArrowDown } from "lucide-react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";

import {
    send,
    toProblem,
    useRun,
    useTurn,
    type CitationRow,
    type PlanView,
    type RunState,
    type StageRow,
    type TurnHead,
    type TurnView,
} from "@/backend";
import { ParagraphInspector } from "@/domains/answer";
import { Composer, type ComposerProps } from "@/domains/composer";
import { MissionCard, MissionComposer } from "@/domains/mission";
import { StageInspector } from "@/domains/run";
import { markUnread, purge, restore } from "@/domains/session";
import { TurnCard, isLive } from "@/domains/turn";
import { go, hrefOf, useRoute } from "@/routes";
import {
    Button,
    EmptyState,
    ErrorCard,
    IconButton,
    Inspector,
    Skeleton,
    useDebounced,
    useShortcut,
    toastProblem,
} from "@/shared";

import {
    FindBar,
    Header,
    Turn,
    UNSEEN,
    anchorOf,
    placeOf,
    useColumn,
    useFind,
    useFlash,
    useTurns,
    type Entry,
    type HeaderProps,
    type TurnEvents,
    type Turns,
} from "@/domains/conversation";

type Inspected = { run: string; stage: string | number } | { run: string; citation: CitationRow };

export default function SessionView() {
    const route = useRoute();
    const session = route.page === "session" ? route.session : undefined;
    const turns = useTurns(session);
    const away = useAway(turns);
    if (turns.session === undefined) {
        if (turns.problem === undefined) return <Skeleton lines={8} className="mx-auto w-full max-w-[47.5rem] p-6" />;
        return (
            <div className="mx-auto w-full max-w-[47.5rem] p-6">
                <ErrorCard
                    title={
                        turns.problem.code === "not_found"
                            ? "This session no longer exists."
                            : "Could not load the session."
                    }
                    advice={turns.problem.action ?? undefined}
                    actions={
                        <>
                            <Button onClick={turns.reload}>Try again</Button>
                            <Button variant="quiet" onClick={() => go({ page: "inbox", view: "inbox" })}>
                                Go to inbox
                            </Button>
                        </>
                    }
                    details={turns.problem.message}
                />
            </div>
        );
    }
    if (away) return <Skeleton lines={8} className="mx-auto w-full max-w-[47.5rem] p-6" />;
    return <Session key={turns.session.session} turns={turns} session={turns.session} />;
}

/** How long a place that was left is looked for among older pages, in milliseconds. */
const LOOKS_MS = 1_500;

/** Whether the place where the session was left is still being read. */
function useAway({ session, entries, hasEarlier, loadEarlier }: Turns): boolean {
    const place = session === undefined ? undefined : placeOf(session.session);
    const [first] = entries;
    const away = place !== undefined && first !== undefined && place < first.id && hasEarlier;
    const late = useDebounced(away, LOOKS_MS);
    useEffect(() => {
        if (away) loadEarlier();
    }, [away, loadEarlier]);
    return away && !late;
}

function Session({ turns, session }: { turns: Turns; session: NonNullable<Turns["session"]> }) {
    const route = useRoute();
    const { entries } = turns;
    const newest = entries[entries.length - 1];
    const ids = useMemo(() => entries.map((entry) => entry.id), [entries]);
    // A conversation is read at its end; a document from its beginning.
    const column = useColumn(
        session.session,
        ids,
        newest?.turn !== undefined || newest?.run?.status === "running" ? "end" : "last",
    );
    const { hold } = column;
    const [inspected, setInspected] = useState<Inspected | undefined>();
    const [notes, setNotes] = useState<{ readonly [pause: string]: string }>({});
    /** Documents of older runs that are open. They stay open when they are scrolled out of sight. */
    const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
    const opener = useRef<HTMLElement | null>(null);

    useRead(session.session, session.unread, session.updatedAt);
    const inspect = useCallback(
        (next: Inspected) => {
            const active = document.activeElement;
            // From inside the inspector the way back leads to what opened it first.
            if (active instanceof HTMLElement && active.closest("[data-inspected]") === null) {
                opener.current = active;
                hold(active);
            }
            setInspected(next);
        },
        [hold],
    );
    const close = useCallback(() => {
        if (opener.current !== null) hold(opener.current);
        setInspected(undefined);
        requestAnimationFrame(() => opener.current?.focus({ preventScroll: true }));
    }, [hold]);
    const write = useCallback(() => document.querySelector<HTMLElement>("[data-composer]")?.focus(), []);
    useShortcut("write", "r", "Write", write, { group: "Session", enabled: !session.deleted });
    useShortcut("close-inspector", "Escape", "Close the inspector", close, {
        group: "Session",
        enabled: inspected !== undefined,
    });

    const { follow, reveal, toTurn, toEnd, scroller } = column;
    // One that has just begun is drawn before it is seen to be near.
    const drawn = (entry: Entry) => entry === newest || column.isNear(entry.id);
    const find = useFind(entries, scroller, toTurn);
    useShortcut("find", "Ctrl+F", "Find in the session", find.open, { group: "Session" });
    const compact = () => {
        send("session_compact", { session: session.session }).catch((thrown: unknown) =>
            toastProblem(toProblem(thrown), "Not done", compact),
        );
    };
    const on = useMemo<TurnEvents>(
        () => ({
            onStage: (run: string, stage: StageRow) => inspect({ run, stage: stage.id }),
            onCitation: (run: string, citation: CitationRow) => inspect({ run, citation }),
            onFollowUp: write,
            onUnfold: (run: string) => setUnfolded((before) => new Set(before).add(run)),
            onArrival: follow,
        }),
        [inspect, write, follow],
    );
    // A link names a run, and perhaps a stage of it.
    const message = route.page === "session" ? route.message : undefined;
    const anchor = anchorOf(message);
    const [asked, stage] = route.page === "session" ? [route.run ?? anchor?.turn, route.stage] : [];
    const there = asked !== undefined && ids.includes(asked);
    useEffect(() => {
        if (asked === undefined || !there) return;
        toTurn(asked);
        if (stage !== undefined) setInspected({ run: asked, stage });
    }, [asked, stage, there, toTurn, message]);
    useFlash(scroller, message, there);
    // Older turns are read before their place comes into sight.
    const top = useRef<HTMLDivElement>(null);
    const { hasEarlier, loadEarlier } = turns;
    useEffect(() => {
        if (asked !== undefined && !there && hasEarlier) loadEarlier();
    }, [asked, there, hasEarlier, loadEarlier]);
    useEffect(() => {
        const edge = top.current;
        if (edge === null || !hasEarlier) return;
        const watcher = new IntersectionObserver(
            (entries) => entries.some((entry) => entry.isIntersecting) && loadEarlier(),
            { root: scroller.current, rootMargin: "800px 0px" },
        );
        watcher.observe(edge);
        return () => watcher.disconnect();
    }, [hasEarlier, loadEarlier, scroller]);

    const openOf = (run: string) => {
        if (inspected?.run !== run) return undefined;
        return "citation" in inspected ? { citation: inspected.citation.number } : { stage: String(inspected.stage) };
    };
    return (
        // In a low window (a phone on its side, large text) header and composer would leave no line of the answer: there all of it scrolls.
        <div className="flex min-h-0 flex-1 flex-col [@media(max-height:32rem)]:overflow-y-auto">
            <CurrentHeader
                session={session}
                entries={entries}
                newest={newest}
                onFind={find.open}
                onCompact={newest?.turn === undefined || isLive(newest.turn.head.status) ? undefined : compact}
            />
            {turns.begunBy !== undefined && (
                <p className="shrink-0 border-b border-hairline px-6 py-1 text-small text-ink-2">
                    Started by the automation{" "}
                    <a
                        href={hrefOf({ page: "schedule", id: turns.begunBy.id })}
                        className="text-accent hover:underline"
                    >
                        {turns.begunBy.title ?? turns.begunBy.id}
                    </a>
                </p>
            )}
            <div className="relative min-h-0 flex-1 [@media(max-height:32rem)]:min-h-[85vh] [@media(max-height:32rem)]:shrink-0">
                {find.shown && <FindBar find={find} hasEarlier={hasEarlier} onEarlier={loadEarlier} />}
                <div
                    ref={scroller}
                    className="@container h-full overflow-y-auto [overflow-anchor:none]"
                    role="region"
                    aria-label="Questions and answers"
                    tabIndex={-1}
                >
                    <div ref={top}>
                        {hasEarlier &&
                            (turns.earlierProblem === undefined ? (
                                <Skeleton lines={2} className="mx-auto max-w-[47.5rem] p-6" />
                            ) : (
                                <div className="mx-auto max-w-[47.5rem] p-6">
                                    <ErrorCard
                                        title="Could not load older messages."
                                        advice={turns.earlierProblem.action ?? undefined}
                                        actions={<Button onClick={loadEarlier}>Try again</Button>}
                                        details={turns.earlierProblem.message}
                                    />
                                </div>
                            ))}
                    </div>
                    {entries.length === 0 && <EmptyState title="No questions yet">Ask a question below.</EmptyState>}
                    <Spacer ids={ids.slice(0, column.range.from)} heightOf={column.heightOf} />
                    {entries.slice(column.range.from, column.range.to).map((entry) => (
                        <section
                            key={entry.id}
                            ref={column.turn(entry.id)}
                            data-turn={entry.id}
                            aria-label={nameOf(entry)}
                            className={
                                entry.turn !== undefined ? undefined : "border-b border-hairline last:border-b-0"
                            }
                            style={drawn(entry) ? undefined : { height: column.heightOf(entry.id) ?? UNSEEN }}
                        >
                            {drawn(entry) &&
                                (entry.mission !== undefined ? (
                                    <MissionCard mission={entry.mission} newest={entry === newest} />
                                ) : entry.run === undefined ? (
                                    <TurnCard
                                        turn={entry.turn}
                                        newest={entry === newest}
                                        unfolded={
                                            find.inside === entry.id ||
                                            (anchor?.turn === entry.id && anchor.step !== undefined)
                                        }
                                        carriesOut={carriedOut(entry.turn, entries)}
                                        onArrival={reveal}
                                    />
                                ) : (
                                    <>
                                        <Turn
                                            run={entry.run}
                                            newest={entry === newest}
                                            unfolded={unfolded.has(entry.id) || find.inside === entry.id}
                                            open={openOf(entry.id)}
                                            notes={notes}
                                            on={on}
                                        />
                                        {turns.ofStages.get(entry.id)?.map((turn) => (
                                            <TurnCard
                                                key={turn.head.run}
                                                turn={turn}
                                                newest={entry === newest}
                                                unfolded={find.inside === entry.id}
                                                onArrival={reveal}
                                            />
                                        ))}
                                    </>
                                ))}
                        </section>
                    ))}
                    <Spacer ids={ids.slice(column.range.to)} heightOf={column.heightOf} />
                </div>
                {!column.atEnd && (
                    <div className="absolute right-1 bottom-3 rounded-control shadow-float print:hidden">
                        <IconButton
                            label="Scroll to end"
                            size="small"
                            variant="secondary"
                            side="left"
                            icon={<ArrowDown size={14} strokeWidth={1.5} />}
                            onClick={toEnd}
                        />
                    </div>
                )}
            </div>
            <footer className="@container shrink-0 border-t border-hairline bg-page pt-3 pb-1 print:hidden">
                <div className="mx-auto w-full max-w-[47.5rem] px-6 @min-[54rem]:max-w-[58rem]">
                    {session.deleted ? (
                        <div className="flex max-w-[47.5rem] items-center gap-2 pb-2">
                            <p className="flex-1 text-ui text-ink-2">This session is in the trash.</p>
                            <Button onClick={() => void restore([session.session])}>Restore</Button>
                            <Button
                                variant="quiet"
                                onClick={() =>
                                    void purge([session.session]).then(
                                        (gone) => gone && go({ page: "inbox", view: "trash" }),
                                    )
                                }
                            >
                                Delete permanently
                            </Button>
                        </div>
                    ) : (
                        <CurrentComposer
                            session={session.session}
                            over={session}
                            chat={turns.chat}
                            entries={entries}
                            newest={newest}
                            onNote={(run, pause, message) =>
                                setNotes((before) => ({ ...before, [`${run}/${pause}`]: message }))
                            }
                            onStarted={() => requestAnimationFrame(toEnd)}
                        />
                    )}
                </div>
            </footer>
            <Inspector
                open={inspected !== undefined}
                onClose={close}
                title={inspected !== undefined && "citation" in inspected ? "Paragraph" : "Stage"}
            >
                {inspected !== undefined && (
                    <Focused
                        key={
                            "citation" in inspected
                                ? `c ${inspected.run} ${inspected.citation.number}`
                                : `s ${inspected.run} ${inspected.stage}`
                        }
                    >
                        {"citation" in inspected ? (
                            <ParagraphInspector run={inspected.run} citation={inspected.citation} onClose={close} />
                        ) : (
                            <StageInspector run={inspected.run} stage={inspected.stage} onClose={close} />
                        )}
                    </Focused>
                )}
            </Inspector>
        </div>
    );
}

/** What the inspector shows takes the focus; Escape gives it back. */
function Focused({ children }: { children: React.ReactNode }) {
    const pane = useRef<HTMLDivElement>(null);
    useEffect(() => pane.current?.focus({ preventScroll: true }), []);
    return (
        <div ref={pane} tabIndex={-1} data-inspected className="h-full outline-none">
            {children}
        </div>
    );
}

/** The room of turns that are far away. */
function Spacer({ ids, heightOf }: { ids: readonly string[]; heightOf: (id: string) => number | undefined }) {
    if (ids.length === 0) return null;
    return <div aria-hidden style={{ height: ids.reduce((sum, id) => sum + (heightOf(id) ?? UNSEEN), 0) }} />;
}

/** The accepted plan whose words a message repeats; a compaction may stand between them. */
function carriedOut(turn: TurnView, entries: readonly Entry[]): PlanView | undefined {
    if (turn.message.text.length < 40) return undefined;
    const at = entries.findIndex((entry) => entry.id === turn.head.run);
    for (const entry of entries.slice(Math.max(0, at - 2), at).reverse()) {
        const plan = entry.turn?.head.plan;
        if (plan?.state === "accepted" && turn.message.text.includes(plan.text)) return plan;
    }
    return undefined;
}

const textOf = ({ run, turn, mission }: Entry) => turn?.message.text ?? run?.request ?? mission?.request ?? "";

/** What a section is called by. */
function nameOf(entry: Entry): string {
    const text = textOf(entry);
    return text.length > 80 ? `${text.slice(0, 80)}…` : text || "Message";
}

// Only these two look at the newest one's every change, and the turn itself.

type CurrentHeaderProps = Pick<HeaderProps, "session" | "onFind" | "onCompact"> & {
    entries: readonly Entry[];
    newest: Entry | undefined;
};

function CurrentHeader({ entries, newest, ...rest }: CurrentHeaderProps) {
    const runs = useMemo(() => entries.flatMap((entry) => (entry.run === undefined ? [] : [entry.run])), [entries]);
    const turns = useMemo(
        () => entries.flatMap((entry) => (entry.turn === undefined ? [] : [entry.turn.head])),
        [entries],
    );
    if (newest?.turn !== undefined) return <TurnHeader {...rest} runs={runs} turns={turns} newest={newest.turn} />;
    if (newest?.run !== undefined) return <RunHeader {...rest} runs={runs} turns={turns} newest={newest.run} />;
    return <Header {...rest} runs={runs} turns={turns} current={undefined} head={undefined} />;
}

type LiveHeaderProps<N> = Omit<HeaderProps, "current" | "head"> & { newest: N };

function RunHeader({ newest, runs, ...rest }: LiveHeaderProps<RunState>) {
    const current = useNewest(newest);
    return <Header {...rest} runs={[...runs.slice(0, -1), current]} current={current} head={undefined} />;
}

function TurnHeader({ newest, turns, ...rest }: LiveHeaderProps<TurnView>) {
    const { head } = useTurn(newest);
    return <Header {...rest} turns={[...turns.slice(0, -1), head]} current={undefined} head={head} />;
}

interface CurrentComposerProps {
    session: string;
    over: NonNullable<Turns["session"]>;
    chat: Turns["chat"];
    entries: readonly Entry[];
    newest: Entry | undefined;
    onNote: (run: string, pause: string, message: string) => void;
    onStarted: () => void;
}

function CurrentComposer({ newest, entries, ...rest }: CurrentComposerProps) {
    const history = useMemo(
        () =>
            entries
                .map((entry) => ({ text: textOf(entry), mentions: entry.turn?.message.mentions ?? [] }))
                .filter(({ text }) => text !== ""),
        [entries],
    );
    if (newest === undefined) return <Composer {...rest} />;
    if (newest.mission !== undefined)
        return (
            <MissionComposer mission={newest.mission}>
                <Composer {...rest} history={history} />
            </MissionComposer>
        );
    if (newest.run === undefined) return <TurnComposer {...rest} history={history} newest={newest.turn} />;
    return (
        <RunComposer
            {...rest}
            history={history}
            newest={newest.run}
            talks={entries.some((entry) => entry.turn !== undefined)}
        />
    );
}

type LiveComposerProps<N> = Omit<CurrentComposerProps, "newest" | "entries"> & {
    newest: N;
    history: ComposerProps["history"];
};

function RunComposer({ newest, ...rest }: LiveComposerProps<RunState> & { talks: boolean }) {
    return <Composer {...rest} run={useNewest(newest)} />;
}

function TurnComposer({ newest, ...rest }: LiveComposerProps<TurnView>) {
    const { head } = useTurn(newest);
    // Only what the composer shows of it: tokens that are counted do not draw it anew.
    const { run, status } = head;
    const kept = useRef<TurnHead>(head);
    if (kept.current.run !== run || kept.current.status !== status) kept.current = head;
    return <Composer {...rest} turn={kept.current} />;
}

function useNewest(newest: RunState): RunState {
    const { state } = useRun(newest.run);
    return state !== undefined && state.seq >= newest.seq ? state : newest;
}

/** An open session counts as read, and what happens in it too; a mark set by hand stays. */
function useRead(session: string, unread: boolean, updatedAt: number): void {
    const handled = useRef<number>(undefined);
    useEffect(() => {
        if (!unread) return;
        const look = () => {
            if (handled.current === updatedAt || document.hidden) return;
            handled.current = updatedAt;
            void markUnread([session], false);
        };
        look();
        // What came while the window was hidden is read once it is seen.
        document.addEventListener("visibilitychange", look);
        return () => document.removeEventListener("visibilitychange", look);
    }, [session, unread, updatedAt]);
}
