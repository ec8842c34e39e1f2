// A text cut where something in it is marked.

export interface Piece {
    text: string;
    marked: boolean;
    /** Words that stand struck out between the text's own. */
    struck?: true;
}

/** Overlapping ranges become one; what lies outside of the text is left out. Struck words stand where they were, with blanks around. */
export function pieces(
    text: string,
    ranges: readonly { start: number; end: number }[],
    struck: readonly { at: number; text: string }[] = [],
): Piece[] {
    let from = 0;
    const parts = struck.flatMap((words) => {
        const to = Math.max(from, Math.min(words.at, text.length));
        const part = { from, to, words: words.text };
        from = to;
        return part;
    });
    return [...parts, { from, to: text.length, words: "" }].flatMap(({ from, to, words }) => {
        const within = ranges.map(({ start, end }) => ({ start: start - from, end: Math.min(end, to) - from }));
        const own = marked(text.slice(from, to), within);
        if (words === "") return own;
        const blank = (at: number) => (/^\S$/.test(text.charAt(at)) ? " " : "");
        const lead = to === 0 ? "" : blank(to - 1);
        return [...own, { text: `${lead}${words}${blank(to)}`, marked: false, struck: true as const }];
    });
}

function marked(text: string, ranges: readonly { start: number; end: number }[]): Piece[] {
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
