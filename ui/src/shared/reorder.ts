// The order of a short list changed by dragging or by the keyboard (Alt with an arrow).

import { useState, type DragEvent, type KeyboardEvent } from "react";

/** Where a thing stands after it was moved before or behind another one; places count from 0 after it was taken out. Undefined: it stays. */
export function placeAfter(ids: readonly string[], moved: string, target: string, side: "before" | "after"): number | undefined {
    const from = ids.indexOf(moved);
    if (from < 0 || moved === target) return undefined;
    const rest = ids.filter((id) => id !== moved);
    const at = rest.indexOf(target);
    if (at < 0) return undefined;
    const place = side === "before" ? at : at + 1;
    return place === from ? undefined : place;
}

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

/** `kind` keeps lists apart: what is dragged from one of them goes into no other one. */
export function useReorder(kind: string, ids: readonly string[], onMove: (id: string, place: number) => void): Reorder {
    const [over, setOver] = useState<{ id: string; side: "before" | "after" } | undefined>();
    const type = `application/x-order-${kind}`;
    const sideOf = (event: DragEvent): "before" | "after" => {
        const box = event.currentTarget.getBoundingClientRect();
        return event.clientY < box.top + box.height / 2 ? "before" : "after";
    };
    return {
        of: (id) => ({
            draggable: true,
            onDragStart: (event) => {
                event.stopPropagation();
                event.dataTransfer.effectAllowed = "move";
                event.dataTransfer.setData(type, id);
            },
            onDragOver: (event) => {
                if (!event.dataTransfer.types.includes(type)) return;
                event.preventDefault();
                event.stopPropagation();
                const side = sideOf(event);
                if (over?.id !== id || over.side !== side) setOver({ id, side });
            },
            onDragLeave: () => setOver(undefined),
            onDrop: (event) => {
                if (!event.dataTransfer.types.includes(type)) return;
                event.preventDefault();
                event.stopPropagation();
                setOver(undefined);
                const moved = event.dataTransfer.getData(type);
                const place = placeAfter(ids, moved, id, sideOf(event));
                if (place !== undefined) onMove(moved, place);
            },
            onDragEnd: () => setOver(undefined),
            onKeyDown: (event) => {
                if (!event.altKey || event.ctrlKey || event.metaKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
                const at = ids.indexOf(id);
                const place = at + (event.key === "ArrowUp" ? -1 : 1);
                event.preventDefault();
                event.stopPropagation();
                if (at >= 0 && place >= 0 && place < ids.length) onMove(id, place);
            },
        }),
        markOf: (id) => (over?.id === id ? over.side : undefined),
    };
}
