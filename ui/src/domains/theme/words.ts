import type { Checked, ColourName } from "@/shared";

/** What each colour is for. */
export const COLOURS: Record<ColourName, { word: string; hint: string }> = {
    background: { word: "Background", hint: "The page" },
    foreground: { word: "Text", hint: "Words, and lines made of it" },
    accent: { word: "Accent", hint: "Focus, selection, running" },
    info: { word: "Needs you", hint: "What waits for you" },
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
    hover: "what the pointer is on",
    field: "fields",
    ink: "Text",
    "ink-2": "Quieter text",
    "ink-3": "Quiet text",
    "hairline-strong": "Edges of controls",
    accent: "Accent",
    "accent-strong": "the accent under the pointer",
    "accent-soft": "what is selected",
    "on-accent": "Text of the primary button",
    running: "Running",
    "running-soft": "its own ground",
    needs: "Needs you",
    "needs-soft": "its own ground",
    "needs-rule": "The rule of a question",
    done: "Done",
    "done-soft": "its own ground",
    failed: "Failed",
    "failed-soft": "its own ground",
    "on-failed": "Text of a deleting button",
    "code-keyword": "Keywords of code",
    "code-string": "Texts in code",
    "code-number": "Numbers in code",
    "code-name": "Names in code",
    "code-comment": "Comments in code",
};

const GROUNDS_OF_TEXT: Partial<Record<string, string>> = {
    accent: "the accent",
    failed: "the colour of failures",
    "accent-soft": "what is selected",
    "needs-soft": "what needs you",
    "done-soft": "what was added",
    "failed-soft": "what failed or was removed",
    "running-soft": "what runs",
};

/** A pair in words: "Quiet text on the sidebar". */
export function pairWords({ front, ground }: Pick<Checked, "front" | "ground">): string {
    const own = ground === `${front}-soft`;
    return `${TOKENS[front] ?? front} on ${own ? "its own ground" : (GROUNDS_OF_TEXT[ground] ?? TOKENS[ground] ?? ground)}`;
}

/** A ratio as it is read: "4.5". Never rounded up to what it does not reach. */
export function ratioWords(ratio: number): string {
    return (Math.floor(ratio * 10) / 10).toFixed(1);
}
