// Documents attached to a question: read page by page, asked with the chosen base, cited by file and page, kept with their session.

import assert from "node:assert/strict";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { AGENT, Place, QUESTION, document } from "./lib.mjs";
import { docx, encryptedPdf, pdf, xlsx } from "./papers.mjs";

const HANDBOOK = pdf([
    ["# Archive handbook", "This handbook describes the archive of the harbour office in general."],
    ["# Opening hours", "The reading room opens at nine in the morning on working days."],
    ["# Storage", "Nautical charts are stored at sixteen degrees in the northern vault."],
]);

/** @param {Place} place */
function handbook(place) {
    const path = join(place.work, "handbook.pdf");
    writeFileSync(path, HANDBOOK);
    return path;
}

/**
 * @param {Place} place
 * @param {string[]} more
 */
async function ask(place, ...more) {
    return document(await place.do(["run", "standards-research", "--yes", ...more]));
}

/** @param {Place} place */
const bases = (place) => readdirSync(join(place.data, "knowledge")).filter((name) => name.startsWith("attached-"));

test("a PDF that goes with a question is cited by page, in a follow-up too, and ends with its session", async (context) => {
    const place = Place.for(context);
    const file = handbook(place);
    const { stderr } = await place.do([
        "run",
        "standards-research",
        "--yes",
        "--attach",
        file,
        "How are nautical charts stored?",
    ]);
    assert.match(stderr, /handbook\.pdf: 3 pages/);
    const state = await place.state();
    assert.deepEqual(
        [state.corpus, state.attached.map((/** @type {any} */ one) => one.name)],
        [null, ["handbook.pdf"]],
    );
    const answered = await place.do(["export", state.run, "--format", "markdown", "-o", join(place.work, "answer.md")]);
    assert.equal(answered.code, 0);
    assert.match(readFileSync(join(place.work, "answer.md"), "utf8"), /sixteen degrees[^]*handbook\.pdf, page 3/);

    // The citation leads to the page of the file, with the passage marked.
    const records = (await place.through([["run_document", { run: { id: state.run } }]]))[0];
    const cited = records.citations.find((/** @type {any} */ one) => one.label === "handbook.pdf, page 3");
    const [view, picture] = await place.through([
        ["paragraph_show", { run: state.run, id: cited.paragraph, quotes: cited.quotes }],
        ["page_picture", { run: state.run, id: cited.paragraph, quotes: cited.quotes, page: null, width: 400 }],
    ]);
    assert.deepEqual(
        [view.file, view.page, view.drawable, view.highlights.length > 0],
        ["handbook.pdf", 3, true, true],
    );
    assert.deepEqual([picture.file, picture.page, picture.marks.length > 0], ["handbook.pdf", 3, true]);

    // No list of bases names it; a follow-up still asks it.
    assert.equal(bases(place).length, 1);
    assert.doesNotMatch((await place.do(["kb", "list"])).stdout, /attached-/);
    const second = await ask(place, "--follow-up", "last", "When does the reading room open?");
    assert.match(second.markdown, /nine in the morning[^]*handbook\.pdf, page 2/);
    assert.deepEqual([(await place.state()).session, bases(place).length], [state.session, 1]);

    // What it does not say is never marked good.
    const none = await ask(place, "--attach", file, "Who won the chess championship of 1972?");
    assert.match(none.markdown, /Not found/);
    assert.doesNotMatch(none.html, /class="bar good"/);

    await place.through([
        ["session_update", { sessions: [state.session], patch: { deleted: true } }],
        ["session_purge", { sessions: [state.session] }],
    ]);
    assert.equal(bases(place).length, 1, "the other session keeps its own");
});

test("documents are asked together with the chosen base, and with an agent's own", async (context) => {
    const place = Place.for(context);
    writeFileSync(
        join(place.work, "ships.md"),
        "# Ships\n\n1.1 The pilot boards inbound ships two miles before the mole.\n",
    );
    await place.do(["kb", "ingest", join(place.work, "ships.md"), "--base", "ships"]);
    const letter = join(place.work, "letter.docx");
    writeFileSync(letter, docx(["The tug of the harbour is called Marlene and has two engines."]));
    const prices = join(place.work, "prices.csv");
    writeFileSync(prices, "Service,Price\nPilotage,410 euros\nTowing,950 euros\n");
    const crew = join(place.work, "crew.xlsx");
    writeFileSync(
        crew,
        xlsx([
            ["Rank", "Name"],
            ["Harbour master", "Ottilie Krahn"],
            ["Boatswain", "Emil Voss"],
        ]),
    );
    const both = ["--corpus", "ships", "--attach", letter, "--attach", prices, "--attach", crew];
    for (const [question, words, where] of /** @type {[string, RegExp, RegExp][]} */ ([
        ["Where does the pilot board inbound ships?", /two miles before the mole/, /1\.1/],
        ["What is the tug of the harbour called?", /Marlene/, /letter\.docx/],
        ["What is the price of towing?", /950 euros/, /prices\.csv/],
        ["What is the name of the harbour master?", /Ottilie Krahn/, /crew\.xlsx/],
    ])) {
        const { markdown } = await ask(place, ...both, question);
        assert.match(markdown, words);
        assert.match(markdown, where);
    }
    const { corpus, attached } = await place.state();
    assert.deepEqual([corpus.split("@")[0], attached.length], ["ships", 3]);

    const own = document(
        await place.do([
            "run",
            AGENT,
            "--yes",
            "--attach",
            handbook(place),
            `${QUESTION} How are nautical charts stored?`,
        ]),
    );
    assert.match(own.markdown, /going concern/);
    assert.match(own.markdown, /handbook\.pdf, page 3/);
});

test("a document that can't be read starts nothing, and the message names it and what to do", async (context) => {
    const place = Place.for(context);
    const write = (/** @type {string} */ name, /** @type {string | Buffer} */ bytes) => {
        writeFileSync(join(place.work, name), bytes);
        return join(place.work, name);
    };
    for (const [path, why, remedy] of /** @type {[string, RegExp, RegExp][]} */ ([
        [write("locked.pdf", encryptedPdf()), /locked\.pdf: it is encrypted/, /without the password/],
        [write("blank.pdf", pdf([[], [], []])), /blank\.pdf: not a readable PDF/, /save it anew/],
        [write("torn.docx", "no archive at all"), /torn\.docx: not a readable/, /save it anew/],
        [write("empty.pdf", ""), /empty\.pdf is empty/, /with text in it/],
        [
            write("tools.zip", Buffer.from("PK\u0003\u0004tool\u0000\u00ff", "latin1")),
            /tools\.zip is of a type/,
            /XLSX/,
        ],
        [write("photo.png", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff])), /photo\.png is a picture/, /conversation/],
        [write("large.pdf", Buffer.alloc((20 << 20) + 1, "%PDF-")), /large\.pdf has 20971521 bytes/, /knowledge base/],
    ])) {
        const refused = await place.run(["run", "standards-research", "--yes", "--attach", path, "What does it say?"]);
        assert.notEqual(refused.code, 0, path);
        assert.match(refused.stderr, why);
        assert.match(refused.stderr, remedy);
    }
    assert.deepEqual(await place.runs(), []);
});

test("an agent in a conversation is asked over the documents of the message", async (context) => {
    const place = Place.for(context);
    const message = ["--attach", handbook(place), "@standards-research How are nautical charts stored?"];
    const begun = await place.run(["chat", "--connection", "offline", ...message]);
    assert.equal(begun.code, 3, begun.stderr);
    await place.do(["resume", "--last", "--yes"]);
    const state = await place.state();
    assert.equal(state.attached[0].name, "handbook.pdf");
    assert.match(
        JSON.stringify((await place.through([["run_document", { run: { id: state.run } }]]))[0]),
        /handbook\.pdf, page 3/,
    );
});
