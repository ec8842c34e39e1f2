// Where the window is: a path in the address's fragment. Back and forward are the browser's own.

import { useSyncExternalStore } from "react";

/** Where the window is at this moment, which what is drawn may not show yet. */
export function currentPath(): string {
    return location.hash.replace(/^#/, "") || "/";
}

function subscribe(listener: () => void): () => void {
    window.addEventListener("hashchange", listener);
    return () => window.removeEventListener("hashchange", listener);
}

export function usePath(): string {
    return useSyncExternalStore(subscribe, currentPath);
}

/** Goes to a path. `replace`: without leaving the present one in the history. */
export function navigate(path: string, options: { replace?: boolean } = {}): void {
    if (path === currentPath()) return;
    if (options.replace === true) {
        history.replaceState(history.state, "", `#${path}`);
        window.dispatchEvent(new HashChangeEvent("hashchange"));
    } else location.hash = path;
}

export function goBack(): void {
    history.back();
}

export function goForward(): void {
    history.forward();
}
