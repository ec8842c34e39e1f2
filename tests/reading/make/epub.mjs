// Books, made of the least that the format asks for.

import { zip } from "../../zip.mjs";
import { entries } from "./input.mjs";

/**
 * A file of the book.
 * @typedef {object} Item
 * @property {string} href as its manifest says it
 * @property {string | Buffer} [content] absent: it is not in the archive
 * @property {string} [path] in the archive, below `OEBPS/`; default: the href
 * @property {string} [type] default: XHTML
 * @property {string} [more] further attributes of its manifest's entry
 * @property {string | false} [spine] attributes of its place in the reading order, or none
 */

/**
 * @param {string} body
 * @param {string} [head]
 */
export const chapter = (body, head = "") =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>t</title>${head}</head><body>${body}</body></html>`;

/**
 * @param {Item[]} items
 * @param {string} [version]
 * @returns {import("./input.mjs").Input}
 */
export function book(items, version = "3.0") {
    const manifest = items
        .map(
            ({ href, type = "application/xhtml+xml", more = "" }, at) =>
                `<item id="i${at}" href="${href}" media-type="${type}" ${more}/>`,
        )
        .join("");
    const spine = items
        .map(({ spine = "" }, at) => (spine === false ? "" : `<itemref idref="i${at}" ${spine}/>`))
        .join("");
    const content = items.flatMap(({ href, path = href, content }) =>
        content === undefined ? [] : [{ name: `OEBPS/${path}`, bytes: Buffer.from(content) }],
    );
    const bytes = zip([
        { name: "mimetype", bytes: Buffer.from("application/epub+zip"), stored: true },
        ...entries({
            "META-INF/container.xml": `<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
            "OEBPS/book.opf": `<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="${version}"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A book</dc:title></metadata><manifest>${manifest}</manifest><spine>${spine}</spine></package>`,
        }),
        ...content,
    ]);
    return { extension: "epub", bytes };
}

/**
 * @param {string} body of the only chapter
 * @param {string} [head]
 */
export const epub = (body, head) => book([{ href: "one.xhtml", content: chapter(body, head) }]);
