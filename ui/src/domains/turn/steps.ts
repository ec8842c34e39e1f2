// The steps of a turn as they are shown: nested, and told apart. Pure.

import type { TurnStep } from "@/backend";

import { isWrong } from "./labels";

export type ToolStep = Extract<TurnStep, { kind: "tool" }>;

export interface Branch {
    step: TurnStep;
    below: Branch[];
}

/** The steps as a tree, in order. One whose parent is not there stands at the top. */
export function treeOf(steps: readonly TurnStep[]): Branch[] {
    const branches = new Map<string, Branch>(steps.map((step) => [step.id, { step, below: [] }]));
    const top: Branch[] = [];
    for (const step of steps) {
        const branch = branches.get(step.id);
        if (branch === undefined) continue;
        const parent =
            step.parent === null || step.parent === undefined || step.parent === step.id
                ? undefined
                : branches.get(step.parent);
        (parent?.below ?? top).push(branch);
    }
    return top;
}

export function isTool(step: TurnStep): step is ToolStep {
    return step.kind === "tool";
}

/** Whether it asked the person, who answered. */
export function isAnswered(step: TurnStep): boolean {
    return (
        step.kind === "tool" &&
        step.question !== null &&
        step.question !== undefined &&
        step.answer !== null &&
        step.answer !== undefined
    );
}

/** What the person said or answered meanwhile, what was put into fewer words, what failed or was denied, and the beginning of an answer that broke off: it stays in sight when the steps are folded. */
export function isKept(step: TurnStep): boolean {
    return (
        step.kind === "steering" ||
        step.kind === "compaction" ||
        (isTool(step) && (isWrong(step) || isAnswered(step))) ||
        (step.kind === "model" && step.text !== "" && isWrong(step))
    );
}

/** Whether a step has something to say: a model's without words and thoughts has not. */
export function isShown(step: TurnStep): boolean {
    return step.kind !== "model" || step.thinking !== "" || step.text !== "" || step.status === "running";
}

/** The newest list of what the agent set out to do. */
export function tasksOf(steps: readonly TurnStep[]) {
    for (let index = steps.length - 1; index >= 0; index -= 1) {
        const step = steps[index];
        if (step?.kind !== "tool") continue;
        for (const show of step.show) if (show.show === "tasks") return show.tasks;
    }
    return undefined;
}

/** The model's step that writes now: its text may become the answer. */
export function writingOf(steps: readonly TurnStep[]): TurnStep | undefined {
    for (let index = steps.length - 1; index >= 0; index -= 1) {
        const step = steps[index];
        if (step?.kind === "model" && step.status === "running" && (step.parent === null || step.parent === undefined))
            return step;
    }
    return undefined;
}

/** The steps without the answer's text, which stands in the head alone; and the text that is to become it, as far as is known. */
export function apart(steps: readonly TurnStep[], answer: string | null): { steps: readonly TurnStep[]; said: string } {
    if (answer !== null)
        return {
            steps: steps.map((step) => (step.kind === "model" && step.text === answer ? { ...step, text: "" } : step)),
            said: "",
        };
    const last = steps[steps.length - 1];
    if (last?.kind !== "model" || last.status !== "ok" || last.text === "" || (last.parent ?? null) !== null)
        return { steps, said: "" };
    // What is said last is the answer, unless calls follow.
    return { steps: [...steps.slice(0, -1), { ...last, text: "" }], said: last.text };
}
