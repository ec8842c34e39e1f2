// Stored runs and turns computed again, through the built program: the same, without a network, and nothing is asked.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { AGENT, Place, QUESTION, jsonLines } from "./lib.mjs";

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
