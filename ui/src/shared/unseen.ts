// Characters that nobody sees, or that put what is around them in another order, written out.

/** As `is_invisible` of the core has them, with the two that end a line for some programs only. */
const UNSEEN: readonly (readonly [number, number])[] = [
    [0xad, 0xad],
    [0x34f, 0x34f],
    [0x61c, 0x61c],
    [0x115f, 0x1160],
    [0x17b4, 0x17b5],
    [0x180b, 0x180f],
    [0x200b, 0x200f],
    [0x2028, 0x202e],
    [0x2060, 0x206f],
    [0x3164, 0x3164],
    [0xfe00, 0xfe0f],
    [0xfeff, 0xfeff],
    [0xffa0, 0xffa0],
    [0xfff0, 0xfffb],
    [0x1bca0, 0x1bca3],
    [0x1d173, 0x1d17a],
    [0xe0000, 0xe0fff],
];

/** Scripts whose letters a joiner gives another form. */
const JOINING =
    /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u;
const PICTURE = /\p{Extended_Pictographic}/u;
const OF_EMOJI = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\u{fe0f}]/u;

/** A text as it is shown where somebody decides on it: `<U+202E>` in place of what can't be seen. Emoji and scripts keep the
 *  joiners that they need. */
export function writtenOut(text: string): string {
    const letters = [...text];
    let found = "";
    for (let at = 0; at < letters.length; at += 1) {
        const letter = letters[at] ?? "";
        found +=
            isUnseen(letter, letters[at + 1]) && !isNeeded(letter, letters[at - 1], letters[at + 1])
                ? named(letter)
                : letter;
    }
    return found;
}

function named(letter: string): string {
    return `<U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`;
}

function isUnseen(letter: string, next: string | undefined): boolean {
    const code = letter.codePointAt(0) ?? 0;
    // A line's end of two characters is one that is seen.
    if (code === 0x0a || code === 0x09 || (code === 0x0d && next === "\n")) return false;
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return true;
    return code >= 0xad && UNSEEN.some(([first, last]) => code >= first && code <= last);
}

/** Whether it does what it is for between what stands before and after it. */
function isNeeded(letter: string, before = "", after = ""): boolean {
    switch (letter) {
        case "\u{200c}":
            return JOINING.test(before) && JOINING.test(after);
        case "\u{200d}":
            return JOINING.test(before) || (OF_EMOJI.test(before) && PICTURE.test(after));
        case "\u{fe0e}":
        case "\u{fe0f}":
            return PICTURE.test(before) || (/[0-9#*]/.test(before) && after === "\u{20e3}");
        default:
            return false;
    }
}
