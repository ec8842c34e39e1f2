// The order of a short list changed by dragging or by the keyboard (Alt with an arrow).

import { useLayoutEffect, useRef, useState, type DragEvent, type KeyboardEvent } from "react";

/** Where a thing stands after it was moved before or behind another one; places count from 0 after it was taken out. Undefined: it stays. */
export function placeAfter(
    ids: readonly string[],
    moved: string,
    target: string,
    side: "before" | "after",
): number | undefined {
    const from = ids.indexOf(moved);
    if (from < 0 || moved === target) return undefined;
    const rest = ids.filter((id) => id !== moved);
    const at = rest.indexOf(target);
    if (at < 0) return undefined;
    const place = side === "before" ? at : at + 1;
    return place === from ? undefined : place;
}

/**
 * On which side of a thing another one is let go, `share` of its height from the top. Its edges mean just that; in its
 * middle the moved one takes its place, whichever way it comes.
 */
export function sideAt(
    ids: readonly string[],
    moved: string | undefined,
    target: string,
    share: number,
): "before" | "after" {
    if (moved === undefined || share < EDGE || share > 1 - EDGE) return share < 0.5 ? "before" : "after";
    return ids.indexOf(moved) < ids.indexOf(target) ? "after" : "before";
}

const EDGE = 0.25;

/** What is dragged now: its id can't be read before it is let go. */
let dragged: { type: string; id: string } | undefined;

export interface Reorder {
    /** For each element of the list. */
    of: (id: string) => {
        draggable: true;
        onDragStart: (event: DragEvent) => void;
        onDragOver: (event: DragEvent) => void;
        onDragLeave: () => void;
        onDrop: (event: DragEvent) => void;
        onDragEnd: () => void;
        onKeyDown: (event: KeyboardEvent) => void;
    };
    /** Where a line is drawn: what is dragged would go there. */
    markOf: (id: string) => "before" | "after" | undefined;
}

/**
 * `kind` keeps lists apart: what is dragged from one of them goes into no other one. `onMove` gives undefined where the
 * move was refused.
 */
export function useReorder(
    kind: string,
    listed: readonly string[],
    onMove: (id: string, place: number) => Promise<unknown>,
): Reorder {
    const shown = listed.join("\n");
    const latest = useRef(shown);
    /**
     * The order that was asked for: the next move goes on from it while a move is on its way, and until the list shows another order
     * than it did when the last one ended.
     */
    const asked = useRef<{ ids: readonly string[]; waiting: number; shown: string } | undefined>(undefined);
    const idsNow = () => {
        const order = asked.current;
        return order !== undefined && (order.waiting > 0 || order.shown === shown) ? order.ids : listed;
    };
    // An element that changes its place among others loses the focus: at each step on the way to the order that was asked for.
    const keyed = useRef<HTMLElement | undefined>(undefined);
    const move = (id: string, place: number) => {
        const rest = idsNow().filter((each) => each !== id);
        const order = (asked.current ??= { ids: [], waiting: 0, shown });
        order.ids = [...rest.slice(0, place), id, ...rest.slice(place)];
        order.waiting += 1;
        const settle = (done: boolean) => {
            order.waiting -= 1;
            order.shown = latest.current;
            if (!done && asked.current === order) asked.current = keyed.current = undefined;
        };
        void onMove(id, place).then(
            (done) => settle(done !== undefined),
            () => settle(false),
        );
    };
    useLayoutEffect(() => {
        latest.current = shown;
        if (document.activeElement === document.body) keyed.current?.focus({ preventScroll: true });
        keyed.current?.scrollIntoView({ block: "nearest" });
        const order = asked.current;
        if (order !== undefined && order.ids.join("\n") !== shown) return;
        keyed.current = undefined;
        // The order is reached. From here on the list alone tells it, also when it goes back to the one before.
        if (order?.waiting === 0) asked.current = undefined;
    }, [shown]);
    const [over, setOver] = useState<{ id: string; side: "before" | "after" } | undefined>();
    const type = `application/x-order-${kind}`;
    const sideOf = (event: DragEvent, ids: readonly string[], id: string, moved: string | undefined) => {
        const box = event.currentTarget.getBoundingClientRect();
        return sideAt(ids, moved, id, (event.clientY - box.top) / Math.max(1, box.height));
    };
    return {
        of: (id) => ({
            draggable: true,
            onDragStart: (event) => {
                event.stopPropagation();
                event.dataTransfer.effectAllowed = "move";
                event.dataTransfer.setData(type, id);
                dragged = { type, id };
            },
            onDragOver: (event) => {
                if (!event.dataTransfer.types.includes(type)) return;
                event.preventDefault();
                event.stopPropagation();
                const ids = idsNow();
                const moved = dragged?.type === type ? dragged.id : undefined;
                const side = sideOf(event, ids, id, moved);
                const stays = moved !== undefined && placeAfter(ids, moved, id, side) === undefined;
                if (stays) setOver(undefined);
                else if (over?.id !== id || over.side !== side) setOver({ id, side });
            },
            onDragLeave: () => setOver(undefined),
            onDrop: (event) => {
                if (!event.dataTransfer.types.includes(type)) return;
                event.preventDefault();
                event.stopPropagation();
                setOver(undefined);
                const moved = event.dataTransfer.getData(type);
                const ids = idsNow();
                const place = placeAfter(ids, moved, id, sideOf(event, ids, id, moved));
                if (place !== undefined) move(moved, place);
            },
            onDragEnd: () => {
                dragged = undefined;
                setOver(undefined);
            },
            onKeyDown: (event) => {
                if (
                    !event.altKey ||
                    event.ctrlKey ||
                    event.metaKey ||
                    (event.key !== "ArrowUp" && event.key !== "ArrowDown")
                )
                    return;
                const ids = idsNow();
                const at = ids.indexOf(id);
                const place = at + (event.key === "ArrowUp" ? -1 : 1);
                event.preventDefault();
                event.stopPropagation();
                if (at < 0 || place < 0 || place >= ids.length) return;
                keyed.current = event.currentTarget instanceof HTMLElement ? event.currentTarget : undefined;
                move(id, place);
            },
        }),
        markOf: (id) => (over?.id === id ? over.side : undefined),
    };
}
