// A run in time: a bar a stage on one scale, and what each stage cost.

import type { GateRow, RunState, StagePhase, StageRow } from "@/backend";
import { hrefOf } from "@/routes";
import { Duration, StateMark, Table, cx, useNow, type Column } from "@/shared";

import { childrenWord, partName } from "./ChildRuns";
import { attemptsWord, gateName, gateWord } from "./GateAttempts";
import { childStatus, formatMoney, formatNumber, stageStatus } from "./labels";

const BARS: { readonly [phase in StagePhase]?: string } = {
    running: "bg-running",
    paused: "bg-needs-rule",
    completed: "bg-done",
    skipped: "bg-ink-faint",
    failed: "bg-failed",
};

export interface Span {
    stage: StageRow;
    /** Parts of the whole, 0 to 1; undefined when it has not begun. */
    from?: number;
    width?: number;
    /** Milliseconds on the wall: waiting for the person included. */
    ms: number;
}

/** Where each stage stands on the scale from the run's start to `end`. */
export function spansOf(run: RunState, end: number): { spans: Span[]; total: number } {
    const start = Math.min(
        run.createdAt || Number.MAX_SAFE_INTEGER,
        ...run.stages.map((stage) => stage.startedAt ?? Number.MAX_SAFE_INTEGER),
    );
    const total = Math.max(1, end - start);
    const spans = run.stages.map((stage): Span => {
        if (stage.startedAt === null) return { stage, ms: 0 };
        const until = stage.endedAt ?? end;
        const ms = Math.max(0, until - stage.startedAt);
        return { stage, from: (stage.startedAt - start) / total, width: ms / total, ms };
    });
    return { spans, total };
}

export function Timeline({ run, onOpen }: { run: RunState; onOpen: (stage: StageRow) => void }) {
    const live = run.status === "running";
    const now = useNow(live);
    const ends = run.stages.map((stage) => stage.endedAt ?? stage.startedAt ?? 0);
    const { spans, total } = spansOf(run, live ? now : Math.max(run.updatedAt, ...ends));
    return (
        <div>
            <ol aria-label="Stage timeline">
                {spans.map(({ stage, from, width, ms }) => (
                    <li key={String(stage.id)}>
                        <button
                            type="button"
                            onClick={() => onOpen(stage)}
                            className="ring-inside grid w-full grid-cols-[10rem_minmax(0,1fr)_5rem] items-center gap-3 rounded-control px-2 py-1 text-left hover:bg-hover"
                        >
                            <span className="flex min-w-0 items-center gap-1.5">
                                <StateMark
                                    state={stageStatus(stage.phase).state}
                                    word={stageStatus(stage.phase).word}
                                    show="icon"
                                    size={14}
                                />
                                <span className="truncate text-ui" title={stage.title}>
                                    {stage.title}
                                </span>
                            </span>
                            <span className="relative h-4">
                                <span className="absolute inset-x-0 top-1/2 h-px bg-hairline" />
                                {from !== undefined && width !== undefined && (
                                    <span
                                        className={cx(
                                            "absolute top-1 h-2 min-w-[3px] rounded-full",
                                            BARS[stage.phase] ?? "bg-ink-faint",
                                        )}
                                        style={{
                                            left: `${Math.min(99.5, from * 100)}%`,
                                            width: `${Math.min(100 - from * 100, width * 100)}%`,
                                        }}
                                    />
                                )}
                            </span>
                            <span className="text-right text-small text-ink-2">
                                {from === undefined ? stageStatus(stage.phase).word : <Duration ms={ms} />}
                            </span>
                        </button>
                        <Lanes stage={stage} />
                        {stage.gate !== null && stage.gate !== undefined && (
                            <GateLine gate={stage.gate} maxIterations={stage.maxIterations} />
                        )}
                    </li>
                ))}
            </ol>
            <p className="mt-1 flex justify-between pr-[6.25rem] pl-[11.25rem] text-small text-ink-3">
                <span>0</span>
                <Duration ms={total} />
            </p>
        </div>
    );
}

/** The runs that a stage started, each with where it stands. */
function Lanes({ stage }: { stage: StageRow }) {
    const children = stage.children ?? [];
    // A single one is the stage itself.
    if (children.length < 2) return null;
    return (
        <ul
            aria-label={`${stage.title}: ${childrenWord(children)}`}
            className="mb-1 grid grid-cols-[repeat(auto-fill,minmax(11rem,1fr))] gap-x-3 pr-2 pl-8 text-small"
        >
            {children.map((child, index) => {
                const { state, word } = childStatus(child.status);
                const name = partName(child.title);
                return (
                    <li key={child.run ?? index} className="flex min-w-0 items-center gap-1.5 py-0.5">
                        <StateMark state={state} word={word} show="icon" size={14} />
                        {typeof child.run === "string" ? (
                            <a
                                href={hrefOf({ page: "run", run: child.run })}
                                title={child.title}
                                className="truncate text-ink-2 hover:text-ink hover:underline"
                            >
                                {name}
                            </a>
                        ) : (
                            <span className="truncate text-ink-3" title={child.title}>
                                {name}
                            </span>
                        )}
                    </li>
                );
            })}
        </ul>
    );
}

/** How often a check was tried, of how many times, and what it found last. */
function GateLine({ gate, maxIterations }: { gate: GateRow; maxIterations: number }) {
    const last = gate.attempts.find((attempt) => attempt.stands) ?? gate.attempts[gate.attempts.length - 1];
    if (last === undefined) return null;
    const scores = Object.entries(last.scores).map(([axis, score]) => `${axis} ${Math.round(score * 100)} %`);
    const stands = gate.attempts.length === 1 ? "" : `, attempt ${last.iteration + 1} stands`;
    const tried = `${attemptsWord(gate, maxIterations)} attempts${stands}`;
    const how = gateWord(gate) || (last.passed ? "passed" : "not passed yet");
    return (
        <p className="mb-1 pr-2 pl-8 text-small text-ink-3">
            {gateName(gate)}: {how}, {tried}
            {scores.length > 0 && ` (${scores.join(", ")})`}
        </p>
    );
}

/** A stage, or all of them together. */
type CostRow = Pick<StageRow, "id" | "title" | "attempt" | "activeMs" | "usage" | "cost">;

const COLUMNS: Column<CostRow>[] = [
    { id: "stage", heading: "Stage", render: (stage) => stage.title },
    {
        id: "attempts",
        heading: "Attempts",
        numeric: true,
        render: (stage) => (stage.attempt === 0 ? "" : stage.attempt),
    },
    {
        id: "time",
        heading: "Active time",
        numeric: true,
        render: (stage) => (stage.activeMs === 0 ? "" : <Duration ms={stage.activeMs} />),
    },
    { id: "input", heading: "Input", numeric: true, render: (stage) => formatNumber(stage.usage.input) },
    {
        id: "cached",
        heading: "Cached",
        numeric: true,
        render: (stage) => formatNumber((stage.usage.cacheRead ?? 0) + (stage.usage.cacheWrite ?? 0)),
    },
    { id: "output", heading: "Output", numeric: true, render: (stage) => formatNumber(stage.usage.output) },
    { id: "cost", heading: "Cost", numeric: true, render: (stage) => formatMoney(stage.cost) },
];

export function StageCosts({ run }: { run: RunState }) {
    const all: CostRow = {
        id: "all",
        title: "Total",
        attempt: 0,
        activeMs: run.activeMs,
        usage: run.usage,
        cost: run.cost,
    };
    return (
        <Table
            label="Cost by stage"
            columns={COLUMNS}
            rows={[...run.stages, all]}
            keyOf={(stage) => String(stage.id)}
        />
    );
}
