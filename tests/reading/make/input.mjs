// Inputs of plain text, and what the makers of all formats share.

/**
 * A file of a case.
 * @typedef {{ extension: string, bytes: Buffer }} Input
 */

/** @param {string} text */
export const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/**
 * @param {string} extension
 * @returns {(text: string | Buffer) => Input}
 */
const plain = (extension) => (text) => ({ extension, bytes: Buffer.from(text) });

export const txt = plain("txt");
export const md = plain("md");
export const csv = plain("csv");
export const tsv = plain("tsv");
/** A page as it stands, head and all. */
export const rawHtml = plain("html");

/**
 * @param {string} body
 * @param {string} [head]
 * @returns {Input}
 */
export const html = (body, head = "") =>
    rawHtml(`<!DOCTYPE html>\n<html><head><meta charset="utf-8">${head}</head>\n<body>\n${body}\n</body></html>\n`);

/** @param {Record<string, string | Buffer>} parts of an archive, by name */
export const entries = (parts) => Object.entries(parts).map(([name, part]) => ({ name, bytes: Buffer.from(part) }));
