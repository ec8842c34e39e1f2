// Sessions on their way from the list to a status or a label.

import type { DragEvent } from "react";

import type { SessionRow } from "@/backend";

/** The type of what is dragged: only places of this window know it. */
const TYPE = "application/x-agentnative-sessions";

let dragged: readonly SessionRow[] = [];

/** Begins dragging these sessions. */
export function dragSessions(event: DragEvent, rows: readonly SessionRow[]): void {
    dragged = rows;
    event.dataTransfer.effectAllowed = "copyMove";
    event.dataTransfer.setData(TYPE, JSON.stringify(rows.map((row) => row.session)));
    // In another program they are their titles.
    event.dataTransfer.setData("text/plain", rows.map((row) => row.title).join("\n"));
    if (rows.length < 2) return;
    const ghost = document.createElement("div");
    ghost.textContent = `${rows.length} sessions`;
    ghost.className =
        "fixed -top-20 left-0 rounded-card border border-hairline bg-raised px-3 py-1 text-ui text-ink shadow-float";
    document.body.append(ghost);
    event.dataTransfer.setDragImage(ghost, 8, 8);
    setTimeout(() => ghost.remove(), 0);
}

export function holdsSessions(event: DragEvent): boolean {
    return event.dataTransfer.types.includes(TYPE);
}

/** The sessions that were let go here. */
export function droppedSessions(): readonly SessionRow[] {
    const rows = dragged;
    dragged = [];
    return rows;
}
