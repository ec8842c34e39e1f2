// Where a run is: a segment a stage, in the order of the graph.

import { RotateCcw } from "lucide-react";
import { useEffect, useRef, useState, type KeyboardEvent } from "react";

import type { RunLive, RunState, StageRow } from "@/backend";
import { Duration, Tooltip, cx, useNow } from "@/shared";

import { BOX, COLUMNS, StageCell, columnsStyle } from "./StageCell";
import { announcement, columnsOf, groupShown, groupsOf, neighbour, repairOf, seenStages, stageElapsed } from "./strip";
import { StageGroups } from "./lazy";
import { formatMoney, stageStatus, tokensWord } from "./labels";

export interface StageStripProps {
    run: RunState;
    /** What is told while it runs, by stage id. */
    live?: Pick<RunLive, "progress" | "waits">;
    /** The stage that the inspector shows. */
    open?: string;
    onOpen: (stage: StageRow) => void;
}

export function StageStrip({ run, live, open, onOpen }: StageStripProps) {
    const { stages: all, rest } = seenStages(run);
    const [chosen, setChosen] = useState<string | undefined>();
    const groups = groupsOf(all);
    const shown = groups === undefined ? undefined : groupShown(groups, chosen, open);
    const stages = shown?.stages ?? all;
    const columns = columnsOf(stages);
    const repair = repairOf(columns);
    const running = stages.find((stage) => stage.phase === "running");
    const [focused, setFocused] = useState<string | undefined>();
    const strip = useRef<HTMLOListElement>(null);
    const entry =
        focused ?? String((running ?? stages.find((stage) => stage.phase === "paused") ?? stages[0])?.id ?? "");

    const onKeyDown = (event: KeyboardEvent, stage: StageRow) => {
        const next = neighbour(columns, String(stage.id), event.key);
        if (next === undefined) return;
        event.preventDefault();
        setFocused(String(next.id));
        const segments = [...(strip.current?.querySelectorAll<HTMLButtonElement>("[data-stage]") ?? [])];
        segments.find((segment) => segment.dataset["stage"] === String(next.id))?.focus();
    };
    return (
        <div className="@container" style={columnsStyle(columns.length)}>
            {groups !== undefined && (
                // As high as the parts, so that nothing moves when they are drawn.
                <div className="mb-4 min-h-[45px]">
                    <StageGroups
                        groups={groups}
                        shown={shown?.title}
                        rest={rest}
                        onChoose={(group) => {
                            setFocused(undefined);
                            setChosen(group.title);
                        }}
                    />
                </div>
            )}
            <ol ref={strip} aria-label="Stages" className={cx(COLUMNS, "@max-md:gap-y-2")}>
                {columns.map((column, index) => (
                    <li key={index} className="flex min-w-0 flex-col gap-1">
                        {column.map((stage) => (
                            <Segment
                                key={String(stage.id)}
                                run={run}
                                stage={stage}
                                rest={rest}
                                open={open === String(stage.id)}
                                tabIndex={String(stage.id) === entry ? 0 : -1}
                                onOpen={() => onOpen(stage)}
                                onFocus={() => setFocused(String(stage.id))}
                                onKeyDown={(event) => onKeyDown(event, stage)}
                            />
                        ))}
                    </li>
                ))}
            </ol>
            {repair !== undefined && (
                <div className={cx(COLUMNS, "mt-1")}>
                    <div
                        style={{ gridColumn: `${repair.from + 1} / ${repair.to + 2}` }}
                        className="@max-md:col-span-full! relative mx-[15%] h-3 rounded-b-[6px] border border-t-0 border-hairline-strong"
                    >
                        <span className="absolute -bottom-2 left-1/2 inline-flex -translate-x-1/2 items-center gap-1 bg-page px-1.5 text-small leading-4 whitespace-nowrap text-ink-2">
                            <RotateCcw size={12} strokeWidth={1.5} aria-hidden />
                            <span className="sr-only">Repair </span>
                            {repair.iteration} of {repair.most}
                        </span>
                    </div>
                </div>
            )}
            {running !== undefined && (
                <SubStep
                    stage={running}
                    column={columns.findIndex((column) => column.includes(running))}
                    count={columns.length}
                    live={live}
                />
            )}
            <Announcer run={run} />
        </div>
    );
}

interface SegmentProps {
    run: RunState;
    stage: StageRow;
    /** What a stage that stands still waits for. */
    rest: string;
    open: boolean;
    tabIndex: number;
    onOpen: () => void;
    onFocus: () => void;
    onKeyDown: (event: KeyboardEvent) => void;
}

function Segment({ run, stage, rest, open, tabIndex, onOpen, onFocus, onKeyDown }: SegmentProps) {
    const { word } = stageStatus(stage.phase);
    return (
        <Tooltip label={<StageCard run={run} stage={stage} />}>
            <button
                type="button"
                data-stage={String(stage.id)}
                tabIndex={tabIndex}
                aria-pressed={open}
                onClick={onOpen}
                onFocus={onFocus}
                onKeyDown={onKeyDown}
                className={BOX}
            >
                <StageCell phase={stage.phase} title={stage.title} open={open}>
                    {stage.phase === "completed" ? (
                        <>
                            <span className="sr-only">{word}, </span>
                            <Elapsed stage={stage} />
                        </>
                    ) : stage.phase === "running" ? (
                        <Elapsed stage={stage} />
                    ) : stage.phase === "paused" ? (
                        rest
                    ) : stage.phase === "pending" ? (
                        <span className="sr-only">{word}</span>
                    ) : (
                        word.toLowerCase()
                    )}
                </StageCell>
            </button>
        </Tooltip>
    );
}

/** Ticks once a second while the stage runs, and stands still otherwise. */
function Elapsed({ stage }: { stage: StageRow }) {
    const running = stage.phase === "running";
    const now = useNow(running);
    const ms = stageElapsed(stage, now);
    // While it runs whole seconds are enough: tenths would flicker.
    if (running && ms < 60_000) return <span className="tabular">{Math.floor(ms / 1_000)} s</span>;
    return <Duration ms={ms} />;
}

function StageCard({ run, stage }: { run: RunState; stage: StageRow }) {
    const { word } = stageStatus(stage.phase);
    return (
        <span className="block py-0.5">
            <span className="block font-medium">
                {stage.title}: {word.toLowerCase()}
            </span>
            {stage.summary !== "" && <span className="block text-ink-2">{stage.summary}</span>}
            <span className="tabular mt-0.5 block text-ink-2">
                {formatMoney(stage.cost)}, {tokensWord(run, stage.usage)}
                {stage.attempt > 1 && `, attempt ${stage.attempt}`}
            </span>
            {Object.entries(stage.scores).map(([axis, score]) => (
                <span key={axis} className="tabular block text-ink-2">
                    {axis} {Math.round(score * 100)} %
                </span>
            ))}
            {stage.warnings.map((warning, index) => (
                <span key={index} className="block text-needs">
                    {warning}
                </span>
            ))}
        </span>
    );
}

/** What the running stage does now, in words, under it. Its line is there from the start, so nothing moves. */
function SubStep({
    stage,
    column,
    count,
    live,
}: {
    stage: StageRow;
    column: number;
    count: number;
    live?: Pick<RunLive, "progress" | "waits">;
}) {
    const progress = live?.progress[String(stage.id)];
    const told = live?.waits[String(stage.id)];
    // A call that the person stopped is not waited for.
    const wait = told?.problem.code === "cancelled" ? undefined : told;
    const late = column >= count / 2;
    return (
        <div className={COLUMNS}>
            <p
                style={{ gridColumn: late ? `1 / ${column + 2}` : `${column + 1} / -1` }}
                className={cx(
                    "min-h-4 truncate text-small text-ink-2 @max-md:col-span-full! @max-md:text-left",
                    late && "text-right",
                )}
            >
                {wait !== undefined ? (
                    <Countdown until={wait.until} why={wait.problem.message} />
                ) : progress !== undefined && progress.text !== stage.title ? (
                    <Words text={progress.text} done={progress.done} total={progress.total} />
                ) : null}
            </p>
        </div>
    );
}

function Words({ text, done, total }: { text: string; done: number; total: number }) {
    // Some words count for themselves.
    const counted = total > 1 && !/\d+ of \d+/.test(text);
    return (
        <>
            {text}
            {counted && <span className="tabular text-ink-3">{` (${Math.min(done + 1, total)} of ${total})`}</span>}
        </>
    );
}

function Countdown({ until, why }: { until: number; why: string }) {
    const now = useNow();
    const left = Math.max(0, Math.ceil((until - now) / 1_000));
    return (
        <span className="text-needs">
            {left === 0 ? "Retrying now" : `Retrying in ${left} s`}: {why}
        </span>
    );
}

function Announcer({ run }: { run: RunState }) {
    const before = useRef<RunState>(undefined);
    const [said, setSaid] = useState("");
    useEffect(() => {
        const words = announcement(before.current, run);
        before.current = run;
        if (words !== "") setSaid(words);
    }, [run]);
    return (
        <p role="status" aria-live="polite" className="sr-only">
            {said}
        </p>
    );
}
