// Cuts Markdown into blocks that mean the same alone as together, so that what is finished is drawn once while the rest still arrives.

const FENCE = /^\s*(?:(?:[-*+]|\d+[.)])\s+|>\s?)*(`{3,}|~{3,})(.*)$/;
const LIST_ITEM = /^ {0,3}(?:([-*+])|\d{1,9}([.)]))(?:\s|$)/;
const INDENTED = /^(?: {2,}|\t)/;
/** Link definitions and footnotes: they change the meaning of text elsewhere. */
const DEFINITION = /^ {0,3}\[[^\]]+\]:/;
const FOOTNOTE = /^ {0,3}\[\^/;
/** A definition that a line holds whole: its label first. */
const LINK =
    /^ {0,3}\[((?:[^[\]\\]|\\.)+)\]:[ \t]*(?:<[^<>]*>|[^\s<]\S*)(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*$/;
/** What may refer to a definition. */
const BRACKETS = /\[((?:[^[\]\\]|\\.)+)\]/g;
/** Elements that hold blocks: until they are closed, everything is theirs. */
const OPENING =
    /<(details|div|section|article|table|thead|tbody|tr|ul|ol|dl|blockquote|figure|center|p|pre|script|style|textarea|template|form|svg|math|iframe|h[1-6])\b[^>]*?(\/?)>|<\/(details|div|section|article|table|thead|tbody|tr|ul|ol|dl|blockquote|figure|center|p|pre|script|style|textarea|template|form|svg|math|iframe|h[1-6])\s*>|<!--|-->/gi;

/** What the lines since the last cut have opened. */
interface Place {
    fence: string | undefined;
    math: boolean;
    /** Names of HTML elements that are open. */
    html: string[];
    comment: boolean;
    /** The sign of the list that the block is. */
    list: string | undefined;
    indentedCode: boolean;
    /** Whether its first line is a link definition. */
    definitions: boolean;
    /** Whether the line before was blank, at the top level. */
    gap: boolean;
    empty: boolean;
}

const fresh = (): Place => ({
    fence: undefined,
    math: false,
    html: [],
    comment: false,
    list: undefined,
    indentedCode: false,
    definitions: false,
    gap: false,
    empty: true,
});

function signOf(line: string): string | undefined {
    const hit = LIST_ITEM.exec(line);
    return hit?.[1] ?? hit?.[2];
}

const normal = (label: string) => label.trim().replace(/\s+/g, " ").toLowerCase();

/** The link definitions that a block consists of, by label; undefined where it has them among other text. */
function definitionsOf(block: string): [string, string][] | undefined {
    const lines = block.split(/\r?\n/).filter((line) => line.trim() !== "");
    if (lines[0] === undefined || !DEFINITION.test(lines[0])) return [];
    const found = lines.map((line): [string, string] => [normal(LINK.exec(line)?.[1] ?? ""), line.trim()]);
    return found.every(([label]) => label !== "") ? found : undefined;
}

/** A block that is finished, as it is given. */
interface Finished {
    text: string;
    /** What may be labels in it. */
    labels: readonly string[];
    /** With the definitions that it refers to. */
    source: string;
}

/** Reads a text that grows. What was cut off is not looked at again. */
export class BlockReader {
    #text = "";
    #blocks: Finished[] = [];
    /** The link definitions of finished blocks, by label: the first of a label counts. */
    #links = new Map<string, string>();
    /** How many of the blocks have the definitions that they refer to, and which ones there were then. */
    #linked = 0;
    #known = "";
    /** Where the unfinished block begins. */
    #cut = 0;
    #whole = false;

    /** How many characters were looked at, of all updates together. */
    looked = 0;

    /**
     * The blocks of a text; the last may be unfinished. Costs what the unfinished one is long when the text only grew. A block that refers
     * to a link definition begins with it, so that a definition which comes later changes that block alone.
     */
    read(text: string): string[] {
        if (!text.startsWith(this.#text)) {
            this.#blocks = [];
            this.#links.clear();
            this.#linked = 0;
            this.#cut = 0;
            this.#whole = false;
        }
        this.#text = text;
        if (!this.#whole) this.#scan();
        if (this.#whole) return [text];
        const rest = text.slice(this.#cut);
        const last = definitionsOf(rest);
        if (last === undefined) return [text];
        const links = new Map([...last.reverse(), ...this.#links]);
        const known = [...links.values()].join("\n");
        if (known !== this.#known) this.#linked = 0;
        for (const block of this.#blocks.slice(this.#linked)) block.source = linked(block.text, block.labels, links);
        this.#known = known;
        this.#linked = this.#blocks.length;
        const sources = this.#blocks.map(({ source }) => source);
        return rest.trim() === "" ? sources : [...sources, linked(rest, labelsOf(rest, links), links)];
    }

    #finish(block: string): void {
        const found = definitionsOf(block);
        if (found === undefined) {
            this.#whole = true;
            return;
        }
        for (const [label, line] of found) if (!this.#links.has(label)) this.#links.set(label, line);
        const labels = found.length > 0 ? [] : [...block.matchAll(BRACKETS)].map((hit) => normal(hit[1] ?? ""));
        this.#blocks.push({ text: block, labels: [...new Set(labels)], source: block });
    }

    #scan(): void {
        const text = this.#text;
        let place = fresh();
        let from = this.#cut;
        while (from < text.length) {
            const newline = text.indexOf("\n", from);
            const ends = newline >= 0;
            const line = text.slice(from, ends ? newline : text.length).replace(/\r$/, "");
            this.looked += line.length + 1;
            // A line that may still grow does not tell whether it goes on with a list or with code.
            const tells = ends || (place.list === undefined && !place.indentedCode);
            if (!place.empty && tells && begins(place, line)) {
                this.#finish(text.slice(this.#cut, from));
                this.#cut = from;
                place = fresh();
            }
            // Definitions stand in blocks of their own, or the text is taken as a whole.
            if (place.fence === undefined && DEFINITION.test(line))
                this.#whole ||= FOOTNOTE.test(line) || !(place.empty || place.definitions);
            if (!ends || this.#whole) return;
            step(place, line);
            from = newline + 1;
        }
    }
}

function labelsOf(block: string, links: ReadonlyMap<string, string>): readonly string[] {
    if (links.size === 0 || definitionsOf(block)?.length !== 0) return [];
    return [...new Set([...block.matchAll(BRACKETS)].map((hit) => normal(hit[1] ?? "")))];
}

/** A block with the definitions that it refers to before it: behind it they could be taken for code that is not closed. */
function linked(block: string, labels: readonly string[], links: ReadonlyMap<string, string>): string {
    if (links.size === 0) return block;
    const lines = labels.flatMap((label) => links.get(label) ?? []);
    return lines.length === 0 ? block : `${lines.join("\n")}\n\n${block}`;
}

/** Whether a line after a gap begins a block of its own. */
function begins(place: Place, line: string): boolean {
    if (!place.gap || line.trim() === "") return false;
    if (place.list !== undefined && (INDENTED.test(line) || signOf(line) === place.list)) return false;
    return !(place.indentedCode && /^(?: {4}|\t)/.test(line));
}

function step(place: Place, line: string): void {
    const blank = line.trim() === "";
    if (place.empty && !blank) {
        place.empty = false;
        place.list = signOf(line);
        place.indentedCode = /^(?: {4}|\t)/.test(line);
        place.definitions = DEFINITION.test(line);
    }
    place.gap = false;
    if (place.fence !== undefined) {
        const mark = place.fence;
        const closing = new RegExp(`^\\s*(?:>\\s?)*${mark[0] === "`" ? "`" : "~"}{${mark.length},}\\s*$`);
        if (closing.test(line)) place.fence = undefined;
        return;
    }
    if (place.math) {
        if (/\$\$\s*$/.test(line)) place.math = false;
        return;
    }
    if (place.html.length === 0 && !place.comment) {
        const fence = FENCE.exec(line);
        if (fence?.[1] !== undefined && !(fence[1].startsWith("`") && fence[2]?.includes("`"))) {
            place.fence = fence[1];
            return;
        }
        if (/^\s*\$\$/.test(line) && !/\$\$.*\$\$\s*$/.test(line)) {
            place.math = true;
            return;
        }
    }
    if (line.includes("<") || line.includes("-->")) html(place, line);
    place.gap = blank && place.html.length === 0 && !place.comment;
}

function html(place: Place, line: string): void {
    // Code in a line is no HTML.
    const bare = line.replace(/(`+)(?!`).*?[^`]\1(?!`)/g, "");
    for (const hit of bare.matchAll(OPENING)) {
        if (place.comment) {
            if (hit[0] === "-->") place.comment = false;
        } else if (hit[0] === "<!--") place.comment = true;
        else if (hit[1] !== undefined && hit[2] !== "/") place.html.push(hit[1].toLowerCase());
        else if (hit[3] !== undefined) {
            const at = place.html.lastIndexOf(hit[3].toLowerCase());
            if (at >= 0) place.html.length = at;
        }
    }
}
