// The part of a found text that is worth showing.

import type { TextRange } from "@/backend";

/** The part of a text around its first mark, with the ranges moved along: for a result of a search. */
export function excerpt(
    text: string,
    ranges: readonly TextRange[],
    length: number,
): { text: string; ranges: TextRange[]; before: boolean; after: boolean } {
    // What is left out should be worth leaving out.
    if (text.length <= length * 1.25) return { text, ranges: [...ranges], before: false, after: false };
    const first = Math.min(...ranges.map((range) => range.start), text.length);
    const wanted = first === text.length ? 0 : Math.max(0, first - Math.floor(length / 4));
    const from = wanted === 0 ? 0 : text.indexOf(" ", wanted) + 1 || wanted;
    const end = text.lastIndexOf(" ", from + length);
    const to = from + length >= text.length ? text.length : end > from ? end : from + length;
    return {
        text: text.slice(from, to),
        ranges: ranges
            .filter((range) => range.end > from && range.start < to)
            .map(({ start, end }) => ({ start: Math.max(start, from) - from, end: Math.min(end, to) - from })),
        before: from > 0,
        after: to < text.length,
    };
}
