// Words for tasks and attempts.

import type { Attempt, AttemptState, CheckResult, CodingTask, TaskRunState, TaskVerdict } from "@/backend";
import type { State } from "@/shared";

/** The agent that works on tasks. */
export const AGENT = "code-task";

export const VERDICTS: Record<TaskVerdict, { state: State; word: string }> = {
    not_declared: { state: "skipped", word: "No checks declared" },
    not_run: { state: "idle", word: "Checks not run" },
    failed: { state: "failed", word: "Checks failed" },
    stale: { state: "queued", word: "Changed since checked" },
    passed: { state: "done", word: "Checks passed" },
};

export const ENDINGS: Record<AttemptState, { state: State; word: string }> = {
    open: { state: "running", word: "Open" },
    merged: { state: "done", word: "Merged" },
    kept: { state: "idle", word: "Kept" },
    discarded: { state: "skipped", word: "Discarded" },
};

/** The columns of the board, in their order. */
export type Group = "answer" | "working" | "checks" | "choice" | "open" | "merged" | "kept" | "discarded";

export const GROUPS: readonly { id: Group; title: string }[] = [
    { id: "answer", title: "Waiting for your answer" },
    { id: "checks", title: "Checks failed" },
    { id: "choice", title: "Waiting for your choice" },
    { id: "working", title: "An agent works on them" },
    { id: "open", title: "Open" },
    { id: "merged", title: "Merged" },
    { id: "kept", title: "Kept" },
    { id: "discarded", title: "Discarded" },
];

const passed = ({ exit_code }: CheckResult) => exit_code === 0;

/** How the last checks of an attempt ended, by their recorded exit codes; undefined where none ran. */
export function lastChecks(attempt: Attempt): boolean | undefined {
    const last = attempt.checks?.at(-1);
    return last?.results.every(passed);
}

/** Whether a run goes on or waits. */
export function isUnderWay({ status }: TaskRunState): boolean {
    return status === "running" || status === "paused";
}

/** What a task waits for, or how it ended. */
export function groupOf(task: CodingTask, runs: readonly TaskRunState[] = []): Group {
    if (runs.some(({ status }) => status === "paused")) return "answer";
    if (runs.some(({ status }) => status === "running")) return "working";
    const open = task.attempts.filter((attempt) => attempt.state === "open");
    if (open.length > 1 && open.every((attempt) => lastChecks(attempt) !== undefined)) return "choice";
    if (open.length > 0) return open.every((attempt) => lastChecks(attempt) === false) ? "checks" : "open";
    const ended = (state: AttemptState) => task.attempts.some((attempt) => attempt.state === state);
    if (ended("merged")) return "merged";
    return ended("kept") ? "kept" : "discarded";
}

/** Whether an optional field has a value. */
export function isThere<T>(value: T | null | undefined): value is T {
    return value !== null && value !== undefined;
}
