// A stage whose calls are runs of another agent, through the built program without a model: results by name, the tree on
// show, a pause that comes up, a crash anywhere in the tree, what is refused.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Place, jsonLines } from "./lib.mjs";

const QUESTIONS = ["What is a control?", "What is materiality?"];

/**
 * An agent that asks the research agent two questions.
 * @param {Place} place
 * @param {object} [more] of the stage
 */
function pair(place, more = {}) {
    const folder = join(place.data, "workspaces", "default", "agents", "pair");
    mkdirSync(join(folder, "prompts"), { recursive: true });
    writeFileSync(
        join(folder, "AGENT.md"),
        "---\nname: Pair\ndescription: Asks two questions.\nsources: []\ntools: []\n---\nAsks two questions.\n",
    );
    writeFileSync(join(folder, "prompts", "ask.md"), "{{ item }}\n");
    const work = {
        id: "work",
        name: "work",
        title: "Answers",
        kind: "agent",
        agent: "isa-deep-research",
        forEach: JSON.stringify(QUESTIONS),
        itemKey: "item",
        prompt: "ask.md",
        ...more,
    };
    const depthModes = { standard: {} };
    const config = { slug: "pair", name: "Pair", description: "Asks two questions.", sources: [], depthModes };
    writeFileSync(
        join(folder, "config.json"),
        JSON.stringify({ ...config, controlFlow: { stages: [work], maxParallel: 2 } }),
    );
    return folder;
}

/**
 * @param {Place} place
 * @param {string} run
 */
async function shown(place, run) {
    const told = await place.run(["show", run, "--json"]);
    assert.equal(told.code, 0, told.stderr);
    return JSON.parse(told.stdout);
}

test("a run of runs gives their results by name, and each is found below it", async (context) => {
    const place = Place.for(context);
    pair(place);
    const done = await place.run(["run", "pair", "Two things", "--yes", "--json"]);
    assert.equal(done.code, 0, done.stderr + done.stdout);
    const { run } = jsonLines(done.stdout).at(-1);
    const state = await shown(place, run);
    const { children } = state.stages[0];
    assert.deepEqual(
        children.map((/** @type {{ status: string }} */ child) => child.status),
        ["completed", "completed"],
    );
    const outputs = JSON.parse((await place.run(["show", run, "--outputs"])).stdout);
    assert.deepEqual(Object.keys(outputs.work).sort(), [...QUESTIONS].sort());
    for (const question of QUESTIONS) assert.match(outputs.work[question].markdown, /^# /m);
    const child = await shown(place, children[0].run);
    assert.equal(child.parent, run);
    assert.equal(child.session, state.session);
    const listed = JSON.parse((await place.run(["runs", "--json"])).stdout);
    assert.deepEqual(
        listed.runs.map((/** @type {{ run: string }} */ row) => row.run),
        [run],
    );
    const text = await place.run(["show", run]);
    assert.match(text.stdout, new RegExp(`completed +ISA.*${children[0].run}`));
    const replayed = await place.run(["replay", run, "--redrive"]);
    assert.equal(replayed.code, 0, replayed.stdout + replayed.stderr);
});

test("a pause of a child stands in the run that it works for, and is answered there", async (context) => {
    const place = Place.for(context);
    pair(place);
    const paused = await place.run(["run", "pair", "Two things", "--json"]);
    const { run } = jsonLines(paused.stdout).at(-1);
    let state = await shown(place, run);
    assert.equal(state.status, "paused");
    assert.match(state.pauses[0].title, /What is/);
    for (let answers = 0; state.status === "paused" && answers < 8; answers += 1) {
        const form = state.pauses[0];
        const { id } = form.choices.find((/** @type {{ action: string }} */ choice) => choice.action === "proceed");
        const file = join(place.data, "answers.json");
        writeFileSync(file, JSON.stringify([{ choice: id }]));
        await place.run(["resume", run, "--answers", file, "--json"]);
        state = await shown(place, run);
    }
    assert.equal(state.status, "completed");
});

test("an agent says what is wrong with what it says of the agents that it runs", async (context) => {
    const place = Place.for(context);
    const folder = pair(place, { agent: "isa-deep-reserch", result: "nowhere" });
    const check = async () => (await place.run(["agent", "check", folder])).stdout;
    assert.match(await check(), /did you mean `isa-deep-research`/);
    pair(place, { result: "nowhere", inputs: { topic: "x" } });
    const told = await check();
    assert.match(told, /stages\/0\/result/);
    assert.match(told, /isa-deep-research has no `inputSchema`/);
    pair(place, { agent: "pair", agents: [] });
    assert.match(await check(), /pair -> pair/);
});
