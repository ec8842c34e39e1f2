// A text cut where something in it is marked.

import type { TextRange } from "@/backend";

export interface Piece {
    text: string;
    marked: boolean;
}

/** Overlapping ranges become one; what lies outside of the text is left out. */
export function pieces(text: string, ranges: readonly TextRange[]): Piece[] {
    const sorted = ranges
        .map(({ start, end }) => ({ start: Math.max(0, start), end: Math.min(text.length, end) }))
        .filter(({ start, end }) => start < end)
        .sort((a, b) => a.start - b.start);
    const found: Piece[] = [];
    let at = 0;
    for (const { start, end } of sorted) {
        if (end <= at) continue;
        if (start > at) found.push({ text: text.slice(at, start), marked: false });
        const last = found[found.length - 1];
        const from = Math.max(start, at);
        // Ranges that touch are drawn as one mark.
        if (last?.marked === true) last.text += text.slice(from, end);
        else found.push({ text: text.slice(from, end), marked: true });
        at = end;
    }
    if (at < text.length) found.push({ text: text.slice(at), marked: false });
    return found;
}

/** The part of a text around its first mark, with the ranges moved along: for a result of a search. */
export function excerpt(text: string, ranges: readonly TextRange[], length: number): { text: string; ranges: TextRange[]; before: boolean; after: boolean } {
    // What is left out should be worth leaving out.
    if (text.length <= length * 1.25) return { text, ranges: [...ranges], before: false, after: false };
    const first = Math.min(...ranges.map((range) => range.start), text.length);
    const wanted = first === text.length ? 0 : Math.max(0, first - Math.floor(length / 4));
    const from = wanted === 0 ? 0 : text.indexOf(" ", wanted) + 1 || wanted;
    const end = text.lastIndexOf(" ", from + length);
    const to = from + length >= text.length ? text.length : end > from ? end : from + length;
    return {
        text: text.slice(from, to),
        ranges: ranges.filter((range) => range.end > from && range.start < to).map(({ start, end }) => ({ start: Math.max(start, from) - from, end: Math.min(end, to) - from })),
        before: from > 0,
        after: to < text.length,
    };
}
