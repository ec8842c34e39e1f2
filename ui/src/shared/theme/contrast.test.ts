import { describe, expect, it } from "vitest";

import { contrast, oklchOf } from "./colour";
import { PAIRS, checkTokens, declarations, derive, type Strength } from "./derive";
import { FIRST, THEMES } from "./themes";
import tokens from "./tokens.css?raw";

/** How far apart two colours are in OKLab; 0.02 is just seen. */
function apart(a: string, b: string): number {
    const [one, other] = [oklchOf(a), oklchOf(b)];
    const at = ({ l, c, h }: typeof one) =>
        [l, c * Math.cos((h * Math.PI) / 180), c * Math.sin((h * Math.PI) / 180)] as const;
    const [x, y] = [at(one), at(other)];
    return Math.hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

const cases = THEMES.flatMap(({ id, sides, strength }) =>
    (["light", "dark"] as const).map((mode) => [id, mode, sides[mode], strength] as const),
);

it("ships fifteen themes, each with a name and an id of its own", () => {
    expect(THEMES).toHaveLength(15);
    expect(new Set(THEMES.map(({ id }) => id)).size).toBe(15);
    expect(new Set(THEMES.map(({ name }) => name)).size).toBe(15);
});

describe.each(cases)("%s, %s", (_, mode, colours, strength) => {
    it("can be read everywhere (AA)", () => {
        const low = checkTokens(derive(colours, strength)).filter(({ passes }) => !passes);
        expect(low.map(({ front, ground, ratio }) => `${front} on ${ground}: ${ratio.toFixed(2)}`)).toEqual([]);
    });

    it("can be read easily where the person asks for more contrast (AAA)", () => {
        const least = (asked: 4.5 | 3) => (asked === 4.5 ? 7 : 4.5);
        const low = checkTokens(derive(colours, "more")).filter(
            ({ ratio, least: asked, ground, front }) =>
                !front.startsWith("on-") && !ground.endsWith("-soft") && ratio < least(asked),
        );
        expect(low.map(({ front, ground, ratio }) => `${front} on ${ground}: ${ratio.toFixed(2)}`)).toEqual([]);
        expect(checkTokens(derive(colours, "more")).filter(({ passes }) => !passes)).toEqual([]);
    });

    it("is on the side that it says", () => {
        const { page, ink } = derive(colours, strength);
        expect(contrast(page, "#ffffff") < contrast(ink, "#ffffff")).toBe(mode === "light");
    });

    it("has states that nobody takes for one another", () => {
        const { accent, needs, done, failed } = derive(colours, strength);
        const states = Object.entries({ accent, needs, done, failed });
        const near = states.flatMap(([name, one], index) =>
            states
                .slice(index + 1)
                .filter(([, other]) => apart(one, other) < 0.06)
                .map(([other]) => `${name} and ${other}`),
        );
        expect(near).toEqual([]);
    });
});

it("has the first theme in the style sheet, as it is derived", () => {
    const body = /^:root \{([^}]*)\}/m.exec(tokens)?.[1] ?? "";
    const found = Object.fromEntries(
        [...body.matchAll(/(--[\w-]+):\s*(light-dark\([^;]+\));/g)].map((hit) => [hit[1] ?? "", hit[2] ?? ""]),
    );
    expect(found).toEqual(declarations(FIRST.sides));
});

it("asks about every pair once", () => {
    const names = PAIRS.map(({ front, ground }) => `${front} on ${ground}`);
    expect(new Set(names).size).toBe(names.length);
});

it("derives something from any colours at all", () => {
    const odd = ["#000000", "#ffffff", "#808080", "#ff0000", "#00ff00"];
    for (const strength of ["normal", "more"] as Strength[]) {
        for (const background of odd) {
            for (const foreground of odd) {
                const made = derive(
                    {
                        background,
                        foreground,
                        accent: foreground,
                        info: background,
                        success: "#808080",
                        destructive: "#ffff00",
                    },
                    strength,
                );
                for (const value of Object.values(made)) expect(value).toMatch(/^#[\da-f]{6}(?:[\da-f]{2})?$/);
            }
        }
    }
});
