// A list of sessions that grows as it is scrolled and stays true while things happen.

import { useCallback, useMemo, useState } from "react";

import {
    skip,
    useQueries,
    useQuery,
    type Group as GroupBy,
    type Mistake,
    type Problem,
    type SessionRow,
} from "@/backend";

import { offsetMinutes } from "@/shared";

import { FIRST_PAGE, itemsOf, learn, pagesIn, rowsOf, trimmed, type Group, type Known, type ListItem } from "./groups";
import type { ListQuery } from "./views";

const PAGE = 200;
/** How many rows around those in sight are read, too. */
const AROUND = 20;

export interface Sessions {
    items: ListItem[];
    /** What is loaded, in the order of the list. */
    rows: SessionRow[];
    /** Nothing is known yet. */
    loading: boolean;
    /** Whether there is nothing. */
    empty: boolean;
    mistakes: readonly Mistake[];
    problem: Problem | undefined;
    reload: () => void;
    /** Told which items are in sight. */
    onRange: (first: number, last: number) => void;
}

interface Kept {
    of: string;
    known: Known;
}

const ALL: readonly Group[] = [{ key: "", count: undefined }];
const NO_PAGES: Known = new Map();

/** `line`: a search line that narrows the list. `hold`: what is loaded stays, because rows of it are picked. */
export function useSessions(
    list: ListQuery,
    line: string,
    by: GroupBy | undefined,
    folded: ReadonlySet<string>,
    hold: boolean,
): Sessions {
    const base = useMemo(
        () => ({ ...list, ...(line === "" ? {} : { line }), offsetMinutes: offsetMinutes() }),
        [list, line],
    );
    const of = JSON.stringify([base, by ?? null]);
    const grouped = useQuery("session_groups", by === undefined ? skip : { list: base, by });
    const groups = useMemo<readonly Group[] | undefined>(() => {
        // Where there is no group, the list itself says why: its line or its expression may be wrong.
        if (by === undefined || grouped.data?.length === 0) return ALL;
        return grouped.data?.map(({ key, sessions }) => ({ key, count: sessions }));
    }, [by, grouped.data]);
    const [kept, setKept] = useState<Kept>({ of, known: NO_PAGES });
    const known = kept.of === of ? kept.known : NO_PAGES;
    const items = useMemo(() => itemsOf(groups ?? [], known, folded, by !== "label"), [groups, known, folded, by]);
    const [range, setRange] = useState({ of, first: 0, last: AROUND });
    const { first, last } = range.of === of ? range : { first: 0, last: AROUND };
    const refs =
        items.length === 0 && groups === ALL ? [FIRST_PAGE] : pagesIn(items, known, first - AROUND, last + AROUND);
    const params = refs.map((ref) => ({
        ...base,
        ...(by === undefined || groups === ALL ? {} : { group: { by, key: ref.group } }),
        limit: PAGE,
        before: ref.cursor,
    }));
    const { results, reload: reloadPages } = useQueries("session_list", params);

    // What was read is taken in while drawing: an effect would draw the old rows once more.
    let next = known;
    let renewed = false;
    for (const [index, { data }] of results.entries()) {
        const ref = refs[index];
        if (ref === undefined || data === undefined) continue;
        const before = next;
        const had = before.get(ref.group)?.[ref.page]?.rows;
        next = learn(before, ref, data);
        if (next !== before && had !== undefined) renewed = true;
    }
    if (renewed && !hold) next = trimmed(next, groups ?? [], refs);
    if (next !== known) setKept({ of, known: next });

    const onRange = useCallback(
        (from: number, to: number) => {
            // In steps: not every row that is scrolled by is a reason to look.
            const [low, high] = [Math.floor(from / AROUND) * AROUND, Math.ceil((to + 1) / AROUND) * AROUND];
            setRange((before) =>
                before.of === of && before.first === low && before.last === high
                    ? before
                    : { of, first: low, last: high },
            );
        },
        [of],
    );
    const rows = useMemo(() => rowsOf(items), [items]);
    const problem = grouped.problem ?? results.find((result) => result.problem !== undefined)?.problem;
    const { reload: reloadGroups } = grouped;
    const reload = useCallback(() => {
        reloadGroups();
        reloadPages();
    }, [reloadGroups, reloadPages]);
    const loading =
        rows.length === 0 &&
        problem === undefined &&
        (groups === undefined || results.some((result) => result.data === undefined));
    return {
        items,
        rows,
        loading,
        empty: rows.length === 0 && items.every((item) => item.kind !== "heading") && !loading,
        mistakes: results.find((result) => (result.data?.mistakes?.length ?? 0) > 0)?.data?.mistakes ?? [],
        problem,
        reload,
        onRange,
    };
}
