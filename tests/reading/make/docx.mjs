// Files of Word, made of the least that the format asks for.

import { zip } from "../../zip.mjs";
import { entries, escaped } from "./input.mjs";

const SPACES = [
    ["w", "http://schemas.openxmlformats.org/wordprocessingml/2006/main"],
    ["r", "http://schemas.openxmlformats.org/officeDocument/2006/relationships"],
    ["m", "http://schemas.openxmlformats.org/officeDocument/2006/math"],
    ["wp", "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"],
    ["a", "http://schemas.openxmlformats.org/drawingml/2006/main"],
    ["wps", "http://schemas.microsoft.com/office/word/2010/wordprocessingShape"],
    ["mc", "http://schemas.openxmlformats.org/markup-compatibility/2006"],
    ["v", "urn:schemas-microsoft-com:vml"],
    ["w14", "http://schemas.microsoft.com/office/word/2010/wordml"],
]
    .map(([prefix, address]) => `xmlns:${prefix}="${address}"`)
    .join(" ");
const HEAD = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n`;
const RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml";

/** Further parts by their kind, each the content of its root. */
const ROOTS = /** @type {Record<string, string>} */ ({
    styles: "styles",
    numbering: "numbering",
    comments: "comments",
    footnotes: "footnotes",
    endnotes: "endnotes",
    header: "hdr",
    footer: "ftr",
    settings: "settings",
});

/**
 * A run; `properties` is the inside of its `w:rPr`.
 * @param {string} text
 * @param {string} [properties]
 */
export const run = (text, properties = "") =>
    `<w:r>${properties && `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${escaped(text)}</w:t></w:r>`;

/** @param {string[]} content runs; text without mark-up becomes one */
export const paragraph = (...content) =>
    `<w:p>${content.map((one) => (one.startsWith("<") ? one : run(one))).join("")}</w:p>`;

/**
 * @param {string} style
 * @param {string[]} content
 */
export const styled = (style, ...content) => paragraph(`<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`, ...content);

/**
 * A cell; `properties` is the inside of its `w:tcPr`.
 * @param {string} content
 * @param {string} [properties]
 */
export const cell = (content, properties = "") =>
    `<w:tc><w:tcPr>${properties}</w:tcPr>${content.startsWith("<w:p>") ? content : paragraph(content)}</w:tc>`;

/** @param {string[][]} rows cells that are text or `w:tc` */
export const table = (...rows) =>
    `<w:tbl><w:tblPr/><w:tblGrid/>${rows
        .map((row) => `<w:tr>${row.map((one) => (one.startsWith("<w:tc>") ? one : cell(one))).join("")}</w:tr>`)
        .join("")}</w:tbl>`;

/** @param {string} content */
export const math = (content) => `<m:oMath>${content}</m:oMath>`;
/** @param {string} text */
export const mathRun = (text) => `<m:r><m:t>${escaped(text)}</m:t></m:r>`;

/**
 * A character or paragraph style with these run properties.
 * @param {string} id
 * @param {string} properties
 * @param {{ type?: string, on?: string }} [more]
 */
export const style = (id, properties, { type = "character", on = "" } = {}) =>
    `<w:style w:type="${type}" w:styleId="${id}"><w:name w:val="${id}"/>${on && `<w:basedOn w:val="${on}"/>`}<w:rPr>${properties}</w:rPr></w:style>`;

/**
 * @param {string[]} body blocks; text without mark-up becomes a paragraph
 * @param {Record<string, string>} [parts] `styles`, `header`, `comments` …
 * @returns {import("./input.mjs").Input}
 */
export function docxWith(body, parts = {}) {
    const content = body.map((one) => (one.startsWith("<") ? one : paragraph(one))).join("");
    const names = Object.keys(parts);
    // A name such as `header2` is one more part of the kind `header`.
    const kinds = names.map((name) => name.replace(/\d$/, ""));
    const references = names
        .map((name, at) =>
            ["header", "footer"].includes(kinds[at] ?? "")
                ? `<w:${kinds[at]}Reference w:type="${name.endsWith("2") ? "first" : "default"}" r:id="rId${at + 1}"/>`
                : "",
        )
        .join("");
    const section =
        references && `<w:sectPr>${references}${references.includes("first") ? "<w:titlePg/>" : ""}</w:sectPr>`;
    const types = names
        .map((name, at) => `<Override PartName="/word/${name}.xml" ContentType="${TYPE}.${kinds[at]}+xml"/>`)
        .join("");
    const relations = names
        .map((name, at) => `<Relationship Id="rId${at + 1}" Type="${RELATION}/${kinds[at]}" Target="${name}.xml"/>`)
        .join("");
    const bytes = zip(
        entries({
            "[Content_Types].xml": `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="${TYPE}.document.main+xml"/>${types}</Types>`,
            "_rels/.rels": `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATION}/officeDocument" Target="word/document.xml"/></Relationships>`,
            "word/document.xml": `${HEAD}<w:document ${SPACES}><w:body>${content}${section}</w:body></w:document>`,
            "word/_rels/document.xml.rels": `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${relations}</Relationships>`,
            ...Object.fromEntries(
                names.map((name, at) => [
                    `word/${name}.xml`,
                    `${HEAD}<w:${ROOTS[kinds[at] ?? ""]} ${SPACES}>${parts[name]}</w:${ROOTS[kinds[at] ?? ""]}>`,
                ]),
            ),
        }),
    );
    return { extension: "docx", bytes };
}

/** @param {string[]} body */
export const docx = (...body) => docxWith(body);
