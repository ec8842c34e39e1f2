// From the six colours of a theme's side to every token of the style sheet.

import { contrast, hexOfOklch, luminance, mixed, oklchOf, readable, shifted } from "./colour";

/** The colours that make a side of a theme, each `#rrggbb`. */
export interface Colours {
    background: string;
    foreground: string;
    /** Focus, selection, the primary button, what is running. */
    accent: string;
    /** What waits for the person. */
    info: string;
    /** What is done or verified. */
    success: string;
    /** What failed or takes something away. */
    destructive: string;
    /** Cards and documents; derived where absent, like the next three. */
    paper?: string;
    /** The sidebar. */
    navigator?: string;
    /** Fields to type in. */
    input?: string;
    /** Menus and dialogs. */
    popover?: string;
}

export interface Sides {
    light: Colours;
    dark: Colours;
}

export const SIX = ["background", "foreground", "accent", "info", "success", "destructive"] as const;
export const GROUNDS = ["paper", "navigator", "input", "popover"] as const;
export type ColourName = (typeof SIX)[number] | (typeof GROUNDS)[number];

/** How strong words and lines are: `more` is what a person asks for who sees little contrast. */
export type Strength = "normal" | "more";

export type Token =
    | "page"
    | "surface"
    | "raised"
    | "sunken"
    | "hover"
    | "field"
    | "ink"
    | "ink-2"
    | "ink-3"
    | "ink-faint"
    | "hairline"
    | "hairline-strong"
    | "accent"
    | "accent-strong"
    | "on-accent"
    | "accent-soft"
    | "running"
    | "running-soft"
    | "needs"
    | "needs-soft"
    | "needs-rule"
    | "done"
    | "done-soft"
    | "failed"
    | "failed-soft"
    | "on-failed"
    | "code-keyword"
    | "code-string"
    | "code-number"
    | "code-name"
    | "code-comment"
    | "shadow-colour"
    | "veil";

export type Tokens = Record<Token, string>;

/** Contrasts that are asked for: of words, of quiet words, of edges, of hairlines, and how much of the ink they begin with. */
const ASKED = {
    normal: {
        words: 4.5,
        second: 6,
        third: 4.5,
        edge: 3,
        ink2: 0.78,
        ink3: 0.62,
        faint: 0.3,
        line: 0.1,
        hairline: 0,
        strong: 0.46,
    },
    more: {
        words: 7,
        second: 10,
        third: 7,
        edge: 7,
        ink2: 0.92,
        ink3: 0.84,
        faint: 0.5,
        line: 0.3,
        hairline: 3,
        strong: 0.8,
    },
} as const;

/** Lightness steps between the grounds, in OKLab. */
const STEPS = {
    light: { sunken: -0.024, hover: -0.034 },
    dark: { surface: 0.033, raised: 0.07, sunken: 0.014, hover: 0.076 },
} as const;

/** The text or sign that reads best on a colour: white, or the colour's own darkness. */
function onColour(colour: string): string {
    if (contrast("#ffffff", colour) >= 4.5) return "#ffffff";
    const dark = hexOfOklch({ l: 0.2, c: 0.03, h: oklchOf(colour).h });
    return contrast(dark, colour) >= 4.5 ? dark : "#000000";
}

/** A ground tinted by a colour, as strongly as the colour itself and the inks still read on it. */
function softOf(colour: string, ground: string, inks: readonly [string, number][], dark: boolean): string {
    for (let part = dark ? 0.14 : 0.12; part > 0.03; part -= 0.01) {
        const soft = mixed(colour, ground, part);
        if (inks.every(([ink, ratio]) => contrast(ink, soft) >= ratio)) return soft;
    }
    return mixed(colour, ground, 0.03);
}

const distance = (a: number, b: number) => Math.min(Math.abs(a - b), 360 - Math.abs(a - b));

/** A hue that none of the others has. */
function apart(hues: readonly number[]): number {
    const room = (hue: number) => Math.min(...hues.map((other) => distance(hue, other)));
    return [325, 195, 290, 20].reduce((best, hue) => (room(hue) > room(best) + 5 ? hue : best));
}

/** Every token of a side. Any colours give some tokens; whether they can be read is for `checkSide` to say. */
export function derive(colours: Colours, strength: Strength = "normal"): Tokens {
    const asked = ASKED[strength];
    const page = colours.background;
    const dark = luminance(page) < luminance(colours.foreground);
    const surface = colours.paper ?? (dark ? shifted(page, STEPS.dark.surface) : mixed("#ffffff", page, 0.55));
    const raised = colours.popover ?? (dark ? shifted(page, STEPS.dark.raised) : mixed("#ffffff", surface, 0.5));
    const sunken = colours.navigator ?? shifted(page, dark ? STEPS.dark.sunken : STEPS.light.sunken);
    const hover = shifted(page, dark ? STEPS.dark.hover : STEPS.light.hover);
    const field = colours.input ?? surface;
    const grounds = [page, surface, raised, sunken, hover, field];

    const kept = (colour: string) => (strength === "more" ? readable(colour, grounds, asked.words) : colour);
    const ink = kept(colours.foreground);
    const [accent, needs, done, failed] = [
        kept(colours.accent),
        kept(colours.info),
        kept(colours.success),
        kept(colours.destructive),
    ];
    const ink2 = readable(mixed(ink, page, asked.ink2), grounds, asked.second);
    const soft = (state: string) =>
        softOf(
            state,
            surface,
            [
                [state, asked.words],
                [ink2, asked.words],
                [ink, asked.words],
            ],
            dark,
        );
    const softs = { accent: soft(accent), needs: soft(needs), done: soft(done), failed: soft(failed) };

    const onAccent = onColour(accent);
    // Away from what stands on it, so that it reads at least as well.
    const strong = (colour: string, on: string, by: number) =>
        shifted(colour, luminance(on) > luminance(colour) ? -by : by);
    const edges = [page, surface, raised, sunken, field];
    const line = mixed(ink, page, asked.line);
    const codeGrounds = [...grounds, softs.done, softs.failed];
    const code = (colour: string) => readable(colour, codeGrounds, asked.words);
    const ink3 = readable(mixed(ink, page, asked.ink3), [...grounds, softs.accent], asked.third);
    const { l, h } = oklchOf(accent);
    return {
        page,
        surface,
        raised,
        sunken,
        hover,
        field,
        ink,
        "ink-2": ink2,
        "ink-3": ink3,
        "ink-faint": mixed(ink, page, asked.faint),
        hairline: asked.hairline === 0 ? line : readable(line, edges, asked.hairline),
        "hairline-strong": readable(mixed(ink, page, asked.strong), edges, asked.edge),
        accent,
        "accent-strong": strong(accent, onAccent, 0.06),
        "on-accent": onAccent,
        "accent-soft": softs.accent,
        running: accent,
        "running-soft": softs.accent,
        needs,
        "needs-soft": softs.needs,
        "needs-rule": readable(shifted(needs, dark ? -0.1 : 0.1), edges, asked.edge),
        done,
        "done-soft": softs.done,
        failed,
        "failed-soft": softs.failed,
        "on-failed": onColour(failed),
        "code-keyword": code(
            hexOfOklch({ l, c: 0.1, h: apart([h, ...[done, needs, failed].map((state) => oklchOf(state).h)]) }),
        ),
        "code-string": code(done),
        "code-number": code(needs),
        "code-name": code(accent),
        "code-comment": code(ink3),
        "shadow-colour": dark ? "#00000080" : `${hexOfOklch({ ...oklchOf(ink), l: 0.2 })}24`,
        veil: dark ? "#00000085" : `${hexOfOklch({ ...oklchOf(ink), l: 0.2 })}3d`,
    };
}

/** Declarations for both sides, each `light-dark(light, dark)`. */
export function declarations(sides: Sides, strength: Strength = "normal"): Record<`--${Token}`, string> {
    const [light, dark] = [derive(sides.light, strength), derive(sides.dark, strength)];
    const names = Object.keys(light) as Token[];
    return Object.fromEntries(
        names.map((name) => [`--${name}`, `light-dark(${light[name]}, ${dark[name]})`]),
    ) as Record<`--${Token}`, string>;
}

/** Something that must be told from what is behind it. */
export interface Pair {
    front: Token;
    ground: Token;
    /** The least contrast by WCAG 2.2: 4.5 for words (1.4.3), 3 for edges and signs (1.4.11). */
    least: 4.5 | 3;
    /** The colour of the theme that decides it. */
    colour: (typeof SIX)[number];
}

const PAPERS = ["page", "surface", "raised", "sunken", "hover", "field"] as const;

function words(front: Token, colour: Pair["colour"], grounds: readonly Token[] = PAPERS): Pair[] {
    return grounds.map((ground) => ({ front, ground, least: 4.5, colour }));
}

function state(front: Token, colour: Pair["colour"]): Pair[] {
    const soft = `${front}-soft` as Token;
    return [
        ...words(front, colour),
        ...words(front, colour, [soft]),
        ...words("ink", "foreground", [soft]),
        ...words("ink-2", "foreground", [soft]),
    ];
}

function edge(front: Token, colour: Pair["colour"]): Pair[] {
    return (["page", "surface", "raised", "sunken", "field"] as const).map((ground) => ({
        front,
        ground,
        least: 3,
        colour,
    }));
}

/** Every text with every ground it stands on, and every edge or sign that carries a meaning. */
export const PAIRS: readonly Pair[] = [
    ...words("ink", "foreground"),
    ...words("ink-2", "foreground"),
    ...words("ink-3", "foreground", [...PAPERS, "accent-soft"]),
    ...edge("hairline-strong", "foreground"),
    ...state("accent", "accent"),
    ...words("running", "accent", ["page", "surface", "running-soft"]),
    ...words("on-accent", "accent", ["accent", "accent-strong"]),
    ...state("needs", "info"),
    ...edge("needs-rule", "info"),
    ...state("done", "success"),
    ...state("failed", "destructive"),
    ...words("on-failed", "destructive", ["failed"]),
    ...(["code-keyword", "code-string", "code-number", "code-name", "code-comment"] as const).flatMap((front) =>
        words(
            front,
            front === "code-string"
                ? "success"
                : front === "code-number"
                  ? "info"
                  : front === "code-comment"
                    ? "foreground"
                    : "accent",
            [...PAPERS, "done-soft", "failed-soft"],
        ),
    ),
];

export interface Checked extends Pair {
    ratio: number;
    passes: boolean;
}

/** The contrast of every pair of a side. */
export function checkTokens(tokens: Tokens): Checked[] {
    return PAIRS.map((pair) => {
        const ratio = contrast(tokens[pair.front], tokens[pair.ground]);
        return { ...pair, ratio, passes: ratio >= pair.least };
    });
}

export function checkSide(colours: Colours): Checked[] {
    return checkTokens(derive(colours));
}

/** The same side with one colour at the nearest lightness with which all its pairs can be told apart; undefined where there is none. */
export function fixed(colours: Colours, name: Exclude<Pair["colour"], "background">): Colours | undefined {
    const { l, c, h } = oklchOf(colours[name]);
    const away = luminance(colours.background) > 0.18 ? -1 : 1;
    for (let step = 0; step <= 100; step += 1) {
        for (const direction of [away, -away]) {
            const next = l + (direction * step) / 100;
            if (next < 0 || next > 1) continue;
            const tried = { ...colours, [name]: hexOfOklch({ l: next, c, h }) };
            if (checkSide(tried).every((pair) => pair.passes || pair.colour !== name)) return tried;
        }
    }
    return undefined;
}

/** All that can be mended about a side without touching its background. */
export function fixedAll(colours: Colours): Colours {
    return (["foreground", "accent", "info", "success", "destructive"] as const).reduce(
        (side, name) => fixed(side, name) ?? side,
        colours,
    );
}

/** The other side of a theme that was made for one alone: the same hues on the other ground. */
export function counterpart(colours: Colours): Colours {
    const toDark = luminance(colours.background) > luminance(colours.foreground);
    const turned = (colour: string, l: number, most: number) => {
        const { c, h } = oklchOf(colour);
        return hexOfOklch({ l, c: Math.min(c, most), h });
    };
    const signal = (colour: string) => {
        const { l, c, h } = oklchOf(colour);
        return hexOfOklch({
            l: toDark ? Math.max(l, 0.76) : Math.min(l, 0.46),
            c: Math.min(c, toDark ? 0.13 : 0.15),
            h,
        });
    };
    return fixedAll({
        background: turned(colours.background, toDark ? 0.19 : 0.98, toDark ? 0.025 : 0.012),
        foreground: turned(colours.foreground, toDark ? 0.93 : 0.23, 0.03),
        accent: signal(colours.accent),
        info: signal(colours.info),
        success: signal(colours.success),
        destructive: signal(colours.destructive),
    });
}

/** The weakest pair of one of the six. */
export function weakest(checked: readonly Checked[], colour: Pair["colour"]): Checked | undefined {
    const own = checked.filter((pair) => pair.colour === colour);
    return own.sort((a, b) => a.ratio / a.least - b.ratio / b.least)[0];
}
