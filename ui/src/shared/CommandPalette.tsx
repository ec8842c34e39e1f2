import { Search } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from "react";

import { cx } from "./cx";
import { Veil } from "./Dialog";
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
                <Veil />
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
    const id = useId();
    const [query, setQuery] = useState("");
    const [at, setAt] = useState(0);
    const list = useRef<HTMLDivElement>(null);
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
    const active = Math.min(at, found.length - 1);
    useEffect(() => {
        list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
    }, [active, found]);

    const take = (item: PaletteItem | undefined) => {
        if (item === undefined) return;
        onOpenChange(false);
        item.onSelect();
    };
    const onKeyDown = (event: KeyboardEvent) => {
        const next =
            event.key === "ArrowDown" || (event.ctrlKey && event.key === "n")
                ? active + 1
                : event.key === "ArrowUp" || (event.ctrlKey && event.key === "p")
                  ? active - 1
                  : undefined;
        if (next !== undefined) setAt((next + found.length) % Math.max(1, found.length));
        else if (event.key === "Enter" && !event.nativeEvent.isComposing) take(found[active]);
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
                    role="combobox"
                    aria-label="Command or search"
                    aria-expanded
                    aria-controls={`${id}-list`}
                    aria-activedescendant={found.length === 0 ? undefined : `${id}-${active}`}
                    aria-autocomplete="list"
                    autoComplete="off"
                    spellCheck={false}
                    value={query}
                    placeholder={placeholder}
                    onChange={(event) => {
                        setQuery(event.target.value);
                        setAt(0);
                        onQuery?.(event.target.value);
                    }}
                    onKeyDown={onKeyDown}
                    className="h-full min-w-0 flex-1 bg-transparent text-title outline-none focus-visible:outline-none"
                />
                <Keys keys="Escape" />
            </div>
            <div
                ref={list}
                id={`${id}-list`}
                role="listbox"
                aria-label="Commands"
                className="min-h-0 flex-1 overflow-y-auto p-1.5"
            >
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
                            id={`${id}-${index}`}
                            role="option"
                            aria-selected={index === active}
                            onPointerMove={() => setAt(index)}
                            onClick={() => take(item)}
                            className={cx(
                                "flex h-8 items-center gap-2.5 rounded-control px-2 select-none [&>svg]:shrink-0 [&>svg]:text-ink-3",
                                index === active && "bg-hover",
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
