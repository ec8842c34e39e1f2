// Documents of every kind made into a base from outside: preview, report, what an edit costs, and files that mean harm.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Place, jsonLines, until } from "./lib.mjs";
import { bombPdf, docx, encryptedPdf, nestedPdf, pdf } from "./papers.mjs";

/** What each sound file says, by its name. */
const SAID = {
    "boats.pdf": "A boat must be inspected before every voyage by its master.",
    "kites.docx": "A kite must not be flown within five kilometres of an airfield.",
    "lamps.md": "A lamp must be cleaned every month.",
    "notes.txt": "A ladder must be tied at its upper end.",
    "rows.jsonl": "A rope must be replaced after three years.",
    "wells.html": "A well must be covered at night.",
};

/**
 * @param {Place} place
 * @returns {string} a folder with one file of each kind
 */
function mixed(place) {
    const folder = join(place.work, "mixed");
    mkdirSync(folder);
    /** @type {Record<keyof typeof SAID, string | Buffer>} */
    const files = {
        "boats.pdf": pdf([["# Boats", SAID["boats.pdf"]], ["Life jackets are counted twice a year."]]),
        "kites.docx": docx(["# Kites", SAID["kites.docx"]]),
        "lamps.md": `# Lamps\n\n## Care\n\n${SAID["lamps.md"]}\n`,
        "notes.txt": `${SAID["notes.txt"]}\n`,
        "rows.jsonl": `${JSON.stringify({ id: "R1", title: "Ropes", text: SAID["rows.jsonl"] })}\n`,
        "wells.html": `<html><head><title>Wells</title></head><body><h1>Wells</h1><p>${SAID["wells.html"]}</p><script>alert("hidden")</script></body></html>`,
    };
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
    return folder;
}

/**
 * @param {number | undefined} owner
 * @returns {number | undefined} the process that reads documents for this one
 */
function reader(owner) {
    return readdirSync("/proc")
        .map(Number)
        .filter(Number.isInteger)
        .find((pid) => {
            try {
                const parent = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
                return (
                    Number(parent) === owner &&
                    readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("--read-document")
                );
            } catch {
                return false;
            }
        });
}

/**
 * @param {Place} place
 * @param {string} folder
 * @param {string[]} [more]
 */
async function ingest(place, folder, more = []) {
    return JSON.parse((await place.do(["kb", "ingest", folder, "--base", "mixed", "--json", ...more])).stdout);
}

test("a folder of six formats is previewed without a trace, taken, known again, and taken anew after an edit", async (context) => {
    const place = Place.for(context);
    const folder = mixed(place);
    const told = (await place.do(["kb", "ingest", folder, "--base", "mixed", "--preview"])).stdout;
    assert.match(told, /Nothing was stored\./);
    const seen = jsonLines((await place.do(["kb", "ingest", folder, "--base", "mixed", "--preview", "--json"])).stdout);
    assert.deepEqual(
        seen.map((file) => file.name),
        Object.keys(SAID),
    );
    assert.deepEqual(
        seen.map((file) => file.format),
        ["pdf", "docx", "markdown", "text", "jsonl", "html"],
    );
    for (const file of seen)
        assert.ok(
            file.samples.some(
                (/** @type {any} */ one) => one.text === SAID[/** @type {keyof typeof SAID} */ (file.name)],
            ),
            JSON.stringify(file),
        );
    assert.equal(seen[0].samples[1].page, 2);
    assert.ok(!existsSync(join(place.data, "knowledge", "mixed")), "a preview stores nothing");

    const first = await ingest(place, folder);
    assert.deepEqual(
        [first.manifest.generation, first.unchanged, first.manifest.counts.paragraphs],
        ["g000001", false, 7],
    );
    assert.deepEqual(
        first.files.flatMap((/** @type {any} */ file) => file.problems),
        [],
    );
    const stored = jsonLines((await place.do(["kb", "search", "alert hidden", "--base", "mixed", "--json"])).stdout);
    assert.deepEqual(stored, [], "a script is no text");
    for (const text of Object.values(SAID)) {
        const [hit] = jsonLines((await place.do(["kb", "search", text, "--base", "mixed", "--json"])).stdout);
        assert.equal(hit.text, text);
        await place.do(["kb", "verify", hit.ref, text, "--base", "mixed"]);
    }
    assert.match((await place.do(["kb", "ingest", folder, "--base", "mixed"])).stdout, /g000001.*nothing has changed/);

    writeFileSync(join(folder, "lamps.md"), "# Lamps\n\n## Care\n\nA lamp must be cleaned every week.\n");
    const second = await ingest(place, folder);
    assert.deepEqual([second.manifest.generation, second.unchanged], ["g000002", false]);
    const read = second.files
        .filter((/** @type {any} */ file) => !file.reused)
        .map((/** @type {any} */ file) => file.name);
    assert.deepEqual(read, ["lamps.md", "rows.jsonl"], "only the edited file is read, and rows, which need no reader");
    const other = Place.for(context);
    const elsewhere = await ingest(other, folder);
    assert.deepEqual(
        [elsewhere.manifest.digest, elsewhere.manifest.index],
        [second.manifest.digest, second.manifest.index],
        "the same files give the same bytes",
    );
});

test("files that cannot be read are told one by one, and the sound ones beside them are whole", async (context) => {
    const place = Place.for(context);
    const folder = mixed(place);
    const sound = (await ingest(place, folder)).manifest.counts.paragraphs;
    writeFileSync(join(folder, "locked.pdf"), encryptedPdf());
    writeFileSync(join(folder, "garbage.pdf"), "%PDF-1.7\nnothing of a document");
    writeFileSync(join(folder, "bomb.pdf"), bombPdf(256));
    writeFileSync(join(folder, "nested.pdf"), nestedPdf());
    writeFileSync(join(folder, "cut.docx"), docx(["# Cut", "The end of this archive is missing."]).subarray(0, 400));
    const { files, manifest } = await ingest(place, folder);
    assert.equal(manifest.counts.paragraphs, sound);
    const wrong = new Map(
        files.map((/** @type {any} */ file) => [
            file.name,
            file.problems.map((/** @type {any} */ problem) => problem.what).join("; "),
        ]),
    );
    assert.match(wrong.get("locked.pdf"), /encrypted.*save a copy without/);
    for (const name of ["garbage.pdf", "bomb.pdf", "nested.pdf", "cut.docx"])
        assert.notEqual(wrong.get(name), "", name);
    for (const name of Object.keys(SAID)) assert.equal(wrong.get(name), "", name);
    const { stderr } = await place.do(["kb", "ingest", folder, "--base", "mixed"]);
    assert.match(stderr, /^6 of 11 files read$/m);
    assert.match(stderr, /^not read: locked\.pdf: it is encrypted with a password \(save a copy/m);
    assert.deepEqual(place.processes(), []);
});

test("a PDF whose reader dies costs that file alone, and is read the next time", async (context) => {
    const place = Place.for(context);
    const folder = mixed(place);
    const long = Array.from({ length: 2_000 }, (_, page) =>
        Array.from({ length: 20 }, (_, row) => `Sentence ${row} of page ${page} is here to be read slowly.`),
    );
    writeFileSync(join(folder, "aaa-long.pdf"), pdf(long));
    const begun = place.start(["kb", "ingest", folder, "--base", "mixed", "--json"]);
    /** @type {number | undefined} */
    let killed;
    await until(() => begun.end !== undefined || (killed = reader(begun.child.pid)) !== undefined, 30_000);
    assert.ok(killed !== undefined, "documents are read in a process of their own");
    process.kill(killed, "SIGKILL");
    const ended = await begun.ended;
    assert.equal(ended.code, 0, ended.stderr);
    const report = JSON.parse(ended.stdout);
    const [lost] = report.files;
    assert.equal(lost.name, "aaa-long.pdf");
    assert.match(lost.problems[0].what, /the reader failed on it.*other files are not affected/);
    assert.equal(report.manifest.counts.paragraphs, 7);
    assert.deepEqual(place.processes(), []);
    const again = await ingest(place, folder);
    const [read] = again.files;
    assert.ok(read.paragraphs > 1_000, JSON.stringify(read));
    // Lines at the edges of these pages differ in their number alone.
    const other = read.problems.filter(
        (/** @type {any} */ { what }) => !/lines that pages repeat at their edges left out/.test(what),
    );
    assert.deepEqual(other, []);
});

test("a standard's shape is recognised: requirements, application paragraphs, definitions and what refers to what", async (context) => {
    const place = Place.for(context);
    const file = join(place.work, "isa-901.md");
    writeFileSync(
        file,
        [
            "# International Standard on Auditing 901 Lanterns",
            "## Introduction",
            "1. This standard deals with lanterns. (Ref: Para. A1)",
            "## Definitions",
            "2. For purposes of this standard, the following terms have the meanings attributed below:",
            "(a) Lantern: a light that is carried by hand.",
            "## Requirements",
            "3. The auditor shall count the lanterns. (Ref: Para. A1-A2)",
            "## Application and Other Explanatory Material",
            "A1. Lanterns may be counted by day.",
            "A2. Counting is repeated when the light fails.",
        ].join("\n\n"),
    );
    const [seen] = jsonLines(
        (await place.do(["kb", "ingest", file, "--base", "lanterns", "--rules", "isa", "--preview", "--json"])).stdout,
    );
    assert.equal(seen.rules, "isa");
    assert.ok(seen.kinds.requirement >= 1 && seen.kinds.application === 2, JSON.stringify(seen.kinds));
    assert.ok(seen.references >= 3, JSON.stringify(seen));
    for (let turn = 0; turn < 2; turn += 1) await place.do(["kb", "ingest", file, "--base", "rules", "--json"]);
    const sets = (await place.do(["kb", "rules"])).stdout;
    for (const name of ["isa", "nist", "cfr", "eu-law", "rfc", "numbered-manual", "plain"])
        assert.match(sets, new RegExp(`^${name} `, "m"));
    const unknown = await place.run(["kb", "ingest", file, "--base", "lanterns", "--rules", "runes"]);
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /runes/);
});

test("a memorandum beside a standard is not the standard, and an answer cites the standard first", async (context) => {
    const place = Place.for(context);
    const folder = join(place.work, "both");
    mkdirSync(folder);
    const parts = (/** @type {string} */ title, /** @type {string} */ requirement) =>
        [
            `# ${title}`,
            "## Introduction",
            "1. This text deals with invented things.",
            "## Objective",
            "2. The objective is to know how many there are.",
            "## Requirements",
            `3. ${requirement}`,
            "## Application and Other Explanatory Material",
            "A1. Counting begins anywhere.",
        ].join("\n\n");
    const counted = "The auditor shall count every invented thing.";
    const nothing = "We shall count nothing, because last year nothing was found.";
    writeFileSync(
        join(folder, "standard.md"),
        parts("International Standard on Auditing 999: Counting of Invented Things", counted),
    );
    writeFileSync(join(folder, "ISA 999 - Memo Client Alpha.md"), parts("ISA 999: Memo for Client Alpha", nothing));
    const report = JSON.parse((await place.do(["kb", "ingest", folder, "--base", "both", "--json"])).stdout);
    assert.equal(report.manifest.tier, "document");
    assert.notEqual((await place.run(["kb", "verify", "--base", "both", "ISA 999.3", nothing])).code, 0);
    await place.do(["kb", "verify", "--base", "both", "ISA 999.3", counted]);
    const asked = "Which requirements on counting does ISA 999 set?";
    const { stdout } = await place.do(["run", "standards-research", "--corpus", "both", "--yes", asked]);
    const answer = readFileSync(stdout.trim(), "utf8");
    const cited = answer.indexOf(`${counted}” ([ISA 999.3]`);
    assert.ok(cited > 0, answer);
    assert.ok(!/nothing was found\.”? \(\[?ISA 999\./.test(answer), answer);
    assert.ok(!answer.includes(nothing) || cited < answer.indexOf(nothing), answer);
});
