import { expect, it } from "vitest";

import { contrast } from "./colour";
import { checkSide, counterpart, fixed, fixedAll, weakest } from "./derive";
import { complete, cssColour, themeOf, type ThemeFile } from "./resolve";
import { FIRST, THEMES, builtIn } from "./themes";

const none = () => undefined;
const slate = builtIn("slate") ?? FIRST;

it("takes what a theme leaves out from its base", () => {
    const { sides } = complete({ base: "slate", light: { accent: "#123456" } }, none);
    expect(sides.light).toEqual({ ...slate.sides.light, accent: "#123456" });
    expect(sides.dark).toEqual(slate.sides.dark);
});

it("takes it from the first theme where it has no base", () => {
    expect(complete({ dark: { accent: "#123456" } }, none).sides).toEqual({
        light: FIRST.sides.light,
        dark: { ...FIRST.sides.dark, accent: "#123456" },
    });
});

it("takes it from what it lies on where it has no base: a workspace's over the program's", () => {
    expect(complete({ light: { info: "#663300" } }, none, 0, slate).sides.light).toEqual({
        ...slate.sides.light,
        info: "#663300",
    });
});

it("reads every notation, and what is see-through as it looks on its background", () => {
    const { light } = complete(
        {
            light: {
                background: "#ffffff",
                foreground: "rgb(0 0 0)",
                accent: "rgb(0 0 0 / 50%)",
                navigator: "foreground/10",
            },
            dark: { background: "#000" },
        },
        none,
    ).sides;
    expect([light.foreground, light.accent, light.navigator]).toEqual(["#000000", "#808080", "#e6e6e6"]);
});

it("makes the side that is missing from the other one, and it reads", () => {
    const file: ThemeFile = { light: { background: "#fdf4e3", foreground: "#3b2f1e", accent: "#8a4b00" } };
    const { light, dark } = complete(file, none).sides;
    expect(light.background).toBe("#fdf4e3");
    expect(contrast(dark.background, "#000000")).toBeLessThan(2);
    expect(checkSide(dark).filter(({ passes }) => !passes)).toEqual([]);
});

it("sees that a theme is a dark one, even when it does not say so", () => {
    const { light, dark } = complete({ light: { background: "#101418", foreground: "#e8eaed" } }, none).sides;
    expect(dark.background).toBe("#101418");
    expect(contrast(light.background, "#ffffff")).toBeLessThan(1.3);
});

it("ends where themes rest on one another in a ring", () => {
    const ring: Record<string, ThemeFile> = { a: { base: "b" }, b: { base: "a", light: { accent: "#123456" } } };
    expect(themeOf("a", (id) => ring[id])?.sides.light.accent).toBe("#123456");
    expect(themeOf("nobody", none)).toBeUndefined();
});

it("leaves out what is no colour", () => {
    expect(complete({ light: { accent: "url(x)", info: "foreground/x" } }, none).sides).toEqual(FIRST.sides);
});

it("mends a colour that can't be read, and only that one", () => {
    const bad = { ...FIRST.sides.light, accent: "#ffe680" };
    expect(weakest(checkSide(bad), "accent")?.passes).toBe(false);
    const good = fixed(bad, "accent");
    expect(good).toEqual({ ...bad, accent: good?.accent });
    expect(checkSide(good ?? bad).filter(({ passes }) => !passes)).toEqual([]);
    expect(fixed(FIRST.sides.light, "accent")).toEqual(FIRST.sides.light);
});

it("says so where no lightness helps", () => {
    expect(fixed({ ...FIRST.sides.light, paper: "#ffffff", navigator: "#000000" }, "info")).toBeUndefined();
});

it("mends all colours of a side at once", () => {
    const side = fixedAll({
        background: "#ffffff",
        foreground: "#aaaaaa",
        accent: "#ffcc00",
        info: "#ffee88",
        success: "#88ff88",
        destructive: "#ffaaaa",
    });
    expect(checkSide(side).filter(({ passes }) => !passes)).toEqual([]);
});

it("turns any shipped side into a readable other one", () => {
    for (const { sides } of THEMES) {
        expect(checkSide(counterpart(sides.light)).filter(({ passes }) => !passes)).toEqual([]);
        expect(checkSide(counterpart(sides.dark)).filter(({ passes }) => !passes)).toEqual([]);
    }
});

it("gives colours of statuses and labels as CSS that follows the theme", () => {
    expect(cssColour("accent")).toBe("var(--accent)");
    expect(cssColour("foreground/50")).toBe("color-mix(in srgb, var(--ink) 50%, transparent)");
    expect(cssColour({ light: "#3B82F6", dark: "#60A5FA" })).toBe("light-dark(#3b82f6, #60a5fa)");
    expect(cssColour({ light: "#3B82F680" })).toBe("light-dark(#3b82f680, #3b82f680)");
    expect(cssColour("red; background: url(x)")).toBeUndefined();
    expect(cssColour(null)).toBeUndefined();
});
