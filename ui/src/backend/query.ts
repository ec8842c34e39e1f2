// What was read from the core, kept while it is true. Jotai: an atom a query and a run, so one event re-renders the few components that read
// that atom, selectors give primitives, and no provider re-renders a tree.

import { atom, getDefaultStore, useAtomValue, type PrimitiveAtom } from "jotai";
import { useCallback, useEffect, useMemo, useState } from "react";

import { canonical } from "./canonical";
import { call } from "./client";
import { onEvents } from "./events";
import { CHANGES, READS, type Problem, type Tag } from "./generated";
import { toProblem } from "./problem";
import type { CommandName, Params, Result } from "./transport";
import { workspaceVersion } from "./workspace";

/** Readings that count over all sessions: so long they rest after one, in milliseconds, however much changes meanwhile. */
const RESTS: Partial<Record<CommandName, number>> = { organise_show: 500 };

export interface Query<T> {
    /** The newest that is known; kept while it is read again and when that fails. */
    data: T | undefined;
    problem: Problem | undefined;
    /** Whether it is being read now. */
    loading: boolean;
    reload: () => void;
}

type State<T> = Omit<Query<T>, "reload">;

interface Entry {
    key: string;
    atom: PrimitiveAtom<State<unknown>>;
    name: CommandName;
    params: unknown;
    /** Of the data, to tell whether what was read differs. */
    text: string | undefined;
    users: number;
    stale: boolean;
    reading: boolean;
    readAt: number;
    /** Set while it rests before it is read again. */
    resting: boolean;
    /** When it was made or last let go. */
    usedAt: number;
}

/** How many answers are kept that nobody shows. */
const KEPT = 200;

const store = getDefaultStore();
const entries = new Map<string, Entry>();
const NOTHING = atom<State<unknown>>({ data: undefined, problem: undefined, loading: false });

function entryOf(name: CommandName, params: unknown): Entry {
    const key = `${workspaceVersion()} ${name} ${canonical(params)}`;
    let entry = entries.get(key);
    if (entry === undefined) {
        entry = {
            key,
            atom: atom<State<unknown>>({ data: undefined, problem: undefined, loading: true }),
            name,
            params,
            text: undefined,
            users: 0,
            stale: true,
            reading: false,
            readAt: -Infinity,
            resting: false,
            usedAt: performance.now(),
        };
        entries.set(key, entry);
    }
    return entry;
}

async function read(entry: Entry): Promise<void> {
    if (entry.reading) {
        entry.stale = true;
        return;
    }
    entry.reading = true;
    entry.stale = false;
    const before = store.get(entry.atom);
    if (!before.loading) store.set(entry.atom, { ...before, loading: true });
    try {
        const data = await call(entry.name, entry.params as never);
        const text = canonical(data);
        const same = text === entry.text;
        entry.text = text;
        store.set(entry.atom, { data: same ? store.get(entry.atom).data : data, problem: undefined, loading: false });
    } catch (thrown) {
        store.set(entry.atom, { data: store.get(entry.atom).data, problem: toProblem(thrown), loading: false });
    } finally {
        entry.reading = false;
        entry.readAt = performance.now();
    }
    // It became stale while it was read.
    if (entry.stale && entry.users > 0) readAgain(entry);
}

/** Reads what became stale: at once, or when it has rested. */
function readAgain(entry: Entry): void {
    const rest = (RESTS[entry.name] ?? 0) - (performance.now() - entry.readAt);
    if (entry.reading || rest <= 0) return void read(entry);
    if (entry.resting) return;
    entry.resting = true;
    setTimeout(() => {
        entry.resting = false;
        if (entry.stale && entry.users > 0) void read(entry);
    }, rest);
}

function use(entry: Entry): () => void {
    entry.users += 1;
    // It may have been swept between being drawn and being shown.
    if (!entries.has(entry.key)) entries.set(entry.key, entry);
    // What failed is tried again by whoever shows it next.
    if (entry.stale || store.get(entry.atom).problem !== undefined) void read(entry);
    return () => {
        entry.users -= 1;
        entry.usedAt = performance.now();
        sweepSoon();
    };
}

let sweeping = false;

/** Not at once: what a change of the page lets go comes before what it takes up. */
function sweepSoon(): void {
    if (sweeping || entries.size <= KEPT) return;
    sweeping = true;
    setTimeout(() => {
        sweeping = false;
        const idle = [...entries.values()].filter((entry) => entry.users === 0).sort((a, b) => a.usedAt - b.usedAt);
        for (const { key } of idle.slice(0, Math.max(0, entries.size - KEPT))) entries.delete(key);
    });
}

let waiting: Set<Tag> | undefined;
/** Changes come in batches: own answer, event, event. One reading serves them all. */
const FLOCK_MS = 40;

/** Marks cached data stale; what is shown is read again. */
export function invalidate(tags: readonly Tag[]): void {
    if (tags.length === 0) return;
    if (waiting !== undefined) {
        for (const tag of tags) waiting.add(tag);
        return;
    }
    const batch = new Set(tags);
    waiting = batch;
    setTimeout(() => {
        // Forgotten meanwhile.
        if (waiting !== batch) return;
        waiting = undefined;
        refresh((entry) => READS[entry.name].some((tag) => batch.has(tag)));
    }, FLOCK_MS);
}

function refresh(which: (entry: Entry) => boolean): void {
    for (const [key, entry] of entries) {
        if (!which(entry)) continue;
        entry.stale = true;
        if (entry.users > 0) readAgain(entry);
        else if (store.get(entry.atom).data === undefined) entries.delete(key);
    }
}

onEvents((events) => {
    const tags = new Set<Tag>();
    for (const event of events) {
        if (event.event === "changed") event.value.forEach((tag) => tags.add(tag));
        if (event.event === "lagged") return refresh(() => true);
    }
    invalidate([...tags]);
});

/** In place of parameters that are not known yet: nothing is read. */
export const skip = Symbol("skip");

/**
 * Reads, and keeps what was read true: `useQuery("session_show", { session, before: null })`. `of`: what the reading depends on besides; it
 * is read again when that is another, and at first, too, because what is known may be from an earlier visit.
 */
export function useQuery<N extends CommandName>(
    name: N,
    params: Params<N> | typeof skip,
    of?: string,
): Query<Result<N>> {
    const entry = params === skip ? undefined : entryOf(name, params);
    const state = useAtomValue(entry?.atom ?? NOTHING) as State<Result<N>>;
    useEffect(() => {
        if (entry === undefined) return undefined;
        if (of !== undefined) entry.stale = true;
        return use(entry);
    }, [entry, of]);
    const reload = useCallback(() => void (entry !== undefined && read(entry)), [entry]);
    return { ...state, reload };
}

/** Several readings of one kind, in the order of their parameters: the pages of a list. */
export function useQueries<N extends CommandName>(
    name: N,
    params: readonly Params<N>[],
): { results: readonly Omit<Query<Result<N>>, "reload">[]; reload: () => void } {
    const key = canonical(params);
    // The same parameters are the same readings, whatever array they come in.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    const wanted = useMemo(() => params.map((each) => entryOf(name, each)), [name, key]);
    const together = useMemo(() => {
        let before: readonly unknown[] = [];
        return atom((get) => {
            const now = wanted.map((entry) => get(entry.atom));
            if (now.length !== before.length || now.some((state, index) => state !== before[index])) before = now;
            return before;
        });
    }, [wanted]);
    useEffect(() => {
        const stops = wanted.map(use);
        return () => stops.forEach((stop) => stop());
    }, [wanted]);
    const results = useAtomValue(together) as readonly State<Result<N>>[];
    const reload = useCallback(() => wanted.forEach((entry) => void read(entry)), [wanted]);
    return { results, reload };
}

/** Reads once, through the cache: for what is wanted in a handler. */
export async function readOnce<N extends CommandName>(name: N, params: Params<N>): Promise<Result<N>> {
    const entry = entryOf(name, params);
    const known = store.get(entry.atom);
    if (!entry.stale && known.data !== undefined) return known.data as Result<N>;
    return call(name, params);
}

/** Takes over what the answer to a command tells of a reading. */
export function learn<N extends CommandName>(name: N, params: Params<N>, data: Result<N>): void {
    const entry = entryOf(name, params);
    const text = canonical(data);
    if (text === entry.text) return;
    entry.text = text;
    store.set(entry.atom, { ...store.get(entry.atom), data });
}

/** Carries a command out and marks stale what it changes. */
export async function send<N extends CommandName>(name: N, params: Params<N>): Promise<Result<N>> {
    try {
        return await call(name, params);
    } finally {
        // Also after a failure: part of it may have happened.
        invalidate(CHANGES[name]);
    }
}

export interface CommandUse<N extends CommandName> {
    /** Gives `{ value }`, or `{ problem }`; never rejects. */
    run: (
        params: Params<N>,
    ) => Promise<{ value: Result<N>; problem?: undefined } | { value?: undefined; problem: Problem }>;
    pending: boolean;
    /** Of the last time, until it is run again or cleared. */
    problem: Problem | undefined;
    clear: () => void;
}

/** A command for a button: whether it is under way, and what went wrong. */
export function useCommand<N extends CommandName>(name: N): CommandUse<N> {
    const [pending, setPending] = useState(0);
    const [problem, setProblem] = useState<Problem | undefined>();
    const run = useCallback(
        async (params: Params<N>) => {
            setPending((count) => count + 1);
            setProblem(undefined);
            try {
                return { value: await send(name, params) };
            } catch (thrown) {
                const problem = toProblem(thrown);
                setProblem(problem);
                return { problem };
            } finally {
                setPending((count) => count - 1);
            }
        },
        [name],
    );
    const clear = useCallback(() => setProblem(undefined), []);
    return { run, pending: pending > 0, problem, clear };
}

/** For tests: forgets everything, changes that wait to be read among it. */
export function forget(): void {
    entries.clear();
    waiting = undefined;
    sweeping = false;
}
