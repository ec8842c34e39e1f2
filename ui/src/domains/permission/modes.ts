// How much an agent may do unasked, in words.

import type { Mode } from "@/backend";

export interface ModeWords {
    mode: Mode;
    word: string;
    hint: string;
}

/** What Auto still asks for. */
export const AUTO_ASKS =
    "Asks only for protected paths, reading your home directory, commands that cannot be analysed, untrusted tools that may delete, and where a rule asks. Deny rules apply.";

/** In the order in which Shift+Tab goes through them. */
export const MODES: readonly ModeWords[] = [
    { mode: "safe", word: "Explore", hint: "Reads and searches without asking. Changes nothing." },
    {
        mode: "ask",
        word: "Ask to edit",
        hint: "Asks before changing a file, sending anything, or running a command that does more than read.",
    },
    { mode: "allow-all", word: "Auto", hint: AUTO_ASKS },
];

export function modeWord(mode: Mode): string {
    return MODES.find((each) => each.mode === mode)?.word ?? mode;
}

export function nextMode(mode: Mode): Mode {
    const at = MODES.findIndex((each) => each.mode === mode);
    return MODES[(at + 1) % MODES.length]?.mode ?? "ask";
}
