// A capsule through the built program: made once, checked without a data directory and without a network, and no byte of it
// can be another.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { AGENT, PROGRAM, Place, QUESTION, jsonLines } from "./lib.mjs";
import { unzip } from "./zip.mjs";

/** A way to start a program in a network namespace without interfaces, where the system allows one. */
const ALONE = [
    ["unshare", "-n"],
    ["unshare", "-r", "-n"],
].find(([program, ...args]) => spawnSync(program ?? "", [...args, "true"]).status === 0);

/** Entries of an archive as they stand in it: where each begins, its bytes, and where they end. @param {Buffer} file */
function entries(file) {
    const found = [];
    for (let at = 0; file.readUInt32LE(at) === 0x04034b50;) {
        const [packed, name] = [file.readUInt32LE(at + 18), file.readUInt16LE(at + 26)];
        const from = at + 30 + name;
        found.push({ name: file.toString("utf8", at + 30, from), from, to: from + packed });
        at = from + packed;
    }
    return found;
}

/**
 * A run of the shipped agent in a capsule.
 * @param {Place} place
 * @param {string[]} [more]
 */
async function capsule(place, more = []) {
    await place.do(["run", AGENT, "--yes", "--depth", "quick", QUESTION]);
    const [{ run, session }] = await place.runs();
    const file = join(place.work, "answer.capsule");
    const [made] = jsonLines((await place.do(["capsule", "make", run, "-o", file, "--json", ...more])).stdout);
    return { run, session, file, made };
}

/**
 * What checking a file gives, on a machine that has nothing but the file.
 * @param {Place} elsewhere
 * @param {string} file
 */
async function verified(elsewhere, file) {
    const done = await elsewhere.run(["capsule", "verify", file, "--json"], { through: ALONE ?? [] });
    const [report] = jsonLines(done.stdout);
    return { code: done.code, report, stderr: done.stderr };
}

test("a capsule holds on another machine, and its head is the one in answer.json", async (context) => {
    const place = Place.for(context);
    const { run, session, file, made } = await capsule(place);
    const elsewhere = Place.for(context);
    const { code, report, stderr } = await verified(elsewhere, file);
    assert.equal(code, 0, JSON.stringify(report) + stderr);
    assert.deepEqual([report.holds, report.run, report.documents, report.redriven], [true, run, 1, true]);
    assert.ok(report.events > 20 && report.recomputed > 20 && report.sentences > 0 && report.paragraphs > 0);
    const answer = JSON.parse(readFileSync(join(place.data, "sessions", session, "data", "answer.json"), "utf8"));
    assert.equal(answer.provenance.chainHead, report.head);
    assert.equal(made.head, report.head);
    assert.equal(made.paragraphs, report.paragraphs);
    // Nothing was made where it was checked.
    assert.deepEqual(readdirSync(elsewhere.root).includes("data"), false);
});

test("evidence can go along without its texts, and says so", async (context) => {
    const place = Place.for(context);
    const { file } = await capsule(place, ["--without-texts"]);
    const { code, report } = await verified(place, file);
    assert.deepEqual([code, report.holds], [0, true], JSON.stringify(report.faults));
    assert.ok(report.paragraphs > 0);
});

test("a changed byte anywhere is found and its entry is named", async (context) => {
    const place = Place.for(context);
    const { file } = await capsule(place);
    const whole = readFileSync(file);
    const all = entries(whole);
    assert.ok(all.length > 10 && all[0]?.name === "capsule.json");
    const head = unzip(whole).get("capsule.json")?.toString() ?? "";
    assert.ok(head.includes('"home":""') && !head.includes(place.root), "a run tells nothing of where it was made");
    const places = new Map(
        all.flatMap(({ name, from, to }) => [
            [from, name],
            [to - 1, name],
        ]),
    );
    // Places that are the same in every run of this test.
    let seed = 20261124;
    while (places.size < all.length * 2 + 200) {
        seed = (seed * 48271) % 2147483647;
        const at = seed % whole.length;
        const owner = all.find(({ from, to }) => at >= from && at < to);
        places.set(at, owner?.name ?? "");
    }
    const changed = join(place.work, "changed.capsule");
    let checked = 0;
    for (const [at, name] of places) {
        const other = Buffer.from(whole);
        other[at] = (other[at] ?? 0) ^ (1 << (at % 8));
        writeFileSync(changed, other);
        checked += 1;
        // Started without the rest of a place: hundreds of times.
        const done = spawnSync(PROGRAM, ["capsule", "verify", changed, "--json"], {
            env: place.environment(),
            encoding: "utf8",
        });
        assert.equal(done.status, 1, `byte ${at} of ${name}: ${done.stdout}${done.stderr}`);
        const { holds, faults } = JSON.parse(done.stdout);
        assert.equal(holds, false);
        // Heads and the directory belong to no entry's bytes; the entry that they are about is named.
        if (name !== "") assert.equal(faults[0].entry, name, `byte ${at}: ${JSON.stringify(faults)}`);
        else assert.notEqual(faults[0].entry, "");
    }
    assert.equal(checked, all.length * 2 + 200);
    for (const more of [Buffer.concat([whole, Buffer.from("x")]), whole.subarray(0, -1), Buffer.from("no capsule")]) {
        writeFileSync(changed, more);
        assert.equal((await place.run(["capsule", "verify", changed])).code, 1);
    }
    assert.equal((await place.run(["capsule", "verify", join(place.work, "missing")])).code, 2);
});

test("a turn of a conversation travels with what it follows", async (context) => {
    const place = Place.for(context);
    await place.do(["chat", "--connection", "offline", "What is an audit?"]);
    const [{ sessions }] = jsonLines((await place.do(["sessions", "list", "--json"])).stdout);
    const [{ session }] = sessions;
    await place.do(["chat", "--connection", "offline", "--session", session, "And a review?"]);
    const file = join(place.work, "turn.capsule");
    mkdirSync(dirname(file), { recursive: true });
    const made = await place.do(["capsule", "make", session, "-o", file]);
    assert.match(made.stdout + made.stderr, /it names the folder .*: requests of its conversation name files below it/);
    const { code, report } = await verified(Place.for(context), file);
    assert.deepEqual([code, report.holds, report.runs], [0, true, 2], JSON.stringify(report));
});

test("source documents go along when asked for: the file, or the base's text where the file is another by now", async (context) => {
    const place = Place.for(context);
    const folder = join(place.work, "lamps");
    mkdirSync(folder);
    const lamps = [
        { id: "L1", title: "Cleaning", text: "A lamp must be cleaned gently by its keeper at the end of each month." },
        {
            id: "L2",
            title: "Oil",
            text: "Oil for lamps is kept in a cool room; ask eva.muster@example.org for the key.",
        },
    ];
    const source = join(folder, "lamps.jsonl");
    writeFileSync(source, lamps.map((row) => JSON.stringify(row)).join("\n"));
    await place.do(["kb", "ingest", folder, "--base", "lamps", "--citation", "(Lamp {id})"]);
    await place.do(["run", "standards-research", "--corpus", "lamps", "--yes", "How often must a lamp be cleaned?"]);
    const [{ run }] = await place.runs();
    const file = join(place.work, "lamps.capsule");
    const make = async () => {
        rmSync(file, { force: true });
        const [made] = jsonLines(
            (await place.do(["capsule", "make", run, "-o", file, "--with-sources", "--json"])).stdout,
        );
        return { made, files: unzip(readFileSync(file)) };
    };
    /** @param {Map<string, Buffer>} files @param {string} name */
    const line = (files, name) => jsonLines(String(files.get(name)))[0];

    const { made, files } = await make();
    assert.equal(made.sources, 1);
    const listed = line(files, "sources.jsonl");
    assert.deepEqual([listed.name, listed.form, listed.base], ["lamps.jsonl", "original", "lamps"]);
    assert.deepEqual(files.get(listed.entry), readFileSync(source));
    const report = JSON.parse(String(files.get("redaction.json")));
    const whole = report.filter((/** @type {any} */ finding) => finding.kind === "file");
    assert.deepEqual([whole.length, whole[0].shown], [1, "lamps.jsonl"]);
    const mail = report.find((/** @type {any} */ finding) => finding.kind === "email");
    assert.ok(mail.places.some((/** @type {string} */ at) => at.includes(listed.entry)));
    const held = await verified(Place.for(context), file);
    assert.deepEqual([held.code, held.report.sources], [0, 1], JSON.stringify(held.report));

    writeFileSync(source, `${readFileSync(source, "utf8")}\n`);
    const later = await make();
    const text = line(later.files, "sources.jsonl");
    assert.equal(text.form, "text");
    assert.equal(line(later.files, text.entry).text, lamps[0]?.text);
    assert.deepEqual((await verified(place, file)).report.faults ?? [], []);
});

test("a capsule with sources of a base that is gone is refused with a remedy", async (context) => {
    const place = Place.for(context);
    const folder = join(place.work, "lamps");
    mkdirSync(folder);
    const rows = [{ id: "L1", title: "Cleaning", text: "A lamp must be cleaned gently by its keeper each month." }];
    writeFileSync(join(folder, "lamps.jsonl"), JSON.stringify(rows[0]));
    await place.do(["kb", "ingest", folder, "--base", "lamps", "--citation", "(Lamp {id})"]);
    await place.do(["run", "standards-research", "--corpus", "lamps", "--yes", "How often must a lamp be cleaned?"]);
    const [{ run }] = await place.runs();
    rmSync(join(place.data, "knowledge", "lamps"), { recursive: true });
    const refused = await place.run(["capsule", "make", run, "-o", join(place.work, "x"), "--with-sources"]);
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /that generation is not there any more/);
    assert.match(refused.stderr, /without its sources/);
});

test("the files of a turn's messages go along when asked for", async (context) => {
    const place = Place.for(context);
    const notes = join(place.work, "notes.txt");
    writeFileSync(notes, "The answer is 42.\n");
    await place.do(["chat", "--connection", "offline", "--attach", notes, "What do the notes say?"]);
    const [{ sessions }] = jsonLines((await place.do(["sessions", "list", "--json"])).stdout);
    const file = join(place.work, "turn.capsule");
    const make = ["capsule", "make", sessions[0].session, "-o", file];
    await place.do([...make, "--with-sources"]);
    const files = unzip(readFileSync(file));
    const [listed] = jsonLines(String(files.get("sources.jsonl")));
    assert.deepEqual([listed.of, listed.name, listed.form], ["message", "notes.txt", "original"]);
    assert.equal(String(files.get(listed.entry)), "The answer is 42.\n");
    const { code, report } = await verified(Place.for(context), file);
    assert.deepEqual([code, report.sources], [0, 1], JSON.stringify(report));
    rmSync(file);
    await place.do(make);
    assert.equal(unzip(readFileSync(file)).has("sources.jsonl"), false);
});
