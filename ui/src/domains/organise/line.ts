// A line that is being written: its pieces around what is wrong, and what a completion makes of it. Pure; places are UTF-16 units.

import type { Span } from "@/backend";

export interface Piece<T> {
    text: string;
    tone: T | undefined;
}

/** The text in pieces; of marks that overlap the first counts. A mark at the end covers the last letter. */
export function cutAt<T>(text: string, marks: readonly { at: Span; tone: T }[]): Piece<T>[] {
    const sorted = [...marks].sort((a, b) => a.at.start - b.at.start);
    const pieces: Piece<T>[] = [];
    let done = 0;
    for (const { at, tone } of sorted) {
        let [start, end] = [Math.max(at.start, done), Math.min(at.end, text.length)];
        if (end <= start && at.start >= at.end) {
            // Something is missing here: the letter before it shows where.
            [start, end] = [Math.max(done, Math.min(at.start, text.length) - 1), Math.min(at.start + 1, text.length)];
            if (start >= end) start = Math.max(done, end - 1);
        }
        if (end <= start) continue;
        if (start > done) pieces.push({ text: text.slice(done, start), tone: undefined });
        pieces.push({ text: text.slice(start, end), tone });
        done = end;
    }
    if (done < text.length) pieces.push({ text: text.slice(done), tone: undefined });
    return pieces;
}

/** The text with a completion in place of what it replaces, and where the caret then stands. */
export function taken(text: string, replace: Span, insert: string): { text: string; caret: number } {
    const start = Math.min(replace.start, text.length);
    const end = Math.max(start, Math.min(replace.end, text.length));
    return { text: text.slice(0, start) + insert + text.slice(end), caret: start + insert.length };
}
