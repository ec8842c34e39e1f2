// The workspace of this window: commands are for it. A tab and a window of the desktop each have their own.

import { useSyncExternalStore } from "react";

const KEY = "workspace";
/** The one that the window was opened for, for as long as the tab is there. */
const OPENED_FOR = "workspace.window";

interface State {
    /** Its slug; undefined until it is known: then the person's current one is meant. */
    slug: string | undefined;
    /** Grows whenever another one is shown. */
    turn: number;
}

let state: State = { slug: first(), turn: 0 };
const listeners = new Set<() => void>();

/** The one that the address names, else the one that this tab had. */
function first(): string | undefined {
    // Where nothing is shown there is no address.
    if (typeof location === "undefined") return undefined;
    const asked = new URLSearchParams(location.search).get(KEY);
    if (asked !== null && asked !== "") {
        sessionStorage.setItem(KEY, asked);
        sessionStorage.setItem(OPENED_FOR, asked);
        // A reload stays in what was chosen since.
        history.replaceState(null, "", `${location.pathname}${location.hash}`);
        return asked;
    }
    return sessionStorage.getItem(KEY) ?? undefined;
}

/** The slug of this window's workspace; undefined: the person's current one. */
export function windowWorkspace(): string | undefined {
    return state.slug;
}

/** The slug of the workspace that the window was opened for; undefined: it is the first window, which follows the person. */
export function openedFor(): string | undefined {
    return sessionStorage.getItem(OPENED_FOR) ?? undefined;
}

/** Of what was read: nothing of one workspace is shown in another. */
export function workspaceVersion(): number {
    return state.turn;
}

/** A key for what is kept of this window's workspace alone. The default one's keys are plain, as before there were others. */
export function ofWorkspace(key: string, slug = state.slug): string {
    return slug === undefined || slug === "default" ? key : `${key}@${slug}`;
}

/** The same, renewed when another workspace is shown. */
export function useOfWorkspace(key: string): string {
    return ofWorkspace(key, useWindowWorkspace().slug);
}

/** Names the workspace that is shown already. */
export function pinWorkspace(slug: string): void {
    keep({ slug, turn: state.turn });
}

/** Shows another workspace. */
export function switchWorkspace(slug: string): void {
    if (slug !== state.slug) keep({ slug, turn: state.turn + 1 });
}

function keep(next: State): void {
    state = next;
    if (next.slug === undefined) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, next.slug);
    listeners.forEach((listener) => listener());
}

function subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
}

/** Its slug, and a number that grows whenever another one is shown. */
export function useWindowWorkspace(): State {
    return useSyncExternalStore(subscribe, () => state);
}

/** For tests: as in a new tab. */
export function forgetWorkspace(): void {
    sessionStorage.removeItem(OPENED_FOR);
    keep({ slug: undefined, turn: state.turn + 1 });
}
