// How the window looks: theme, light or dark, zoom. Kept in this browser profile, applied to <html>.

import { useSyncExternalStore } from "react";

export const THEMES = [
    { id: "paper", name: "Paper" },
    { id: "slate", name: "Slate" },
    { id: "sepia", name: "Sepia" },
    { id: "contrast", name: "High contrast" },
] as const;

export type ThemeId = (typeof THEMES)[number]["id"];
export type Mode = "light" | "dark" | "system";

export interface Appearance {
    theme: ThemeId;
    mode: Mode;
    /** 1 is 16 px at the root. */
    zoom: number;
}

/** `public/appearance.js` reads it before the first paint. */
const KEY = "appearance";
const DEFAULT: Appearance = { theme: "paper", mode: "system", zoom: 1 };
/** As the core bounds it. */
const ZOOMS = { least: 0.7, most: 1.6 };

const listeners = new Set<() => void>();
let current = read();

function read(): Appearance {
    try {
        const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Record<keyof Appearance, unknown>>;
        return {
            theme: THEMES.find((theme) => theme.id === kept.theme)?.id ?? DEFAULT.theme,
            mode: kept.mode === "light" || kept.mode === "dark" ? kept.mode : DEFAULT.mode,
            zoom: typeof kept.zoom === "number" ? clampZoom(kept.zoom) : DEFAULT.zoom,
        };
    } catch {
        return DEFAULT;
    }
}

function clampZoom(zoom: number): number {
    return Math.min(ZOOMS.most, Math.max(ZOOMS.least, Math.round(zoom * 20) / 20));
}

/** Puts the look on the page. */
export function applyAppearance(): void {
    const root = document.documentElement;
    root.dataset.theme = current.theme;
    root.dataset.mode = current.mode;
    root.style.setProperty("--zoom", String(current.zoom));
}

export function setAppearance(change: Partial<Appearance>): void {
    current = { ...current, ...change };
    current.zoom = clampZoom(current.zoom);
    try {
        localStorage.setItem(KEY, JSON.stringify(current));
    } catch {
        // Storage is full or off: the look holds for this window.
    }
    applyAppearance();
    listeners.forEach((listener) => listener());
}

function subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
}

/** The look, and the way to change it. */
export function useAppearance(): [Appearance, (change: Partial<Appearance>) => void] {
    return [useSyncExternalStore(subscribe, () => current), setAppearance];
}
