// Pages that are pictures, made from text of our own: what the program and Tesseract read of them, and whether passages can be marked.

import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";

import { ROOT, ask } from "./process.mjs";

/** The size of a page in points. */
const [WIDE, HIGH] = [595, 842];
/** Pages of each kind, where nobody says otherwise. */
const PAGES = 10;
/** Words of a quote that is looked for on its picture. */
const QUOTE = 6;
/** Share of a page's noise: so many of its dots are black or white by chance. */
const NOISE = 0.01;

/** How a page is set. */
const STYLES = [
    "10pt 'Liberation Serif', serif",
    "9pt 'Liberation Sans', sans-serif",
    "8pt 'Liberation Serif', serif",
    "9pt 'DejaVu Sans Mono', monospace",
    "12pt 'DejaVu Serif', serif",
    "8pt 'Liberation Sans', sans-serif",
    "italic 11pt 'Liberation Serif', serif",
    "10pt 'DejaVu Sans', sans-serif",
    "bold 9pt 'Liberation Serif', serif",
    "11pt 'Liberation Sans Narrow', 'DejaVu Sans Condensed', sans-serif",
];

/**
 * The kinds: which text stands on the page, how many dots it has to the inch, and what happens to it.
 * @type {Record<string, { body: (at: number) => string, dpi: number, change?: (dots: Dots, at: number) => Dots, turn?: (at: number) => number }>}
 */
const KINDS = {
    clean: { body: prose, dpi: 300 },
    noisy: { body: prose, dpi: 300, change: noisy },
    turned: { body: prose, dpi: 300, turn: (at) => [0.5, -1, 1.5, -2, 2.5][at % 5] ?? 0 },
    "150 dpi": { body: prose, dpi: 150 },
    "two columns": { body: (at) => `<div style="columns: 2; column-gap: 8mm">${prose(at)}</div>`, dpi: 300 },
    tables: { body: tables, dpi: 300 },
};

/** Chance that is the same every time. */
function chance(seed = 1) {
    let state = seed;
    return () => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return state / 2 ** 32;
    };
}

/** @type {string[]} */
let texts = [];

/** @param {number} at */
function prose(at) {
    const from = Math.floor(((at % PAGES) * texts.length) / PAGES);
    return [...texts.slice(from), ...texts]
        .slice(0, 40)
        .map((text) => `<p>${text}</p>`)
        .join("");
}

/** @param {number} at */
function tables(at) {
    const random = chance(at + 1);
    const items = [
        "Rent",
        "Wages and salaries",
        "Insurance",
        "Energy",
        "Repairs",
        "Travel",
        "Audit fees",
        "Interest",
        "Taxes",
        "Software",
    ];
    const amount = () => {
        const whole = Math.floor(random() ** 3 * 9e6);
        const text = `${whole.toLocaleString("en")}${at % 3 === 0 ? `.${String(Math.floor(random() * 100)).padStart(2, "0")}` : ""}`;
        const kind = random();
        return kind < 0.08 ? "–" : kind < 0.2 ? `(${text})` : kind < 0.3 ? `${(random() * 40).toFixed(1)}%` : text;
    };
    const columns = 3 + (at % 4);
    const head = [
        "Item",
        ...Array.from({ length: columns }, (_, one) => (at % 2 === 0 ? `${2_021 + one}` : `Q${one + 1} 2025`)),
    ];
    const row = (/** @type {string[]} */ cells, cell = "td") =>
        `<tr>${cells.map((one) => `<${cell}>${one}</${cell}>`).join("")}</tr>`;
    const rows = Array.from({ length: 30 }, (_, line) =>
        row([
            `${items[line % items.length]}${line >= items.length ? `, unit ${line}` : ""}`,
            ...head.slice(1).map(amount),
        ]),
    );
    // Drawn lines, lines below rows alone, none.
    const lines = ["border: 1px solid", "border-bottom: 1px solid", "border: 0"][at % 3];
    return `<style>table { border-collapse: collapse; width: 100% } td, th { ${lines}; padding: 1.2mm 2mm; text-align: right }
        td:first-child, th:first-child { text-align: left }</style><h3>Schedule ${at + 1}: expenses</h3><table>${row(head, "th")}${rows.join("")}</table>`;
}

/**
 * Grey dots, row by row.
 * @typedef {{ width: number, height: number, grey: Buffer }} Dots
 */

/** @param {Buffer} pgm @returns {Dots} */
function dotsOf(pgm) {
    const [head = "", width, height] = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(pgm.subarray(0, 40).toString("latin1")) ?? [];
    return { width: Number(width), height: Number(height), grey: pgm.subarray(head.length) };
}

/** Blurred twice, then dirtied. @param {Dots} dots @param {number} at @returns {Dots} */
function noisy({ width, height, grey }, at) {
    let from = grey;
    for (const steps of [1, width, 1, width]) {
        const to = Buffer.from(from);
        for (let index = steps; index < to.length - steps; index++)
            to[index] = ((from[index - steps] ?? 0) + (from[index] ?? 0) + (from[index + steps] ?? 0)) / 3;
        from = to;
    }
    const random = chance(at + 7);
    for (let index = 0; index < from.length; index++) {
        const one = random();
        if (one < NOISE) from[index] = one < NOISE / 2 ? 0 : 255;
    }
    return { width, height, grey: from };
}

/** Turned clockwise around the middle. @param {Dots} dots @param {number} degrees @returns {Dots} */
function turned({ width, height, grey }, degrees) {
    const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
    const out = Buffer.alloc(grey.length, 255);
    const at = (/** @type {number} */ x, /** @type {number} */ y) =>
        x < 0 || y < 0 || x >= width || y >= height ? 255 : (grey[y * width + x] ?? 255);
    for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++) {
            const [dx, dy] = [x - width / 2, y - height / 2];
            const [u, v] = [width / 2 + dx * cos + dy * sin, height / 2 - dx * sin + dy * cos];
            const [left, top] = [Math.floor(u), Math.floor(v)];
            const [fx, fy] = [u - left, v - top];
            const upper = at(left, top) * (1 - fx) + at(left + 1, top) * fx;
            out[y * width + x] = upper * (1 - fy) + (at(left, top + 1) * (1 - fx) + at(left + 1, top + 1) * fx) * fy;
        }
    return { width, height, grey: out };
}

/** A PDF file whose only page is a picture. @param {Dots} dots */
function pdfOf({ width, height, grey }) {
    const content = `q ${WIDE} 0 0 ${HIGH} 0 0 cm /Im Do Q`;
    const picture = deflateSync(grey, { level: 1 });
    const objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${WIDE} ${HIGH}]/Contents 4 0 R/Resources<</XObject<</Im 5 0 R>>>>>>`,
        `<</Length ${content.length}>>stream\n${content}\nendstream`,
        `<</Type/XObject/Subtype/Image/Width ${width}/Height ${height}/BitsPerComponent 8/ColorSpace/DeviceGray/Filter/FlateDecode/Length ${picture.length}>>stream\n`,
    ];
    const parts = [Buffer.from("%PDF-1.5\n")];
    const starts = objects.map((object, index) => {
        const start = parts.reduce((sum, part) => sum + part.length, 0);
        const rest = index === 4 ? [picture, Buffer.from("\nendstream")] : [];
        parts.push(Buffer.from(`${index + 1} 0 obj\n${object}`, "latin1"), ...rest, Buffer.from("\nendobj\n"));
        return start;
    });
    const table = parts.reduce((sum, part) => sum + part.length, 0);
    const rows = starts.map((start) => `${String(start).padStart(10, "0")} 00000 n \n`).join("");
    parts.push(
        Buffer.from(
            `xref\n0 6\n0000000000 65535 f \n${rows}trailer<</Size 6/Root 1 0 R>>\nstartxref\n${table}\n%%EOF\n`,
        ),
    );
    return Buffer.concat(parts);
}

/**
 * @typedef {{ text: string, x: number, y: number }} Word a word of a page, and where its middle is in shares of the page
 * @typedef {{ kind: string, name: string, file: string, words: Word[] }} Scan
 */

/**
 * Makes pages of every kind: `<name>.pdf` in `folder`, and the same picture for Tesseract in `beside`.
 * @param {string} folder @param {string} beside @param {string | undefined} more a folder of texts beside the primer @param {string | undefined} only
 * @param {number} [pages] @returns {Scan[]}
 */
export function makeScans(folder, beside, more, only, pages = PAGES) {
    const primer = join(ROOT, "sources/isa-knowledge-base/corpora/primer");
    const own = readdirSync(primer)
        .filter((name) => name.endsWith(".jsonl"))
        .flatMap((name) =>
            readFileSync(join(primer, name), "utf8")
                .split("\n")
                .filter(Boolean)
                .map((line) => JSON.parse(line).text),
        );
    const others = (more === undefined ? [] : readdirSync(more)).flatMap((name) =>
        readFileSync(join(more ?? "", name), "utf8")
            .split(/\n\s*\n/)
            .filter((text) => !/^[|#`>-]/.test(text.trim())),
    );
    texts = [...own, ...others].map((text) => text.replace(/[*`]/g, "").replace(/\s+/g, " ").trim());
    texts = texts.map((text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;"));
    return Object.keys(KINDS)
        .filter((kind) => (only ?? kind) === kind)
        .flatMap((kind) => Array.from({ length: pages }, (_, at) => made(kind, at, folder, beside)));
}

/** @param {string} kind @param {number} at @param {string} folder @param {string} beside @returns {Scan} */
function made(kind, at, folder, beside) {
    const { body, dpi, change, turn } = KINDS[kind] ?? { body: prose, dpi: 300 };
    const name = `${kind.replace(/\W/g, "-")}-${at}`;
    const typed = join(beside, `${name}.pdf`);
    const html = join(beside, `${name}.html`);
    const font = STYLES[at % STYLES.length];
    writeFileSync(
        html,
        `<!doctype html><meta charset="utf-8"><style>@page { size: A4; margin: 20mm } body { margin: 0; font: ${font} }</style>${body(at)}`,
    );
    must("chromium", [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-pdf-header-footer",
        `--print-to-pdf=${typed}`,
        html,
    ]);
    must("pdftoppm", ["-r", `${dpi}`, "-gray", "-singlefile", "-f", "1", typed, join(beside, name)]);
    let dots = dotsOf(readFileSync(join(beside, `${name}.pgm`)));
    if (change !== undefined) dots = change(dots, at);
    const degrees = turn?.(at) ?? 0;
    if (degrees !== 0) dots = turned(dots, degrees);
    const picture = join(beside, `${name}.pgm`);
    writeFileSync(picture, Buffer.concat([Buffer.from(`P5\n${dots.width} ${dots.height}\n255\n`), dots.grey]));
    writeFileSync(join(folder, `${name}.pdf`), pdfOf(dots));
    return { kind, name, file: picture, words: wordsOf(typed, degrees) };
}

/** @param {string} program @param {string[]} args */
function must(program, args) {
    const { ok, stdout, stderr } = ask(program, args);
    if (!ok) throw new Error(`${program}: ${stderr}`);
    return stdout;
}

/** The words of the first page of a typed PDF, whose middles are turned around the page's. @param {string} typed @param {number} degrees @returns {Word[]} */
function wordsOf(typed, degrees) {
    const xml = must("pdftotext", ["-f", "1", "-l", "1", "-bbox", typed, "-"]);
    const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
    const signs = /** @type {Record<string, string>} */ ({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" });
    return [...xml.matchAll(/<word xMin="(.*?)" yMin="(.*?)" xMax="(.*?)" yMax="(.*?)">(.*?)<\/word>/g)].map(
        ([, x0, y0, x1, y1, text = ""]) => {
            const dx = (Number(x0) + Number(x1)) / 2 - WIDE / 2;
            const dy = (Number(y0) + Number(y1)) / 2 - HIGH / 2;
            return {
                text: text.replace(/&(\w+);/g, (all, one) => signs[one] ?? all),
                x: 0.5 + (dx * cos - dy * sin) / WIDE,
                y: 0.5 + (dx * sin + dy * cos) / HIGH,
            };
        },
    );
}

/** Words and numbers, without the signs around them. @param {string} text */
const tokens = (text) =>
    text
        .normalize("NFKC")
        .split(/[\s/|‐-―-]+/u)
        .map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ""))
        .filter(Boolean);

/** What of `wanted` is not in `text`. @param {string[]} wanted @param {string} text */
function missing(wanted, text) {
    const have = /** @type {Map<string, number>} */ (new Map());
    for (const word of tokens(text)) have.set(word, (have.get(word) ?? 0) + 1);
    return wanted.filter((word) => {
        const left = have.get(word) ?? 0;
        have.set(word, left - 1);
        return left <= 0;
    });
}

/** What Tesseract reads. @param {Scan} scan */
function byTesseract({ file, kind }) {
    const dpi = `${KINDS[kind]?.dpi ?? 300}`;
    return must("tesseract", [file, "-", "-l", "eng", "--dpi", dpi]);
}

/**
 * Reads the pages with both, and prints the table.
 * @param {import("../tests/lib.mjs").Place} place
 * @param {string} models @param {{ more?: string, only?: string, json?: string, pages?: number }} options
 */
export async function measureScans(place, models, { more, only, json, pages }) {
    const [folder, beside] = [join(place.work, "scans"), join(place.work, "beside")];
    for (const one of [folder, beside]) mkdirSync(one);
    cpSync(models, join(place.data, "models", "page-reader"), { recursive: true });
    const scans = makeScans(folder, beside, more, only, pages);
    const start = performance.now();
    await place.do(["kb", "ingest", folder, "--base", "scans"], { seconds: 3_600 });
    const seconds = (performance.now() - start) / 1_000;
    const exported = join(place.work, "exported");
    await place.do(["kb", "export", "scans", exported]);
    const { sources } = JSON.parse(readFileSync(join(exported, "manifest.json"), "utf8"));
    const paragraphs = readFileSync(join(exported, "paragraphs.jsonl"), "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    const own = (/** @type {Scan} */ { name }) =>
        paragraphs.filter(({ file = 0 }) => sources[file].name === `${name}.pdf`);
    const quotes = scans.flatMap((scan) => quotesOf(scan, own(scan)));
    const pictures = await place.through(
        quotes.map(({ id, quote }) => ["page_picture", { wanted: { base: "scans", id, quotes: [quote], width: 200 } }]),
        { seconds: 600 },
    );
    const isMarked = new Map(
        quotes.map((one, at) => [one, one.words.every((word) => pictures[at].marks.some(covers(word)))]),
    );
    const rows = scans.map((scan) => {
        const text = own(scan)
            .map((one) => [one.id.replace(":", " "), ...(one.path ?? []), one.title, one.label, one.text].join("\n"))
            .join("\n");
        const wanted = scan.words.flatMap((word) => tokens(word.text));
        const asked = quotes.filter((one) => one.scan === scan);
        const unmarked = asked.filter((one) => isMarked.get(one) !== true).map(({ id, quote }) => `${id}: ${quote}`);
        const by = byTesseract(scan);
        return {
            ...{ kind: scan.kind, name: scan.name, asked: asked.length, unmarked },
            ...{ wanted, ours: missing(wanted, text), tesseract: missing(wanted, by) },
        };
    });
    const numbers = (/** @type {string[]} */ words) => words.filter((word) => /\p{N}/u.test(word)).length;
    console.log(`kind          words (numbers)  missing: ours (numbers)  Tesseract (numbers)  quotes marked`);
    for (const kind of Object.keys(KINDS)) {
        const same = rows.filter((row) => row.kind === kind);
        if (same.length === 0) continue;
        const sum = (/** @type {"wanted" | "ours" | "tesseract"} */ key) => {
            const words = same.flatMap((row) => row[key]);
            return `${words.length} (${numbers(words)})`;
        };
        const asked = same.reduce((all, row) => all + row.asked, 0);
        const marked = asked - same.flatMap((row) => row.unmarked).length;
        console.log(
            `${kind.padEnd(12)} ${sum("wanted").padStart(16)} ${sum("ours").padStart(24)} ${sum("tesseract").padStart(20)}  ${marked} of ${asked}`,
        );
    }
    console.log(`${(seconds / Math.max(scans.length, 1)).toFixed(1)} s a page`);
    if (json !== undefined) writeFileSync(json, `${JSON.stringify(rows, null, 1)}\n`);
}

/**
 * A quote of each paragraph that stands once on its page, and where its words stand.
 * @param {Scan} scan @param {any[]} paragraphs
 */
function quotesOf(scan, paragraphs) {
    const plain = (/** @type {string[]} */ words) => tokens(words.join(" ")).join(" ");
    const page = scan.words.map((word) => word.text);
    return paragraphs.flatMap(({ id, text }) => {
        const words = text.split(/\s+/);
        const from = Math.max(0, Math.floor((words.length - QUOTE) / 2));
        const quote = words.slice(from, from + QUOTE);
        const at = page.flatMap((_, index) =>
            plain(page.slice(index, index + QUOTE)) === plain(quote) ? [index] : [],
        );
        const [index] = at;
        if (index === undefined || at.length > 1 || quote.length < QUOTE) return [];
        return [{ scan, id, quote: quote.join(" "), words: scan.words.slice(index, index + QUOTE) }];
    });
}

/** @param {Word} word @returns {(mark: { x: number, y: number, width: number, height: number }) => boolean} */
const covers =
    ({ x, y }) =>
    (mark) =>
        mark.x <= x && x <= mark.x + mark.width && mark.y <= y && y <= mark.y + mark.height;
