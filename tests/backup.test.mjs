// Backups, damage and repair with the real program: made, looked into, restored, killed in between.

import assert from "node:assert/strict";
import {
    existsSync,
    openSync,
    closeSync,
    mkdirSync,
    readFileSync,
    readdirSync,
    statSync,
    writeFileSync,
    writeSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { AGENT, Place, QUESTION, pause, until } from "./lib.mjs";

/** @param {Place} place */
async function ask(place) {
    const done = await place.run(["run", AGENT, QUESTION, "--yes", "--depth", "quick"]);
    assert.equal(done.code, 0, done.stderr + done.stdout);
}

/** @param {Place} place @param {string[]} args */
async function json(place, ...args) {
    const done = await place.run([...args, "--json"]);
    assert.equal(done.code, 0, done.stderr + done.stdout);
    return JSON.parse(done.stdout);
}

/** @param {Place} place */
const runs = async (place) =>
    (await place.do(["runs"])).stdout
        .trim()
        .split("\n")
        .filter((line) => line.startsWith("run-") || line.includes("run-")).length;

test("a backup is made, checked, looked into and restored, and what was there is kept", async (context) => {
    const place = Place.for(context);
    await ask(place);
    const folder = join(place.work, "handbook");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "leave.md"), "# Leave\n\n1. Leave is asked for in writing.\n");
    assert.equal((await place.run(["kb", "ingest", folder, "--base", "handbook"])).code, 0);
    const made = await place.run(["backup", "now"]);
    assert.equal(made.code, 0, made.stderr);
    assert.match(made.stdout, /with 1 session/);
    assert.match(made.stderr, /knowledge bases are not in it: handbook/);
    const again = await place.run(["backup", "now", "--json"]);
    assert.match(again.stderr, /knowledge bases are not in it: handbook/, "a script is told as well");
    await place.do(["backup", "remove", JSON.parse(again.stdout).text.split(" ")[0]]);
    await ask(place);
    assert.equal(await runs(place), 2);
    const seen = await json(place, "backup", "inspect");
    assert.deepEqual([seen.same, seen.newer, seen.gone, seen.added], [1, 0, 0, 1]);
    const verified = await place.run(["backup", "verify"]);
    assert.equal(verified.code, 0, verified.stdout + verified.stderr);
    const unasked = await place.run(["backup", "restore"]);
    assert.equal(unasked.code, 2, "nothing is restored without a word");
    const restored = await place.run(["backup", "restore", "--yes"]);
    assert.equal(restored.code, 0, restored.stderr);
    assert.match(restored.stdout, /restored/);
    assert.equal(await runs(place), 1);
    const list = await json(place, "backup", "list");
    const replaced = list.backups.find((/** @type {any} */ row) => row.kind === "replaced");
    assert.equal(replaced.sessions, 2);
    assert.equal((await place.run(["backup", "restore", replaced.name, "--yes"])).code, 0);
    assert.equal(await runs(place), 2);
    assert.equal((await place.run(["backup", "inspect", "nothing"])).code, 2);
});

test("knowledge bases go into a backup that takes them along, and come back with it", async (context) => {
    const place = Place.for(context);
    const folder = join(place.work, "handbook");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "leave.md"), "# Leave\n\n1. Leave is asked for in writing.\n");
    await place.do(["kb", "ingest", folder, "--base", "handbook"]);
    const made = await place.run(["backup", "now", "--with-bases"]);
    assert.equal(made.code, 0, made.stderr);
    assert.doesNotMatch(made.stderr, /not in it|incomplete/);
    assert.equal((await place.run(["backup", "verify"])).code, 0);
    await place.do(["kb", "remove", "handbook", "--yes"]);
    assert.notEqual((await place.run(["kb", "search", "--base", "handbook", "leave"])).code, 0);
    await place.do(["backup", "restore", "--yes"]);
    const found = await place.do(["kb", "search", "--base", "handbook", "leave"]);
    assert.match(found.stdout, /asked for in writing/);
});

test("a backup that is killed leaves nothing that is taken for one, and the next one works", async (context) => {
    const place = Place.for(context);
    await ask(place);
    const folder = join(place.data, "backups/snapshots");
    for (const wait of [0, 20, 60]) {
        const started = place.start(["backup", "now"]);
        await until(() => existsSync(folder) && readdirSync(folder).length > 0, 10_000);
        await pause(wait);
        started.child.kill("SIGKILL");
        await started.ended;
        const { backups } = await json(place, "backup", "list");
        for (const row of backups) assert.equal((await place.run(["backup", "verify", row.name])).code, 0, row.name);
    }
    assert.equal((await place.run(["backup", "now"])).code, 0);
    assert.ok(readdirSync(folder).every((name) => !name.startsWith(".part-")));
});

test("a damaged database is said to be one, repaired, and kept", async (context) => {
    const place = Place.for(context);
    await ask(place);
    assert.equal((await place.run(["data", "--full"])).code, 0);
    const database = join(place.data, "agentnative.db");
    const size = statSync(database).size;
    const before = readFileSync(database);
    const file = openSync(database, "r+");
    // Every fortieth page, but the first ones, which list the tables.
    for (let at = 4_096 * 60; at + 4_096 < size; at += 4_096 * 40)
        writeSync(file, Buffer.alloc(4_096, 7), 0, 4_096, at);
    closeSync(file);
    const damaged = readFileSync(database);
    assert.notDeepEqual(damaged, before);
    const checked = await place.run(["data", "--full"]);
    assert.notEqual(checked.code, 0, checked.stdout);
    const repaired = await place.run(["data", "--repair"]);
    assert.equal(repaired.code, 0, repaired.stdout + repaired.stderr);
    const kept = readdirSync(join(place.data, "backups")).find((name) => name.startsWith("damaged-"));
    assert.ok(kept !== undefined);
    assert.equal((await place.run(["doctor"])).stdout.includes("damaged"), false);
    assert.equal((await place.run(["runs"])).code, 0);
    writeFileSync(join(place.data, "settings.json"), "{}");
});

test("a database whose list of tables is destroyed is repaired from its pages", async (context) => {
    const place = Place.for(context);
    await ask(place);
    const database = join(place.data, "agentnative.db");
    const file = openSync(database, "r+");
    // All of the first page but the header: without it SQLite knows of no table.
    writeSync(file, Buffer.alloc(4_096 - 100), 0, 4_096 - 100, 100);
    closeSync(file);
    assert.notEqual((await place.run(["runs"])).code, 0);
    const repaired = await place.run(["data", "--repair"]);
    assert.equal(repaired.code, 0, repaired.stdout + repaired.stderr);
    assert.match(repaired.stdout + repaired.stderr, /list of tables/);
    assert.equal(await runs(place), 1);
    const shown = await place.run(["show", "--document"]);
    assert.equal(shown.code, 0, shown.stderr);
    assert.match(shown.stdout, /\w/);
});

test("a backup comes back where the database can't be opened any more", async (context) => {
    const place = Place.for(context);
    await ask(place);
    assert.equal((await place.run(["backup", "now"])).code, 0);
    const database = join(place.data, "agentnative.db");
    writeFileSync(database, Buffer.concat([readFileSync(database).subarray(0, 100), Buffer.alloc(40_000, 9)]));
    const refused = await place.run(["runs"]);
    assert.equal(refused.code, 6, refused.stdout);
    const restored = await place.run(["backup", "restore", "--yes"]);
    assert.equal(restored.code, 0, restored.stderr);
    assert.equal(await runs(place), 1);
});

test("what takes space is shown, and only what was named is cleaned up", async (context) => {
    const place = Place.for(context);
    await ask(place);
    const sizes = await json(place, "data");
    assert.ok(sizes.total > 0 && sizes.largest.length === 1);
    const seen = await json(place, "data", "--clean", "trash", "--clean", "free", "--preview");
    assert.deepEqual(
        seen.map((/** @type {any} */ row) => row.what),
        ["trash", "free"],
    );
    assert.equal((await json(place, "data", "--clean", "rewrite"))[0].what, "rewrite");
    assert.equal((await place.run(["data", "--full"])).code, 0);
});
