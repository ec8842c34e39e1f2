// Code's colours, loaded when the first code is shown. A small set of languages: what research and configuration are written in.

import type { Root } from "hast";
import type { createLowlight } from "lowlight";

type Highlighter = ReturnType<typeof createLowlight>;

/** Beyond this many characters code stays plain: colouring it would be felt while scrolling. */
const MAX_CHARS = 60_000;

let loaded: Highlighter | undefined;
let loading: Promise<Highlighter> | undefined;

/** Loads the highlighter once. */
export function loadHighlighter(): Promise<Highlighter> {
    loading ??= import("./highlight-languages").then(({ highlighter }) => (loaded = highlighter));
    return loading;
}

/** The highlighter, if it is there already. */
export function highlighterIfLoaded(): Highlighter | undefined {
    return loaded;
}

/** Coloured code as a tree; undefined where the language is not known or the code too long. */
export function highlight(highlighter: Highlighter, code: string, language: string | undefined): Root | undefined {
    if (language === undefined || code.length > MAX_CHARS || !highlighter.registered(language)) return undefined;
    try {
        return highlighter.highlight(language, code);
    } catch {
        // Code that the highlighter gives up on is code without colours.
        return undefined;
    }
}
