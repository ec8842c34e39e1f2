// The themes that come with the program: six colours a side, of our own choosing. `contrast.test.ts` proves that everything derived from them reads.

import type { Colours, Sides, Strength } from "./derive";

export interface BuiltIn {
    id: string;
    name: string;
    sides: Sides;
    /** How strong words and lines are at least. */
    strength: Strength;
}

type Six = readonly [
    background: string,
    foreground: string,
    accent: string,
    info: string,
    success: string,
    destructive: string,
];

function side([background, foreground, accent, info, success, destructive]: Six): Colours {
    return { background, foreground, accent, info, success, destructive };
}

function theme(id: string, name: string, light: Six, dark: Six, strength: Strength = "normal"): BuiltIn {
    return { id, name, sides: { light: side(light), dark: side(dark) }, strength };
}

const PAPER = theme(
    "paper",
    "Paper",
    ["#faf9f6", "#1d1c1a", "#2b4c7e", "#85530a", "#2a6641", "#a3302b"],
    ["#131314", "#eceae6", "#8fb2e8", "#e2b25b", "#7fc294", "#f0938c"],
);

/** The first is what a new window has. */
export const THEMES: readonly BuiltIn[] = [
    { ...PAPER, sides: { ...PAPER.sides, light: { ...PAPER.sides.light, paper: "#ffffff" } } },
    theme(
        "slate",
        "Slate",
        ["#f5f6f8", "#171b21", "#1f5673", "#85530a", "#2a6641", "#a3302b"],
        ["#11151a", "#e6eaf0", "#86bedd", "#e2b25b", "#7fc294", "#f0938c"],
    ),
    theme(
        "sepia",
        "Sepia",
        ["#f6efe0", "#2c2418", "#20536e", "#7b510d", "#385e2f", "#9a2925"],
        ["#1b1813", "#ebe2d1", "#8fc3dd", "#e8c365", "#96c38c", "#ef9491"],
    ),
    theme(
        "harbour",
        "Harbour",
        ["#f0f7f9", "#13242e", "#005971", "#7e5403", "#0e6549", "#a5292b"],
        ["#0d181e", "#dce7ea", "#6ec6db", "#e8bd6d", "#79cfab", "#f08e8b"],
    ),
    theme(
        "moss",
        "Moss",
        ["#f2f5ec", "#1e241a", "#445c20", "#83560d", "#005957", "#9f2b1e"],
        ["#131812", "#e3e6db", "#b7d484", "#eeba70", "#71c9c5", "#f19488"],
    ),
    theme(
        "clay",
        "Clay",
        ["#fbf2ee", "#2a1e1b", "#96461b", "#6e5d14", "#285f3f", "#9c2047"],
        ["#1b1412", "#ece2dd", "#f2ac81", "#dcd179", "#8bcca1", "#ef86a0"],
    ),
    theme(
        "plum",
        "Plum",
        ["#faf5f9", "#291d2a", "#732f67", "#805307", "#1a613f", "#a72530"],
        ["#1a111a", "#ece3e9", "#e5a2d1", "#ebc070", "#82d2a8", "#f49191"],
    ),
    theme(
        "fog",
        "Fog",
        ["#ebedef", "#26292d", "#404e60", "#735520", "#2d5b3f", "#933331"],
        ["#1e2124", "#dbdee2", "#b1c7de", "#dfc48b", "#9dcfad", "#eca19d"],
    ),
    theme(
        "juniper",
        "Juniper",
        ["#f0f9f6", "#102322", "#005956", "#875306", "#29612d", "#a52a24"],
        ["#0a1616", "#dee9e6", "#71d5cc", "#eeba70", "#91d993", "#f4928a"],
    ),
    theme(
        "quarry",
        "Quarry",
        ["#edece5", "#26241e", "#5c4f1d", "#8f4800", "#1e5a38", "#9a2929"],
        ["#1d1c18", "#e2e0d7", "#dccc7e", "#f4b175", "#8bcca1", "#ef9491"],
    ),
    theme(
        "copper",
        "Copper",
        ["#fcf9f7", "#1f1916", "#8b440c", "#695a1f", "#156141", "#9e2034"],
        ["#120f0d", "#ebe7e2", "#f3ac75", "#dbd182", "#82d2a8", "#f58a8f"],
    ),
    theme(
        "lagoon",
        "Lagoon",
        ["#e7f8f9", "#07232a", "#005b63", "#8f520d", "#236436", "#a92741"],
        ["#051d23", "#dbecec", "#61dde3", "#f5bb75", "#86df9a", "#f78d9b"],
    ),
    theme(
        "heather",
        "Heather",
        ["#f5f3fc", "#252133", "#5e438e", "#7e5403", "#156141", "#a62534"],
        ["#1a1724", "#e6e2ed", "#c4acf2", "#edbf71", "#82d2a8", "#f49194"],
    ),
    theme(
        "cinder",
        "Cinder",
        ["#f4f2f0", "#1d1a18", "#453b33", "#7b5100", "#1c5e39", "#9e2225"],
        ["#100e0d", "#e8e4e1", "#dbcfbf", "#f2b966", "#88d1a2", "#f58b88"],
    ),
    theme(
        "contrast",
        "High contrast",
        ["#ffffff", "#000000", "#00378a", "#5c3700", "#00471f", "#7d0a05"],
        ["#000000", "#ffffff", "#a8cdff", "#ffd37a", "#8ff0b3", "#ffb3ad"],
        "more",
    ),
];

export const FIRST: BuiltIn = THEMES[0] ?? PAPER;

export function builtIn(id: string): BuiltIn | undefined {
    return THEMES.find((each) => each.id === id);
}
