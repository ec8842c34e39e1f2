import { useState } from "react";

import { skip, useQuery } from "@/backend";
import { CommandPalette, useDebounced, useShortcuts, problemText, offsetMinutes } from "@/shared";

import { paletteItems, titleItems } from "./items";

const RECENT = 6;
/** How many sessions are looked for by their titles. */
const TITLES = 6;

/** What the palette offers to what was typed. */
export function PaletteItems({ onClose }: { onClose: () => void }) {
    const [query, setQuery] = useState("");
    const wanted = useDebounced(query.trim(), 120);
    const shortcuts = useShortcuts();
    const recent = useQuery("session_list", { view: "inbox", limit: RECENT, offsetMinutes: offsetMinutes() }).data;
    const found = useQuery("search", wanted === "" ? skip : { text: wanted, limit: 12 });
    // It forgives a slip of the fingers.
    const titles = useQuery(
        "content_search",
        wanted === "" ? skip : { line: wanted, limit: TITLES, offsetMinutes: offsetMinutes() },
    );
    const now = wanted === query.trim();
    const items = paletteItems(
        shortcuts,
        recent?.sessions ?? [],
        now ? (found.data ?? []) : [],
        query,
        now ? titleItems(titles.data?.sessions ?? [], query) : [],
        now ? (titles.data?.meant ?? titles.data?.suggested ?? undefined) : undefined,
    );
    return (
        <CommandPalette
            open
            onOpenChange={(shown) => !shown && onClose()}
            items={items}
            onQuery={setQuery}
            empty={
                found.problem !== undefined
                    ? problemText(found.problem, "The search failed")
                    : found.loading || wanted !== query.trim()
                      ? "Searching…"
                      : "No results. Try fewer letters."
            }
        />
    );
}
