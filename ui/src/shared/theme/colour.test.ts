import { expect, it } from "vitest";

import { contrast, hexOf, hexOfOklch, mixed, oklchOf, parseColour, readable } from "./colour";

const read = (text: string) => {
    const colour = parseColour(text);
    return colour === undefined ? undefined : `${hexOf(colour)} ${colour.alpha}`;
};

it("reads the notations that files use", () => {
    expect(read("#2b4c7e")).toBe("#2b4c7e 1");
    expect(read("#FA0")).toBe("#ffaa00 1");
    expect(read("#fa08")).toBe(`#ffaa00 ${0x88 / 255}`);
    expect(read("rgb(43, 76, 126)")).toBe("#2b4c7e 1");
    expect(read("rgb(43 76 126 / 50%)")).toBe("#2b4c7e 0.5");
    expect(read("rgba(255,0,0,.25)")).toBe("#ff0000 0.25");
    expect(read("hsl(120 100% 25%)")).toBe("#008000 1");
    expect(read("hsl(0.5turn, 100%, 50%)")).toBe("#00ffff 1");
    expect(read("oklch(0.62796 0.25768 29.2339)")).toBe("#ff0000 1");
    expect(read("oklch(62.796% 0.25768 29.2339deg / 1)")).toBe("#ff0000 1");
    expect(read("oklab(1 0 0)")).toBe("#ffffff 1");
});

it("reads nothing else", () => {
    for (const text of [
        "",
        "red",
        "#12",
        "#12345",
        "#gggggg",
        "rgb(1 2)",
        "rgb(1 2 3 4 5)",
        "rgb(a b c)",
        "url(x)",
        "calc(1 2 3)",
        "rgb(1 2 3); x: y",
        "rgb(1e9 2 3)",
        "var(--x)",
        `#${"0".repeat(90)}`,
    ]) {
        expect(parseColour(text), text).toBeUndefined();
    }
});

it("keeps out-of-range parts within what a screen shows", () => {
    expect(read("rgb(300 -5 0 / 4)")).toBe("#ff0000 1");
    expect(read("oklch(0.7 0.4 150)")).toMatch(/^#[\da-f]{6} 1$/);
});

it("goes to OKLCH and back without loss", () => {
    for (const colour of ["#000000", "#ffffff", "#2b4c7e", "#ff00ff", "#808080", "#00ff7f"])
        expect(hexOfOklch(oklchOf(colour))).toBe(colour);
});

it("measures contrast as WCAG does", () => {
    expect(contrast("#000000", "#ffffff")).toBeCloseTo(21);
    expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
});

it("mixes as the screen does", () => {
    expect(mixed("#ffffff", "#000000", 0.5)).toBe("#808080");
});

it("finds the nearest lightness that reads, and keeps the hue", () => {
    const found = readable("#ff9900", ["#ffffff"], 4.5);
    expect(contrast(found, "#ffffff")).toBeGreaterThanOrEqual(4.5);
    expect(contrast(found, "#ffffff")).toBeLessThan(4.7);
    expect(Math.abs(oklchOf(found).h - oklchOf("#ff9900").h)).toBeLessThan(8);
    expect(readable("#000000", ["#ffffff"], 4.5)).toBe("#000000");
});

it("gives the better of black and white where nothing reads on all grounds", () => {
    expect(["#000000", "#ffffff"]).toContain(readable("#ff9900", ["#ffffff", "#000000"], 7));
});
