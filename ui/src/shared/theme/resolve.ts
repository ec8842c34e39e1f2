// From a theme as a file says it, which may leave much out, to all colours of both sides.

import { hexOf, luminance, mixed, parseColour } from "./colour";
import { GROUNDS, SIX, counterpart, type ColourName, type Colours, type Sides, type Strength } from "./derive";
import { FIRST, builtIn } from "./themes";

/** Colours as a file gives them: CSS colours, or one of the six by name with an opacity (`foreground/50`). */
export type Given = { [Name in ColourName]?: string | null };

/** A theme as a file gives it. */
export interface ThemeFile {
    name?: string;
    /** The theme whose colours count where this one gives none. */
    base?: string | null;
    light?: Given;
    dark?: Given;
}

export interface Resolved {
    sides: Sides;
    strength: Strength;
}

/** The person's themes by id. */
export type Find = (id: string) => ThemeFile | undefined;

/** How deep themes may rest on one another: files can form a ring. */
const MAX_DEPTH = 8;

/** A theme by its id; undefined when there is none. */
export function themeOf(id: string, find: Find, depth = 0): Resolved | undefined {
    const own = find(id);
    if (own !== undefined) return complete(own, find, depth);
    const shipped = builtIn(id);
    return shipped === undefined ? undefined : { sides: shipped.sides, strength: shipped.strength };
}

/** All colours of a theme. `under` counts where it names no base. */
export function complete(theme: ThemeFile, find: Find, depth = 0, under?: Resolved): Resolved {
    const named =
        theme.base !== undefined && theme.base !== null && depth < MAX_DEPTH
            ? themeOf(theme.base, find, depth + 1)
            : undefined;
    const base = named ?? under;
    const [light, dark] = [theme.light ?? {}, theme.dark ?? {}];
    const fallback = base ?? { sides: FIRST.sides, strength: FIRST.strength };
    if (base === undefined) {
        const one = gives(light) ? "light" : "dark";
        if (gives(light) !== gives(dark)) {
            const side = filled(one === "light" ? light : dark, fallback.sides[one]);
            const other = counterpart(side);
            // A theme for the dark alone may not say that it is one.
            const isDark = luminance(side.background) < luminance(side.foreground);
            return {
                sides: isDark ? { light: other, dark: side } : { light: side, dark: other },
                strength: fallback.strength,
            };
        }
    }
    return {
        sides: { light: filled(light, fallback.sides.light), dark: filled(dark, fallback.sides.dark) },
        strength: fallback.strength,
    };
}

/** Whether a side says on which ground it stands. */
function gives(side: Given): boolean {
    return parsed(side.background) !== undefined || parsed(side.foreground) !== undefined;
}

const parsed = (text: string | null | undefined) =>
    text === null || text === undefined ? undefined : parseColour(text);

/** A side with what it leaves out. What it says on a ground of its own counts with that ground: derived colours of another ground would not fit. */
function filled(given: Given, under: Colours): Colours {
    const ground = parsed(given.background);
    const background = ground === undefined ? under.background : hexOf(ground);
    const six: Colours = { ...under, background };
    if (ground !== undefined) for (const name of GROUNDS) delete six[name];
    // The foreground first: others may be made of it.
    for (const name of SIX.slice(1)) six[name] = solid(given[name], six, background) ?? under[name];
    for (const name of GROUNDS) {
        const own = solid(given[name], six, background);
        if (own !== undefined) six[name] = own;
    }
    return six;
}

/** A colour without transparency, as it looks on the background. */
function solid(text: string | null | undefined, six: Colours, background: string): string | undefined {
    if (text === null || text === undefined) return undefined;
    const [name, percent] = text.trim().split("/");
    const known = SIX.find((each) => each === name);
    if (known !== undefined) {
        const part = percent === undefined ? 1 : Number(percent) / 100;
        return Number.isFinite(part) ? mixed(six[known], background, Math.min(1, Math.max(0, part))) : undefined;
    }
    const colour = parseColour(text);
    return colour === undefined ? undefined : mixed(hexOf(colour), background, colour.alpha);
}

/** What a file must say to give these colours: nothing that another theme already says. */
export function asFile(name: string, sides: Sides): ThemeFile & { name: string; light: Given; dark: Given } {
    return { name, light: { ...sides.light }, dark: { ...sides.dark } };
}

/** The theme's colours by the names that files use for them, as tokens. */
const TOKENS: Record<(typeof SIX)[number], string> = {
    background: "page",
    foreground: "ink",
    accent: "accent",
    info: "needs",
    success: "done",
    destructive: "failed",
};

/** A colour of a status, label or view as CSS that follows the theme; undefined for what is no colour. */
export function cssColour(
    colour: string | { light: string; dark?: string | null } | null | undefined,
): string | undefined {
    if (colour === null || colour === undefined) return undefined;
    if (typeof colour !== "string") {
        const light = cssColour(colour.light);
        const dark = cssColour(colour.dark ?? colour.light);
        return light === undefined || dark === undefined ? undefined : `light-dark(${light}, ${dark})`;
    }
    const [name, percent] = colour.trim().split("/");
    const known = SIX.find((each) => each === name);
    if (known !== undefined) {
        const token = `var(--${TOKENS[known]})`;
        return percent === undefined || !/^\d{1,3}$/.test(percent)
            ? token
            : `color-mix(in srgb, ${token} ${Math.min(100, Number(percent))}%, transparent)`;
    }
    const found = parseColour(colour);
    return found === undefined
        ? undefined
        : `${hexOf(found)}${
              found.alpha === 1
                  ? ""
                  : Math.round(found.alpha * 255)
                        .toString(16)
                        .padStart(2, "0")
          }`;
}
