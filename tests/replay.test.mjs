// Stored runs and turns computed again, through the built program: the same, without a network, and nothing is asked.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { AGENT, Place, QUESTION, jsonLines } from "./lib.mjs";
import { unzip, zip } from "./zip.mjs";

/** A way to start a program in a network namespace without interfaces, where the system allows one. */
const ALONE = [
    ["unshare", "-n"],
    ["unshare", "-r", "-n"],
].find(([program, ...args]) => spawnSync(program ?? "", [...args, "true"]).status === 0);

test("a run, its follow-up and a conversation come out as they are stored", async (context) => {
    const place = Place.for(context);
    await place.do(["run", AGENT, "--yes", QUESTION]);
    await place.do(["run", AGENT, "--yes", "--follow-up", "last", "And what if there is doubt?"]);
    await place.do(["chat", "--connection", "offline", "What is an audit?"]);
    const [{ run }] = await place.runs();
    const [one] = jsonLines((await place.do(["replay", run, "--json"])).stdout);
    assert.equal(one.identical, true, JSON.stringify(one.differences));
    assert.ok(one.events > 30 && one.recomputed > 30, JSON.stringify(one));
    assert.equal(one.documents, 1);
    assert.equal(one.gaps, undefined);
    const [all] = jsonLines((await place.do(["replay", "--all", "--json"])).stdout);
    assert.deepEqual([all.runs, all.documents, all.identical], [3, 2, true]);
    assert.equal(all.events > one.events, true);
    const unknown = await place.run(["replay", "run-unknown"]);
    assert.equal(unknown.code, 2, unknown.stderr);
});

test(
    "a scripted run with an edited plan and an answer that had to be corrected comes out the same without a network",
    { skip: ALONE === undefined ? "this system allows no network namespace" : false },
    async (context) => {
        const place = Place.for(context);
        await place.do(["run", AGENT, "--yes", "--depth", "quick", QUESTION]);
        const answers = join(place.work, "answers.json");
        writeFileSync(answers, JSON.stringify([{ text: "Please look at going concern in small entities, too." }]));
        await place.do(["run", AGENT, "--yes", "--answers", answers, QUESTION]);
        const done = await place.do(["replay", "--all", "--json"], { through: ALONE ?? [] });
        const [all] = jsonLines(done.stdout);
        assert.deepEqual([all.runs, all.identical, all.documents], [2, true, 2]);
    },
);

test("a stored run that was tampered with is different, one that is none is an error", async (context) => {
    const place = Place.for(context);
    await place.do(["run", AGENT, "--yes", QUESTION]);
    const [{ run }] = await place.runs();
    const file = join(place.work, "all.anbundle");
    await place.do(["export", "--all", "--format", "bundle", "-o", file]);
    const entries = unzip(readFileSync(file));
    const name = [...entries.keys()].find((entry) => entry.includes("/runs/")) ?? "";
    /**
     * Another store with the run as it is here, but for its log.
     * @param {(events: string) => string} change
     */
    const elsewhere = async (change) => {
        const stored = JSON.parse(String(entries.get(name)));
        for (const batch of stored.log) batch.events = change(batch.events);
        const changed = new Map(entries).set(name, Buffer.from(JSON.stringify(stored)));
        const manifest = JSON.parse(String(changed.get("manifest.json")));
        changed.delete("manifest.json");
        manifest.entries = [...changed].map(([entry, bytes]) => ({
            name: entry,
            bytes: bytes.length,
            sha256: createHash("sha256").update(bytes).digest("hex"),
        }));
        changed.set("manifest.json", Buffer.from(JSON.stringify(manifest)));
        const other = Place.for(context);
        const path = join(other.work, "changed.anbundle");
        writeFileSync(path, zip([...changed].map(([entry, bytes]) => ({ name: entry, bytes }))));
        await other.do(["import", path, "--yes"]);
        return other;
    };
    const same = await elsewhere((events) => events);
    assert.equal((await same.run(["replay", run])).code, 0);
    assert.equal((await same.run(["replay", "--all"])).code, 0);
    assert.equal((await same.run(["replay", "run-unknown"])).code, 2);

    const tampered = await elsewhere((events) => events.replace(/"summary":"[^"]+"/, '"summary":"something else"'));
    for (const args of [
        ["replay", run],
        ["replay", "--all"],
        ["replay", "--all", "--redrive"],
    ])
        assert.equal((await tampered.run(args)).code, 1, args.join(" "));
    const [one] = jsonLines((await tampered.run(["replay", run, "--json"])).stdout);
    assert.equal(one.identical, false);
    assert.ok(
        one.differences.some((/** @type {any} */ each) => each.what === "summary"),
        JSON.stringify(one),
    );
});
