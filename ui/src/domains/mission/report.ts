// A report's text apart from its footnotes.

export interface Note {
    label: string;
    text: string;
    /** The claim that it rests on. */
    claim?: string;
}

export interface ReportText {
    /** With each reference to a footnote as a link to `#note-<label>`. */
    markdown: string;
    notes: Note[];
}

const DEFINITION = /^\[\^([\w-]+)\]:\s*(.*)$/;
const FENCE = /^\s*(?:```|~~~)/;

export function readReport(text: string): ReportText {
    const notes: Note[] = [];
    const kept: string[] = [];
    let isCode = false;
    for (const line of text.split("\n")) {
        if (FENCE.test(line)) isCode = !isCode;
        const found = isCode ? null : DEFINITION.exec(line);
        if (found === null) {
            kept.push(isCode ? line : line.replace(/\[\^([\w-]+)\]/g, "[$1](#note-$1)"));
            continue;
        }
        const [, label = "", rest = ""] = found;
        // A note ends in its claim; one that an agent wrote may be named after it.
        const end = /\s*\[(c\d+)\]$/.exec(rest);
        const claim = end?.[1] ?? /^c\d+$/.exec(label)?.[0];
        notes.push({
            label,
            text: end === null ? rest : rest.slice(0, end.index),
            ...(claim === undefined ? {} : { claim }),
        });
    }
    return { markdown: kept.join("\n").trimEnd(), notes };
}
