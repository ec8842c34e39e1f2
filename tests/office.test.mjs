// Word and Excel files as another program reads them: LibreOffice without a window. Skipped where it is not installed.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { dealRoom } from "./deal-room.mjs";
import { Place, jsonLines } from "./lib.mjs";

const OFFICE = ["/usr/bin/soffice", "/usr/lib/libreoffice/program/soffice", "/usr/bin/libreoffice"].find(existsSync);
const skip = OFFICE === undefined ? "LibreOffice is not installed" : false;

/** @type {Place} */
let place;
/** @type {string} the run's id */
let run;
/** @type {string} its memorandum, Markdown */
let written;

before(async () => {
    if (skip !== false) return;
    place = new Place();
    const { input } = dealRoom(place.work);
    const args = ["run", "deal-memorandum", "--input", input, "--depth", "outline", "--yes", "--json"];
    written = jsonLines((await place.do(args)).stdout).at(-1).document;
    run = (await place.runs())[0].run;
});

after(() => place?.end());

/**
 * Converts a file in a profile of its own.
 * @param {string} file
 * @param {string} to a form as LibreOffice names it
 * @returns {string} the new file
 */
function converted(file, to) {
    const profile = pathToFileURL(join(place.work, "office-profile")).href;
    const args = ["--headless", `-env:UserInstallation=${profile}`, "--convert-to", to, "--outdir", place.work, file];
    execFileSync(/** @type {string} */ (OFFICE), args, { timeout: 180_000, stdio: ["ignore", "ignore", "pipe"] });
    const ending = to.replace(/:.*/, "");
    return join(place.work, basename(file).replace(/\.\w+$/, `.${ending}`));
}

/**
 * @param {string} format
 * @param {string} name
 */
async function exported(format, name) {
    const file = join(place.work, name);
    await place.do(["export", run, "--format", format, "-o", file]);
    return file;
}

/**
 * Words alone: signs, marks of Markdown and line ends differ between the forms.
 * @param {string} text
 */
const words = (text) =>
    text
        .replace(/\[\^\d+\]/g, " ")
        .replace(/[^\p{L}\p{N}]+/gu, " ")
        .trim();

test(
    "a memorandum in Word has every heading, paragraph and footnote of its Markdown, and pages",
    { skip },
    async () => {
        const markdown = readFileSync(written, "utf8");
        const docx = await exported("docx", "memo.docx");
        const text = words(readFileSync(converted(docx, "txt:Text (encoded):UTF8"), "utf8"));

        const headings = [...markdown.matchAll(/^#{1,3} (.+)$/gm)].map(([, heading]) => words(heading));
        assert.ok(headings.length > 15, `${headings.length} headings`);
        // In Word footnotes stand at the foot of their pages.
        for (const heading of headings.filter((one) => one !== "Footnotes"))
            assert.ok(text.includes(heading), `no heading ${heading}`);

        const notes = [...markdown.matchAll(/^\[\^(\d+)\]: (.*)$/gm)];
        assert.ok(notes.length > 20, `${notes.length} footnotes`);
        const sentences = markdown.split("\n").filter((line) => /\[\^\d+\]/.test(line) && !line.startsWith("[^"));
        assert.ok(sentences.length > 10);
        for (const sentence of sentences) {
            const [first] = sentence.replace(/^[-*|#\d. ]+/, "").split(/\[\^|\|/);
            assert.ok(text.includes(words(first)), `no text ${first}`);
        }

        const pdf = readFileSync(converted(docx, "pdf"), "latin1");
        const pages = pdf.match(/\/Type\s*\/Page\b/g)?.length ?? 0;
        assert.ok(pages >= 8, `${pages} pages`);
    },
);

test("the tables of a memorandum open in a spreadsheet", { skip }, async () => {
    const xlsx = await exported("xlsx", "memo.xlsx");
    const csv = readFileSync(converted(xlsx, "csv"), "utf8").trim().split("\n");
    // Its first sheet: the statements, each with its place and its quote.
    assert.equal(csv[0], "statement,text,state,why,file and page,paragraph,quote,citation");
    assert.ok(csv.length > 20, `${csv.length} rows`);
    assert.ok(csv.slice(1).some((row) => row.includes("agreement-orchard.md")));
});
