// What the palette offers: commands that hold now, what was found, what was open last.

import { BookOpen, Bot, ChevronRight, CornerDownRight, MessageSquareText, Plug, Search } from "lucide-react";
import type { ReactNode } from "react";

import type { SearchHit, SessionHit, SessionRow } from "@/backend";
import { go, type Route } from "@/routes";
import { plainText, runShortcut, type PaletteItem, type Shortcut } from "@/shared";

/** Groups that hold everywhere, in order; what a page registers stands above them. */
const GROUPS = ["Window", "Look", "List"];

/** Of the palette itself, and keys that say the same as another command. */
const LEFT_OUT = new Set(["palette", "shortcuts-sign"]);

const SIZE = { size: 16, strokeWidth: 1.5, "aria-hidden": true } as const;

const KINDS: Record<SearchHit["kind"], { group: string; icon: ReactNode; route: (id: string) => Route }> = {
    session: {
        group: "Sessions",
        icon: <MessageSquareText {...SIZE} />,
        route: (session) => ({ page: "session", session }),
    },
    agent: { group: "Agents", icon: <Bot {...SIZE} />, route: (slug) => ({ page: "agent", slug }) },
    source: { group: "Sources", icon: <Plug {...SIZE} />, route: (slug) => ({ page: "source", slug }) },
    base: { group: "Knowledge", icon: <BookOpen {...SIZE} />, route: (base) => ({ page: "base", base }) },
};

/** A line of an answer is Markdown; here it is read, not drawn. */
const hintOf = (line: string | undefined) => (line === undefined ? undefined : plainText(line));

/** Commands, each once: under the same words the one with keys counts. */
export function commandItems(shortcuts: readonly Shortcut[]): PaletteItem[] {
    const found = new Map<string, PaletteItem>();
    for (const { id, keys, label, group } of shortcuts) {
        if (LEFT_OUT.has(id)) continue;
        const known = found.get(label);
        if (known !== undefined && reach(keys) <= reach(known.shortcut ?? "")) continue;
        found.set(label, {
            id: `command-${id}`,
            label,
            group: group === "Go" ? "Go to" : "Commands",
            keywords: group,
            icon: group === "Go" ? <CornerDownRight {...SIZE} /> : <ChevronRight {...SIZE} />,
            shortcut: keys === "" ? undefined : keys,
            onSelect: () => runShortcut(id),
        });
    }
    const rank = (item: PaletteItem) =>
        (item.group === "Go to" ? GROUPS.length : 0) + GROUPS.indexOf(item.keywords ?? "");
    return [...found.values()].sort((a, b) => rank(a) - rank(b));
}

/** The same words may have a key for the whole window and one for who is not typing: the one that holds more often is shown. */
function reach(keys: string): number {
    return keys === "" ? 0 : /^(Ctrl|Alt)\+/.test(keys) ? 2 : 1;
}

/** What a search found; it fits the query whatever the words of its title are. */
export function foundItems(hits: readonly SearchHit[], query: string): PaletteItem[] {
    return hits.map((hit) => {
        const { group, icon, route } = KINDS[hit.kind];
        return {
            id: `${hit.kind}-${hit.id}`,
            label: hit.title,
            group,
            hint: hit.line === hit.title ? undefined : hintOf(hit.line),
            keywords: query,
            icon,
            onSelect: () => go(route(hit.id)),
        };
    });
}

/** Sessions that were used last. */
export function recentItems(sessions: readonly SessionRow[]): PaletteItem[] {
    return sessions.map(({ session, title, latest }) => ({
        id: `session-${session}`,
        label: title,
        group: "Recent sessions",
        hint: hintOf(latest?.line),
        icon: KINDS.session.icon,
        onSelect: () => go({ page: "session", session }),
    }));
}

/** Sessions whose title has the words, or what was probably meant by them. */
export function titleItems(hits: readonly SessionHit[], query: string): PaletteItem[] {
    return hits
        .filter((hit) => hit.title.length > 0)
        .map(({ session: { session, title, latest } }) => ({
            id: `session-${session}`,
            label: title,
            group: KINDS.session.group,
            hint: hintOf(latest?.line),
            keywords: query,
            icon: KINDS.session.icon,
            onSelect: () => go({ page: "session", session }),
        }));
}

/** The way to the search over everything that was said, for what was typed and for what was probably meant by it. It stands last: nothing that fits better is pushed away. */
export function searchItem(query: string, meant?: string): PaletteItem[] {
    const line = query.trim();
    if (line === "") return [];
    const item = (id: string, words: string, label: string): PaletteItem => ({
        id,
        label,
        group: "Search",
        last: true,
        icon: <Search {...SIZE} />,
        onSelect: () => go({ page: "search", line: words }),
    });
    const own = item("search-everything", line, `Search everything for “${line}”`);
    if (meant === undefined || meant.trim() === line) return [own];
    return [item("search-meant", meant.trim(), `Did you mean “${meant.trim()}”?`), own];
}

/** All of them, each thing once, as it is best known: recent, then found, then commands. Without a query commands stand above places. */
export function paletteItems(
    shortcuts: readonly Shortcut[],
    sessions: readonly SessionRow[],
    hits: readonly SearchHit[],
    query: string,
    titles: readonly PaletteItem[] = [],
    meant?: string,
): PaletteItem[] {
    const ids = new Set<string>();
    return [
        ...recentItems(sessions),
        ...foundItems(hits, query),
        ...titles,
        ...commandItems(shortcuts),
        ...searchItem(query, meant),
    ].filter((item) => !ids.has(item.id) && ids.add(item.id));
}
