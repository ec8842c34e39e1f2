// The runs of a session as they are known: the newest page stays true by itself, older pages come when they are scrolled to.

import { useCallback, useEffect, useMemo, useRef, useState } from "react";

import { call, skip, useQuery, type Problem, type RunState, type SessionRow } from "@/backend";

/** The most runs that are read at once. */
const PAGE = 10;

export interface Turns {
    session: SessionRow | undefined;
    /** Oldest first. */
    runs: RunState[];
    loading: boolean;
    problem: Problem | undefined;
    reload: () => void;
    /** Whether there are older ones. */
    hasEarlier: boolean;
    loadEarlier: () => void;
}

interface Known {
    session: string;
    runs: ReadonlyMap<string, RunState>;
    /** Where older runs begin; undefined until the first page was read. */
    earlier: number | null | undefined;
}

/** Takes runs in; newer knowledge of a run replaces older. */
export function learned(known: ReadonlyMap<string, RunState>, runs: readonly RunState[]): ReadonlyMap<string, RunState> {
    const next = new Map(known);
    for (const run of runs) {
        const before = next.get(run.run);
        if (before === undefined || run.seq >= before.seq) next.set(run.run, run);
    }
    return next;
}

export function inOrder(known: ReadonlyMap<string, RunState>): RunState[] {
    // Ids sort by time of creation.
    return [...known.values()].sort((a, b) => (a.run < b.run ? -1 : 1));
}

export function useTurns(session: string | undefined): Turns {
    const { data, problem, reload, loading } = useQuery("session_show", session === undefined ? skip : { session, before: null, limit: PAGE });
    const mine = data?.session.session === session ? data : undefined;
    const [known, setKnown] = useState<Known>({ session: "", runs: new Map(), earlier: undefined });
    const [taken, setTaken] = useState<typeof mine>();
    if (mine !== undefined && mine !== taken) {
        setTaken(mine);
        const same = known.session === mine.session.session;
        setKnown({ session: mine.session.session, runs: learned(same ? known.runs : new Map(), mine.runs), earlier: same && known.earlier !== undefined ? known.earlier : mine.earlier });
    }
    const current = known.session === session ? known : undefined;
    const reading = useRef(false);
    const earlier = current?.earlier ?? null;
    const loadEarlier = useCallback(() => {
        if (session === undefined || earlier === null || reading.current) return;
        reading.current = true;
        void call("session_show", { session, before: earlier, limit: PAGE })
            .then((page) => setKnown((before) => (before.session === session ? { ...before, runs: learned(before.runs, page.runs), earlier: page.earlier } : before)))
            .catch(() => undefined)
            .finally(() => (reading.current = false));
    }, [session, earlier]);
    const runs = useMemo(() => (current === undefined ? [] : inOrder(current.runs)), [current]);
    useEffect(() => {
        reading.current = false;
    }, [session]);
    return { session: mine?.session, runs, loading: mine === undefined && loading, problem, reload, hasEarlier: earlier !== null, loadEarlier };
}
