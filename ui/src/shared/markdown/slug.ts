import type { Element, ElementContent, Root, RootContent } from "hast";

/** The text inside a tree. */
export function textOf(node: Root | Element | RootContent | ElementContent): string {
    if (node.type === "text") return node.value;
    return "children" in node ? node.children.map(textOf).join("") : "";
}

/** A heading's id: its words, small and joined. */
export function slugOf(text: string): string {
    const words =
        text
            .toLowerCase()
            .normalize("NFKD")
            .match(/[\p{L}\p{N}]+/gu) ?? [];
    return words.join("-").slice(0, 80) || "section";
}

export interface OutlineEntry {
    depth: number;
    text: string;
    /** The heading's id in a `Markdown` with the same `idPrefix`. */
    id: string;
}

/** The headings of a text, for a table of contents. Headings in fenced code are none. */
export function outline(text: string, idPrefix: string): OutlineEntry[] {
    const entries: OutlineEntry[] = [];
    let fence: string | undefined;
    for (const line of text.split("\n")) {
        const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
        if (mark !== undefined) {
            if (fence === undefined) fence = mark;
            else if (mark.startsWith(fence)) fence = undefined;
            continue;
        }
        const heading = fence === undefined ? /^ {0,3}(#{1,6})\s+(.+?)\s*#*\s*$/.exec(line) : null;
        if (heading === null) continue;
        const plain = (heading[2] ?? "").replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[*_`~]/g, "");
        entries.push({ depth: heading[1]?.length ?? 1, text: plain, id: `${idPrefix}${slugOf(plain)}` });
    }
    return entries;
}
