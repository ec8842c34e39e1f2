// A session: its questions with what came of them, and where the next one is written.

import { ArrowDown } from "lucide-react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";

import { useRun, type CitationRow, type RunState, type StageRow } from "@/backend";
import { ParagraphInspector } from "@/domains/answer";
import { Composer } from "@/domains/composer";
import { StageInspector } from "@/domains/run";
import { markUnread, purge, restore } from "@/domains/session";
import { go, useRoute } from "@/routes";
import { Button, EmptyState, ErrorCard, IconButton, Inspector, Skeleton, useShortcut } from "@/shared";

import { Header } from "./session/Header";
import { useColumn } from "./session/scroll";
import { Turn, type TurnEvents } from "./session/Turn";
import { useTurns, type Turns } from "./session/turns";

type Inspected = { run: string; stage: string | number } | { run: string; citation: CitationRow };

export default function SessionView() {
    const route = useRoute();
    const session = route.page === "session" ? route.session : undefined;
    const turns = useTurns(session);
    if (turns.session === undefined) {
        if (turns.problem === undefined) return <Skeleton lines={8} className="mx-auto w-full max-w-[47.5rem] p-6" />;
        return (
            <div className="mx-auto w-full max-w-[47.5rem] p-6">
                <ErrorCard
                    title={turns.problem.code === "not_found" ? "This session is gone." : "The session could not be read."}
                    advice={turns.problem.action ?? undefined}
                    actions={
                        <>
                            <Button onClick={turns.reload}>Try again</Button>
                            <Button variant="quiet" onClick={() => go({ page: "inbox", view: "inbox" })}>
                                To the inbox
                            </Button>
                        </>
                    }
                    details={turns.problem.message}
                />
            </div>
        );
    }
    return <Session key={turns.session.session} turns={turns} session={turns.session} />;
}

function Session({ turns, session }: { turns: Turns; session: NonNullable<Turns["session"]> }) {
    const route = useRoute();
    const { runs } = turns;
    const newest = runs[runs.length - 1];
    const ids = useMemo(() => runs.map((run) => run.run), [runs]);
    const column = useColumn(session.session, ids, newest?.status === "running" ? "end" : "last");
    const { hold } = column;
    const [inspected, setInspected] = useState<Inspected | undefined>();
    const [notes, setNotes] = useState<{ readonly [pause: string]: string }>({});
    /** Documents of older runs that are open. They stay open when they are scrolled out of sight. */
    const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
    const opener = useRef<HTMLElement | null>(null);

    useRead(session.session, session.unread, session.updatedAt);
    const inspect = useCallback((next: Inspected) => {
        const active = document.activeElement;
        // From inside the inspector the way back leads to what opened it first.
        if (active instanceof HTMLElement && active.closest("[data-inspected]") === null) {
            opener.current = active;
            hold(active);
        }
        setInspected(next);
    }, [hold]);
    const close = useCallback(() => {
        if (opener.current !== null) hold(opener.current);
        setInspected(undefined);
        requestAnimationFrame(() => opener.current?.focus({ preventScroll: true }));
    }, [hold]);
    const write = useCallback(() => document.querySelector<HTMLElement>("[data-composer]")?.focus(), []);
    useShortcut("write", "r", "Write", write, { group: "Session", enabled: !session.deleted });
    useShortcut("close-inspector", "Escape", "Close the inspector", close, { group: "Session", enabled: inspected !== undefined });

    const { follow, toTurn, toEnd, scroller } = column;
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
    const [asked, stage] = route.page === "session" ? [route.run, route.stage] : [];
    const there = asked !== undefined && ids.includes(asked);
    useEffect(() => {
        if (asked === undefined || !there) return;
        toTurn(asked);
        if (stage !== undefined) setInspected({ run: asked, stage });
    }, [asked, stage, there, toTurn]);
    // Older turns are read before their place comes into sight.
    const top = useRef<HTMLDivElement>(null);
    const { hasEarlier, loadEarlier } = turns;
    useEffect(() => {
        if (asked !== undefined && !there && hasEarlier) loadEarlier();
    }, [asked, there, hasEarlier, loadEarlier]);
    useEffect(() => {
        const edge = top.current;
        if (edge === null || !hasEarlier) return;
        const watcher = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && loadEarlier(), { root: scroller.current, rootMargin: "800px 0px" });
        watcher.observe(edge);
        return () => watcher.disconnect();
    }, [hasEarlier, loadEarlier, scroller]);

    const openOf = (run: string) => {
        if (inspected?.run !== run) return undefined;
        return "citation" in inspected ? { citation: inspected.citation.number } : { stage: String(inspected.stage) };
    };
    return (
        <div className="flex min-h-0 flex-1 flex-col">
            <CurrentHeader session={session} runs={runs} newest={newest} />
            <div className="relative min-h-0 flex-1">
                <div ref={scroller} className="@container h-full overflow-y-auto [overflow-anchor:none]" role="region" aria-label="Questions and answers" tabIndex={-1}>
                    <div ref={top}>{hasEarlier && <Skeleton lines={2} className="mx-auto max-w-[47.5rem] p-6" />}</div>
                    {runs.length === 0 && <EmptyState title="No question yet">Ask one below.</EmptyState>}
                    {runs.map((run) => (
                        <section
                            key={run.run}
                            ref={column.turn(run.run)}
                            data-turn={run.run}
                            aria-label={run.request.length > 80 ? `${run.request.slice(0, 80)}…` : run.request}
                            className="border-b border-hairline last:border-b-0"
                            style={column.isNear(run.run) ? undefined : { height: column.heightOf(run.run) ?? 240 }}
                        >
                            {column.isNear(run.run) && <Turn run={run} newest={run === newest} unfolded={unfolded.has(run.run)} open={openOf(run.run)} notes={notes} on={on} />}
                        </section>
                    ))}
                </div>
                {!column.atEnd && (
                    <div className="absolute right-1 bottom-3 rounded-control shadow-float print:hidden">
                        <IconButton label="To the end" size="small" variant="secondary" side="left" icon={<ArrowDown size={14} strokeWidth={1.5} />} onClick={toEnd} />
                    </div>
                )}
            </div>
            <footer className="@container shrink-0 border-t border-hairline bg-page pt-3 pb-1 print:hidden">
                <div className="mx-auto w-full max-w-[47.5rem] px-6 @min-[54rem]:max-w-[58rem]">
                    {session.deleted ? (
                        <div className="flex max-w-[47.5rem] items-center gap-2 pb-2">
                            <p className="flex-1 text-ui text-ink-2">This session is in the trash.</p>
                            <Button onClick={() => void restore([session.session])}>Restore</Button>
                            <Button variant="quiet" onClick={() => void purge([session.session]).then((gone) => gone && go({ page: "inbox", view: "trash" }))}>
                                Delete for good
                            </Button>
                        </div>
                    ) : (
                        <CurrentComposer session={session.session} over={session} newest={newest} onNote={(pause, message) => setNotes((before) => ({ ...before, [pause]: message }))} onStarted={() => requestAnimationFrame(toEnd)} />
                    )}
                </div>
            </footer>
            <Inspector open={inspected !== undefined} onClose={close} title={inspected !== undefined && "citation" in inspected ? "Paragraph" : "Stage"}>
                {inspected !== undefined && (
                    <Focused key={"citation" in inspected ? `c ${inspected.run} ${inspected.citation.number}` : `s ${inspected.run} ${inspected.stage}`}>
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

// Only these two look at the newest run's every change, and the turn itself.

function CurrentHeader({ session, runs, newest }: { session: NonNullable<Turns["session"]>; runs: readonly RunState[]; newest: RunState | undefined }) {
    if (newest === undefined) return <Header session={session} runs={runs} current={undefined} />;
    return <LiveHeader session={session} runs={runs} newest={newest} />;
}

function LiveHeader({ session, runs, newest }: { session: NonNullable<Turns["session"]>; runs: readonly RunState[]; newest: RunState }) {
    const current = useNewest(newest);
    return <Header session={session} runs={[...runs.slice(0, -1), current]} current={current} />;
}

interface CurrentComposerProps {
    session: string;
    over: NonNullable<Turns["session"]>;
    newest: RunState | undefined;
    onNote: (pause: string, message: string) => void;
    onStarted: () => void;
}

function CurrentComposer(props: CurrentComposerProps) {
    const { newest, ...rest } = props;
    return newest === undefined ? <Composer {...rest} /> : <LiveComposer {...rest} newest={newest} />;
}

function LiveComposer({ newest, ...rest }: CurrentComposerProps & { newest: RunState }) {
    return <Composer {...rest} run={useNewest(newest)} />;
}

function useNewest(newest: RunState): RunState {
    const { state } = useRun(newest.run);
    return state !== undefined && state.seq >= newest.seq ? state : newest;
}

/** An open session counts as read, and what happens in it too; a mark set by hand stays. */
function useRead(session: string, unread: boolean, updatedAt: number): void {
    const handled = useRef<number>(undefined);
    useEffect(() => {
        if (!unread || handled.current === updatedAt || document.hidden) return;
        handled.current = updatedAt;
        void markUnread([session], false);
    }, [session, unread, updatedAt]);
}
