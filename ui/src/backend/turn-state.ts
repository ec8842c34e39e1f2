// What a turn looks like right now: as it was read, with what was told since. Pure.

import type { TurnStep, TurnUiKind, TurnView } from "./generated";

type Changed = Extract<TurnUiKind, { kind: "changed" }>;

/** The view that knows more. Of two that know the same the first, so that nothing is drawn anew. */
export function newer(one: TurnView | undefined, other: TurnView): TurnView {
    return one !== undefined && one.head.seq >= other.head.seq ? one : other;
}

function equal(a: TurnStep, b: TurnStep): boolean {
    return JSON.stringify(a) === JSON.stringify(b);
}

/** Takes another reading in. Steps that are as they were stay the same objects: they are not drawn anew. */
export function learned(before: TurnView | undefined, read: TurnView): TurnView {
    if (before === undefined) return read;
    if (read.head.seq < before.head.seq) return before;
    const known = new Map(before.steps.map((step) => [step.id, step]));
    const steps = read.steps.map((step) => {
        const same = known.get(step.id);
        return same !== undefined && equal(same, step) ? same : step;
    });
    const still = steps.length === before.steps.length && steps.every((step, index) => step === before.steps[index]);
    if (still && read.head.seq === before.head.seq && JSON.stringify(read.head) === JSON.stringify(before.head))
        return before;
    return { head: read.head, message: read.message, steps: still ? before.steps : steps };
}

/** Applies committed events. Undefined: they can't be applied, because the turn was never read; then it has to be. */
export function applyChanged(before: TurnView | undefined, event: Changed): TurnView | undefined {
    if (before === undefined)
        return event.message === null ? undefined : { head: event.head, message: event.message, steps: event.steps };
    // What was read meanwhile is newer than what was told before it.
    if (event.head.seq < before.head.seq) return before;
    if (event.steps.length === 0) return { ...before, head: event.head };
    const changed = new Map(event.steps.map((step) => [step.id, step]));
    const steps = before.steps.map((step) => {
        const next = changed.get(step.id);
        changed.delete(step.id);
        return next ?? step;
    });
    steps.push(...changed.values());
    return { ...before, head: event.head, steps };
}
