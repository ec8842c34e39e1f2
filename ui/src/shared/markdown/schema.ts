// What may leave the sanitiser: GitHub's list, cut down. Everything that loads, runs, styles or submits is missing from it.

import { defaultSchema } from "rehype-sanitize";
import type { Options } from "rehype-sanitize";

const TAGS = [
    ...["a", "abbr", "b", "bdi", "bdo", "blockquote", "br", "caption", "cite", "code", "col", "colgroup", "dd", "del", "details", "dfn", "div", "dl", "dt", "em"],
    ...["figcaption", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "input", "ins", "kbd", "li", "mark", "ol", "p", "pre", "q", "s", "samp"],
    ...["section", "small", "span", "strong", "sub", "summary", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "tt", "u", "ul", "var", "wbr"],
];

/** The schema, with ids of the document behind a prefix, so that they clobber nothing and two documents don't meet. */
export function schemaFor(idPrefix: string): Options {
    return {
        ...defaultSchema,
        clobberPrefix: idPrefix,
        tagNames: TAGS,
        strip: ["script", "style", "title", "template", "noscript", "iframe", "object", "embed", "textarea", "select", "svg", "math", "xmp", "noembed", "noframes", "plaintext"],
        attributes: {
            a: ["href", "title", "ariaDescribedBy", "ariaLabel", "dataFootnoteBackref", "dataFootnoteRef"],
            blockquote: ["cite"],
            code: [["className", /^language-[\w+#.-]{1,40}$/, "math-inline", "math-display"]],
            col: ["span"],
            colgroup: ["span"],
            del: ["cite"],
            details: ["open"],
            img: ["src", "alt", "title", "width", "height"],
            input: [
                ["type", "checkbox"],
                ["disabled", true],
                "checked",
            ],
            ins: ["cite"],
            li: ["value"],
            ol: ["start", "reversed", "type"],
            q: ["cite"],
            section: ["dataFootnotes"],
            td: ["align", "colSpan", "rowSpan"],
            th: ["align", "colSpan", "rowSpan", "scope"],
            "*": ["id", "lang", "dir"],
        },
        protocols: { href: ["http", "https", "mailto"], src: ["http", "https", "data"], cite: ["http", "https"] },
    };
}
