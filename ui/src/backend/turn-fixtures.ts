// For tests: a turn as the core gives it.

import type { TurnHead, TurnStep, TurnView } from "./generated";

export function turnHead(over: Partial<TurnHead> = {}): TurnHead {
    return {
        run: "run-1",
        session: "s",
        previous: null,
        seq: 5,
        startedAt: 1_000,
        status: "completed",
        doing: "",
        since: 1_000,
        agent: "",
        mode: "ask",
        connection: "acme",
        model: "big-1",
        answer: null,
        notes: [],
        plan: null,
        problem: null,
        usage: { input: 100, output: 20 },
        cost: 0,
        equivalent: 0,
        doubtful: 0,
        activeMs: 72_000,
        context: 0,
        window: 0,
        toolCalls: 0,
        ...over,
    };
}

export function toolStep(over: Partial<Extract<TurnStep, { kind: "tool" }>> = {}): Extract<TurnStep, { kind: "tool" }> {
    return {
        id: "t1",
        kind: "tool",
        status: "ok",
        at: 1_000,
        ms: 800,
        tool: "read",
        title: "Read",
        source: "",
        intent: "notes.txt",
        summary: "12 lines",
        show: [],
        ...over,
    };
}

export function modelStep(
    over: Partial<Extract<TurnStep, { kind: "model" }>> = {},
): Extract<TurnStep, { kind: "model" }> {
    return { id: "m1", kind: "model", status: "ok", at: 1_000, ms: 900, thinking: "", text: "", ...over };
}

export function turnView(head: Partial<TurnHead> = {}, steps: TurnStep[] = [], text = "Look into it."): TurnView {
    return { head: turnHead(head), message: { text }, steps };
}
