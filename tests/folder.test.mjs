// A folder of one's own from outside: asked offline, followed up without naming it again, and never marked good where it does not answer.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Place, document } from "./lib.mjs";

const FILES = {
    "retention.md":
        "# Retention\n\n1.1 Working papers are kept for seven years after the date of the report.\n\n1.2 The partner approves every destruction of working papers in writing.\n",
    "travel.md":
        "# Travel\n\n2.1 Train journeys below four hours are made in second class.\n\n2.2 Receipts are handed in within thirty days of the journey.\n",
};

/** The folder answers none of these. */
const UNANSWERABLE = [
    "How do I bake sourdough bread?",
    "What is the boiling point of tungsten?",
    "Who won the chess championship of 1972?",
    "Which vaccine is recommended for yellow fever?",
];

/** @param {Place} place */
async function ingest(place) {
    const folder = join(place.work, "handbook");
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
    await place.do(["kb", "ingest", folder, "--base", "handbook"]);
}

/**
 * @param {Place} place
 * @param {string[]} more
 */
async function ask(place, ...more) {
    return document(await place.do(["run", "standards-research", "--yes", ...more]));
}

test("files of a folder are cited whatever they are called, and rows of a table name their columns", async (context) => {
    const place = Place.for(context);
    const folder = join(place.work, "contracts");
    mkdirSync(folder, { recursive: true });
    const write = (/** @type {string} */ name, /** @type {string} */ text) => writeFileSync(join(folder, name), text);
    write("Mietvertrag Müller & Söhne.md", "# Lease\n\nThe lease ends with six months notice in writing.\n");
    write("_index.md", "# Index\n\nThe lighthouse is painted every ninth summer.\n");
    write("Pièce n° 12 – «annexe».txt", "The deposit is returned within sixty days.\n");
    write("suppliers.csv", "Supplier,Contract ends\nAcme Paper,2026-01-31\nCelsius Cooling,2027-12-31\n");
    for (const [question, answer] of [
        ["With how many months notice does the lease end?", /six months notice.*Müller & Söhne/],
        ["How often is the lighthouse painted?", /ninth summer.*_index/],
        ["When is the deposit returned?", /sixty days.*n° 12/],
        [
            "When does the contract of Celsius Cooling end?",
            /Celsius Cooling; Contract ends: 2027-12-31.*suppliers\.csv/,
        ],
    ]) {
        const { markdown } = await ask(place, "--corpus", "./contracts", String(question));
        assert.match(markdown, /** @type {RegExp} */ (answer));
    }
});

test("a question that a folder does not answer is never marked good", async (context) => {
    const place = Place.for(context);
    await ingest(place);
    for (const question of UNANSWERABLE) {
        const { html } = await ask(place, "--corpus", "handbook", question);
        assert.doesNotMatch(html, /class="bar good"/, question);
    }
});

test("a question without a base asks the newest, and a follow-up the base of the answer before", async (context) => {
    const place = Place.for(context);
    // An older one whose name comes later.
    const aside = join(place.work, "aside.md");
    writeFileSync(aside, "# Aside\n\n1.1 Nothing of this matters.\n");
    await place.do(["kb", "ingest", aside, "--base", "zz"]);
    await ingest(place);
    const first = await place.do(["run", "standards-research", "--yes", "How long are working papers kept?"]);
    assert.match(document(first).markdown, /seven years/);
    assert.match(first.stderr, /asking the knowledge base handbook, your newest/);
    const second = await ask(place, "--follow-up", "last", "Who approves their destruction?");
    assert.match(second.markdown, /partner approves/);
    // Words are looked for in every base, and one that can't be read is named and left out.
    const files = readdirSync(join(place.data, "knowledge", "zz"), { recursive: true, encoding: "utf8" });
    for (const file of files.filter((name) => /paragraphs[^/]*$/.test(name)))
        writeFileSync(join(place.data, "knowledge", "zz", file), "damaged");
    const found = await place.do(["kb", "search", "working papers seven years"]);
    assert.match(found.stdout, /seven years/);
    assert.match(found.stderr, /^left out: .*zz/m);
});

test("a follow-up without a subject of its own is answered about the question before it", async (context) => {
    const place = Place.for(context);
    await ingest(place);
    await ask(place, "--corpus", "handbook", "How long are working papers kept?");
    for (const request of ["Who then?", "And why?", "When may they be destroyed?"]) {
        const { markdown } = await ask(place, "--follow-up", "last", request);
        assert.match(markdown, /working papers/, `${request}\n${markdown}`);
        assert.doesNotMatch(markdown, /Not found|Train journeys/, `${request}\n${markdown}`);
    }
    const other = await ask(place, "--follow-up", "last", "Which class do train journeys take?");
    assert.match(other.markdown, /second class/, "a question with a subject of its own is about that");
});

test("a follow-up without a subject keeps the topic and goes on past the pauses of a staged agent", async (context) => {
    const place = Place.for(context);
    await place.do(["run", "isa-deep-research", "--yes", "--depth", "quick", "How is performance materiality set?"]);
    for (const request of ["when then?", "and why?", "who?"]) {
        const asked = ["run", "isa-deep-research", "--depth", "quick", "--follow-up", "last", request];
        const { markdown } = document(await place.do(asked));
        const short = markdown.slice(0, markdown.indexOf("\n## ", markdown.indexOf("## In short") + 5));
        assert.match(short, /performance materiality/i, `${request}\n${short}`);
    }
});
