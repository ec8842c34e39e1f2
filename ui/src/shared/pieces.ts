// A text cut where something in it is marked.

export interface Piece {
    text: string;
    marked: boolean;
}

/** Overlapping ranges become one; what lies outside of the text is left out. */
export function pieces(text: string, ranges: readonly { start: number; end: number }[]): Piece[] {
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
