// Places in texts: sentences in a drawn page, references in a document's source. Pure but for the DOM it is given.

const SIGNIFICANT = /[\p{L}\p{N}]/u;

/** Only letters and digits: what survives Markdown, quotation marks and line breaks. */
function bare(text: string): string {
    return [...text.normalize("NFC").toLowerCase()].filter((c) => SIGNIFICANT.test(c)).join("");
}

/** The words of a sentence without the addresses of its links. */
export function bareSentence(markdown: string): string {
    return bare(markdown.replace(/\]\([^)\s]*\)/g, "]").replace(/<[^>]+>/g, ""));
}

/** The text of a drawn page, with the place of every character that counts. */
export class PageText {
    readonly #text: string;
    readonly #places: { node: Text; offset: number }[] = [];

    constructor(root: Node) {
        let text = "";
        const walker = root.ownerDocument?.createTreeWalker(root, NodeFilter.SHOW_TEXT);
        for (let node = walker?.nextNode(); node; node = walker?.nextNode()) {
            if (!(node instanceof Text)) continue;
            for (let offset = 0; offset < node.data.length; offset += 1) {
                const letters = bare(node.data.charAt(offset));
                for (let each = 0; each < letters.length; each += 1) this.#places.push({ node, offset });
                text += letters;
            }
        }
        this.#text = text;
    }

    /** Where a sentence stands first. */
    find(sentence: string): Range | undefined {
        const wanted = bareSentence(sentence);
        const at = wanted === "" ? -1 : this.#text.indexOf(wanted);
        const from = this.#places[at];
        const to = this.#places[at + wanted.length - 1];
        if (at < 0 || from === undefined || to === undefined) return undefined;
        const range = document.createRange();
        range.setStart(from.node, from.offset);
        range.setEnd(to.node, to.offset + 1);
        return range;
    }
}

/** A reference that is no paragraph: a web page `[W1]` or an earlier answer `[P1]`. */
export interface Reference {
    label: string;
    kind: "web" | "prior";
    /** The line of the document's list that explains it; Markdown. */
    line: string;
}

/** The references that a document lists, by label. */
export function referencesOf(markdown: string): ReadonlyMap<string, Reference> {
    const found = new Map<string, Reference>();
    for (const hit of markdown.matchAll(/^[-*] \[([WP])(\d+)\] (.+)$/gm)) {
        const label = `${hit[1]}${hit[2]}`;
        found.set(label, { label, kind: hit[1] === "W" ? "web" : "prior", line: hit[3] ?? "" });
    }
    return found;
}

/** The source with the labels of listed references made links to `#ref-<label>`. Code, and the list itself, stay. */
export function linkReferences(markdown: string, references: ReadonlyMap<string, Reference>): string {
    if (references.size === 0) return markdown;
    let fenced = false;
    return markdown
        .split("\n")
        .map((line) => {
            if (/^\s*(?:>\s?)*(```|~~~)/.test(line)) fenced = !fenced;
            if (fenced || /^[-*] \[[WP]\d+\] /.test(line)) return line;
            return line.replace(/(?<!\[)\[([WP]\d+)\](?![(\]:])/g, (whole, label: string) =>
                references.has(label) ? `[\\[${label}\\]](#ref-${label})` : whole,
            );
        })
        .join("\n");
}

/** The line that names the answer which a follow-up builds on, with its address made a link to `#run-<id>`. */
export function linkEarlier(markdown: string): string {
    return markdown.replace(/^(- Earlier answer: \[.*\])\(agentnative:\/\/run\/(run-[A-Za-z0-9-]+)\)/gm, "$1(#run-$2)");
}

/** Sections that the program writes behind the answer and that are looked up, not read. */
const FOLDED = [
    "Sources",
    "Statements",
    "Verification Summary",
    "Citations Used",
    "External References",
    "Prior Research References",
    "Appendix: Research Decomposition",
];

/** A document's Markdown as what is read and what is folded. */
export function partsOf(markdown: string): { read: string; folded: { heading: string; text: string }[] } {
    const read: string[] = [];
    const folded: { heading: string; text: string }[] = [];
    let fence = false;
    let part: { heading: string; lines: string[] } | undefined;
    const close = () => {
        if (part !== undefined) folded.push({ heading: part.heading, text: part.lines.join("\n").trim() });
        part = undefined;
    };
    for (const line of markdown.split("\n")) {
        if (/^(```|~~~)/.test(line)) fence = !fence;
        const heading = fence ? undefined : /^## (.+)$/.exec(line)?.[1]?.trim();
        if (heading !== undefined) {
            close();
            if (FOLDED.includes(heading)) {
                part = { heading, lines: [] };
                continue;
            }
        }
        (part?.lines ?? read).push(line);
    }
    close();
    return { read: read.join("\n"), folded };
}
