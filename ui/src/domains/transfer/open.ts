// Which dialog is open. Small, and part of the window's start; the dialogs themselves are loaded when one opens.

import { useSyncExternalStore } from "react";

export type Opened =
    { kind: "export"; sessions: readonly string[] } | { kind: "import" } | { kind: "share"; session: string };

let opened: Opened | undefined;
const listeners = new Set<() => void>();

function set(next: Opened | undefined): void {
    opened = next;
    listeners.forEach((listener) => listener());
}

function subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
}

export const useOpened = (): Opened | undefined => useSyncExternalStore(subscribe, () => opened);

/** Opens the dialog that writes sessions to files. */
export function openExport(sessions: readonly string[]): void {
    if (sessions.length > 0) set({ kind: "export", sessions });
}

/** Opens the dialog that brings sessions over. */
export const openImport = (): void => set({ kind: "import" });

/** Opens the dialog on pages of a session that others may read. */
export const openShare = (session: string): void => set({ kind: "share", session });

export const closeTransfer = (): void => set(undefined);
