import { act, render, screen } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";

import type { TurnStep, TurnUi, TurnView } from "./generated";
import { modelStep, toolStep, turnHead, turnView } from "./turn-fixtures";

import { mockTransport, type MockTransport } from "./mock-transport";
import { learnTurn, useSessionTurns, useStepText, useTurn } from "./turn-events";

let core: MockTransport;
let fresh: TurnView[];
let drawn: { turn: number; text: number };

beforeEach(() => {
    core = mockTransport();
    fresh = [];
    drawn = { turn: 0, text: 0 };
});

function Text({ step }: { step: string }) {
    const { text, thinking, output } = useStepText("run-1", "s", step);
    drawn.text += 1;
    return <p data-testid="text">{[text, thinking, output].join("|")}</p>;
}

function Turn({ seed }: { seed: TurnView }) {
    const { head, steps } = useTurn(seed);
    drawn.turn += 1;
    return <p data-testid="turn">{`${head.status} ${steps.map((step) => step.status).join(",")}`}</p>;
}

function Page({ seed, children }: { seed?: TurnView; children?: React.ReactNode }) {
    useSessionTurns("s", (view) => fresh.push(view));
    return (
        <>
            {seed !== undefined && <Turn seed={seed} />}
            <Text step="m1" />
            {children}
        </>
    );
}

const told = (kind: TurnUi["kind"], run = "run-1", session = "s") => ({
    event: "turn" as const,
    value: { run, session, seq: 0, kind },
});
const changed = (seq: number, steps: TurnStep[], over = {}) =>
    told({ kind: "changed", head: turnHead({ seq, status: "running", ...over }), steps, message: null });

it("draws text that arrives in its step alone, and at once", () => {
    const seed = turnView({ status: "running", seq: 1 }, [modelStep({ status: "running" })]);
    render(<Page seed={seed} />);
    const before = drawn.turn;
    act(() =>
        core.tell(
            told({ kind: "delta", step: "m1", text: "Hel", at: 0 }),
            told({ kind: "delta", step: "m1", text: "hm", thinking: true, at: 0 }),
            told({ kind: "delta", step: "m1", text: "lo", at: 3 }),
        ),
    );
    expect(screen.getByTestId("text").textContent).toBe("Hello|hm|");
    expect(drawn.turn).toBe(before);
});

it("drops the streamed text once the step is over, and when it begins anew", () => {
    const seed = turnView({ status: "running", seq: 1 }, [modelStep({ status: "running" })]);
    render(<Page seed={seed} />);
    act(() => core.tell(told({ kind: "delta", step: "m1", text: "half an ans", at: 0 })));
    act(() => core.tell(changed(2, [modelStep({ status: "running", at: 2_000 })])));
    expect(screen.getByTestId("text").textContent).toBe("||");
    act(() => core.tell(told({ kind: "delta", step: "m1", text: "answer", at: 0 })));
    act(() => core.tell(changed(3, [modelStep({ at: 2_000 })])));
    expect(screen.getByTestId("text").textContent).toBe("||");
    expect(screen.getByTestId("turn").textContent).toBe("running ok");
});

it("tells of turns that begin, also where their beginning was missed", async () => {
    core.answers.turn_show = turnView({ run: "run-7", seq: 4 });
    render(<Page />);
    act(() =>
        core.tell(
            told({ kind: "changed", head: turnHead({ run: "run-6" }), steps: [], message: { text: "Go" } }, "run-6"),
        ),
    );
    await act(async () =>
        core.tell(
            told({ kind: "changed", head: turnHead({ run: "run-7" }), steps: [toolStep()], message: null }, "run-7"),
        ),
    );
    expect(fresh.map((view) => view.head.run)).toEqual(["run-6", "run-7"]);
});

it("takes nothing in of sessions that are not on the page", () => {
    render(<Page />);
    act(() =>
        core.tell(
            told(
                {
                    kind: "changed",
                    head: turnHead({ run: "run-8", session: "other" }),
                    steps: [],
                    message: { text: "Go" },
                },
                "run-8",
                "other",
            ),
        ),
    );
    expect(fresh).toEqual([]);
    expect(core.asked).toEqual([]);
});

it("has the text that was written before its session was opened", () => {
    const changedElsewhere = told({
        kind: "changed",
        head: turnHead({ run: "run-1", seq: 2, status: "running" }),
        steps: [modelStep({ status: "running" })],
        message: null,
    });
    act(() => core.tell(changedElsewhere, told({ kind: "delta", step: "m1", text: "The beginning", at: 0 })));
    render(<Page />);
    act(() => core.tell(told({ kind: "delta", step: "m1", text: " and the rest", at: 13 })));
    expect(screen.getByTestId("text").textContent).toBe("The beginning and the rest||");
});

it("reads again what it shows after events were lost", async () => {
    const seed = turnView({ status: "running", seq: 1 }, [toolStep({ status: "running" })]);
    render(<Page seed={seed} />);
    act(() => learnTurn(seed));
    act(() => core.tell(told({ kind: "delta", step: "m1", text: "with a ho", at: 0 })));
    core.answers.turn_show = turnView({ status: "completed", seq: 9 }, [toolStep()]);
    await act(async () => core.tell({ event: "lagged" }));
    expect(screen.getByTestId("text").textContent).toBe("||");
    expect(screen.getByTestId("turn").textContent).toBe("completed ok");
});

it("goes on with text from what was read, takes no piece twice, and reads again where one is missing", async () => {
    const seed = turnView({ status: "running", seq: 1 }, [modelStep({ status: "running", text: "The amount" })]);
    render(<Page seed={seed} />);
    act(() => core.tell(told({ kind: "delta", step: "m1", text: "amount is", at: 4 })));
    expect(screen.getByTestId("text").textContent).toBe("The amount is||");
    core.answers.turn_show = turnView({ status: "running", seq: 1 }, [
        modelStep({ status: "running", text: "The amount is odd, so" }),
    ]);
    await act(async () => core.tell(told({ kind: "delta", step: "m1", text: "so", at: 19 })));
    expect(screen.getByTestId("text").textContent).toBe("The amount is odd, so||");
    act(() => core.tell(told({ kind: "delta", step: "m1", text: " far.", at: 21 })));
    expect(screen.getByTestId("text").textContent).toBe("The amount is odd, so far.||");
});
