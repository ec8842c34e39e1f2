// All shortcuts that held at some time in this window. A page's shortcuts hold only while it is open; the list in the settings wants them all.

import { useEffect, useSyncExternalStore } from "react";

import { useShortcuts, type Shortcut } from "@/shared";

/** What lists take by themselves, without registering it: it holds while a list has the focus. */
const IN_LISTS: readonly Shortcut[] = [
    { id: "list-next", keys: "j", label: "Next row", group: "In lists" },
    { id: "list-before", keys: "k", label: "Previous row", group: "In lists" },
    { id: "list-open", keys: "Enter", label: "Open row", group: "In lists" },
];

let known: readonly Shortcut[] = IN_LISTS;
const listeners = new Set<() => void>();

/** The same shortcut may be registered again with other words: the newest count. */
export function joined(before: readonly Shortcut[], now: readonly Shortcut[]): readonly Shortcut[] {
    const written = now.filter((each) => each.keys !== "");
    const same = written.every((each) =>
        before.some(
            (old) =>
                old.id === each.id && old.keys === each.keys && old.label === each.label && old.group === each.group,
        ),
    );
    if (same) return before;
    const ids = new Set(written.map((each) => each.id));
    return [...written, ...before.filter((old) => !ids.has(old.id))];
}

/** Notes which shortcuts hold, as long as the window is open: once, high in the tree. */
export function ShortcutNotes() {
    const now = useShortcuts();
    useEffect(() => {
        const next = joined(known, now);
        if (next === known) return;
        known = next;
        listeners.forEach((listener) => listener());
    }, [now]);
    return null;
}

export function useKnownShortcuts(): readonly Shortcut[] {
    return useSyncExternalStore(
        (listener) => {
            listeners.add(listener);
            return () => listeners.delete(listener);
        },
        () => known,
    );
}
