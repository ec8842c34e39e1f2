// How a turn's values are said. Pure.

import type { StepStatus, TurnHead, TurnStatus, TurnStep } from "@/backend";
import { count, formatDuration, type State } from "@/shared";

export interface StatusLabel {
    state: State;
    word: string;
}

const TURNS: { readonly [S in TurnStatus]: StatusLabel } = {
    running: { state: "running", word: "Running" },
    waiting: { state: "needs-you", word: "Waiting for you" },
    interrupted: { state: "needs-you", word: "Interrupted" },
    completed: { state: "done", word: "Finished" },
    stopped: { state: "skipped", word: "Stopped" },
    failed: { state: "failed", word: "Failed" },
};

const STEPS: { readonly [S in StepStatus]: StatusLabel } = {
    queued: { state: "queued", word: "Queued" },
    asking: { state: "needs-you", word: "Waiting for you" },
    running: { state: "running", word: "Running" },
    ok: { state: "done", word: "Done" },
    failed: { state: "failed", word: "Failed" },
    denied: { state: "failed", word: "Denied" },
    stopped: { state: "skipped", word: "Stopped" },
    unknown: { state: "needs-you", word: "Outcome unknown" },
};

export function turnStatus(status: TurnStatus): StatusLabel {
    return TURNS[status];
}

/** How a conversation stands by its newest turn: a plan that was handed over waits, too. */
export function headStatus(head: TurnHead): StatusLabel {
    return head.status === "completed" && head.plan?.state === "waiting"
        ? { state: "needs-you", word: "Plan needs approval" }
        : TURNS[head.status];
}

export function stepStatus(status: StepStatus): StatusLabel {
    return STEPS[status];
}

/** Whether a turn goes on by itself or waits for the person. */
export function isLive(status: TurnStatus): boolean {
    return status === "running" || status === "waiting";
}

/** Whether a turn ended before its answer and can go on. */
export function canResume(status: TurnStatus): boolean {
    return status === "interrupted" || status === "stopped" || status === "failed";
}

/** "Worked 1 m 12 s, 14 steps". */
export function workLine(head: TurnHead, steps: readonly TurnStep[]): string {
    const word = isLive(head.status) ? "Working" : "Worked";
    return `${word} ${formatDuration(head.activeMs)}, ${count(steps.filter(isWork).length, "step")}`;
}

/** A step in one line: its title, and what is done unless it only says the title again ("Read a file", "Read notes.txt"). */
export function lineOf(title: string, intent: string): { title: string; intent: string } {
    const [word = ""] = title.split(" ", 1);
    if (word === "" || intent.split(/[\s:]/, 1)[0]?.toLowerCase() !== word.toLowerCase()) return { title, intent };
    return { title: intent.slice(0, word.length), intent: intent.slice(word.length).replace(/^[\s:]+/, "") };
}

/** What counts as a step to a person: what was called, said to it or put into fewer words; thinking is no step of its own. */
export function isWork(step: TurnStep): boolean {
    return step.kind !== "model" || step.text !== "";
}

/** What went wrong or was not allowed: it stays in sight when the steps are folded. */
export function isWrong(step: TurnStep): boolean {
    return step.status === "failed" || step.status === "denied" || step.status === "unknown";
}
