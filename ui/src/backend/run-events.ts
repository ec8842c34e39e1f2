// Live runs: an atom a run for its state, an atom a stage for the text that streams. A component that shows a meter does not render when text arrives.

import { atom, getDefaultStore, useAtomValue, type PrimitiveAtom } from "jotai";
import { selectAtom } from "jotai/utils";
import { useCallback, useEffect, useMemo } from "react";

import { call } from "./client";
import { onEvents } from "./events";
import type { UiEvent } from "./generated";
import { toProblem } from "./problem";
import { UNKNOWN, applyRunEvent, waitsIn, withState, type RunLive } from "./run-state";

export type { RunLive, StageProgress, StageWait } from "./run-state";

/** Text is shown at most this often: more is slower to draw than to read. */
const PUBLISH_MS = 50;
/** States are read at most this often while events pour in. */
const REREAD_MS = 200;

interface Text {
    text: string;
    thinking: string;
}

interface Live {
    run: string;
    atom: PrimitiveAtom<RunLive>;
    texts: Map<string, PrimitiveAtom<Text>>;
    /** Text that was told and not yet shown. */
    pending: Map<string, Text>;
    users: number;
    reading: boolean;
    again: boolean;
    timer: ReturnType<typeof setTimeout> | undefined;
}

const store = getDefaultStore();
const runs = new Map<string, Live>();
const NO_TEXT: Text = { text: "", thinking: "" };
let publishing: ReturnType<typeof setTimeout> | undefined;

function liveOf(run: string): Live {
    let live = runs.get(run);
    if (live === undefined) {
        live = {
            run,
            atom: atom<RunLive>(UNKNOWN),
            texts: new Map(),
            pending: new Map(),
            users: 0,
            reading: false,
            again: false,
            timer: undefined,
        };
        runs.set(run, live);
    }
    return live;
}

function textAtom(live: Live, key: string): PrimitiveAtom<Text> {
    let found = live.texts.get(key);
    if (found === undefined) {
        found = atom<Text>(NO_TEXT);
        live.texts.set(key, found);
    }
    return found;
}

async function read(live: Live): Promise<void> {
    clearTimeout(live.timer);
    live.timer = undefined;
    if (live.reading) {
        live.again = true;
        return;
    }
    live.reading = true;
    live.again = false;
    let reread = false;
    try {
        const state = await call("run_show", { run: { id: live.run }, events_after: null, outputs: false });
        const applied = withState(store.get(live.atom), state);
        store.set(live.atom, applied.live);
        reread = applied.reread;
    } catch (thrown) {
        store.set(live.atom, { ...store.get(live.atom), problem: toProblem(thrown) });
    } finally {
        live.reading = false;
    }
    if (live.again || reread) rereadSoon(live);
}

/** How many of the newest events are looked through for a wait under way. */
const NEWEST = 30;

/** A wait that was told before anybody listened is found in the log. */
async function recover(live: Live): Promise<void> {
    const { state, seq } = store.get(live.atom);
    if (
        state?.status !== "running" ||
        !state.stages.some((stage) => stage.phase === "running" && stage.kind !== "render")
    )
        return;
    try {
        const { events = [] } = await call("run_show", {
            run: { id: live.run },
            events_after: Math.max(0, seq - NEWEST),
            outputs: false,
        });
        const now = store.get(live.atom);
        // What was told meanwhile is the newer truth.
        const waits = waitsIn(events);
        if (now.seq === seq && Object.keys(waits).length > 0)
            store.set(live.atom, { ...now, waits: { ...waits, ...now.waits } });
    } catch {
        // The run is shown all the same, without the words on its wait.
    }
}

function rereadSoon(live: Live): void {
    if (live.users === 0) return;
    if (live.reading) live.again = true;
    else live.timer ??= setTimeout(() => void read(live), REREAD_MS);
}

function keyOf(stage: unknown, item: number): string {
    return `${String(stage)}.${item}`;
}

function take(live: Live, event: UiEvent): void {
    if (event.kind === "delta") {
        const key = keyOf(event.stage, event.item);
        const before = live.pending.get(key) ?? NO_TEXT;
        live.pending.set(
            key,
            event.thinking === true
                ? { ...before, thinking: before.thinking + event.text }
                : { ...before, text: before.text + event.text },
        );
        publishing ??= setTimeout(publish, PUBLISH_MS);
        return;
    }
    // A stage that begins again writes anew.
    if (event.kind === "event" && event.record.type === "stage_started") dropTexts(live, String(event.record.stage));
    const before = store.get(live.atom);
    const { live: after, reread } = applyRunEvent(before, event, Date.now());
    if (after !== before) store.set(live.atom, after);
    if (reread) rereadSoon(live);
}

function dropTexts(live: Live, stage: string): void {
    for (const [key, text] of live.texts) if (key.startsWith(`${stage}.`)) store.set(text, NO_TEXT);
    for (const key of live.pending.keys()) if (key.startsWith(`${stage}.`)) live.pending.delete(key);
}

function publish(): void {
    publishing = undefined;
    for (const live of runs.values()) {
        for (const [key, added] of live.pending) {
            const target = textAtom(live, key);
            const before = store.get(target);
            store.set(target, { text: before.text + added.text, thinking: before.thinking + added.thinking });
        }
        live.pending.clear();
    }
}

/** Forgets every run, and text that waits to be shown. */
export function forgetRuns(): void {
    clearTimeout(publishing);
    publishing = undefined;
    for (const live of runs.values()) clearTimeout(live.timer);
    runs.clear();
}

onEvents((events) => {
    for (const event of events) {
        if (event.event === "lagged") {
            // Text in between is lost; the finished text comes with the state.
            for (const live of runs.values()) if (live.users > 0) void read(live);
        } else if (event.event === "run") {
            const live = runs.get(event.value.run);
            if (live !== undefined && live.users > 0) take(live, event.value);
        }
    }
});

function follow(run: string): () => void {
    const live = liveOf(run);
    live.users += 1;
    if (live.users === 1) void read(live).then(() => recover(live));
    return () => {
        live.users -= 1;
        if (live.users > 0) return;
        clearTimeout(live.timer);
        live.timer = undefined;
        // The state stays for a quick way back; text of a run that nobody follows has holes.
        live.pending.clear();
        live.texts.clear();
    };
}

/** A run and everything that is told about it. Prefer `useRunField` where one value is enough. */
export function useRun(run: string): RunLive & { reload: () => void } {
    const live = liveOf(run);
    useEffect(() => follow(run), [run]);
    const value = useAtomValue(live.atom);
    const reload = useCallback(() => void read(liveOf(run)), [run]);
    return useMemo(() => ({ ...value, reload }), [value, reload]);
}

/** One primitive of a run: `useRunField(run, (live) => live.state?.status)`. Renders only when it changes. `select` must be stable. */
export function useRunField<T extends string | number | boolean | null | undefined>(
    run: string,
    select: (live: RunLive) => T,
): T {
    useEffect(() => follow(run), [run]);
    const live = liveOf(run);
    return useAtomValue(useMemo(() => selectAtom(live.atom, select), [live.atom, select]));
}

/** The text that a stage's model writes now, growing at most 20 times a second. */
export function useStageText(run: string, stage: string | number, item = 0): Text {
    useEffect(() => follow(run), [run]);
    return useAtomValue(textAtom(liveOf(run), keyOf(stage, item)));
}
