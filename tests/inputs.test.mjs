// Runs with inputs, through the built program over written answers: from a file and from standard input, kept by a repetition
// and by a follow-up, shown, and refused where they do not fit.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Place, jsonLines } from "./lib.mjs";
import { SCHEMA, ticket } from "./ticket.mjs";

/**
 * @param {Place} place
 * @param {object} inputs
 */
function file(place, inputs) {
    const path = join(place.work, "inputs.json");
    writeFileSync(path, JSON.stringify(inputs));
    return path;
}

const OVER = ["--connection", "scripted", "--yes", "--json"];

/**
 * @param {Place} place
 * @param {string[]} args
 * @param {import("./lib.mjs").StartOptions} options
 */
async function ended(place, args, options) {
    const done = await place.run(args, options);
    assert.equal(done.code, 0, done.stderr + done.stdout);
    const { run } = jsonLines(done.stdout).at(-1);
    const state = JSON.parse((await place.do(["show", run, "--json"])).stdout);
    const outputs = JSON.parse((await place.do(["show", run, "--outputs"])).stdout);
    return { run, state, said: outputs.weigh.text };
}

test("a run is given inputs in a file or on standard input, and its stages read them", async (context) => {
    const place = Place.for(context);
    const options = ticket(place);
    const given = { title: "Mend the door", priority: "high" };
    const first = await ended(place, ["run", "ticket", "--input", file(place, given), ...OVER], options);
    assert.equal(first.said, "It is high.");
    assert.equal(first.state.request, "Mend the door");
    assert.deepEqual(first.state.inputs, given);
    const text = (await place.do(["show", first.run])).stdout;
    assert.match(text, /Mend the door\n\n\{[^]*"priority": "high"/);

    const input = JSON.stringify({ ...given, priority: "low" });
    const second = await ended(place, ["run", "ticket", "Which door?", "--input", "-", ...OVER], { ...options, input });
    assert.deepEqual([second.said, second.state.request], ["It is low.", "Which door?"]);
    const differs = await place.run(["diff", first.run, second.run]);
    assert.equal(differs.code, 1);
    assert.match(differs.stdout, /inputs/);

    for (const how of [[], ["--redrive"]]) {
        const replayed = await place.run(["replay", first.run, ...how]);
        assert.equal(replayed.code, 0, replayed.stdout + replayed.stderr);
    }
    const capsule = join(place.work, "run.capsule");
    await place.do(["capsule", "make", first.run, "-o", capsule]);
    const checked = await place.run(["capsule", "verify", capsule]);
    assert.equal(checked.code, 0, checked.stdout + checked.stderr);
});

test("a repetition and a follow-up keep the inputs unless new ones are given", async (context) => {
    const place = Place.for(context);
    const options = ticket(place);
    const given = { title: "Mend the door", priority: "high" };
    const first = await ended(place, ["run", "ticket", "--input", file(place, given), ...OVER], options);

    const same = await ended(place, ["rerun", first.run, "--yes", "--json"], options);
    assert.deepEqual([same.state.inputs, same.state.reuse.callsMade], [given, 0]);
    const based = await ended(place, ["run", "ticket", "And now?", "--base", first.run, ...OVER], options);
    assert.deepEqual([based.state.inputs, based.said], [given, "It is high."]);
    const other = { title: "Mend the window", priority: "low" };
    const again = await ended(place, ["rerun", first.run, "--input", file(place, other), ...OVER], options);
    assert.deepEqual([again.state.inputs, again.said], [other, "It is low."]);
    assert.equal(again.state.request, "Mend the window", "it is called after its own inputs");

    const followed = ["run", "ticket", "And why?", "--follow-up", first.run, ...OVER];
    const after = await ended(place, followed, options);
    assert.deepEqual([after.state.previous, after.state.inputs, after.said], [first.run, given, "It is high."]);
});

test("inputs that do not fit are refused before anything is stored, and the schema is told", async (context) => {
    const place = Place.for(context);
    const options = ticket(place);
    const refused = async (/** @type {string[]} */ args, /** @type {RegExp} */ why) => {
        const done = await place.run(args, options);
        assert.equal(done.code, 2, done.stdout + done.stderr);
        assert.match(done.stderr, why);
    };
    const bad = file(place, { title: "Door", priority: "urgent", checks: ["fmt", 3] });
    await refused(["run", "ticket", "--input", bad], /do not fit agent ticket: [^]*\/priority: [^]*\/checks\/1: /);
    await refused(["run", "ticket", "Which door?"], /agent ticket needs inputs: title, priority[^]*--input <file>/);
    await refused(["run", "isa-deep-research", "Why?", "--input", bad], /isa-deep-research takes no inputs/);
    await refused(["run", "ticket", "--input", join(place.work, "nowhere.json")], /--input .*nowhere\.json: /);
    writeFileSync(bad, "[1]");
    await refused(["run", "ticket", "--input", bad], /not a JSON object[^]*agent show/);
    assert.deepEqual(await place.runs(), []);

    const listed = jsonLines((await place.do(["agent", "list", "--json"])).stdout);
    const row = listed.find((/** @type {{ slug: string }} */ one) => one.slug === "ticket");
    assert.deepEqual(row.inputSchema, SCHEMA);
    assert.match((await place.do(["agent", "show", "ticket"])).stdout, /inputs [^]*"priority"/);
});
