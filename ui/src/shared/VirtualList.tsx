import { useVirtualizer } from "@tanstack/react-virtual";
import {
    useCallback,
    useEffect,
    useId,
    useImperativeHandle,
    useMemo,
    useRef,
    type KeyboardEvent,
    type ReactNode,
    type Ref,
} from "react";

import { cx } from "./cx";

export interface VirtualListHandle {
    scrollTo: (index: number, align?: "auto" | "start" | "center" | "end") => void;
    focus: () => void;
}

export interface VirtualListProps<T> {
    label: string;
    items: readonly T[];
    /** Stable across reorderings. */
    keyOf: (item: T) => string;
    /** A row's likely height in CSS pixels; the true one is measured. */
    estimate: (item: T) => number;
    render: (item: T, state: { active: boolean; selected: boolean }) => ReactNode;
    /** The key of the row that the keyboard is on. */
    active?: string;
    onActive?: (key: string, item: T) => void;
    /** The key of the row that is open. */
    selected?: string;
    /** Enter or a click. */
    onOpen?: (item: T) => void;
    /** Rows that the keyboard skips, such as headings. */
    isStatic?: (item: T) => boolean;
    /** A key that the list itself does not use: e, #, s, l, x … */
    onKey?: (event: KeyboardEvent, item: T | undefined) => void;
    /** Called when the end comes near: for the next page. */
    onEnd?: () => void;
    /** Told which items are in sight, from the first to the last. */
    onRange?: (first: number, last: number) => void;
    /** Several rows can be chosen: whether this one is. */
    isPicked?: (item: T) => boolean;
    /** Shift with a key that moves, or a click with Shift: the choice reaches to this row. `from` is the row that was active. */
    onExtend?: (item: T, from: T | undefined) => void;
    /** A click with Ctrl: the choice of this row changes. */
    onPick?: (item: T) => void;
    /** The list has levels: how deep a row stands, and whether what stands below it is shown. */
    levelOf?: (item: T) => { level: number; expanded?: boolean };
    className?: string;
    ref?: Ref<VirtualListHandle>;
}

/**
 * A long list of which only what is in sight exists. Keys: j and k or the arrows, Home, End, Page Up and Down, Enter. The focus stays on the list; the
 * active row is named to assistive technology.
 */
export function VirtualList<T>(props: VirtualListProps<T>) {
    const {
        label,
        items,
        keyOf,
        estimate,
        render,
        active,
        onActive,
        selected,
        onOpen,
        isStatic,
        onKey,
        onEnd,
        onRange,
        isPicked,
        onExtend,
        onPick,
        levelOf,
        className,
        ref,
    } = props;
    const id = useId();
    const scroller = useRef<HTMLDivElement>(null);
    // Taken once for each list: a key press draws what is in sight, and looks at nothing else. A caller's new function gives the same
    // item the same key.
    const keys = useMemo(() => {
        const all = items.map((item) => keyOf(item));
        return { all, places: new Map(all.map((key, index) => [key, index])) };
        // eslint-disable-next-line react-hooks/exhaustive-deps
    }, [items]);
    const getItemKey = useCallback((index: number) => keys.all[index] ?? index, [keys]);
    const virtual = useVirtualizer({
        count: items.length,
        getScrollElement: () => scroller.current,
        estimateSize: (index) => {
            const item = items[index];
            return item === undefined ? 32 : estimate(item);
        },
        // Another function is a reason for the virtualizer to measure all rows anew.
        getItemKey,
        overscan: 6,
    });
    const rows = virtual.getVirtualItems();
    const last = rows[rows.length - 1]?.index ?? -1;
    // A caller's new function is no reason to ask again: the list's length and place are.
    const atEnd = useRef(onEnd);
    useEffect(() => {
        atEnd.current = onEnd;
    });
    useEffect(() => {
        if (items.length > 0 && last >= items.length - 8) atEnd.current?.();
    }, [last, items.length]);
    const first = rows[0]?.index ?? -1;
    const inSight = useRef(onRange);
    useEffect(() => {
        inSight.current = onRange;
    });
    useEffect(() => {
        if (first >= 0) inSight.current?.(first, last);
    }, [first, last]);
    useImperativeHandle(ref, () => ({
        scrollTo: (index, align = "auto") => virtual.scrollToIndex(index, { align }),
        focus: () => scroller.current?.focus(),
    }));

    const at = active === undefined ? -1 : (keys.places.get(active) ?? -1);
    const go = (from: number, step: number, extend = false) => {
        for (
            let index = Math.min(items.length - 1, Math.max(0, from));
            index >= 0 && index < items.length;
            index += step
        ) {
            const item = items[index];
            if (item === undefined || isStatic?.(item)) continue;
            onActive?.(keyOf(item), item);
            if (extend) onExtend?.(item, items[at]);
            virtual.scrollToIndex(index, { align: "auto" });
            return;
        }
    };
    const page = () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 320) / 48));
    const onKeyDown = (event: KeyboardEvent) => {
        if (event.target !== event.currentTarget) return;
        const item = items[at];
        if (event.ctrlKey || event.metaKey || event.altKey) return onKey?.(event, item);
        const extend = event.shiftKey && onExtend !== undefined;
        switch (extend && event.key.length === 1 ? event.key.toLowerCase() : event.key) {
            case "j":
            case "ArrowDown":
                go(at + 1, 1, extend);
                break;
            case "k":
            case "ArrowUp":
                go(at < 0 ? items.length - 1 : at - 1, -1, extend);
                break;
            case "Home":
                go(0, 1, extend);
                break;
            case "End":
                go(items.length - 1, -1, extend);
                break;
            case "PageDown":
                go(at + page(), 1, extend);
                break;
            case "PageUp":
                go(at - page(), -1, extend);
                break;
            case "Enter":
                if (item !== undefined) onOpen?.(item);
                break;
            default:
                onKey?.(event, item);
                return;
        }
        event.preventDefault();
    };

    return (
        <div
            ref={scroller}
            role={levelOf === undefined ? "listbox" : "tree"}
            tabIndex={0}
            aria-label={label}
            aria-multiselectable={isPicked === undefined ? undefined : true}
            aria-activedescendant={at >= 0 && rows.some((row) => row.index === at) ? `${id}-${active}` : undefined}
            onKeyDown={onKeyDown}
            onFocus={(event) => {
                if (event.target === event.currentTarget && at < 0 && items.length > 0) go(0, 1);
            }}
            className={cx("ring-inside relative min-h-0 flex-1 overflow-y-auto overscroll-contain", className)}
        >
            <div role="presentation" className="relative w-full" style={{ height: virtual.getTotalSize() }}>
                {rows.map((row) => {
                    const item = items[row.index];
                    if (item === undefined) return null;
                    const key = keyOf(item);
                    const still = isStatic?.(item) ?? false;
                    const state = { active: key === active, selected: key === selected };
                    const level = levelOf?.(item);
                    const chosen =
                        isPicked === undefined
                            ? { "aria-selected": state.selected }
                            : { "aria-selected": isPicked(item), "aria-current": state.selected || undefined };
                    const place =
                        level === undefined
                            ? {
                                  role: "option",
                                  ...chosen,
                                  "aria-posinset": row.index + 1,
                                  "aria-setsize": items.length,
                              }
                            : {
                                  role: "treeitem",
                                  "aria-level": level.level,
                                  "aria-expanded": level.expanded,
                                  ...(level.expanded === undefined ? chosen : {}),
                              };
                    return (
                        <div
                            key={row.key}
                            ref={virtual.measureElement}
                            data-index={row.index}
                            {...(still && level === undefined
                                ? { role: "presentation" }
                                : { id: `${id}-${key}`, ...place })}
                            onClick={
                                still
                                    ? undefined
                                    : (event) => {
                                          // A menu that belongs to the row hangs elsewhere: what is pressed in it opens nothing.
                                          if (!event.currentTarget.contains(event.target as Node)) return;
                                          onActive?.(key, item);
                                          if (event.shiftKey && onExtend !== undefined) onExtend(item, items[at]);
                                          else if ((event.ctrlKey || event.metaKey) && onPick !== undefined)
                                              onPick(item);
                                          else onOpen?.(item);
                                      }
                            }
                            className="absolute inset-x-0 top-0"
                            style={{ transform: `translateY(${row.start}px)` }}
                        >
                            {render(item, state)}
                        </div>
                    );
                })}
            </div>
        </div>
    );
}
