// A run that is repeated, through the built program without a model: nothing changed, an edited plan, a stage named, what is
// refused.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Place, jsonLines } from "./lib.mjs";

/**
 * @param {Place} place
 * @param {string[]} args
 */
async function ended(place, args) {
    const done = await place.run([...args, "--yes", "--json"]);
    assert.equal(done.code, 0, done.stderr + done.stdout);
    return jsonLines(done.stdout).at(-1);
}

test("what did not change is taken over, what depends on a change is done again", async (context) => {
    const place = Place.for(context);
    const first = await ended(place, ["run", "isa-deep-research", "What is materiality?"]);
    assert.equal(first.reuse, undefined);
    const again = await ended(place, ["rerun", first.run]);
    assert.equal(again.reuse.calls_made, 0);
    assert.ok(again.reuse.calls_reused > 3, JSON.stringify(again.reuse));
    assert.notEqual(again.run, first.run);
    assert.equal(readFileSync(again.document, "utf8"), readFileSync(first.document, "utf8"));
    const same = await place.run(["diff", first.run, again.run]);
    assert.equal(same.code, 0, same.stdout + same.stderr);
    for (const how of [[], ["--redrive"]]) {
        const replayed = await place.run(["replay", again.run, ...how]);
        assert.equal(replayed.code, 0, replayed.stdout + replayed.stderr);
    }
    const text = await place.run(["show", again.run]);
    assert.match(text.stdout, new RegExp(`calls taken over from ${first.run}`));

    const outputs = JSON.parse((await place.run(["show", first.run, "--outputs"])).stdout);
    const stages = JSON.parse((await place.run(["show", first.run, "--json"])).stdout).stages;
    const [plan] = stages.map((/** @type {{ name: string }} */ stage) => stage.name);
    const file = join(place.data, "plan.json");
    const edited = outputs[plan];
    const queries = edited.sub_queries ?? edited.queries;
    assert.ok(Array.isArray(queries), JSON.stringify(edited));
    queries.length = 1;
    writeFileSync(file, JSON.stringify(edited));
    const other = await ended(place, ["rerun", first.run, "--edit", `${plan}=${file}`]);
    assert.deepEqual(other.reuse.edited, [plan]);
    assert.ok(other.reuse.calls_made > 0 && other.reuse.calls_reused > 0, JSON.stringify(other.reuse));
    const differs = await place.run(["diff", first.run, other.run]);
    assert.equal(differs.code, 1);

    const last = stages.at(-2).name;
    const anew = await ended(place, ["rerun", first.run, "--from", plan]);
    assert.equal(anew.reuse.calls_reused, 0);
    const some = await ended(place, ["rerun", first.run, "--from", last]);
    assert.ok(some.reuse.calls_reused > 0 && some.reuse.calls_made > 0, JSON.stringify(some.reuse));

    const nowhere = await place.run(["rerun", first.run, "--from", "nowhere", "--yes"]);
    assert.equal(nowhere.code, 2);
    assert.match(nowhere.stderr, /no stage "nowhere"; there are /);
    writeFileSync(file, "{");
    const broken = await place.run(["rerun", first.run, "--edit", `${plan}=${file}`, "--yes"]);
    assert.equal(broken.code, 2);
    assert.match(broken.stderr, /not JSON/);
    const unnamed = await place.run(["run", "isa-deep-research", "Why?", "--from", plan, "--yes"]);
    assert.equal(unnamed.code, 2);
    assert.match(unnamed.stderr, /--base <run>/);
});
