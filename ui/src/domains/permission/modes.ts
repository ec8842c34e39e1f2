// How much an agent may do unasked, in words.

import type { Mode } from "@/backend";

export interface ModeWords {
    mode: Mode;
    word: string;
    hint: string;
}

/** In the order in which Shift+Tab goes through them. */
export const MODES: readonly ModeWords[] = [
    { mode: "safe", word: "Explore", hint: "Reads and searches. Changes nothing, asks for nothing." },
    { mode: "ask", word: "Ask to edit", hint: "Asks before it changes a file, runs a command or sends something." },
    { mode: "allow-all", word: "Auto", hint: "Does it without asking. Rules that forbid something still hold." },
];

export function modeWord(mode: Mode): string {
    return MODES.find((each) => each.mode === mode)?.word ?? mode;
}

export function nextMode(mode: Mode): Mode {
    const at = MODES.findIndex((each) => each.mode === mode);
    return MODES[(at + 1) % MODES.length]?.mode ?? "ask";
}
