// Exported files as another program reads them: LibreOffice without a window and without a network makes pages of them, and the words of
// these pages are held against the document: headings in their order, footnotes with their texts, rows of tables, pages of the contents.
// Damaged files are found by the same tests. Skipped where LibreOffice or pdftotext is not installed; `npm test` installs both.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { ask } from "../.scripts/process.mjs";
import { soffice } from "../.scripts/packages.mjs";
import { dealRoom } from "./deal-room.mjs";
import { AGENT, Place, QUESTION, jsonLines, which } from "./lib.mjs";
import { all, parsed } from "./ooxml.mjs";
import { unzip, zip } from "./zip.mjs";

const OFFICE = soffice();
const skip =
    OFFICE === undefined
        ? "LibreOffice is not installed"
        : which("pdftotext") === undefined
          ? "pdftotext is not installed"
          : false;
/** A wall around it: the files as they are, and no network. */
const WALL = ["--dev-bind", "/", "/", "--unshare-net"];

/**
 * What the pages of a document have to say.
 * @typedef {object} Expected
 * @property {string[]} headings in their order
 * @property {Map<number, string>} notes by their number
 * @property {string[][]} rows of tables, a cell each
 */

/** @type {Place} */
let place;
/** @type {string} the memorandum, Markdown */
let memorandum;
/** @type {string} the run of an answer */
let answer;
/** @type {string} the memorandum's run */
let run;

/** @param {string} name */
const file = (name) => join(place.work, name);

/**
 * Letters and digits alone: signs, line ends and the spaces within long names differ between the forms.
 * @param {string} text
 */
const squeezed = (text) => text.normalize("NFKC").replace(/[^\p{L}\p{N}]+/gu, "");

/**
 * Converts files in a profile of their own, all in one start of the program.
 * @param {string[]} files
 * @param {string} to a form as LibreOffice names it
 * @returns {string[]} the new files; one that could not be read has none
 */
function converted(files, to) {
    const profile = pathToFileURL(file("office-profile")).href;
    const out = file("converted");
    mkdirSync(out, { recursive: true });
    const args = ["--headless", `-env:UserInstallation=${profile}`, "--convert-to", to, "--outdir", out, ...files];
    const isWalled = which("bwrap") !== undefined && ask("bwrap", [...WALL, "true"]).ok;
    const command = isWalled ? ["bwrap", ...WALL, String(OFFICE), ...args] : [String(OFFICE), ...args];
    execFileSync(String(command[0]), command.slice(1), {
        timeout: 180_000,
        stdio: ["ignore", "ignore", "pipe"],
        env: { ...place.environment(), SAL_USE_VCLPLUGIN: "svp" },
    });
    return files.map((one) => join(out, basename(one).replace(/\.\w+$/, `.${to.replace(/:.*/, "")}`)));
}

/**
 * @param {string} pdf
 * @returns {string[]} the words of each page, in the order in which they are drawn
 */
function pages(pdf) {
    const text = execFileSync("pdftotext", ["-raw", "-enc", "UTF-8", pdf, "-"], { encoding: "utf8", stdio: "pipe" });
    return text.split("\f").slice(0, -1);
}

/**
 * What pages lack of a document; nothing where they have all of it.
 * @param {string[]} text the pages
 * @param {Expected} expected
 * @param {boolean} [isNumberFirst] whether a footnote's number is drawn before its words
 * @returns {string[]}
 */
function lacks(text, { headings, notes, rows }, isNumberFirst = true) {
    const found = [];
    const count = text.length;
    if (count < 2 || count > 80) found.push(`${count} pages`);
    // A footnote may go on on the next page, below that page's head and text: it is looked for in pieces.
    const body = squeezed(text.join("\n"));
    const contents = Math.max(
        0,
        text.findIndex((page) => /^Contents$/m.test(page)),
    );
    const [first = "", ...others] = text.slice(contents);
    const pagesOfText = [first.replace(/^Contents\n(.*\d\n)*/m, ""), ...others].map(squeezed);
    let at = 0;
    let from = 0;
    for (const heading of headings) {
        const words = squeezed(heading);
        let [page, place] = [at, (pagesOfText[at] ?? "").indexOf(words, from)];
        for (; place < 0 && page + 1 < pagesOfText.length; place = (pagesOfText[page] ?? "").indexOf(words)) page += 1;
        if (place < 0) found.push(`no heading ${heading} behind the one before it`);
        else [at, from] = [page, place + words.length];
        // The contents name its page, or the one beside it: the fonts of this machine are others.
        const listed = new RegExp(`^${heading.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}[ .]*(\\d+)$`, "m");
        const told = listed.exec(text[contents] ?? "");
        if (told !== null && Math.abs(Number(told[1]) - (contents + page + 1)) > 1)
            found.push(`${heading} is on page ${contents + page + 1}, not ${told[1]}`);
    }
    for (const [number, note] of notes) {
        const words = squeezed(note);
        const pieces = words.match(/.{1,24}/gu) ?? [];
        const there = pieces.filter((piece) => body.includes(piece)).length;
        if (!body.includes(`${isNumberFirst ? number : ""}${words.slice(0, 16)}`))
            found.push(`no footnote ${number}: ${note.slice(0, 60)}`);
        else if (there < pieces.length - 2)
            found.push(`of footnote ${number} only ${there} of ${pieces.length} pieces`);
    }
    for (const row of rows) if (!body.includes(squeezed(row.join("")))) found.push(`no row ${row.join(" | ")}`);
    if (count > 1 && !text.every((page, index) => page.includes(`Page ${index + 1} of ${count}`)))
        found.push("a page without its number");
    return found;
}

/**
 * What a memorandum's Markdown has to say. Second headings have numbers in pages.
 * @param {string} markdown
 * @returns {Expected}
 */
function ofMarkdown(markdown) {
    const text = markdown.slice(markdown.indexOf("\n## I. "));
    let [above, count] = ["", 0];
    const headings = [];
    for (const [, signs, words = ""] of text.matchAll(/^(##|###|####) (.+)$/gm)) {
        if (words === "Footnotes") continue;
        if (signs === "##") [above, count] = [words.split(" ")[0] ?? "", 0];
        if (signs === "###") count += 1;
        headings.push(signs === "###" ? `${above}${count}. ${words}` : words);
    }
    const unmarked = (/** @type {string} */ words) => words.replace(/\[\^(\d+)\]/g, "$1");
    const notes = [...text.matchAll(/^\[\^(\d+)\]: (.*)$/gm)];
    const rows = [...text.matchAll(/^\|(.*)\|$/gm)].filter(([row]) => /[^|:\- ]/.test(row));
    return {
        headings,
        notes: new Map(notes.map(([, number, words = ""]) => [Number(number), unmarked(words)])),
        rows: rows.map(([, row = ""]) => row.split("|").map((cell) => cell.trim())),
    };
}

/**
 * What a file of Word says by its parts.
 * @param {string} docx
 * @returns {Expected}
 */
function ofWord(docx) {
    const parts = unzip(readFileSync(docx));
    const part = (/** @type {string} */ name) => String(parts.get(name));
    const words = (/** @type {string} */ xml) =>
        [...xml.matchAll(/<w:t[ >][^<]*|<w:t>[^<]*/g)]
            .map(([run]) => run.replace(/^<w:t[^>]*>/, ""))
            .join("")
            .replace(/&lt;|&gt;|&quot;|&apos;/g, " ")
            .replace(/&amp;/g, "&");
    const paragraphs = part("word/document.xml").match(/<w:p>.*?<\/w:p>/gs) ?? [];
    const headings = paragraphs.filter((one) => /<w:pStyle w:val="Heading\d"/.test(one)).map(words);
    const notes = [...part("word/footnotes.xml").matchAll(/<w:footnote w:id="(\d+)">(.*?)<\/w:footnote>/gs)];
    const rows = (part("word/document.xml").match(/<w:tr>.*?<\/w:tr>/gs) ?? []).map((row) =>
        (row.match(/<w:tc>.*?<\/w:tc>/gs) ?? []).map(words),
    );
    return {
        headings,
        notes: new Map(notes.map(([, number, xml = ""]) => [Number(number), words(xml)])),
        // A long row may go on on the next page.
        rows: rows.filter((row) => row.join("").length < 400),
    };
}

/**
 * Writes a file of Word with one part changed.
 * @param {string} docx
 * @param {string} name of the new file
 * @param {string} part
 * @param {(xml: string) => string} change
 */
function damaged(docx, name, part, change) {
    const parts = unzip(readFileSync(docx));
    const whole = String(parts.get(part));
    const changed = change(whole);
    assert.notEqual(changed, whole, `${name}: nothing was changed`);
    parts.set(part, Buffer.from(changed));
    const path = file(name);
    writeFileSync(path, zip([...parts].map(([entry, bytes]) => ({ name: entry, bytes }))));
    return path;
}

before(async () => {
    if (skip !== false) return;
    place = new Place();
    const { input } = dealRoom(place.work);
    const args = ["run", "deal-memorandum", "--input", input, "--depth", "outline", "--yes", "--json"];
    run = jsonLines((await place.do(args, { seconds: 300 })).stdout).at(-1).run;
    const asked = await place.do(["run", AGENT, "--yes", "--json", QUESTION]);
    answer = jsonLines(asked.stdout).at(-1).run;
    const exports = [
        [run, "markdown", "memo.md"],
        [run, "docx", "memo.docx"],
        [run, "pdf", "memo-own.pdf"],
        [answer, "docx", "answer.docx"],
    ];
    for (const [of = "", format = "", name = ""] of exports)
        await place.do(["export", of, "--format", format, "-o", file(name)]);
    memorandum = readFileSync(file("memo.md"), "utf8");
    const source = file("lease.md");
    writeFileSync(source, LEASE);
    const changed = file("lease-new.md");
    writeFileSync(
        changed,
        LEASE.replace("thirty days", "sixty days").replace("It ends in May.\n", "It ends in June.\n"),
    );
    await place.do(["manuscript", "word", changed, "--changes-from", source, "-o", file("revision.docx")]);
    const memo = file("memo.docx");
    const notes = "word/footnotes.xml";
    damaged(memo, "no-note.docx", notes, (xml) =>
        xml.replace(/<w:footnote w:id="10">.*?<\/w:footnote>/s, (note) =>
            note.replace(/(<w:t(?: [^>]*)?>)[^<]*/g, "$1"),
        ),
    );
    damaged(memo, "no-heading.docx", "word/document.xml", (xml) =>
        xml.replace(/<w:p><w:pPr><w:pStyle w:val="Heading1"\/>(?:(?!<\/w:p>).)*IV\.E\. .*?<\/w:p>/s, ""),
    );
    damaged(memo, "no-cell.docx", "word/document.xml", (xml) =>
        xml.replace(/<w:t[^>]*>10,000,000<\/w:t>/, "<w:t>10,000,001</w:t>"),
    );
    damaged(memo, "cut.docx", "word/document.xml", (xml) => xml.slice(0, xml.length / 2));
    const files = ["memo", "answer", "revision", "no-note", "no-heading", "no-cell", "cut"].map((name) =>
        file(`${name}.docx`),
    );
    converted(files, "pdf");
});

after(() => place?.end());

const LEASE = `# Lease of the hall

## Notice

The landlord may end it within thirty days.[^1]

It ends in May.

[^1]: Lease, p. 3.
`;

/** @param {string} name */
const convertedPages = (name) => pages(join(file("converted"), `${name}.pdf`));

test(
    "a memorandum has every heading, footnote and row of its Markdown, in Word's file and in our own pages",
    { skip },
    () => {
        const expected = ofMarkdown(memorandum);
        assert.ok(expected.headings.length > 15 && expected.notes.size > 20 && expected.rows.length > 20);
        assert.deepEqual(lacks(convertedPages("memo"), expected), []);
        const own = pages(file("memo-own.pdf"));
        assert.deepEqual(lacks(own, expected, false), []);
        // A title page with a day, then the contents with the page of every part.
        for (const text of [convertedPages("memo"), own]) {
            assert.match(
                text[0] ?? "",
                /^Acquisition of Larkspur\s+Analytics\n[^]*^Date: \d+ \w+ 20\d\d$[^]*^Status: draft, not signed$/m,
            );
            assert.match(text[1] ?? "", /^Contents\n[^]*^V\. Certificate and limitations[ .]*\d+$/m);
            assert.match(text[2] ?? "", /I\. Executive Summary/);
        }
    },
);

test("an answer's file of Word opens with every heading, footnote and row", { skip }, () => {
    const expected = ofWord(file("answer.docx"));
    assert.ok(expected.headings.length > 5 && expected.notes.size > 3, JSON.stringify(expected.headings));
    const text = convertedPages("answer");
    assert.deepEqual(lacks(text, expected), []);
    assert.match(text[0] ?? "", /^Answered on \d+ \w+ 20\d\d$/m);
});

test("damaged files of Word are found by the same tests", { skip }, () => {
    const expected = ofMarkdown(memorandum);
    assert.match(lacks(convertedPages("no-note"), expected).join("\n"), /footnote 10:/);
    assert.match(lacks(convertedPages("no-heading"), expected).join("\n"), /IV\.E\. /);
    assert.match(lacks(convertedPages("no-cell"), expected).join("\n"), /no row .*10,000,000/);
    const cut = join(file("converted"), "cut.pdf");
    if (existsSync(cut)) assert.notDeepEqual(lacks(pages(cut), expected), []);
});

test("a revision shows what was taken out and what was put in", { skip }, () => {
    const text = convertedPages("revision").join("\n");
    assert.match(text, /thirty/);
    assert.match(text, /sixty/);
    const document = parsed(String(unzip(readFileSync(file("revision.docx"))).get("word/document.xml")));
    assert.ok(all(document, "w:ins").length > 0 && all(document, "w:del").length > 0);
});

test("our own pages say where no font has a character", { skip }, async () => {
    const source = file("signs.md");
    writeFileSync(source, "# Signs\n\nOne \u{10fffd} and another \u{10fffd}.\n");
    await place.do(["manuscript", "word", source, "-o", file("signs.pdf")]);
    const [page = ""] = pages(file("signs.pdf"));
    assert.match(page, /One \u{10fffd} and another \u{10fffd}\./u);
    assert.match(
        page,
        /2 characters are shown as boxes because this machine has no font for them: U\+10FFFD\. [^]*fonts-noto-\s*core/,
    );
    assert.match(page, /2 characters are shown as boxes: see the last page/);
});

const CALC = "/usr/lib/libreoffice/program/libsclo.so";

test(
    "the tables of a memorandum open in a spreadsheet",
    { skip: skip || (existsSync(CALC) ? false : "LibreOffice has no spreadsheets here") },
    async () => {
        await place.do(["export", run, "--format", "xlsx", "-o", file("memo.xlsx")]);
        const [csv = ""] = converted([file("memo.xlsx")], "csv");
        const rows = readFileSync(csv, "utf8").trim().split("\n");
        // Its first sheet: the statements, each with its place and its quote.
        assert.equal(rows[0], "statement,text,state,why,file and page,paragraph,quote,citation");
        assert.ok(rows.length > 20, `${rows.length} rows`);
        assert.ok(rows.slice(1).some((row) => row.includes("agreement-orchard.md")));
    },
);
