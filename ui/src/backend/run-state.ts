// What a run looks like right now: its stored state, and on top what is told while it goes on. Pure.

import type { Problem, Record as RunEvent, RunState, StageRow, UiEvent } from "./generated";

export interface StageProgress {
    /** In words: "searching 3 of 5: materiality for groups". */
    text: string;
    done: number;
    total: number;
}

export interface StageWait {
    /** When the next attempt begins, in milliseconds since 1970. */
    until: number;
    /** What it waits after. */
    problem: Problem;
}

export interface RunLive {
    /** As stored, with what was told since. Undefined until it was read. */
    state: RunState | undefined;
    problem: Problem | undefined;
    /** The last event that is part of `state`. */
    seq: number;
    /** By stage id. */
    progress: Readonly<Record<string, StageProgress>>;
    waits: Readonly<Record<string, StageWait>>;
}

export const UNKNOWN: RunLive = { state: undefined, problem: undefined, seq: 0, progress: {}, waits: {} };

/** What a told event does: the new state, and whether the stored one has to be read again. */
export interface Applied {
    live: RunLive;
    reread: boolean;
}

function without<T>(record: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> {
    if (!(key in record)) return record;
    return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));
}

function withStage(state: RunState, id: unknown, change: (stage: StageRow) => StageRow): RunState {
    return { ...state, stages: state.stages.map((stage) => (stage.id === id ? change(stage) : stage)) };
}

/** Applies one told event. Deltas are not here: they are text, kept apart. */
export function applyRunEvent(live: RunLive, event: UiEvent, now: number): Applied {
    const { state } = live;
    switch (event.kind) {
        case "event": {
            const { record } = event;
            if (state === undefined) return { live, reread: true };
            if (record.seq <= live.seq) return { live, reread: false };
            if (record.seq !== live.seq + 1) return { live, reread: true };
            const stage = "stage" in record ? String(record.stage) : undefined;
            const next: RunLive = { ...live, seq: record.seq };
            switch (record.type) {
                case "stage_started":
                    next.state = withStage({ ...state, status: "running" }, record.stage, (row) => ({
                        ...row,
                        phase: "running",
                        attempt: record.attempt,
                        startedAt: record.at,
                        endedAt: null,
                        done: 0,
                        total: 0,
                    }));
                    break;
                case "stage_completed":
                    next.state = withStage(state, record.stage, (row) => ({
                        ...row,
                        phase: "completed",
                        endedAt: record.at,
                        summary: record.summary ?? row.summary,
                    }));
                    break;
                case "stage_failed":
                    next.state = withStage(state, record.stage, (row) => ({
                        ...row,
                        phase: "failed",
                        endedAt: record.at,
                    }));
                    break;
                case "stage_skipped":
                    next.state = withStage(state, record.stage, (row) => ({
                        ...row,
                        phase: "skipped",
                        summary: record.why,
                    }));
                    break;
                case "timer_fired":
                    next.waits = without(live.waits, String(record.key.stage));
                    break;
                default:
                    break;
            }
            if (stage !== undefined && next.state !== state) {
                next.progress = without(live.progress, stage);
                next.waits = without(live.waits, stage);
            }
            // Sums, summaries and scores are the core's to compute.
            return { live: next, reread: true };
        }
        case "progress": {
            const key = String(event.stage);
            const progress = { text: event.text, done: event.done, total: event.total };
            return {
                live: { ...live, progress: { ...live.progress, [key]: progress }, waits: without(live.waits, key) },
                reread: false,
            };
        }
        case "waiting":
            return {
                live: {
                    ...live,
                    waits: { ...live.waits, [String(event.stage)]: { until: now + event.ms, problem: event.problem } },
                },
                reread: false,
            };
        case "pause":
            if (state === undefined) return { live, reread: true };
            return {
                live: {
                    ...live,
                    state: {
                        ...state,
                        status: "paused",
                        pauses: [...state.pauses.filter((form) => form.pause !== event.form.pause), event.form],
                    },
                },
                reread: true,
            };
        case "meter":
            if (state === undefined) return { live, reread: false };
            return {
                live: {
                    ...live,
                    state: {
                        ...state,
                        usage: event.usage,
                        cost: event.cost,
                        doubtful: event.doubtful,
                        activeMs: event.active_ms,
                    },
                },
                reread: false,
            };
        case "done":
            return { live: { ...live, progress: {}, waits: {} }, reread: true };
        case "delta":
            return { live, reread: false };
    }
}

/** Takes a state that was read. What was told later than it stays. */
export function withState(live: RunLive, state: RunState): Applied {
    // Read before the last events were stored: theirs is the newer truth, and it is read again.
    if (live.state !== undefined && state.seq < live.seq)
        return { live: { ...live, problem: undefined }, reread: true };
    const running = new Set(state.stages.filter((stage) => stage.phase === "running").map((stage) => String(stage.id)));
    const keep = <T>(record: Readonly<Record<string, T>>) =>
        Object.fromEntries(Object.entries(record).filter(([stage]) => running.has(stage)));
    return {
        live: { state, problem: undefined, seq: state.seq, progress: keep(live.progress), waits: keep(live.waits) },
        reread: false,
    };
}

/** What calls wait for by these events of the log, by stage: for who did not hear it being told. */
export function waitsIn(events: readonly RunEvent[]): Readonly<Record<string, StageWait>> {
    const failed = new Map<string, StageWait["problem"]>();
    const waits = new Map<string, { stage: string; wait: StageWait }>();
    for (const event of events) {
        if (!("key" in event)) continue;
        const call = JSON.stringify(event.key);
        if (event.type === "model_call_failed" || event.type === "tool_call_failed") failed.set(call, event.problem);
        const problem = failed.get(call);
        if (event.type === "timer_set" && problem !== undefined)
            waits.set(call, { stage: String(event.key.stage), wait: { until: event.at + event.ms, problem } });
        else waits.delete(call);
    }
    return Object.fromEntries([...waits.values()].map(({ stage, wait }) => [stage, wait]));
}
