import { describe, expect, it } from "vitest";

import type { RunState, StageRow, UiEvent } from "./generated";
import { UNKNOWN, applyRunEvent, waitsIn, withState, type RunLive } from "./run-state";

const stage = (id: number, phase: string): StageRow =>
    ({ id, phase, done: 0, total: 0, summary: "" }) as unknown as StageRow;
const state = (seq: number, phases: string[]): RunState =>
    ({
        run: "run-1",
        seq,
        status: "running",
        stages: phases.map((phase, id) => stage(id, phase)),
        pauses: [],
    }) as unknown as RunState;
const known = (seq: number, phases: string[]): RunLive => withState(UNKNOWN, state(seq, phases)).live;
const committed = (seq: number, event: object): UiEvent =>
    ({ run: "run-1", seq, kind: "event", record: { seq, at: 1_000, v: 1, ...event } }) as unknown as UiEvent;
const phases = (live: RunLive) => live.state?.stages.map((row) => row.phase);

describe("a wait before another attempt", () => {
    const key = { stage: 0, attempt: 1, wave: 0, item: 0 };
    const problem = { code: "provider", message: "Rate limit reached.", retryable: true };
    const log = (...events: object[]) =>
        events.map((event, index) => ({
            seq: index + 1,
            at: 1_000 * (index + 1),
            v: 1,
            ...event,
        })) as unknown as Parameters<typeof waitsIn>[0];
    const failed = { type: "model_call_failed", key, try: 1, problem, retry_in: 25_000 };
    const timer = { type: "timer_set", key, ms: 25_000 };

    it("is found in the log by who comes later", () => {
        expect(waitsIn(log({ type: "stage_started", stage: 0 }, failed, timer))).toEqual({
            "0": { until: 28_000, problem },
        });
    });

    it("is over once its timer fired", () => {
        expect(waitsIn(log(failed, timer, { type: "timer_fired", key }))).toEqual({});
        const told = applyRunEvent(
            known(4, ["running"]),
            { run: "run-1", seq: 4, kind: "waiting", stage: 0, ms: 500, problem } as unknown as UiEvent,
            100,
        ).live;
        expect(told.waits).toEqual({ "0": { until: 600, problem } });
        expect(applyRunEvent(told, committed(5, { type: "timer_fired", key }), 0).live.waits).toEqual({});
    });
});

describe("a committed event", () => {
    it("moves a stage at once", () => {
        const { live, reread } = applyRunEvent(
            known(4, ["pending"]),
            committed(5, { type: "stage_started", stage: 0, attempt: 1 }),
            0,
        );
        expect(phases(live)).toEqual(["running"]);
        expect(live.seq).toBe(5);
        expect(reread).toBe(true);
    });

    it("is applied once", () => {
        const before = known(5, ["completed"]);
        expect(applyRunEvent(before, committed(5, { type: "stage_started", stage: 0, attempt: 1 }), 0)).toEqual({
            live: before,
            reread: false,
        });
    });

    it("after a gap is not applied: the state is read again", () => {
        const before = known(4, ["pending"]);
        expect(applyRunEvent(before, committed(7, { type: "stage_completed", stage: 0, attempt: 1 }), 0)).toEqual({
            live: before,
            reread: true,
        });
    });

    it("before anything is known asks for the state", () => {
        expect(applyRunEvent(UNKNOWN, committed(1, { type: "run_started" }), 0)).toEqual({
            live: UNKNOWN,
            reread: true,
        });
    });

    it("ends the words of what the stage was doing", () => {
        const told = applyRunEvent(
            known(4, ["running"]),
            { run: "run-1", seq: 4, kind: "progress", stage: 0, text: "searching", done: 1, total: 5 },
            0,
        ).live;
        expect(told.progress).toEqual({ "0": { text: "searching", done: 1, total: 5 } });
        expect(
            applyRunEvent(told, committed(5, { type: "stage_completed", stage: 0, attempt: 1 }), 0).live.progress,
        ).toEqual({});
    });
});

it("tells until when a call waits", () => {
    const problem = { code: "provider", message: "busy", retryable: true } as const;
    const { live } = applyRunEvent(
        known(4, ["running"]),
        { run: "run-1", seq: 4, kind: "waiting", stage: 0, ms: 2_000, problem },
        10_000,
    );
    expect(live.waits).toEqual({ "0": { until: 12_000, problem } });
});

it("does not let an older state undo what was told", () => {
    const told = applyRunEvent(
        known(4, ["running"]),
        committed(5, { type: "stage_completed", stage: 0, attempt: 1 }),
        0,
    ).live;
    const { live, reread } = withState(told, state(4, ["running"]));
    expect(phases(live)).toEqual(["completed"]);
    expect(reread).toBe(true);
});

it("keeps the words of stages that still run when the state is read", () => {
    const told = applyRunEvent(
        known(4, ["running", "running"]),
        { run: "run-1", seq: 4, kind: "progress", stage: 1, text: "ranking", done: 0, total: 0 },
        0,
    ).live;
    expect(withState(told, state(6, ["completed", "running"])).live.progress).toEqual({
        "1": { text: "ranking", done: 0, total: 0 },
    });
    expect(withState(told, state(6, ["completed", "completed"])).live.progress).toEqual({});
});
