// A base's paragraphs, page after page as they are scrolled to.

import { useCallback, useEffect, useReducer, useRef } from "react";

import { call, toProblem, type ParagraphRow, type Problem } from "@/backend";

const PAGE = 100;

export interface Paragraphs {
    rows: ParagraphRow[];
    /** Undefined until the first page is there. */
    total: number | undefined;
    loading: boolean;
    problem: Problem | undefined;
    more: () => void;
}

interface State {
    rows: ParagraphRow[];
    total: number | undefined;
    next: number | null;
    loading: boolean;
    problem: Problem | undefined;
}

const EMPTY: State = { rows: [], total: undefined, next: 0, loading: false, problem: undefined };

/** Of one generation: when that changes, it is read from the beginning. */
export function useParagraphs(base: string, document: string | null, generation: string): Paragraphs {
    const [state, change] = useReducer((before: State, next: Partial<State>) => ({ ...before, ...next }), EMPTY);
    const latest = useRef(state);
    useEffect(() => {
        latest.current = state;
    });
    /** Which list is meant; an answer for another one comes too late. */
    const turn = useRef(0);
    const read = useCallback(
        async (own: number, after: number, before: ParagraphRow[]) => {
            change({ loading: true, problem: undefined });
            try {
                const page = await call("base_paragraphs", { base, document, after, limit: PAGE });
                if (own === turn.current)
                    change({
                        rows: [...before, ...page.paragraphs],
                        total: page.total,
                        next: page.next,
                        loading: false,
                    });
            } catch (thrown) {
                if (own === turn.current) change({ loading: false, problem: toProblem(thrown) });
            }
        },
        [base, document],
    );
    useEffect(() => {
        turn.current += 1;
        change(EMPTY);
        void read(turn.current, 0, []);
    }, [read, generation]);
    const more = useCallback(() => {
        const { loading, next, rows } = latest.current;
        if (!loading && next !== null) void read(turn.current, next, rows);
    }, [read]);
    return { ...state, more };
}
