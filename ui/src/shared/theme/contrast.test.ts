import { describe, expect, it } from "vitest";

import tokens from "./tokens.css?raw";
import { THEMES } from "./appearance";

type Palette = Record<string, string>;

/** Declarations of one rule. */
function declarations(selector: string): Record<string, string> {
    const escaped = selector.replace(/[[\]"=]/g, "\\$&");
    const body = new RegExp(`^${escaped} \\{([^}]*)\\}`, "m").exec(tokens)?.[1] ?? "";
    return Object.fromEntries([...body.matchAll(/(--[\w-]+):\s*([^;]+);/g)].map((hit) => [hit[1] ?? "", hit[2] ?? ""]));
}

/** All colours of a theme in one mode. */
function palette(theme: string, side: 1 | 2): Palette {
    const own = theme === "paper" ? {} : declarations(`:root[data-theme="${theme}"]`);
    return Object.fromEntries(
        Object.entries({ ...declarations(":root"), ...own }).flatMap(([name, value]) => {
            const hit = /^light-dark\((#[0-9a-f]{6}(?:[0-9a-f]{2})?), (#[0-9a-f]{6}(?:[0-9a-f]{2})?)\)$/.exec(value);
            return hit === null ? [] : [[name.slice(2), hit[side] ?? ""]];
        }),
    );
}

function luminance(colour: string): number {
    const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
        const part = parseInt(colour.slice(at, at + 2), 16) / 255;
        return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** As WCAG 2.2 computes it. */
function contrast(a: string, b: string): number {
    const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
}

const PAPERS = ["page", "surface", "raised", "sunken", "hover"];
const WORDS = ["ink", "ink-2", "ink-3", "accent", "running", "needs", "done", "failed"];
const CODE = ["code-keyword", "code-string", "code-number", "code-name", "code-comment"];
/** Words on a background that is not paper. */
const PAIRS = [
    ...["running", "needs", "done", "failed"].map((state) => [state, `${state}-soft`] as const),
    ...["running", "needs", "done", "failed", "accent"].map((state) => ["ink", `${state}-soft`] as const),
    ["accent", "accent-soft"],
    ["ink-2", "accent-soft"],
    ["ink-2", "needs-soft"],
    ["on-accent", "accent"],
    ["on-accent", "accent-strong"],
    ["on-failed", "failed"],
] as const;
/** Edges of controls and signs that carry a meaning: 3 to 1. */
const SIGNS = ["hairline-strong", "needs-rule", "accent"];

const cases = THEMES.flatMap(({ id }) => (["light", "dark"] as const).map((mode) => [id, mode] as const));

describe.each(cases)("%s, %s", (theme, mode) => {
    const colours = palette(theme, mode === "light" ? 1 : 2);
    const ratio = (a: string, b: string) => contrast(colours[a] ?? "", colours[b] ?? "");

    it("has every colour that the first theme has", () => {
        expect(Object.keys(colours)).toEqual(Object.keys(palette("paper", 1)));
        expect(Object.keys(colours).length).toBeGreaterThan(30);
    });

    it("has words that read on every paper (AA)", () => {
        const low = WORDS.flatMap((word) => PAPERS.map((paper) => [`${word} on ${paper}`, ratio(word, paper)] as const)).filter(([, value]) => value < 4.5);
        expect(low).toEqual([]);
    });

    it("has words that read on their own background (AA)", () => {
        const low = PAIRS.map(([word, paper]) => [`${word} on ${paper}`, ratio(word, paper)] as const).filter(([, value]) => value < 4.5);
        expect(low).toEqual([]);
    });

    it("has code that reads", () => {
        const low = CODE.map((word) => [word, ratio(word, "sunken")] as const).filter(([, value]) => value < 4.5);
        expect(low).toEqual([]);
    });

    it("has edges of controls that can be seen", () => {
        const low = SIGNS.flatMap((sign) => ["page", "surface", "raised"].map((paper) => [`${sign} on ${paper}`, ratio(sign, paper)] as const)).filter(([, value]) => value < 3);
        expect(low).toEqual([]);
    });
});

it("knows black from white", () => {
    expect(contrast("#000000", "#ffffff")).toBeCloseTo(21);
    expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
});
