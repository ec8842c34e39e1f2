// What a session holds as it is known, runs and turns merged: the newest page stays true by itself, older pages come when they are scrolled to.

import { useCallback, useEffect, useMemo, useRef, useState } from "react";

import {
    call,
    learnTurn,
    replacedBy,
    skip,
    toProblem,
    useQuery,
    useSessionTurns,
    type BegunBy,
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
    begunBy: BegunBy | undefined;
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
    /** Where older ones begin; undefined until the first page was read. */
    earlier: number | null | undefined;
}

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

/** Takes the newest page in: turns that it leaves out although they are as new were replaced. */
export function withNewest(known: ReadonlyMap<string, Entry>, page: readonly Entry[]): ReadonlyMap<string, Entry> {
    const ids = new Set(page.map((entry) => entry.id));
    const sorted = [...ids].sort();
    const [first, last] = [sorted[0], sorted[sorted.length - 1]];
    if (first === undefined || last === undefined) return known;
    const next = new Map(
        [...known].filter(
            ([id, entry]) => entry.turn === undefined || isOfStage(entry) || id < first || id > last || ids.has(id),
        ),
    );
    return learned(next, page);
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

export function inOrder(known: ReadonlyMap<string, Entry>): Entry[] {
    // Ids sort by time of creation.
    // Those of a run's stages are shown inside of it.
    return conversation(
        [...known.values()].filter((entry) => !isOfStage(entry)).sort((a, b) => (a.id < b.id ? -1 : 1)),
    );
}

/** Without turns that the newest one does not lead back to: they were replaced. Runs stay. */
function conversation(entries: readonly Entry[]): Entry[] {
    const byId = new Map(entries.map((entry) => [entry.id, entry]));
    const chain = new Set<string>();
    let at: string | null | undefined = entries.findLast((entry) => entry.turn !== undefined)?.id;
    while (typeof at === "string" && !chain.has(at)) {
        chain.add(at);
        const entry = byId.get(at);
        // A run that follows no other may still stand in a conversation.
        const previous = entry?.turn === undefined ? entry?.run?.previous : entry.turn.head.previous;
        if (entry?.turn === undefined && typeof previous !== "string") break;
        at = previous;
    }
    // Where the chain leaves what is loaded, nothing is known of what came before.
    const end = typeof at === "string" ? at : "";
    return entries.filter((entry) => entry.turn === undefined || chain.has(entry.id) || entry.id <= end);
}

export function useTurns(session: string | undefined): Turns {
    const { data, problem, reload, loading } = useQuery(
        "session_show",
        session === undefined ? skip : { session, before: null, limit: PAGE },
    );
    const mine = data?.session.session === session ? data : undefined;
    const [known, setKnown] = useState<Known>({ session: "", entries: new Map(), earlier: undefined });
    const [taken, setTaken] = useState<typeof mine>();
    if (mine !== undefined && mine !== taken) {
        setTaken(mine);
        const same = known.session === mine.session.session;
        setKnown({
            session: mine.session.session,
            entries: withNewest(same ? known.entries : new Map(), entriesOf(mine)),
            earlier: same && known.earlier !== undefined ? known.earlier : mine.earlier,
        });
    }
    useEffect(() => mine?.turns.forEach(learnTurn), [mine]);
    useSessionTurns(session, (turn) =>
        setKnown((before) => {
            if (before.session !== turn.head.session) return before;
            const inside = isOfStage({ id: turn.head.run, turn });
            const gone = new Set(
                inside
                    ? []
                    : replacedBy(
                          turn,
                          [...before.entries.values()]
                              .filter((entry) => entry.turn !== undefined && !isOfStage(entry))
                              .map((entry) => entry.id),
                      ),
            );
            const kept = new Map([...before.entries].filter(([id]) => !gone.has(id)));
            return { ...before, entries: learned(kept, [{ id: turn.head.run, turn }]) };
        }),
    );
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
                        ? { ...before, entries: learned(before.entries, entriesOf(page)), earlier: page.earlier }
                        : before,
                );
            })
            .catch((thrown: unknown) => setFailed({ session, problem: toProblem(thrown) }))
            .finally(() => (reading.current = false));
    }, [session, earlier]);
    const entries = useMemo(() => (current === undefined ? [] : inOrder(current.entries)), [current]);
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
