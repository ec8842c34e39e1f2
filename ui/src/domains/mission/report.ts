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
        const claim = /\s*\[(c\d+)\]$/.exec(rest);
        notes.push({
            label,
            text: claim === null ? rest : rest.slice(0, claim.index),
            ...(claim?.[1] === undefined ? {} : { claim: claim[1] }),
        });
    }
    return { markdown: kept.join("\n").trimEnd(), notes };
}
