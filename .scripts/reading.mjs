// npm run reading: the cases of tests/reading by kind, and those that fail. With --corpora <folder>, how many words of real files the
// program reads, beside another reader; --download fetches the files into the folder first.
// With --scans <folder of models>, how many words of pictures of pages it reads, beside Tesseract; --texts <folder> brings more texts.
// Options: --kind <kind> shows the cases of one kind, --format <format> measures one, --json <file> keeps the rows.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";

import { PROGRAM, Place } from "../tests/lib.mjs";
import { KINDS } from "../tests/reading/cases/all.mjs";
import { judged, shown } from "../tests/reading/judge.mjs";
import { download, otherText, placed, realFiles } from "./reading-corpora.mjs";
import { measureScans } from "./reading-scans.mjs";

/** Share of another reader's words below which content counts as lost. */
const WHOLE = 0.98;

const { values } = parseArgs({
    options: {
        corpora: { type: "string" },
        scans: { type: "string" },
        texts: { type: "string" },
        pages: { type: "string" },
        download: { type: "boolean", default: false },
        kind: { type: "string" },
        format: { type: "string" },
        json: { type: "string" },
    },
});
const place = new Place();
try {
    console.log(`program ${PROGRAM}`);
    const { scans, texts: more, kind: only, json } = values;
    if (scans !== undefined)
        await measureScans(place, resolve(scans), { more, only, json, pages: Number(values.pages ?? 10) });
    else if (values.corpora === undefined) await cases();
    else {
        const folder = resolve(values.corpora);
        if (values.download) await download(folder);
        await corpora(folder);
    }
} finally {
    await place.end();
}

async function cases() {
    const all = await judged(place);
    console.log(`${"kind".padEnd(16)} cases  right`);
    for (const kind of Object.keys(KINDS))
        console.log(
            counts(
                kind,
                all.filter((one) => one.kind === kind),
            ),
        );
    console.log(counts("all", all));
    const failed = all.filter((one) => one.faults.length > 0 && (values.kind ?? one.kind) === one.kind);
    console.log(`\n${failed.map(shown).join("\n")}`);
}

/**
 * @param {string} name
 * @param {import("../tests/reading/judge.mjs").Judged[]} among
 */
function counts(name, among) {
    const right = among.filter((one) => one.faults.length === 0).length;
    return `${name.padEnd(16)} ${String(among.length).padStart(5)} ${String(right).padStart(6)}`;
}

/**
 * @typedef {object} Row
 * @property {string} path
 * @property {string} format
 * @property {number | undefined} recall share of the other reader's words that are read; nothing where the other reader has none
 * @property {string[]} notes
 * @property {string[]} missing some of the words that are not read
 */

/** @param {string} folder */
async function corpora(folder) {
    /** @type {Row[]} */
    const rows = [];
    const files = realFiles(folder).filter(({ format }) => (values.format ?? format) === format);
    const formats = [...new Set(files.map(({ format }) => format))];
    for (const format of formats) {
        const own = files.filter((file) => file.format === format);
        const read = await readAll(own, format);
        for (const [at, file] of own.entries()) {
            const { text, notes } = read[at] ?? { text: "", notes: [] };
            const wanted = otherText(file);
            const { recall, missing } = compared(wanted, text);
            rows.push({ path: relative(folder, file.path), format, recall, notes, missing });
        }
    }
    table(rows, formats);
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(rows, null, 1)}\n`);
}

/**
 * Reads files in one go.
 * @param {import("./reading-corpora.mjs").Real[]} files
 * @param {string} base
 */
async function readAll(files, base) {
    const folder = join(place.work, base);
    mkdirSync(folder);
    const names = files.map((file, at) => placed(file, at, folder));
    const of = new Map(names.map((name) => [name, { text: "", notes: /** @type {string[]} */ ([]) }]));
    const told = JSON.parse(
        (await place.do(["kb", "ingest", folder, "--base", base, "--json"], { seconds: 1_800 })).stdout,
    );
    for (const { name, problems } of told.files)
        of.get(name)?.notes.push(...problems.map((/** @type {{ what: string }} */ one) => one.what));
    const exported = join(place.work, `${base}-exported`);
    await place.do(["kb", "export", base, exported], { seconds: 600 });
    const { sources } = JSON.parse(readFileSync(join(exported, "manifest.json"), "utf8"));
    const headings = /** @type {Set<string>} */ (new Set());
    for (const line of readFileSync(join(exported, "paragraphs.jsonl"), "utf8").split("\n").filter(Boolean)) {
        const { file = 0, text, path = [], doc = "", label = "", struck = [] } = JSON.parse(line);
        const deleted = struck.map((/** @type {{ text: string }} */ one) => one.text);
        const name = sources[file].name;
        const one = of.get(name);
        if (one === undefined) continue;
        const fresh = [doc, ...path].filter((heading) => !headings.has(`${name} ${heading}`));
        fresh.forEach((heading) => headings.add(`${name} ${heading}`));
        one.text += `\n${[...fresh, label, text, ...deleted].join("\n")}`;
    }
    return names.map((name) => of.get(name));
}

/** @param {string} text */
function words(text) {
    // Scripts without blanks are compared sign by sign: where a line ends says nothing about words.
    return (
        text
            .normalize("NFKC")
            .toLowerCase()
            .match(
                /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}]|(?:(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}])[\p{L}\p{N}\p{M}])+/gu,
            ) ?? []
    );
}

/**
 * @param {string | undefined} wanted
 * @param {string} text
 */
function compared(wanted, text) {
    const all = words(wanted ?? "");
    if (all.length === 0) return { recall: undefined, missing: [] };
    const have = /** @type {Map<string, number>} */ (new Map());
    for (const word of words(text)) have.set(word, (have.get(word) ?? 0) + 1);
    const missing = all.filter((word) => {
        const left = have.get(word) ?? 0;
        have.set(word, left - 1);
        return left <= 0;
    });
    return { recall: 1 - missing.length / all.length, missing: missing.slice(0, 12) };
}

/**
 * @param {Row[]} rows
 * @param {string[]} formats
 */
function table(rows, formats) {
    console.log(`${"format".padEnd(10)} files  compared  mean recall  whole  lost  lost, and not told`);
    for (const format of formats) {
        const own = rows.filter((row) => row.format === format);
        const with_ = own.filter((row) => row.recall !== undefined);
        const lost = with_.filter(({ recall = 1 }) => recall < WHOLE);
        const untold = lost.filter(({ notes }) => notes.length === 0);
        const mean = with_.reduce((sum, { recall = 0 }) => sum + recall, 0) / Math.max(with_.length, 1);
        console.log(
            `${format.padEnd(10)} ${String(own.length).padStart(5)} ${String(with_.length).padStart(9)} ${mean.toFixed(4).padStart(12)} ${String(with_.length - lost.length).padStart(6)} ${String(lost.length).padStart(5)} ${String(untold.length).padStart(19)}`,
        );
    }
    const untold = rows
        .filter(({ recall = 1, notes }) => recall < WHOLE && notes.length === 0)
        .sort((a, b) => (a.recall ?? 1) - (b.recall ?? 1));
    for (const { path, recall = 0, missing } of untold.slice(0, 40))
        console.log(`${recall.toFixed(3)} ${path}: ${missing.join(" ")}`);
}
