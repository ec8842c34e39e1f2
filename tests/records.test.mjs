// Sentence records: each sentence of an answer carries what it rests on, and nothing leaves the program when that no longer holds.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { Place, document, jsonLines } from "./lib.mjs";

/**
 * A finished run over a base of our own.
 * @param {Place} place
 */
async function answered(place) {
    const folder = join(place.work, "lamps");
    mkdirSync(folder);
    const rows = [
        { id: "L1", title: "Cleaning", text: "A lamp must be cleaned gently by its keeper at the end of each month." },
        { id: "L2", title: "Oil", text: "Oil for lamps is kept in a cool room behind a locked door." },
        { id: "L3", title: "Glass", text: "Broken glass of a lamp is carried away in a bucket of sand." },
    ];
    writeFileSync(join(folder, "lamps.jsonl"), rows.map((row) => JSON.stringify(row)).join("\n"));
    await place.do(["kb", "ingest", folder, "--base", "lamps", "--citation", "(Lamp {id})"]);
    const { path } = document(
        await place.do([
            "run",
            "standards-research",
            "--corpus",
            "lamps",
            "--yes",
            "How often must a lamp be cleaned?",
        ]),
    );
    const file = join(dirname(dirname(path)), "data", "answer.json");
    const [{ run }] = await place.runs();
    return { run, path, file, answer: JSON.parse(readFileSync(file, "utf8")) };
}

test("an answer holds a record for each sentence, and a record that was bent is named", async (context) => {
    const place = Place.for(context);
    const { file, answer } = await answered(place);
    assert.equal(answer.sentences.version, 1);
    const { records } = answer.sentences;
    const cited = records.filter((/** @type {any} */ record) => record.citations.length > 0);
    assert.ok(cited.length > 0, JSON.stringify(answer.sentences));
    for (const record of cited) {
        assert.ok(record.sentence !== "" && record.verdict !== undefined && record.method !== undefined);
        for (const one of record.citations) {
            assert.match(one.document.sha256, /^[0-9a-f]{64}$/);
            assert.match(one.paragraph_sha256, /^[0-9a-f]{64}$/);
            assert.deepEqual([one.base, one.generation], ["lamps", "g000001"]);
        }
    }
    const proven = cited.find(
        (/** @type {any} */ record) => record.verdict === "verified" && record.citations[0].range !== undefined,
    );
    assert.ok(proven !== undefined, "a quoted sentence is proven");
    const [start, end] = proven.citations[0].range;
    assert.ok(end > start);
    assert.match(
        (await place.do(["kb", "verify", "--answer", file])).stdout,
        new RegExp(`^${records.length} statement records hold`),
    );

    const bent = join(place.work, "bent.json");
    const tampered = async (/** @type {(record: any) => void} */ how) => {
        const copy = structuredClone(answer);
        how(copy.sentences.records.find((/** @type {any} */ record) => record.n === proven.n));
        writeFileSync(bent, JSON.stringify(copy));
        const refused = await place.run(["kb", "verify", "--answer", bent]);
        assert.notEqual(refused.code, 0, refused.stdout);
        assert.match(
            refused.stderr,
            new RegExp(`statement ${proven.n}\\b|${proven.sentence.slice(0, 20)}`),
            "the sentence is named",
        );
        return refused.stderr;
    };
    await tampered((record) => (record.citations[0].range = [start + 1, end]));
    await tampered((record) => (record.citations[0].range = [start, 9_999]));
    await tampered((record) => (record.citations[0].quote = record.citations[0].quote.replace("must", "must not")));
    await tampered((record) => (record.citations[0].document.sha256 = "0".repeat(64)));
    writeFileSync(bent, JSON.stringify({ ...answer, sentences: undefined }));
    assert.equal((await place.run(["kb", "verify", "--answer", bent])).code, 2);
});

for (const [format, kind, head] of [
    ["docx", "for Word", "PK\u0003\u0004"],
    ["pdf", "as PDF", "%PDF-1.7"],
]) {
    test(`the document of a run is written ${kind}, twice with the same bytes and never over a file`, async (context) => {
        const place = Place.for(context);
        const { run } = await answered(place);
        const [first, second] = [join(place.work, `first.${format}`), join(place.work, `second.${format}`)];
        await place.do(["export", run, "--format", format, "-o", first]);
        await place.do(["export", run, "--format", format, "-o", second]);
        const bytes = readFileSync(first);
        assert.equal(bytes.subarray(0, head.length).toString("latin1"), head);
        assert.equal(bytes.includes("word/footnotes.xml"), format === "docx");
        assert.ok(bytes.equals(readFileSync(second)));
        assert.match((await place.run(["export", run, "--format", format, "-o", first])).stderr, /is there already/);
        const redacted = await place.run(["export", run, "--format", format, "--redact", "all"]);
        assert.match(redacted.stderr, /nothing can be taken out of the document of a run/);
    });
}

test("the PDF of an answer is read again as a document, its footnotes with it", async (context) => {
    const place = Place.for(context);
    const { run } = await answered(place);
    const file = join(place.work, "answer.pdf");
    await place.do(["export", run, "--format", "pdf", "-o", file]);
    await place.do(["kb", "ingest", file, "--base", "exports"]);
    const [hit] = jsonLines(
        (await place.do(["kb", "search", "quote word for word", "--base", "exports", "--json"])).stdout,
    );
    assert.ok(JSON.stringify(hit).includes("answer"), JSON.stringify(hit));
});

for (const [what, spoil] of /** @type {[string, (place: Place) => void][]} */ ([
    ["removed", (place) => rmSync(join(place.data, "knowledge", "lamps"), { recursive: true })],
    [
        "changed on the disk",
        (place) => {
            const file = join(place.data, "knowledge", "lamps", "g000001", "paragraphs.jsonl");
            writeFileSync(file, readFileSync(file, "utf8").replaceAll("must be", "may be"));
        },
    ],
])) {
    test(`an export is refused when the generation was ${what}, unless it is asked for unchecked`, async (context) => {
        const place = Place.for(context);
        const { run, path, file } = await answered(place);
        await place.do(["export", run]);
        spoil(place);
        const before = readFileSync(file, "utf8");
        rmSync(path);
        const refused = await place.run(["export", run]);
        assert.notEqual(refused.code, 0);
        assert.match(refused.stderr, /not exported: of \d+ statement records [\s\S]*--unchecked/);
        assert.throws(() => readFileSync(path), "nothing was written");
        assert.equal(readFileSync(file, "utf8"), before);
        await place.do(["export", run, "--unchecked"]);
        assert.match(
            readFileSync(path, "utf8"),
            /^> Exported without checking its statements against their sources again\.$/m,
            "the file says so",
        );
    });
}
