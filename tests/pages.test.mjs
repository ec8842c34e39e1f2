// From a citation to the person's own file: its name, its page, and the page as a picture with the passage marked.

import assert from "node:assert/strict";
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Place, document, jsonLines } from "./lib.mjs";
import { pdf } from "./papers.mjs";

const PAGES = [
    ["# Retention", "1.1 Working papers are numbered by the office on the day on which they arrive."],
    ["1.2 Working papers are kept for seven years after the date of the report.", "1.3 Keys hang in the hall."],
];

/** @param {import("node:test").TestContext} context */
async function answered(context) {
    const place = Place.for(context);
    const folder = join(place.work, "handbook");
    mkdirSync(folder, { recursive: true });
    const file = join(folder, "retention.pdf");
    writeFileSync(file, pdf(PAGES));
    await place.do(["kb", "ingest", folder, "--base", "handbook"]);
    const question = "How long are working papers kept?";
    const run = await place.do(["run", "standards-research", "--yes", "--corpus", "handbook", question]);
    const written = document(run);
    const rows = jsonLines((await place.do(["show", "--citations", "--json"])).stdout);
    const row = rows.find(({ paragraph }) => paragraph?.text.includes("seven years"));
    assert.ok(row, "the paragraph is cited");
    return { place, file, row, written };
}

test("a citation names its file and page, and its page is drawn with the passage marked", async (context) => {
    const { place, file, row, written } = await answered(context);
    assert.match(written.markdown, /\(retention\.pdf, page 2\)/);
    assert.match(written.html, /<p class="place">retention\.pdf, page 2<\/p>/);
    assert.equal(row.paragraph.file, "retention.pdf");
    assert.equal(row.paragraph.page, 2);
    const listed = await place.do(["show", "--citations"]);
    assert.match(listed.stdout, /retention\.pdf, page 2/);
    const number = String(row.citation.number);
    const picture = join(place.work, "page.png");
    const shown = await place.do(["show", "--citation", number, "--picture", picture]);
    assert.match(shown.stdout, /retention\.pdf, page 2/);
    assert.ok(shown.stdout.includes(file), "its path");
    assert.match(shown.stdout, /».*seven years.*«/s);
    assert.match(shown.stderr, /Page 2 of 2 \([1-9]\d* marked\)/);
    assert.equal(readFileSync(picture).subarray(1, 4).toString("latin1"), "PNG");
    const other = join(place.work, "first.png");
    const first = await place.do(["show", "--citation", number, "--picture", other, "--page", "1"]);
    assert.match(first.stderr, /Page 1 of 2 \(the passage was not found on it\)/);
    const again = await place.run(["show", "--citation", number, "--picture", picture]);
    assert.notEqual(again.code, 0, "a picture that is there is kept");
});

test("a file that was changed or removed is told by its digest, and no page of it is drawn", async (context) => {
    const { place, file, row } = await answered(context);
    const number = String(row.citation.number);
    const picture = join(place.work, "page.png");
    const drawn = () => place.run(["show", "--citation", number, "--picture", picture]);
    appendFileSync(file, "\n% a remark");
    const changed = await drawn();
    assert.match(
        changed.stdout,
        /retention\.pdf was changed since it was ingested \(SHA-256 [0-9a-f]{12} then, [0-9a-f]{12} now\)/,
    );
    assert.match(changed.stdout, /seven years/, "the paragraph is as it was read");
    assert.notEqual(changed.code, 0);
    assert.match(changed.stderr, /ingest the folder again/);
    rmSync(file);
    const gone = await drawn();
    assert.match(gone.stdout, /retention\.pdf is no longer there \(SHA-256 [0-9a-f]{12}\)/);
    assert.notEqual(gone.code, 0);
    assert.ok(!existsSync(picture));
});
