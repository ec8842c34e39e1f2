// A mission's graph, list by list: items of a kind, filtered by the core, more of them when asked for.

import { useEffect, useRef, useState } from "react";

import { useQuery, type Params, type Query, type Result, type Sorting } from "@/backend";

type Page = Result<"mission_graph">;
type Item = Page["items"][number];
type Kind = Params<"mission_graph">["kind"];
type Of<K extends string> = Extract<Item, { item: K }>;

export type Claim = Of<"claim">;
export type PlanQuestion = Of<"question">;
export type Gap = Of<"gap">;
export type Contradiction = Of<"contradiction">;
export type Source = Of<"source">;
export type Citation = Of<"citation">;
export type ClosedBy = Extract<Gap["status"], { state: "closed" }>["closing"];
export type SourceKind = Source["kind"];
export type Provenance = Result<"claim_show">;

/** How many items are asked for at once, and the most that are. */
const STEP = 100;
const MAX_ITEMS = 500;

export interface Items<T> {
    list: Query<{ items: T[]; total: number }>;
    /** Asks for more; undefined where all are there, or no more are shown. */
    more: (() => void) | undefined;
    /** Whether there are more than are shown. */
    isCut: boolean;
}

export interface Filter {
    status?: string;
    text?: string;
    /** Only what rests on sources of this kind. It hides, and deletes nothing. */
    sources?: SourceKind;
    sort?: Sorting;
}

/** `stamp` changes with the mission: the list is read again then. */
export function useItems<K extends Item["item"] & Kind>(
    mission: string,
    kind: K,
    stamp: string,
    { status, text = "", sources, sort = "found" }: Filter = {},
): Items<Of<K>> {
    const [limit, setLimit] = useState(STEP);
    const query = useFresh(
        useQuery("mission_graph", {
            mission,
            kind,
            text,
            sort,
            limit,
            ...(status === undefined ? {} : { status }),
            ...(sources === undefined ? {} : { scope: { kinds: [sources] } }),
        }),
        stamp,
    );
    // With another filter the list stays until the new one is there.
    const last = useRef<Page>(undefined);
    useEffect(() => {
        if (query.data !== undefined) last.current = query.data;
    }, [query.data]);
    const page = query.data ?? (query.problem === undefined ? last.current : undefined);
    const items = (page?.items ?? []).filter((item): item is Of<K> => item.item === kind);
    const isCut = page !== undefined && page.total > items.length;
    return {
        list: { ...query, data: page === undefined ? undefined : { items, total: page.total } },
        more: isCut && limit < MAX_ITEMS ? () => setLimit(limit + STEP) : undefined,
        isCut,
    };
}

/** Reads again when the mission has changed, and when what is known already is shown again: the mission may have changed meanwhile. */
export function useFresh<Q extends { data: unknown; reload: () => void }>(query: Q, stamp: string): Q {
    const { data, reload } = query;
    const isKnown = data !== undefined;
    const seen = useRef<{ reload: () => void; stamp: string }>(undefined);
    useEffect(() => {
        const before = seen.current;
        seen.current = { reload, stamp };
        if (before?.reload === reload ? before.stamp !== stamp : isKnown) reload();
    }, [stamp, reload, isKnown]);
    return query;
}
