// Workbooks, made of the least that the format asks for.

import { zip } from "../../zip.mjs";
import { entries, escaped } from "./input.mjs";

const HEAD = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n`;
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/**
 * What stands in a cell: text, a number, a truth, nothing, or something with a format, a formula or mark-up of its own.
 * @typedef {string | number | boolean | null | { value?: string | number, format?: string, formula?: string, attributes?: string, rich?: string, inline?: string, struck?: boolean }} Cell
 */

/**
 * @typedef {object} Sheet
 * @property {string} [name]
 * @property {Cell[][]} rows
 * @property {string[]} [merged] ranges
 * @property {string} [state] `hidden`
 * @property {number[]} [hiddenRows] counted from 1
 * @property {string} [before] mark-up before the rows: views, columns
 * @property {string} [after] mark-up behind the rows
 * @property {[string, string, string][]} [comments] address, author, text
 */

/** @param {number} column from 0 */
const letters = (column) =>
    (column > 25 ? String.fromCharCode(64 + Math.floor(column / 26)) : "") + String.fromCharCode(65 + (column % 26));

/**
 * @param {Sheet[]} sheets
 * @param {{ from1904?: boolean }} [options]
 * @returns {import("./input.mjs").Input}
 */
export function workbook(sheets, { from1904 = false } = {}) {
    const formats = /** @type {string[]} */ ([]);
    const shared = /** @type {string[]} */ ([]);
    const styleOf = (/** @type {string} */ format, /** @type {boolean} */ struck) => {
        const key = `${struck ? "-" : "+"}${format}`;
        if (!formats.includes(key)) formats.push(key);
        return formats.indexOf(key) + 1;
    };
    const written = (/** @type {Cell} */ cell, /** @type {string} */ at) => {
        if (cell === null) return "";
        if (typeof cell === "number") return `<c r="${at}"><v>${cell}</v></c>`;
        if (typeof cell === "boolean") return `<c r="${at}" t="b"><v>${Number(cell)}</v></c>`;
        if (typeof cell === "string") return written({ rich: `<t xml:space="preserve">${escaped(cell)}</t>` }, at);
        const { value, format = "General", formula, attributes = "", rich, inline, struck = false } = cell;
        const look = format === "General" && !struck ? "" : ` s="${styleOf(format, struck)}"`;
        if (inline !== undefined) return `<c r="${at}" t="inlineStr"><is>${inline}</is></c>`;
        if (rich !== undefined) return `<c r="${at}"${look} t="s"><v>${shared.push(rich) - 1}</v></c>`;
        const isText = typeof value === "string" && !/^-?[\d.]+(E[+-]?\d+)?$/.test(value);
        const code =
            formula === undefined && attributes === ""
                ? ""
                : `<f${attributes && ` ${attributes}`}>${escaped(formula ?? "")}</f>`;
        return `<c r="${at}"${look}${isText ? ' t="str"' : ""}>${code}${value === undefined ? "" : `<v>${escaped(String(value))}</v>`}</c>`;
    };
    const parts = /** @type {Record<string, string>} */ ({});
    const types = /** @type {string[]} */ ([]);
    sheets.forEach(({ rows, merged = [], hiddenRows = [], before = "", after = "", comments = [] }, index) => {
        const number = index + 1;
        const data = rows
            .map((row, at) => {
                const cells = row.map((cell, column) => written(cell, `${letters(column)}${at + 1}`)).join("");
                return `<row r="${at + 1}"${hiddenRows.includes(at + 1) ? ' hidden="1"' : ""}>${cells}</row>`;
            })
            .join("");
        const merges =
            merged.length === 0
                ? ""
                : `<mergeCells count="${merged.length}">${merged.map((range) => `<mergeCell ref="${range}"/>`).join("")}</mergeCells>`;
        parts[`xl/worksheets/sheet${number}.xml`] =
            `${HEAD}<worksheet xmlns="${MAIN}" xmlns:r="${RELATION}">${before}<sheetData>${data}</sheetData>${merges}${after}</worksheet>`;
        types.push(`<Override PartName="/xl/worksheets/sheet${number}.xml" ContentType="${TYPE}.worksheet+xml"/>`);
        if (comments.length === 0) return;
        const authors = [...new Set(comments.map(([, author]) => author))];
        parts[`xl/comments${number}.xml`] =
            `${HEAD}<comments xmlns="${MAIN}"><authors>${authors.map((author) => `<author>${escaped(author)}</author>`).join("")}</authors><commentList>${comments.map(([address, author, text]) => `<comment ref="${address}" authorId="${authors.indexOf(author)}"><text><t>${escaped(text)}</t></text></comment>`).join("")}</commentList></comments>`;
        parts[`xl/worksheets/_rels/sheet${number}.xml.rels`] =
            `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATION}/comments" Target="../comments${number}.xml"/></Relationships>`;
        types.push(`<Override PartName="/xl/comments${number}.xml" ContentType="${TYPE}.comments+xml"/>`);
    });
    const codes = [...new Set(formats.map((key) => key.slice(1)))];
    const looks = formats
        .map(
            (key) =>
                `<xf numFmtId="${numberOf(key.slice(1), codes)}" fontId="${key.startsWith("-") ? 1 : 0}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`,
        )
        .join("");
    const own = codes.filter((code) => !/^#\d+$/.test(code) && code !== "General");
    parts["xl/styles.xml"] =
        `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts count="${own.length}">${own.map((code) => `<numFmt numFmtId="${numberOf(code, codes)}" formatCode="${escaped(code)}"/>`).join("")}</numFmts><fonts count="2"><font><sz val="11"/></font><font><strike/><sz val="11"/></font></fonts><fills count="1"><fill><patternFill patternType="none"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="${formats.length + 1}"><xf numFmtId="0"/>${looks}</cellXfs></styleSheet>`;
    parts["xl/sharedStrings.xml"] =
        `${HEAD}<sst xmlns="${MAIN}">${shared.map((one) => `<si>${one}</si>`).join("")}</sst>`;
    const list = sheets
        .map(
            ({ name, state }, at) =>
                `<sheet name="${escaped(name ?? `Sheet${at + 1}`)}" sheetId="${at + 1}"${state ? ` state="${state}"` : ""} r:id="rId${at + 1}"/>`,
        )
        .join("");
    parts["xl/workbook.xml"] =
        `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATION}"><workbookPr${from1904 ? ' date1904="1"' : ""}/><sheets>${list}</sheets></workbook>`;
    const count = sheets.length;
    parts["xl/_rels/workbook.xml.rels"] =
        `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${sheets.map((_, at) => `<Relationship Id="rId${at + 1}" Type="${RELATION}/worksheet" Target="worksheets/sheet${at + 1}.xml"/>`).join("")}<Relationship Id="rId${count + 1}" Type="${RELATION}/styles" Target="styles.xml"/><Relationship Id="rId${count + 2}" Type="${RELATION}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`;
    parts["_rels/.rels"] =
        `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATION}/officeDocument" Target="xl/workbook.xml"/></Relationships>`;
    parts["[Content_Types].xml"] =
        `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/><Override PartName="/xl/sharedStrings.xml" ContentType="${TYPE}.sharedStrings+xml"/>${types.join("")}</Types>`;
    return { extension: "xlsx", bytes: zip(entries(parts)) };
}

/**
 * The id of a format: `#14` is the built-in 14, any other code gets one of its own.
 * @param {string} code
 * @param {string[]} codes
 */
const numberOf = (code, codes) =>
    code === "General" ? "0" : /^#\d+$/.test(code) ? code.slice(1) : String(164 + codes.indexOf(code));

/** @param {Cell[][]} rows of the only sheet */
export const xlsx = (...rows) => workbook([{ rows }]);
