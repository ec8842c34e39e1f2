// What a session holds as it is known, runs and turns merged: the newest page stays true by itself, older pages come when they are scrolled to.

import { useCallback, useEffect, useMemo, useRef, useState } from "react";

import {
    call,
    learnTurn,
    skip,
    toProblem,
    useQuery,
    useSessionTurns,
    type SessionAutomation,
    type ChatState,
    type MissionView,
    type Problem,
    type RunState,
    type SessionRow,
    type TurnView,
} from "@/backend";

/** The most runs and turns that are read at once. */
const PAGE = 10;

/** A run of an agent with stages, a turn of a conversation, or a mission. */
export type Entry =
    | { id: string; run: RunState; turn?: undefined; mission?: undefined }
    | { id: string; turn: TurnView; run?: undefined; mission?: undefined }
    | { id: string; mission: MissionView; run?: undefined; turn?: undefined };

export interface Turns {
    session: SessionRow | undefined;
    /** The automation that began it. */
    begunBy: SessionAutomation | undefined;
    chat: ChatState | undefined;
    /** Oldest first. */
    entries: Entry[];
    /** Turns of runs' stages, by run, oldest first. */
    ofStages: ReadonlyMap<string, TurnView[]>;
    loading: boolean;
    problem: Problem | undefined;
    reload: () => void;
    /** Whether there are older ones. */
    hasEarlier: boolean;
    /** Why older ones could not be read; they are read again when they are asked for. */
    earlierProblem: Problem | undefined;
    loadEarlier: () => void;
}

interface Known {
    session: string;
    entries: ReadonlyMap<string, Entry>;
    /** Ids of what is shown, oldest first, as the core gives them. */
    order: readonly string[];
    /** Turns that others replaced: they are not shown. */
    replaced: ReadonlySet<string>;
    /** Where older ones begin; undefined until the first page was read. */
    earlier: number | null | undefined;
}

const NOTHING: Known = { session: "", entries: new Map(), order: [], replaced: new Set(), earlier: undefined };

/** A mission has no number of its own: what was read last is the newest. */
const seqOf = (entry: Entry) => entry.run?.seq ?? entry.turn?.head.seq ?? 0;

/** What a page holds. */
export function entriesOf(page: {
    runs: readonly RunState[];
    turns: readonly TurnView[];
    missions: readonly MissionView[];
}): Entry[] {
    return [
        ...page.runs.map((run): Entry => ({ id: run.run, run })),
        ...page.turns.map((turn): Entry => ({ id: turn.head.run, turn })),
        ...page.missions.map((mission): Entry => ({ id: mission.mission, mission })),
    ];
}

/** Takes entries in; newer knowledge of one replaces older. */
export function learned(known: ReadonlyMap<string, Entry>, entries: readonly Entry[]): ReadonlyMap<string, Entry> {
    const next = new Map(known);
    for (const entry of entries) {
        const before = next.get(entry.id);
        if (before === undefined || seqOf(entry) >= seqOf(before)) next.set(entry.id, entry);
    }
    return next;
}

/** The order with the newest page in it; undefined: nothing connects them, and what lies between is not known. */
export function withNewest(order: readonly string[], page: readonly string[]): readonly string[] | undefined {
    if (page.length === 0) return order;
    const ids = new Set(page);
    const first = order.findIndex((id) => ids.has(id));
    if (first < 0) return order.length === 0 ? page : undefined;
    // What began while the page was read stands after it.
    const last = order.findLastIndex((id) => ids.has(id));
    return [...order.slice(0, first), ...page, ...order.slice(last + 1)];
}

/** The order with an older page before it. */
export function withEarlier(order: readonly string[], page: readonly string[]): readonly string[] {
    const ids = new Set(order);
    return [...page.filter((id) => !ids.has(id)), ...order];
}

const isOfStage = (entry: Entry) => entry.turn?.head.of !== undefined && entry.turn.head.of !== null;

/** Turns of runs' stages, by run, oldest first. */
export function ofStages(known: ReadonlyMap<string, Entry>): ReadonlyMap<string, TurnView[]> {
    const found = new Map<string, TurnView[]>();
    for (const { turn } of [...known.values()].sort((a, b) => (a.id < b.id ? -1 : 1))) {
        const run = turn?.head.of?.run;
        if (turn !== undefined && run !== undefined) found.set(run, [...(found.get(run) ?? []), turn]);
    }
    return found;
}

/** What is shown, oldest first. Turns of runs' stages are shown inside of their runs. */
export function inOrder({ entries, order, replaced }: Pick<Known, "entries" | "order" | "replaced">): Entry[] {
    return order.flatMap((id) => {
        const entry = entries.get(id);
        return entry === undefined || replaced.has(id) ? [] : [entry];
    });
}

export function useTurns(session: string | undefined): Turns {
    const { data, problem, reload, loading } = useQuery(
        "session_show",
        session === undefined ? skip : { session, before: null, limit: PAGE },
    );
    const mine = data?.session.session === session ? data : undefined;
    const [known, setKnown] = useState<Known>(NOTHING);
    const [taken, setTaken] = useState<typeof mine>();
    if (mine !== undefined && mine !== taken) {
        setTaken(mine);
        const before = known.session === mine.session.session ? known : NOTHING;
        const order = withNewest(before.order, mine.order);
        setKnown({
            session: mine.session.session,
            entries: learned(before.entries, entriesOf(mine)),
            order: order ?? mine.order,
            replaced: new Set(mine.replaced),
            earlier: order !== undefined && before.earlier !== undefined ? before.earlier : mine.earlier,
        });
    }
    useEffect(() => mine?.turns.forEach(learnTurn), [mine]);
    useSessionTurns(session, (turn, replaced) => {
        const id = turn.head.run;
        const inside = isOfStage({ id, turn });
        // Where one belongs that began earlier, the core says.
        if (replaced === undefined && !inside && !known.order.includes(id)) return reload();
        setKnown((before) => {
            if (before.session !== turn.head.session) return before;
            return {
                ...before,
                entries: learned(before.entries, [{ id, turn }]),
                order: inside || before.order.includes(id) ? before.order : [...before.order, id],
                replaced: new Set([...before.replaced, ...(replaced ?? [])]),
            };
        });
    });
    const current = known.session === session ? known : undefined;
    const reading = useRef(false);
    const [failed, setFailed] = useState<{ session: string; problem: Problem } | undefined>();
    const earlier = current?.earlier ?? null;
    const loadEarlier = useCallback(() => {
        if (session === undefined || earlier === null || reading.current) return;
        reading.current = true;
        setFailed(undefined);
        void call("session_show", { session, before: earlier, limit: PAGE })
            .then((page) => {
                page.turns.forEach(learnTurn);
                setKnown((before) =>
                    before.session === session
                        ? {
                              ...before,
                              entries: learned(before.entries, entriesOf(page)),
                              order: withEarlier(before.order, page.order),
                              earlier: page.earlier,
                          }
                        : before,
                );
            })
            .catch((thrown: unknown) => setFailed({ session, problem: toProblem(thrown) }))
            .finally(() => (reading.current = false));
    }, [session, earlier]);
    const entries = useMemo(() => (current === undefined ? [] : inOrder(current)), [current]);
    const inside = useMemo(() => ofStages(current?.entries ?? new Map<string, Entry>()), [current]);
    useEffect(() => {
        reading.current = false;
    }, [session]);
    return {
        session: mine?.session,
        begunBy: mine?.begunBy ?? undefined,
        chat: mine?.chat,
        entries,
        ofStages: inside,
        loading: mine === undefined && loading,
        problem,
        reload,
        hasEarlier: earlier !== null,
        earlierProblem: failed?.session === session ? failed?.problem : undefined,
        loadEarlier,
    };
}
