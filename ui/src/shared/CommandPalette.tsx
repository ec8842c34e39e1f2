import { Search } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from "react";

import { useCombobox } from "./combobox";
import { Backdrop } from "./Dialog";
import { fuzzyScore } from "./fuzzy";
import { Keys } from "./Kbd";

export interface PaletteItem {
    id: string;
    label: string;
    /** The heading it stands under. */
    group: string;
    /** A quieter line beside the label. */
    hint?: string;
    /** Further words that find it. */
    keywords?: string;
    icon?: ReactNode;
    shortcut?: string;
    /** It fits whatever is typed, and stands behind all others. */
    last?: boolean;
    onSelect: () => void;
}

export interface CommandPaletteProps {
    open: boolean;
    onOpenChange: (open: boolean) => void;
    items: PaletteItem[];
    placeholder?: string;
    /** Told what is typed: for items that come from a search. Such items set `keywords` to the query. */
    onQuery?: (query: string) => void;
    /** Shown when nothing fits. */
    empty?: ReactNode;
}

/** How many rows are drawn: nobody scrolls further, they type another letter. */
const MAX_ITEMS = 60;

export function CommandPalette(props: CommandPaletteProps) {
    return (
        <Radix.Root open={props.open} onOpenChange={props.onOpenChange}>
            <Radix.Portal>
                <Backdrop />
                <div className="pointer-events-none fixed inset-0 z-50 flex items-start justify-center p-6 pt-[12vh]">
                    <Radix.Content
                        aria-modal
                        aria-describedby={undefined}
                        className="float-in pointer-events-auto flex max-h-[60vh] w-full max-w-xl flex-col overflow-hidden rounded-card border border-hairline bg-raised shadow-float outline-none"
                    >
                        <Radix.Title className="sr-only">Command palette</Radix.Title>
                        <PaletteBody {...props} />
                    </Radix.Content>
                </div>
            </Radix.Portal>
        </Radix.Root>
    );
}

function PaletteBody({
    items,
    onOpenChange,
    onQuery,
    placeholder = "Type a command, or search…",
    empty,
}: CommandPaletteProps) {
    const [query, setQuery] = useState("");
    const field = useRef<HTMLInputElement>(null);
    // The field is all that takes keys here. What was focused before may take the focus back once more while it goes
    // (a closing layer does, a moment later): the next key brings it here, and no letter is lost.
    useEffect(() => {
        const keep = () => field.current?.focus();
        document.addEventListener("keydown", keep, true);
        return () => document.removeEventListener("keydown", keep, true);
    }, []);
    const found = useMemo(() => {
        const scored = items.flatMap((item) => {
            if (item.last === true) return [];
            const own = fuzzyScore(query, item.label);
            const other = item.keywords === undefined ? undefined : fuzzyScore(query, item.keywords);
            const score =
                own === undefined && other === undefined
                    ? undefined
                    : Math.max(own ?? -Infinity, (other ?? -Infinity) - 50);
            return score === undefined ? [] : [{ item, score }];
        });
        if (query.trim() !== "") scored.sort((a, b) => b.score - a.score);
        const best = scored.slice(0, MAX_ITEMS).map(({ item }) => item);
        const groups = [...new Set(best.map((item) => item.group))];
        return [
            ...groups.flatMap((group) => best.filter((item) => item.group === group)),
            ...items.filter((item) => item.last === true),
        ];
    }, [items, query]);
    const box = useCombobox({ count: found.length, wraps: true });

    const take = (item: PaletteItem | undefined) => {
        if (item === undefined) return;
        onOpenChange(false);
        item.onSelect();
    };
    const onKeyDown = (event: KeyboardEvent) => {
        if (box.moved(event)) return;
        if (event.ctrlKey && event.key === "n") box.move(box.active + 1, 1);
        else if (event.ctrlKey && event.key === "p") box.move(box.active - 1, -1);
        else if (event.key === "Enter" && !event.nativeEvent.isComposing) take(found[box.active]);
        else return;
        event.preventDefault();
    };
    return (
        <>
            <div className="flex h-11 shrink-0 items-center gap-2 border-b border-hairline px-4">
                <Search size={16} strokeWidth={1.5} aria-hidden className="text-ink-3" />
                <input
                    ref={field}
                    autoFocus
                    {...box.field}
                    aria-label="Command or search"
                    aria-autocomplete="list"
                    autoComplete="off"
                    spellCheck={false}
                    value={query}
                    placeholder={placeholder}
                    onChange={(event) => {
                        setQuery(event.target.value);
                        box.setActive(0);
                        onQuery?.(event.target.value);
                    }}
                    onKeyDown={onKeyDown}
                    className="h-full min-w-0 flex-1 bg-transparent text-title outline-none focus-visible:outline-none"
                />
                <Keys keys="Escape" />
            </div>
            <div {...box.list} aria-label="Commands" className="min-h-0 flex-1 overflow-y-auto p-1.5">
                {found.length === 0 && (
                    <div className="px-3 py-4 text-ui text-ink-2">{empty ?? "No results. Try fewer letters."}</div>
                )}
                {found.map((item, index) => (
                    <div key={item.id} role="presentation">
                        {item.group !== found[index - 1]?.group && (
                            <div role="presentation" className="px-2 pt-2 pb-1 text-small text-ink-3">
                                {item.group}
                            </div>
                        )}
                        <div
                            {...box.option(
                                index,
                                index === box.active,
                                () => take(item),
                                "h-8 items-center gap-2.5 [&>svg]:shrink-0 [&>svg]:text-ink-3",
                            )}
                        >
                            {item.icon}
                            <span className="min-w-0 truncate">{item.label}</span>
                            {item.hint !== undefined && (
                                <span className="min-w-0 flex-1 truncate text-small text-ink-3">{item.hint}</span>
                            )}
                            {item.shortcut !== undefined && (
                                <span className="ml-auto">
                                    <Keys keys={item.shortcut} quiet />
                                </span>
                            )}
                        </div>
                    </div>
                ))}
            </div>
        </>
    );
}
