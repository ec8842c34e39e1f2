// The bar in which words of a session are looked for.

import { ArrowDown, ArrowUp, X } from "lucide-react";
import { useEffect } from "react";

import { Button, IconButton } from "@/shared";

import type { Find } from "./Find";

export function FindBar({ find, hasEarlier, onEarlier }: { find: Find; hasEarlier: boolean; onEarlier: () => void }) {
    const { field } = find;
    useEffect(() => field.current?.focus(), [field]);
    const icon = { size: 14, strokeWidth: 1.5 } as const;
    const none = find.query.trim() !== "" && find.hits.length === 0;
    return (
        <search className="float-in absolute top-2 right-4 z-30 flex max-w-[calc(100%-2rem)] flex-wrap items-center gap-1 rounded-card border border-hairline bg-raised p-1 shadow-float print:hidden">
            <input
                ref={field}
                type="search"
                aria-label="Find in the session"
                placeholder="Find in the session"
                value={find.query}
                onChange={(event) => find.setQuery(event.target.value)}
                onKeyDown={(event) => {
                    if (event.nativeEvent.isComposing) return;
                    if (event.key === "Enter") find.step(event.shiftKey ? -1 : 1);
                    else if (event.key === "Escape") find.close();
                    else return;
                    event.preventDefault();
                    event.stopPropagation();
                }}
                className="h-7 w-48 rounded-control bg-transparent px-2 text-ui [&::-webkit-search-cancel-button]:hidden"
            />
            <span role="status" className="tabular min-w-16 px-1 text-small text-ink-2">
                {none
                    ? "Not found"
                    : find.hits.length === 0
                      ? ""
                      : `${find.at + 1} of ${find.hits.length}${find.hasMore ? "+" : ""}`}
            </span>
            {hasEarlier && (
                <Button size="small" variant="quiet" onClick={onEarlier} title="Only loaded messages are searched">
                    Load older
                </Button>
            )}
            <IconButton
                size="small"
                label="Previous match"
                shortcut="Shift+Enter"
                icon={<ArrowUp {...icon} />}
                disabled={find.hits.length === 0}
                onClick={() => find.step(-1)}
            />
            <IconButton
                size="small"
                label="Next match"
                shortcut="Enter"
                icon={<ArrowDown {...icon} />}
                disabled={find.hits.length === 0}
                onClick={() => find.step(1)}
            />
            <IconButton size="small" label="Close" shortcut="Escape" icon={<X {...icon} />} onClick={find.close} />
        </search>
    );
}
