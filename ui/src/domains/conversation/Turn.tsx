// One question and everything that came of it.

import { CornerDownRight } from "lucide-react";
import { memo, useEffect, useRef } from "react";

import { useRun, useStageText, type CitationRow, type RunLive, type RunState, type StageRow } from "@/backend";
import { AnswerCard, AnswerDocument, DraftAnswer } from "@/domains/answer";
import { AnsweredLine, PauseCard } from "@/domains/pause";
import { RunProblem, StageStrip, WorkLine, canGoOn, formatNumber, isOver } from "@/domains/run";
import { Attachments } from "@/domains/turn";
import { hrefOf } from "@/routes";
import { RelativeTime, Waiting, useThrottled } from "@/shared";

export interface TurnEvents {
    onStage: (run: string, stage: StageRow) => void;
    onCitation: (run: string, citation: CitationRow) => void;
    onFollowUp: () => void;
    onUnfold: (run: string) => void;
    /** An answer or a question to the person came while the page was open. */
    onArrival: (element: HTMLElement) => void;
}

export interface TurnProps {
    run: RunState;
    newest: boolean;
    /** Whether the document is open although the run is not the newest. */
    unfolded: boolean;
    /** What the inspector shows of this run. */
    open?: { stage?: string; citation?: number };
    /** By run and pause, as `run/pause`: what the pause said while it stays open. */
    notes: { readonly [pause: string]: string };
    on: TurnEvents;
}

/** Old and finished runs stand still; the others are followed. */
export const Turn = memo(function Turn(props: TurnProps) {
    return props.newest || !isOver(props.run.status) ? <LiveTurn {...props} /> : <Content {...props} />;
});

function LiveTurn(props: TurnProps) {
    const live = useRun(props.run.run);
    const state = live.state !== undefined && live.state.seq >= props.run.seq ? live.state : props.run;
    return <Content {...props} run={state} live={live} />;
}

function Content({ run, newest, unfolded, open, notes, on, live }: TurnProps & { live?: RunLive }) {
    const answer = useRef<HTMLDivElement>(null);
    const question = useRef<HTMLDivElement>(null);
    // What came last: an answer, a pause, or nothing yet.
    const came = run.document !== null ? "answer" : (run.pauses[0]?.pause ?? "");
    const before = useRef(came);
    useEffect(() => {
        if (before.current === came) return;
        before.current = came;
        const element = answer.current ?? question.current;
        if (came === "" || element === null) return;
        on.onArrival(element);
        // Whoever answered by keyboard goes on from here.
        if (answer.current !== null && document.activeElement === document.body)
            answer.current.focus({ preventScroll: true });
    }, [came, on]);
    const inspect = (stage: StageRow) => on.onStage(run.run, stage);
    const failed = run.stages.find((stage) => stage.phase === "failed");
    const shown = newest || unfolded;
    const taken = run.answered.filter((each) => each.decision.followUp === true).at(-1);
    return (
        <div className="mx-auto flex w-full max-w-[47.5rem] flex-col gap-4 px-6 pt-6 pb-4 @min-[54rem]:max-w-[58rem]">
            <div className="max-w-[47.5rem]">
                <div className="flex items-baseline gap-2 text-small text-ink-3">
                    <span className="font-medium">You</span>
                    <RelativeTime at={run.createdAt} />
                    {run.previous !== null && <span>Follow-up</span>}
                </div>
                <h2 className="mt-0.5 text-title font-medium break-words whitespace-pre-wrap">{run.request}</h2>
                {run.attached !== undefined && run.attached.length > 0 && (
                    <div className="mt-1.5">
                        <Attachments attachments={run.attached} session={run.session} />
                    </div>
                )}
            </div>
            <div className="flex max-w-[47.5rem] flex-col gap-2">
                <StageStrip run={run} live={live} open={open?.stage} onOpen={inspect} />
                <WorkLine run={run} onOpen={inspect} />
                {run.answered.map((answered) => (
                    <AnsweredLine
                        key={answered.form.pause}
                        answered={answered}
                        again={
                            answered === taken ? (
                                <a className="text-accent hover:underline" href={hrefOf({ page: "run", run: run.run })}>
                                    run it again
                                </a>
                            ) : undefined
                        }
                    />
                ))}
                {run.guidance.map((text, index) => (
                    <p key={index} className="flex min-w-0 items-start gap-1.5 text-small text-ink-2">
                        <CornerDownRight
                            size={14}
                            strokeWidth={1.5}
                            aria-hidden
                            className="mt-px shrink-0 text-ink-3"
                        />
                        <span className="min-w-0">
                            <span className="text-ink-3">
                                {isOver(run.status) ? "Guidance received too late: " : "Queued guidance: "}
                            </span>
                            <span className="break-words whitespace-pre-wrap">{text}</span>
                        </span>
                    </p>
                ))}
                {run.status === "running" && <Progress run={run} live={live} />}
            </div>
            {run.pauses.map((form) => (
                <div key={form.pause} ref={question} className="max-w-[47.5rem]">
                    <PauseCard
                        run={run}
                        form={form}
                        note={notes[`${run.run}/${form.pause}`]}
                        onInspect={() => stageOf(run, form.stage, inspect)}
                    />
                </div>
            ))}
            {canGoOn(run.status) && (
                <div className="max-w-[47.5rem]">
                    <RunProblem run={run} onInspect={failed === undefined ? undefined : () => inspect(failed)} />
                </div>
            )}
            {run.document !== null && (
                <div ref={answer} tabIndex={-1} className="outline-none">
                    {shown ? (
                        <AnswerDocument
                            run={run}
                            open={open?.citation}
                            onCitation={(citation) => on.onCitation(run.run, citation)}
                            onFollowUp={newest && run.followUp ? on.onFollowUp : undefined}
                        />
                    ) : (
                        <AnswerCard card={run.document} onOpen={() => on.onUnfold(run.run)} />
                    )}
                </div>
            )}
        </div>
    );
}

function stageOf(run: RunState, id: string | number, show: (stage: StageRow) => void): void {
    const stage = run.stages.find((each) => each.id === id);
    if (stage !== undefined) show(stage);
}

/** What goes on now, in words: something always stands here while a run goes on. */
function Progress({ run, live }: { run: RunState; live?: RunLive }) {
    const stage = run.stages.find((each) => each.phase === "running");
    const wait = stage === undefined ? undefined : live?.waits[String(stage.id)];
    const progress = stage === undefined ? undefined : live?.progress[String(stage.id)];
    if (stage === undefined) return <Waiting what="Starting the next stage" />;
    if (wait?.problem.code === "cancelled") return <Waiting what={`${stage.title}: stopping`} />;
    if (wait !== undefined) return <Waiting what={`${stage.title}: waiting to retry`} />;
    if (stage.kind === "model") return <Writing run={run.run} stage={stage} />;
    return (
        <Waiting
            what={
                progress === undefined || progress.text === stage.title
                    ? stage.title
                    : `${stage.title}: ${progress.text}`
            }
        />
    );
}

/** What a model writes: a draft, until it is whole and checked. */
function Writing({ run, stage }: { run: string; stage: StageRow }) {
    const { text, thinking } = useStageText(run, stage.id);
    const written = useThrottled(text.length, 500);
    const thought = useThrottled(thinking.length, 500);
    const what =
        written > 0
            ? `writing, ${formatNumber(written)} characters so far`
            : thought > 0
              ? `thinking, ${formatNumber(thought)} characters so far`
              : "waiting for the first words";
    return (
        <>
            <Waiting what={`${stage.title}: ${what}`} />
            <DraftAnswer text={text} />
        </>
    );
}
