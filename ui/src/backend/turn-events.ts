// Live turns: an atom a turn for what is committed, an atom a step for the text that streams. Text that arrives draws its step and nothing else.

import { atom, getDefaultStore, useAtomValue, type PrimitiveAtom } from "jotai";
import { useEffect, useRef } from "react";

import { call } from "./client";
import { onEvents } from "./events";
import type { TurnUi, TurnView } from "./generated";
import { applyChanged, learned, newer } from "./turn-state";

export interface StepText {
    text: string;
    thinking: string;
    /** What a tool wrote while it ran. */
    output: string;
}

interface Live {
    session: string;
    atom: PrimitiveAtom<TurnView | undefined>;
    texts: Map<string, PrimitiveAtom<StepText>>;
    /** Text of this batch that was not published yet. */
    pending: Map<string, StepText>;
    reading: boolean;
}

/** A turn that was not known, and what it replaced; undefined: it began earlier, and its place is not told. */
type Handler = (view: TurnView, replaced: readonly string[] | undefined) => void;

const store = getDefaultStore();
const turns = new Map<string, Live>();
/** Sessions on the page, with who wants to know of new turns. */
const open = new Map<string, Set<Handler>>();
const NO_TEXT: StepText = { text: "", thinking: "", output: "" };
/** Of a tool's output as it comes, the end is what is looked at. */
const MAX_OUTPUT_CHARS = 20_000;

function liveOf(run: string, session: string): Live {
    let live = turns.get(run);
    if (live === undefined) {
        live = {
            session,
            atom: atom<TurnView | undefined>(undefined),
            texts: new Map(),
            pending: new Map(),
            reading: false,
        };
        turns.set(run, live);
    }
    return live;
}

function textAtom(live: Live, step: string): PrimitiveAtom<StepText> {
    let found = live.texts.get(step);
    if (found === undefined) {
        found = atom<StepText>(NO_TEXT);
        live.texts.set(step, found);
    }
    return found;
}

/** Takes in a turn that was read. */
export function learnTurn(view: TurnView): void {
    const live = liveOf(view.head.run, view.head.session);
    const before = store.get(live.atom);
    const after = learned(before, view);
    if (after !== before) store.set(live.atom, after);
    seed(live, after, view);
}

/** What a step wrote before the turn was read, where more of it is not known already. */
function seed(live: Live, now: TurnView, view: TurnView): void {
    for (const step of view.steps) {
        if (step.kind !== "model" || step.status !== "running") continue;
        const same = now.steps.some((each) => each.id === step.id && each.status === "running" && each.at === step.at);
        const have = heldOf(live, step.id);
        if (!same || (step.text.length <= have.text.length && step.thinking.length <= have.thinking.length)) continue;
        live.pending.delete(step.id);
        const longer = (a: string, b: string) => (a.length >= b.length ? a : b);
        store.set(textAtom(live, step.id), {
            ...have,
            text: longer(step.text, have.text),
            thinking: longer(step.thinking, have.thinking),
        });
    }
}

/** All text of a step that is known, published or not. */
function heldOf(live: Live, step: string): StepText {
    const shown = store.get(textAtom(live, step));
    const { text, thinking, output } = live.pending.get(step) ?? NO_TEXT;
    return { text: shown.text + text, thinking: shown.thinking + thinking, output: shown.output + output };
}

async function read(run: string, live: Live): Promise<void> {
    if (live.reading) return;
    live.reading = true;
    try {
        const known = store.get(live.atom) !== undefined;
        const view = await call("turn_show", { run });
        learnTurn(view);
        if (!known) open.get(live.session)?.forEach((handler) => handler(view, undefined));
    } catch {
        // The page of the session is read again with the next change.
    } finally {
        live.reading = false;
    }
}

function take(event: TurnUi): void {
    const handlers = open.get(event.session);
    const { kind } = event;
    if (kind.kind === "changed" && handlers === undefined) return pass(event.run, kind);
    const live = liveOf(event.run, event.session);
    if (kind.kind === "changed") {
        const before = store.get(live.atom);
        const after = applyChanged(before, kind);
        if (after === undefined) return void read(event.run, live);
        store.set(live.atom, after);
        // The finished text stands in the step or in the answer.
        for (const step of kind.steps)
            if (step.status !== "running" || before?.steps.find((each) => each.id === step.id)?.at !== step.at)
                drop(live, step.id);
        if (before === undefined) handlers?.forEach((handler) => handler(after, kind.replaced ?? []));
        return;
    }
    const before = live.pending.get(kind.step) ?? NO_TEXT;
    if (kind.kind === "output") {
        live.pending.set(kind.step, { ...before, output: before.output + kind.text });
        return;
    }
    const part = kind.thinking === true ? "thinking" : "text";
    const have = heldOf(live, kind.step)[part].length;
    // Text with a hole in it is worse than none: the turn is read again.
    const at = kind.at ?? 0;
    if (at > have) return void (handlers !== undefined && read(event.run, live));
    const added = at < have ? kind.text.slice(have - at) : kind.text;
    if (added !== "") live.pending.set(kind.step, { ...before, [part]: before[part] + added });
}

/** Of a session that is not on the page only the text that is being written is kept: nobody tells its beginning again. */
function pass(run: string, changed: Extract<TurnUi["kind"], { kind: "changed" }>): void {
    const live = turns.get(run);
    if (live === undefined) return;
    for (const step of changed.steps) if (step.status !== "running") drop(live, step.id);
    const { status } = changed.head;
    if (status !== "running" && status !== "waiting") turns.delete(run);
}

function drop(live: Live, step: string): void {
    live.pending.delete(step);
    const text = live.texts.get(step);
    if (text !== undefined && store.get(text) !== NO_TEXT) store.set(text, NO_TEXT);
}

function publish(): void {
    for (const live of turns.values()) {
        if (live.pending.size === 0) continue;
        for (const [step, added] of live.pending) {
            const target = textAtom(live, step);
            const before = store.get(target);
            store.set(target, {
                text: before.text + added.text,
                thinking: before.thinking + added.thinking,
                output: (before.output + added.output).slice(-MAX_OUTPUT_CHARS),
            });
        }
        live.pending.clear();
    }
}

onEvents((events) => {
    let told = false;
    for (const event of events) {
        if (event.event === "turn") {
            take(event.value);
            told = true;
        } else if (event.event === "lagged") {
            for (const [run, live] of turns) {
                // Text with a hole in it is worse than none: the whole comes with what is committed.
                for (const step of live.texts.keys()) drop(live, step);
                if (open.has(live.session)) void read(run, live);
            }
        }
    }
    // Batches come at most every 50 ms: what is in one is shown at once.
    if (told) publish();
});

/** Follows the turns of a session; `onNew` is told of one that begins. */
export function useSessionTurns(session: string | undefined, onNew: Handler): void {
    const latest = useRef(onNew);
    useEffect(() => {
        latest.current = onNew;
    });
    useEffect(() => {
        if (session === undefined) return;
        const handler: Handler = (view, replaced) => latest.current(view, replaced);
        const handlers = open.get(session) ?? new Set<Handler>();
        handlers.add(handler);
        open.set(session, handlers);
        return () => {
            handlers.delete(handler);
            if (handlers.size > 0) return;
            open.delete(session);
            for (const [run, live] of turns) {
                if (live.session !== session) continue;
                const status = store.get(live.atom)?.head.status;
                if (status === "running" || status === "waiting") store.set(live.atom, undefined);
                else turns.delete(run);
            }
        };
    }, [session]);
}

/** A turn as it is now. Its session has to be followed. */
export function useTurn(seed: TurnView): TurnView {
    const { run, session } = seed.head;
    useEffect(() => learnTurn(seed), [seed]);
    return newer(useAtomValue(liveOf(run, session).atom), seed);
}

/** What a step's model or tool writes now; empty once the step is over. */
export function useStepText(run: string, session: string, step: string): StepText {
    return useAtomValue(textAtom(liveOf(run, session), step));
}
