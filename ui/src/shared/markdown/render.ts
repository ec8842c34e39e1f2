// Markdown to a tree, and the tree to elements: parse, raw HTML, sanitise last.

import type { Element, Root } from "hast";
import { sanitize } from "hast-util-sanitize";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { mathFromMarkdown } from "mdast-util-math";
import { toHast } from "mdast-util-to-hast";
import { gfm } from "micromark-extension-gfm";
import { math } from "micromark-extension-math";
import type { ReactNode } from "react";

import { elementsIn, type Components } from "./elements";
import { schemaFor } from "./schema";
import { slugOf, textOf } from "./slug";

/** Text beyond this is cut: nobody reads it, and parsing it would be felt. */
export const MAX_CHARS = 400_000;

/** Tables, tasks, footnotes, bare links, and formulas. One dollar is money: "between $5 and $10" is no formula. */
const READING = {
    extensions: [gfm(), math({ singleDollarTextMath: false })],
    mdastExtensions: [gfmFromMarkdown(), mathFromMarkdown()],
};

function addHeadingIds(tree: Root): void {
    for (const node of tree.children) {
        if (node.type === "element" && /^h[1-6]$/.test(node.tagName)) node.properties.id ??= slugOf(textOf(node));
    }
}

/** Data images may be pictures only: an SVG one is a document. */
function dropOtherImages(node: Root | Element): void {
    for (const child of node.children) {
        if (child.type !== "element") continue;
        const { src } = child.properties;
        if (
            child.tagName === "img" &&
            typeof src === "string" &&
            /^\s*data:/i.test(src) &&
            !/^data:image\/(png|jpeg|gif|webp);base64,/.test(src)
        ) {
            delete child.properties.src;
        }
        dropOtherImages(child);
    }
}

type HtmlParser = (tree: Root) => Root;

let parser: HtmlParser | undefined;
let loading: Promise<void> | undefined;

/** The parser of HTML is a third of all this, and few texts have HTML: it is loaded when the first one comes. */
export function loadHtmlParser(): Promise<void> {
    loading ??= import("hast-util-raw").then(({ raw }) => {
        parser = (tree) => raw(tree) as Root;
    });
    return loading;
}

export function htmlParserIsLoaded(): boolean {
    return parser !== undefined;
}

/** Whether a text may have HTML in it. */
export function hasHtml(source: string): boolean {
    return /<[a-z!/?]/i.test(source);
}

export interface Reading {
    /** Whether HTML is read, where its parser is there; else its tags are left out. */
    html: boolean;
}

/** The sanitised tree of a block. */
export function treeOf(source: string, idPrefix: string, { html }: Reading): Root {
    const text = source.length > MAX_CHARS ? `${source.slice(0, MAX_CHARS)}\n\n…` : source;
    const read = toHast(fromMarkdown(text, READING), { allowDangerousHtml: true, clobberPrefix: "" }) as Root;
    const tree = html && parser !== undefined ? parser(read) : read;
    addHeadingIds(tree);
    dropOtherImages(tree);
    return sanitize(tree, schemaFor(idPrefix)) as Root;
}

/** The elements of a block. */
export function elementsOf(source: string, idPrefix: string, components: Components, reading: Reading): ReactNode {
    return elementsIn(treeOf(source, idPrefix, reading), components);
}
