// How the window looks: theme, light or dark, zoom. Kept in this browser profile, applied to <html>.

import { useSyncExternalStore } from "react";

import { declarations, type Token } from "./derive";
import type { Resolved } from "./resolve";
import { FIRST, builtIn } from "./themes";

export type Mode = "light" | "dark" | "system";

export interface Appearance {
    /** Its id. */
    theme: string;
    mode: Mode;
    /** 1 is 16 px at the root. */
    zoom: number;
    /** Changes whenever a colour does. */
    colours: string;
}

export interface AppearanceChange {
    theme?: string;
    mode?: Mode;
    zoom?: number;
    /** With `theme`: its colours, where it is none that comes with the program, or where a workspace changes some. */
    look?: Resolved;
}

type Declared = Readonly<Partial<Record<`--${Token}`, string>>>;

interface Kept {
    theme: string;
    mode: Mode;
    zoom: number;
    /** Undefined: those of the style sheet. */
    tokens?: Declared;
}

/** `public/appearance.js` reads it before the first paint. */
const KEY = "appearance";

/** Windows of different workspaces may look different: each finds its own again, and a new one begins as the last one did. */
function keyOfWindow(): string {
    const asked = new URLSearchParams(location.search).get("workspace");
    const slug = asked === null || asked === "" ? sessionStorage.getItem("workspace") : asked;
    return slug === null ? KEY : `${KEY}:${slug}`;
}

const DEFAULT: Kept = { theme: FIRST.id, mode: "system", zoom: 1 };
/** As the core bounds it. */
const ZOOMS = { least: 0.7, most: 1.6 };
/** A kept declaration, and nothing else: it becomes a style. */
const DECLARED = /^light-dark\(#[\da-f]{6,8}, #[\da-f]{6,8}\)$/;

/** Whether the person asks the desktop for more contrast. */
const wish = typeof matchMedia === "function" ? matchMedia("(prefers-contrast: more)") : undefined;

const listeners = new Set<() => void>();
/** What the theme gives, before the person's wish for contrast. */
let look: Resolved | undefined;
/** Whether the theme is known; before, what was kept of it counts: also of a theme that is a file. */
let known = false;
/** What is tried out and not kept. */
let tried: { look: Resolved; mode: "light" | "dark" | undefined } | undefined;
let current = read();
let shown: Appearance = snapshot();
/** Names of declarations that are on the page. */
let applied: string[] = Object.keys(current.tokens ?? {});

function read(): Kept {
    try {
        const kept = JSON.parse(localStorage.getItem(keyOfWindow()) ?? localStorage.getItem(KEY) ?? "{}") as Partial<
            Record<keyof Kept, unknown>
        >;
        return {
            theme: typeof kept.theme === "string" ? kept.theme : DEFAULT.theme,
            mode: kept.mode === "light" || kept.mode === "dark" ? kept.mode : DEFAULT.mode,
            zoom: typeof kept.zoom === "number" ? clampZoom(kept.zoom) : DEFAULT.zoom,
            tokens: declared(kept.tokens),
        };
    } catch {
        return DEFAULT;
    }
}

function declared(kept: unknown): Declared | undefined {
    if (typeof kept !== "object" || kept === null) return undefined;
    const good = Object.entries(kept).filter(
        ([name, value]) => /^--[a-z\d-]+$/.test(name) && typeof value === "string" && DECLARED.test(value),
    );
    return good.length === 0 ? undefined : Object.fromEntries(good);
}

function clampZoom(zoom: number): number {
    return Math.min(ZOOMS.most, Math.max(ZOOMS.least, Math.round(zoom * 20) / 20));
}

function tokensOf(resolved: Resolved): Declared {
    return declarations(resolved.sides, wish?.matches === true ? "more" : resolved.strength);
}

/** Undefined: what the style sheet says. */
function tokensOfTheme(): Declared | undefined {
    if (!known && current.tokens !== undefined) return current.tokens;
    const own = look ?? builtIn(current.theme);
    if (own === undefined) return current.tokens;
    // The style sheet itself holds the first theme.
    const plain = own.sides === FIRST.sides && wish?.matches !== true;
    return plain ? undefined : tokensOf(own);
}

function tokensNow(): Declared | undefined {
    return tried === undefined ? tokensOfTheme() : tokensOf(tried.look);
}

function snapshot(): Appearance {
    const { theme, zoom } = current;
    return { theme, mode: tried?.mode ?? current.mode, zoom, colours: JSON.stringify(tokensNow() ?? {}) };
}

/** Puts the look on the page. */
export function applyAppearance(): void {
    const root = document.documentElement;
    root.dataset.theme = current.theme;
    root.dataset.mode = tried?.mode ?? current.mode;
    root.style.setProperty("--zoom", String(current.zoom));
    const tokens = tokensNow() ?? {};
    for (const name of applied) if (!(name in tokens)) root.style.removeProperty(name);
    for (const [name, value] of Object.entries(tokens)) root.style.setProperty(name, value);
    applied = Object.keys(tokens);
}

function tell(): void {
    applyAppearance();
    shown = snapshot();
    listeners.forEach((listener) => listener());
}

export function setAppearance(change: AppearanceChange): void {
    const { look: given, ...rest } = change;
    if (change.theme !== undefined) {
        look = given;
        known = true;
    }
    current = { ...current, ...rest, zoom: clampZoom(change.zoom ?? current.zoom) };
    keep();
    tell();
}

/** Keeps the look for the next start. */
function keep(): void {
    const { theme, mode, zoom } = current;
    const tokens = tokensOfTheme();
    current = tokens === undefined ? { theme, mode, zoom } : { theme, mode, zoom, tokens };
    try {
        for (const key of new Set([KEY, keyOfWindow()])) localStorage.setItem(key, JSON.stringify(current));
    } catch {
        // Storage is full or off: the look holds for this window.
    }
}

/** Shows colours, on one side alone if asked, without keeping them; undefined ends it. */
export function tryLook(sides: Resolved | undefined, mode?: "light" | "dark"): void {
    if (tried === undefined && sides === undefined) return;
    tried = sides === undefined ? undefined : { look: sides, mode };
    tell();
}

wish?.addEventListener("change", () => {
    keep();
    tell();
});

function subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
}

/** The look, and the way to change it. */
export function useAppearance(): [Appearance, (change: AppearanceChange) => void] {
    return [useSyncExternalStore(subscribe, () => shown), setAppearance];
}
