import { act, render, screen } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";

import type { UiEvent } from "./generated";
import { useRun, useRunField, useStageText, type RunLive } from "./run-events";
import { mockTransport, type MockTransport } from "./mock-transport";

let core: MockTransport;
let number = 0;
let run = "";

beforeEach(() => {
    vi.useFakeTimers();
    core = mockTransport();
    number += 1;
    run = `run-${number}`;
    core.answers.run_show = { run, seq: 3, status: "running", stages: [{ id: 1, phase: "running" }], pauses: [] };
    return () => vi.useRealTimers();
});

const settle = (ms = 300) => act(() => vi.advanceTimersByTimeAsync(ms));
const tell = (event: object) => core.tell({ event: "run", value: { run, seq: 3, ...event } as UiEvent });
/** States that were read; a look into the log asks for events. */
const reads = () =>
    core.asked.filter(
        ({ name, params }) => name === "run_show" && (params as { events_after: number | null }).events_after === null,
    ).length;

it("publishes streaming text at most 20 times a second, and all of it", async () => {
    let drawn = 0;
    function Text() {
        drawn += 1;
        return <p data-testid="text">{useStageText(run, 1).text}</p>;
    }
    render(<Text />);
    await settle();
    const before = drawn;
    let expected = "";
    for (let ms = 0; ms < 1_000; ms += 2) {
        expected += "x";
        tell({ kind: "delta", stage: 1, item: 0, text: "x" });
        await act(() => vi.advanceTimersByTimeAsync(2));
    }
    await settle();
    expect(screen.getByTestId("text").textContent).toBe(expected);
    expect(drawn - before).toBeLessThanOrEqual(21);
});

it("does not draw a status anew when text arrives", async () => {
    let drawn = 0;
    const status = (live: RunLive) => live.state?.status;
    function Status() {
        drawn += 1;
        return <p data-testid="status">{useRunField(run, status)}</p>;
    }
    render(<Status />);
    await settle();
    expect(screen.getByTestId("status").textContent).toBe("running");
    const before = drawn;
    for (let index = 0; index < 10; index += 1) {
        tell({ kind: "delta", stage: 1, item: 0, text: "words " });
        tell({ kind: "progress", stage: 1, text: `step ${index}`, done: index, total: 10 });
        await settle(60);
    }
    expect(drawn).toBe(before);
});

it("reads the state again after a gap, and at most five times a second", async () => {
    function Shown() {
        return <p data-testid="seq">{useRun(run).seq}</p>;
    }
    render(<Shown />);
    await settle();
    expect(reads()).toBe(1);
    core.answers.run_show = { run, seq: 60, status: "running", stages: [], pauses: [] };
    for (let seq = 10; seq < 60; seq += 1)
        tell({ kind: "event", record: { seq, at: 0, v: 1, type: "stage_planned", stage: 1 } });
    await settle(1_000);
    expect(screen.getByTestId("seq").textContent).toBe("60");
    expect(reads()).toBeLessThanOrEqual(3);
});

it("reads the state again when events were lost", async () => {
    function Shown() {
        return <p>{useRun(run).seq}</p>;
    }
    render(<Shown />);
    await settle();
    core.tell({ event: "lagged" });
    await settle();
    expect(reads()).toBe(2);
});

it("begins a stage's text anew when the stage does", async () => {
    function Text() {
        return <p data-testid="text">{useStageText(run, 1).text}</p>;
    }
    render(<Text />);
    await settle();
    tell({ kind: "delta", stage: 1, item: 0, text: "first" });
    await settle();
    tell({ kind: "event", record: { seq: 4, at: 0, v: 1, type: "stage_started", stage: 1, attempt: 2 } });
    tell({ kind: "delta", stage: 1, item: 0, text: "second" });
    await settle();
    expect(screen.getByTestId("text").textContent).toBe("second");
});

it("tells nothing of runs that nobody follows", async () => {
    const view = render(<Follow />);
    function Follow() {
        return <p>{useRun(run).seq}</p>;
    }
    await settle();
    view.unmount();
    const before = core.asked.length;
    tell({ kind: "event", record: { seq: 9, at: 0, v: 1, type: "stage_started", stage: 1, attempt: 1 } });
    await settle();
    expect(core.asked.length).toBe(before);
});

it("finds a wait in the log that was told before anybody listened", async () => {
    const key = { stage: 1, attempt: 1, wave: 0, item: 0 };
    const problem = { code: "provider", message: "Rate limit reached.", retryable: true };
    const events = [
        { seq: 8, at: 1_000, type: "model_call_failed", key, problem },
        { seq: 9, at: 1_000, type: "timer_set", key, ms: 25_000 },
    ];
    core.answers.run_show = (asked: unknown) => ({
        run,
        seq: 9,
        status: "running",
        stages: [{ id: 1, phase: "running" }],
        pauses: [],
        ...((asked as { events_after: number | null }).events_after === null ? {} : { events }),
    });
    function Until() {
        return <p data-testid="until">{useRun(run).waits["1"]?.until}</p>;
    }
    render(<Until />);
    await settle();
    expect(screen.getByTestId("until").textContent).toBe("26000");
});
