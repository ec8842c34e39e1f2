// Markdown to a tree, and the tree to elements: parse, raw HTML, sanitise last.

import type { Element, Root } from "hast";
import { toJsxRuntime, type Components } from "hast-util-to-jsx-runtime";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { mathFromMarkdown } from "mdast-util-math";
import { gfm } from "micromark-extension-gfm";
import { math } from "micromark-extension-math";
import type { ReactNode } from "react";
import { Fragment, jsx, jsxs } from "react/jsx-runtime";
import rehypeSanitize from "rehype-sanitize";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified, type Plugin, type Processor } from "unified";

import { schemaFor } from "./schema";
import { slugOf, textOf } from "./slug";

/** Text beyond this is cut: nobody reads it, and parsing it would be felt. */
export const MAX_CHARS = 400_000;

/** Tables, tasks, footnotes, bare links, and formulas. The plugins of remark for them bring a writer of Markdown along, which nothing here needs. */
function extensions(this: Processor): void {
    const data = this.data();
    // One dollar is money: "between $5 and $10" is no formula.
    (data.micromarkExtensions ??= []).push(gfm(), math({ singleDollarTextMath: false }));
    (data.fromMarkdownExtensions ??= []).push(gfmFromMarkdown(), mathFromMarkdown());
}

function headingIds() {
    return (tree: Root) => {
        for (const node of tree.children) {
            if (node.type === "element" && /^h[1-6]$/.test(node.tagName)) node.properties.id ??= slugOf(textOf(node));
        }
    };
}

/** Data images may be pictures only: an SVG one is a document. */
function plainImages() {
    const visit = (node: Root | Element) => {
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
            visit(child);
        }
    };
    return visit;
}

type Raw = Plugin<[], Root>;

let raw: Raw | undefined;
let loading: Promise<Raw> | undefined;

/** The parser of HTML is a third of all this, and few texts have HTML: it is loaded when the first one comes. */
export function loadHtmlParser(): Promise<Raw> {
    loading ??= import("rehype-raw").then((module) => (raw = module.default as Raw));
    return loading;
}

export function htmlParserIsLoaded(): boolean {
    return raw !== undefined;
}

/** Whether a text may have HTML in it. */
export function hasHtml(source: string): boolean {
    return /<[a-z!/?]/i.test(source);
}

const nothing: Raw = () => undefined;

function processorFor(idPrefix: string, html: Raw | undefined) {
    return unified()
        .use(remarkParse)
        .use(extensions)
        .use(remarkRehype, { allowDangerousHtml: true, clobberPrefix: "" })
        .use(html ?? nothing)
        .use(headingIds)
        .use(plainImages)
        .use(rehypeSanitize, schemaFor(idPrefix))
        .freeze();
}

const processors = new Map<string, ReturnType<typeof processorFor>>();

function processor(idPrefix: string, html: Raw | undefined): ReturnType<typeof processorFor> {
    const key = `${html === undefined ? "plain" : "html"} ${idPrefix}`;
    let found = processors.get(key);
    if (found === undefined) {
        if (processors.size > 100) processors.clear();
        found = processorFor(idPrefix, html);
        processors.set(key, found);
    }
    return found;
}

export interface Reading {
    /** Whether HTML is read, where its parser is there; else its tags are left out. */
    html: boolean;
}

/** The sanitised tree of a block. */
export function treeOf(source: string, idPrefix: string, { html }: Reading): Root {
    const own = processor(idPrefix, html ? raw : undefined);
    const text = source.length > MAX_CHARS ? `${source.slice(0, MAX_CHARS)}\n\n…` : source;
    return own.runSync(own.parse(text));
}

/** The elements of a block. */
export function elementsOf(
    source: string,
    idPrefix: string,
    components: Partial<Components>,
    reading: Reading,
): ReactNode {
    return toJsxRuntime(treeOf(source, idPrefix, reading), {
        Fragment,
        jsx,
        jsxs,
        components,
        passNode: true,
        tableCellAlignToStyle: false,
    }) as ReactNode;
}
