// A list of sessions as rows under headings, of which only the pages near to what is seen are read. Pure.

import type { SessionPage, SessionRow } from "@/backend";

export interface Page {
    /** Where it begins: the `next` of the page before; null for the first. */
    cursor: number | null;
    /** Undefined until it was read. */
    rows: readonly SessionRow[] | undefined;
    /** Where the next one begins; null where there is none, undefined until it was read. */
    next: number | null | undefined;
}

/** Pages by their group's key, in order. */
export type Known = ReadonlyMap<string, readonly Page[]>;

/** A page of a group, for reading it. */
export interface PageRef {
    group: string;
    page: number;
    cursor: number | null;
}

export interface Heading {
    kind: "heading";
    key: string;
    group: string;
    count: number;
    folded: boolean;
}

export type ListItem =
    | Heading
    | { kind: "session"; key: string; row: SessionRow; ref: PageRef }
    /** Stands for rows that were not read yet. */
    | { kind: "more"; key: string; ref: PageRef };

export interface Group {
    key: string;
    /** Undefined for a list without headings. */
    count: number | undefined;
}

/** What a page brought. The pages behind it begin where it ends now; their rows stay until they are read again. */
export function learn(known: Known, ref: PageRef, result: SessionPage): Known {
    const pages = known.get(ref.group) ?? [];
    const before = pages[ref.page];
    if (before !== undefined && before.rows === result.sessions && before.next === result.next) return known;
    // A page that follows nothing: what it hung on is gone.
    if (ref.page > pages.length) return known;
    const next = pages.slice();
    next[ref.page] = { cursor: ref.cursor, rows: result.sessions, next: result.next };
    if (result.next === null) next.length = ref.page + 1;
    else {
        const after = next[ref.page + 1];
        if (after !== undefined && after.cursor !== result.next) next[ref.page + 1] = { ...after, cursor: result.next };
    }
    return new Map(known).set(ref.group, next);
}

/** Without pages behind those in sight: they are read anew when they are scrolled to. What stands above stays, or the list would jump. */
export function trimmed(known: Known, groups: readonly Group[], inSight: readonly PageRef[]): Known {
    const last = inSight[inSight.length - 1];
    if (last === undefined) return known;
    const at = groups.findIndex((group) => group.key === last.group);
    const next = new Map(known);
    for (const [index, group] of groups.entries()) {
        const pages = next.get(group.key);
        if (pages === undefined || index < at) continue;
        if (index > at) next.delete(group.key);
        else next.set(group.key, pages.slice(0, last.page + 1));
    }
    return next;
}

/** All that is known as items. `unique`: a session stands in one group only, otherwise it may stand in several. */
export function itemsOf(
    groups: readonly Group[],
    known: Known,
    folded: ReadonlySet<string>,
    unique: boolean,
): ListItem[] {
    const items: ListItem[] = [];
    const everywhere = new Set<string>();
    for (const { key, count } of groups) {
        const isFolded = folded.has(key);
        if (count !== undefined) {
            if (count === 0) continue;
            items.push({ kind: "heading", key: `group:${key}`, group: key, count, folded: isFolded });
            if (isFolded) continue;
        }
        const seen = unique ? everywhere : new Set<string>();
        const pages = known.get(key) ?? [];
        for (const [page, { cursor, rows }] of pages.entries()) {
            for (const row of rows ?? []) {
                // Pages overlap when something moved between two readings: the first one is the newer.
                if (seen.has(row.session)) continue;
                seen.add(row.session);
                items.push({
                    kind: "session",
                    key: unique ? row.session : `${row.session}@${key}`,
                    row,
                    ref: { group: key, page, cursor },
                });
            }
        }
        const last = pages[pages.length - 1];
        const next = last === undefined ? null : last.next;
        if (last === undefined || (next !== null && next !== undefined))
            items.push({
                kind: "more",
                key: `more:${key}:${pages.length}`,
                ref: { group: key, page: pages.length, cursor: next ?? null },
            });
        else if (next === undefined)
            items.push({
                kind: "more",
                key: `more:${key}:${pages.length - 1}`,
                ref: { group: key, page: pages.length - 1, cursor: last.cursor },
            });
    }
    return items;
}

/** The pages of the items from `first` to `last`, in order, each once. */
export function pagesIn(items: readonly ListItem[], known: Known, first: number, last: number): PageRef[] {
    const found = new Map<string, PageRef>();
    for (const item of items.slice(Math.max(0, first), last + 1)) {
        if (item.kind === "heading" && item.folded) continue;
        // A heading brings its first page: also one that was empty may have rows by now.
        const { group, page } = item.kind === "heading" ? { group: item.group, page: 0 } : item.ref;
        if (found.has(`${group} ${page}`)) continue;
        // The page's beginning may have changed since the row was read.
        const cursor = known.get(group)?.[page]?.cursor ?? (item.kind === "heading" ? null : item.ref.cursor);
        found.set(`${group} ${page}`, { group, page, cursor });
    }
    return [...found.values()];
}

/** The first page of a list in which nothing was found: it is read as long as it is shown, and says what is wrong. */
export const FIRST_PAGE: PageRef = { group: "", page: 0, cursor: null };

/** Rows that are loaded, each session once, in the order of the list. */
export function rowsOf(items: readonly ListItem[]): SessionRow[] {
    const seen = new Set<string>();
    return items.flatMap((item) =>
        item.kind === "session" && !seen.has(item.row.session) && seen.add(item.row.session) ? [item.row] : [],
    );
}
