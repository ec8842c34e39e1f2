import type { Checked, ColourName } from "@/shared";

/** What each colour is for. */
export const COLOURS: Record<ColourName, { word: string; hint: string }> = {
    background: { word: "Background", hint: "The page" },
    foreground: { word: "Text", hint: "Text, and lines derived from it" },
    accent: { word: "Accent", hint: "Focus, selection, running" },
    info: { word: "Needs you", hint: "Waiting for you" },
    success: { word: "Done", hint: "Finished, verified" },
    destructive: { word: "Failed", hint: "Errors, deleting" },
    paper: { word: "Cards", hint: "Cards, lists, documents" },
    navigator: { word: "Sidebar", hint: "The sidebar, code" },
    input: { word: "Fields", hint: "Where you type" },
    popover: { word: "Menus", hint: "Menus and dialogs" },
};

const TOKENS: Partial<Record<string, string>> = {
    page: "the page",
    surface: "cards",
    raised: "menus",
    sunken: "the sidebar",
    hover: "hovered items",
    field: "fields",
    ink: "Text",
    "ink-2": "Quieter text",
    "ink-3": "Quiet text",
    "hairline-strong": "Edges of controls",
    accent: "Accent",
    "accent-strong": "the hovered accent",
    "accent-soft": "selected items",
    "on-accent": "Text of the primary button",
    running: "Running",
    "running-soft": "its own background",
    needs: "Needs you",
    "needs-soft": "its own background",
    "needs-rule": "Question border",
    done: "Done",
    "done-soft": "its own background",
    failed: "Failed",
    "failed-soft": "its own background",
    "on-failed": "Text of the delete button",
    "code-keyword": "Code keywords",
    "code-string": "Code strings",
    "code-number": "Code numbers",
    "code-name": "Code names",
    "code-comment": "Code comments",
};

const GROUNDS_OF_TEXT: Partial<Record<string, string>> = {
    accent: "the accent",
    failed: "the colour of failures",
    "accent-soft": "selected items",
    "needs-soft": "items that need you",
    "done-soft": "additions",
    "failed-soft": "failures and removals",
    "running-soft": "running items",
};

/** A pair in words: "Quiet text on the sidebar". */
export function pairWords({ front, ground }: Pick<Checked, "front" | "ground">): string {
    const own = ground === `${front}-soft`;
    return `${TOKENS[front] ?? front} on ${own ? "its own background" : (GROUNDS_OF_TEXT[ground] ?? TOKENS[ground] ?? ground)}`;
}

/** A ratio as it is read: "4.5". Never rounded up to what it does not reach. */
export function ratioWords(ratio: number): string {
    return (Math.floor(ratio * 10) / 10).toFixed(1);
}
