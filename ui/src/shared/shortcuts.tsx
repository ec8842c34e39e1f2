// Keyboard shortcuts of the window, each with a name, so that one list can show them all.

import { useEffect, useRef, useSyncExternalStore } from "react";

export interface Shortcut {
    /** Stable: people will remap by it. */
    id: string;
    /** "Ctrl+K", "j", "Shift+Enter", "g then i". Ctrl is Cmd on a Mac. Empty for what only the palette offers. */
    keys: string;
    /** What it does: shown in the list. */
    label: string;
    /** The heading it stands under. */
    group: string;
}

interface Live extends Shortcut {
    handler: (event: KeyboardEvent) => void;
}

/** Where the browser profile keeps the keys that a person chose. */
const KEPT = "shortcuts";

function kept(): { readonly [id: string]: string } {
    try {
        const value: unknown = JSON.parse(localStorage.getItem(KEPT) ?? "{}");
        if (typeof value !== "object" || value === null) return {};
        return Object.fromEntries(
            Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === "string"),
        );
    } catch {
        return {};
    }
}

let own = kept();

/** The keys that hold: the person's, else those given. */
export function keysOf({ id, keys }: Pick<Shortcut, "id" | "keys">): string {
    return own[id] ?? keys;
}

/** Whether a person chose the keys. */
export function isRemapped(id: string): boolean {
    return own[id] !== undefined;
}

/** Gives a shortcut other keys; without keys it has its own again. */
export function remap(id: string, keys: string | undefined): void {
    own = Object.fromEntries([
        ...Object.entries(own).filter(([other]) => other !== id),
        ...(keys === undefined ? [] : [[id, keys]]),
    ]) as typeof own;
    try {
        localStorage.setItem(KEPT, JSON.stringify(own));
    } catch {
        // Storage is full or off: it holds for this window.
    }
    publish(live);
}

/** Keys that only modify others. */
const MODIFIERS = new Set(["Control", "Shift", "Alt", "Meta", "AltGraph", "CapsLock", "Dead", "Process"]);

/** What was pressed, as a shortcut is written; undefined while only modifiers are held. */
export function keysFrom(
    event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">,
): string | undefined {
    if (MODIFIERS.has(event.key)) return undefined;
    const letter = event.key.length === 1;
    const sign = letter && !/[a-z0-9 ]/i.test(event.key);
    const modified = event.ctrlKey || event.metaKey || event.altKey;
    const key = letter
        ? modified || event.shiftKey
            ? sign
                ? event.key
                : event.key.toUpperCase()
            : event.key.toLowerCase()
        : event.key;
    return [
        event.ctrlKey || event.metaKey ? "Ctrl" : "",
        event.altKey ? "Alt" : "",
        event.shiftKey && !sign ? "Shift" : "",
        key === " " ? "Space" : key,
    ]
        .filter(Boolean)
        .join("+");
}

let live: Live[] = [];
let list: readonly Shortcut[] = [];
const listeners = new Set<() => void>();
/** The first key of a sequence, and when it was struck. */
let pending: { key: string; at: number } | undefined;
const SEQUENCE_MS = 1_000;

function publish(next: Live[]): void {
    live = next;
    const ids = new Set<string>();
    list = live
        .filter((each) => !ids.has(each.id) && ids.add(each.id))
        .map(({ id, keys, label, group }) => ({ id, keys: keysOf({ id, keys }), label, group }));
    listeners.forEach((listener) => listener());
}

function typing(target: EventTarget | null): boolean {
    return (
        target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
    );
}

function matches(keys: string, event: KeyboardEvent): boolean {
    const parts =
        keys.length === 1 ? [keys] : keys.endsWith("++") ? [...keys.slice(0, -2).split("+"), "+"] : keys.split("+");
    const key = (parts[parts.length - 1] ?? "").toLowerCase();
    const wants = (name: string) => parts.slice(0, -1).some((part) => part.toLowerCase() === name);
    // "?" and "#" need Shift on some keyboards and none on others: what was written counts.
    const sign = key.length === 1 && !/[a-z0-9 ]/.test(key);
    return (
        event.key.toLowerCase() === (key === "space" ? " " : key) &&
        (event.ctrlKey || event.metaKey) === wants("ctrl") &&
        event.altKey === wants("alt") &&
        (sign || event.shiftKey === wants("shift"))
    );
}

/** The second key of a sequence, before anything else takes it: a list has keys of its own for "s" and "e". */
function onSecondKey(event: KeyboardEvent): void {
    const first = pending !== undefined && event.timeStamp - pending.at < SEQUENCE_MS ? pending.key : undefined;
    if (first === undefined || event.isComposing || event.repeat || typing(event.target)) return;
    const shortcut = [...live].reverse().find((each) => {
        const [one, two] = keysOf(each).split(" then ");
        return one === first && two !== undefined && matches(two, event);
    });
    if (shortcut === undefined) return;
    pending = undefined;
    event.preventDefault();
    event.stopPropagation();
    shortcut.handler(event);
}

function onKeyDown(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.isComposing || event.repeat) return;
    const modified = event.ctrlKey || event.metaKey || event.altKey;
    if (typing(event.target) && !modified && event.key !== "Escape" && !/^F\d+$/.test(event.key)) return;
    // A dialog or menu has the keyboard for itself, but for what holds everywhere.
    const inLayer =
        event.target instanceof Element &&
        event.target.closest("[role=dialog],[role=alertdialog],[role=menu]") !== null;
    if (inLayer && !modified) return;
    pending = undefined;
    // The newest registration wins: a view's key over the window's.
    for (const shortcut of [...live].reverse()) {
        const keys = keysOf(shortcut);
        if (keys !== "" && !keys.includes(" then ") && matches(keys, event)) {
            event.preventDefault();
            shortcut.handler(event);
            return;
        }
    }
    if (!modified && live.some((shortcut) => keysOf(shortcut).startsWith(`${event.key} then `)))
        pending = { key: event.key, at: event.timeStamp };
}

/**
 * A shortcut for as long as the component is there. It holds in text fields only with Ctrl or Alt (or as Escape).
 * `enabled: false` takes it out of the list too.
 */
export function useShortcut(
    id: string,
    keys: string,
    label: string,
    handler: (event: KeyboardEvent) => void,
    options: { group?: string; enabled?: boolean } = {},
): void {
    const { group = "General", enabled = true } = options;
    const latest = useRef(handler);
    useEffect(() => {
        latest.current = handler;
    });
    useEffect(() => {
        if (!enabled) return;
        const entry: Live = { id, keys, label, group, handler: (event) => latest.current(event) };
        if (live.length === 0) {
            window.addEventListener("keydown", onSecondKey, true);
            window.addEventListener("keydown", onKeyDown);
        }
        publish([...live, entry]);
        return () => {
            publish(live.filter((each) => each !== entry));
            if (live.length > 0) return;
            window.removeEventListener("keydown", onSecondKey, true);
            window.removeEventListener("keydown", onKeyDown);
        };
    }, [id, keys, label, group, enabled]);
}

/** Carries out what a shortcut does, without its keys: for a palette. Gives whether it holds now. */
export function runShortcut(id: string): boolean {
    const newest = live.filter((each) => each.id === id).pop();
    newest?.handler(new KeyboardEvent("keydown"));
    return newest !== undefined;
}

/** All shortcuts that hold now: for the list behind Ctrl+/. Those without keys are commands of a palette. */
export function useShortcuts(): readonly Shortcut[] {
    return useSyncExternalStore(
        (listener) => {
            listeners.add(listener);
            return () => listeners.delete(listener);
        },
        () => list,
    );
}
