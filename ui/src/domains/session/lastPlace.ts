// The session that a window shows, for its next start.

import { openedFor, windowWorkspace } from "@/backend";
import { currentPath, navigate } from "@/shared";

/** Kept for the first window, and for each workspace that has a window of its own. */
function key(): string {
    return `last ${openedFor() ?? ""}`;
}

function note(): void {
    const [path = ""] = currentPath().split("?");
    // A window that shows another workspace for a while comes back with its own.
    if (openedFor() !== undefined && openedFor() !== windowWorkspace()) return;
    try {
        // Other pages are found again by themselves; the start page is the inbox.
        if (/^\/session\/[\w.-]+$/.test(path)) localStorage.setItem(key(), path);
        else localStorage.removeItem(key());
    } catch {
        // Storage is full or off: the next start begins with the inbox.
    }
}

/** Goes to the session that was open when the program ended, unless the window is opened at a certain place; then notes it. */
export function keepLastPlace(): void {
    let last: string | null = null;
    try {
        last = localStorage.getItem(key());
    } catch {
        // As without one.
    }
    if (last !== null && currentPath() === "/" && /^\/session\/[\w.-]+$/.test(last)) navigate(last, { replace: true });
    window.addEventListener("hashchange", note);
}
