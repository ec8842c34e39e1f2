// Colours of statuses, labels and views, as the style sheet understands them. They mark things and never carry words: what a person chose may be too pale to read.

import type { Colour } from "@/backend";
import { hexOf, hexOfOklch, own, parseColour } from "@/shared";

/** The theme's colours by the names that files use. */
const THEME: { readonly [name: string]: string } = {
    background: "--page",
    foreground: "--ink",
    accent: "--accent",
    info: "--running",
    success: "--done",
    destructive: "--failed",
};

/** The theme's colours that a person can choose; `info` looks like the accent in most themes. */
export const THEME_COLOURS = ["foreground", "accent", "success", "destructive"] as const;

/** A colour as CSS; undefined for none, or for one that is no colour. */
export function cssOf(colour: Colour | null | undefined): string | undefined {
    if (colour === null || colour === undefined) return undefined;
    if (typeof colour !== "string") {
        const light = plain(colour.light);
        const dark = plain(colour.dark ?? colour.light);
        return light === undefined || dark === undefined
            ? undefined
            : light === dark
              ? light
              : `light-dark(${light}, ${dark})`;
    }
    const [name = "", opacity] = colour.split("/");
    const token = own(THEME, name);
    if (token === undefined) return plain(colour);
    if (opacity === undefined) return `var(${token})`;
    const percent = Number(opacity);
    return Number.isFinite(percent)
        ? `color-mix(in srgb, var(${token}) ${Math.min(100, Math.max(0, percent))}%, transparent)`
        : undefined;
}

/** Only what is a colour and nothing more: it stands in a style. */
function plain(text: string): string | undefined {
    return /^#[\da-f]{3,8}$/i.test(text) || /^(rgb|rgba|hsl|hsla|oklch|oklab)\([\d\s.,%/a-z-]*\)$/i.test(text)
        ? text
        : undefined;
}

/** Hues in degrees of OKLCH; without chroma it is a grey. */
const HUES: readonly { name: string; hue: number; chroma: number }[] = [
    { name: "Grey", hue: 250, chroma: 0.03 },
    { name: "Red", hue: 25, chroma: 0.17 },
    { name: "Orange", hue: 50, chroma: 0.15 },
    { name: "Amber", hue: 80, chroma: 0.13 },
    { name: "Green", hue: 150, chroma: 0.13 },
    { name: "Teal", hue: 185, chroma: 0.1 },
    { name: "Sky", hue: 235, chroma: 0.12 },
    { name: "Blue", hue: 262, chroma: 0.17 },
    { name: "Violet", hue: 295, chroma: 0.17 },
    { name: "Pink", hue: 350, chroma: 0.16 },
];

/** The colours that are offered: one hue each, dark on light ground and light on dark ground, so that all of them are seen equally well. */
export const PALETTE: readonly { name: string; colour: { light: string; dark: string } }[] = HUES.map(
    ({ name, hue, chroma }) => ({
        name,
        colour: {
            light: hexOfOklch({ l: 0.52, c: chroma, h: hue }),
            dark: hexOfOklch({ l: 0.76, c: chroma * 0.85, h: hue }),
        },
    }),
);

/** A colour as a colour field of the browser takes it; grey where it is none. */
export function hexFor(text: string): string {
    const parts = parseColour(text);
    return parts === undefined ? (PALETTE[0]?.colour.light ?? "") : hexOf(parts);
}

/** Whether two colours are the same. */
export function sameColour(a: Colour | null | undefined, b: Colour | null | undefined): boolean {
    return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}
