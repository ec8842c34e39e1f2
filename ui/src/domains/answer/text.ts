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
            return line.replace(/(?<!\[)\[([WP]\d+)\](?![(\]:])/g, (whole, label: string) => (references.has(label) ? `[\\[${label}\\]](#ref-${label})` : whole));
        })
        .join("\n");
}
