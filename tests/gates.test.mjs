// Gates through the built program: a pause, one more attempt, acceptance with limitations; a gate that fails; one that
// certifies by itself. What is written and how it is scored comes from a script.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Place, jsonLines } from "./lib.mjs";

/** The score of each draft; none passes but the last. */
const SCORES = [0.6, 0.5, 0.7, 0.95];

/**
 * A place with an agent that writes drafts, checks them, and says what happens when they do not pass.
 * @param {import("node:test").TestContext} context
 * @param {object} unit
 */
function gated(context, unit) {
    const place = Place.for(context);
    const folder = join(place.data, "workspaces", "default", "agents", "writer");
    mkdirSync(join(folder, "prompts"), { recursive: true });
    writeFileSync(
        join(folder, "AGENT.md"),
        "---\nname: Writer\ndescription: Writes.\nsources: []\ntools: []\n---\nWrites.\n",
    );
    writeFileSync(
        join(folder, "prompts", "write.md"),
        "Write draft number {{ repair.iteration if repair else 0 }}. {{ feedback | join(' ') }}\n",
    );
    writeFileSync(join(folder, "prompts", "check.md"), "Rate this: {{ outputs.write.text }}\n");
    const schema = (/** @type {string} */ field, /** @type {string} */ type) => ({
        type: "object",
        additionalProperties: false,
        required: [field],
        properties: { [field]: { type } },
    });
    const stage = (/** @type {string} */ id, /** @type {string} */ title, /** @type {string} */ kind) => ({
        ...{ id, name: id, title, kind },
    });
    const stages = [
        { ...stage("write", "Write", "model"), prompt: "write.md", outputSchema: schema("text", "string") },
        {
            ...stage("check", "Check", "verify"),
            prompt: "check.md",
            outputSchema: schema("rating", "number"),
            pass: { when: "scores.whole >= 0.9", scores: { whole: "answer.rating" } },
        },
        { ...stage("out", "Document", "render"), document: { answer: "{'synthesis': outputs.write.text}" } },
    ];
    const config = {
        slug: "writer",
        name: "Writer",
        description: "Writes.",
        sources: [],
        depthModes: { standard: {} },
    };
    const repairUnits = [{ name: "Review", stages: ["write", "check"], maxIterations: 1, ...unit }];
    writeFileSync(join(folder, "config.json"), JSON.stringify({ ...config, controlFlow: { stages, repairUnits } }));
    const script = join(place.work, "script.json");
    const answers = SCORES.flatMap((rating, number) => [
        { match: `Rate this: Draft ${number}.`, json: { rating } },
        { match: `Write draft number ${number}.`, json: { text: `Draft ${number}.` } },
    ]);
    writeFileSync(script, JSON.stringify({ answers }));
    const env = { AGENTNATIVE_SCRIPT: script };
    return {
        place,
        folder,
        /** @param {string[]} more */
        start: async (...more) => {
            const done = await place.run(
                ["run", "writer", "--connection", "scripted", "--json", "About rent", ...more],
                {
                    env,
                },
            );
            return { done, run: jsonLines(done.stdout).at(-1).run };
        },
        /**
         * @param {string} run
         * @param {object} [reply]
         */
        resume: async (run, reply) => {
            const file = join(place.work, "answers.json");
            writeFileSync(file, JSON.stringify(reply === undefined ? [] : [reply]));
            return place.run(["resume", run, ...(reply === undefined ? [] : ["--answers", file]), "--json"], { env });
        },
        /** @param {string} run */
        shown: async (run) => ({
            ...JSON.parse((await place.run(["show", run, "--json"])).stdout),
            outputs: JSON.parse((await place.run(["show", run, "--outputs"])).stdout),
        }),
        /** @param {string} run */
        replays: async (run) => {
            const replayed = await place.run(["replay", run, "--redrive"]);
            assert.equal(replayed.code, 0, replayed.stdout + replayed.stderr);
        },
    };
}

test("a gate stops the run; one more attempt is made at the person's word, and the best is accepted", async (context) => {
    const { place, start, resume, shown, replays } = gated(context, { onExhausted: "pause" });
    const { run } = await start();
    let state = await shown(run);
    assert.equal(state.status, "paused");
    const [form] = state.pauses;
    assert.equal(form.kind, "gate");
    assert.deepEqual(
        form.choices.map((/** @type {{ id: string }} */ choice) => choice.id),
        ["certify", "again", "cancel"],
    );
    assert.match(form.markdown, /First attempt: whole 60 % \(the best; it stands now\)\n- Repair 1: whole 50 %/);
    const text = (await place.run(["show", run])).stdout;
    assert.match(text, /^ +Review: attempt 2 of 2$/m);
    assert.match(text, /first attempt +not passed, stands +whole 60 %\n +repair 1 +not passed +whole 50 %/);
    assert.match(text, /Accept as it stands|Gate not passed/);

    await resume(run, { choice: "again", text: "Mind the tenants." });
    state = await shown(run);
    assert.equal(state.status, "paused");
    const { gate } = state.stages[1];
    assert.deepEqual(
        gate.attempts.map((/** @type {{ scores: { whole: number } }} */ attempt) => attempt.scores.whole),
        [0.6, 0.5, 0.7],
    );
    assert.equal(gate.attempts[2].stands, true);

    // What was said beforehand accepts it; that its check does not pass is seen by a script.
    const done = await resume(run, { choice: "certify" });
    assert.equal(done.code, 1, done.stderr);
    state = await shown(run);
    assert.equal(state.status, "completed");
    assert.equal(state.stages[1].gate.certified, true);
    assert.match(state.outputs.out.markdown, /Draft 2\./);
    assert.match(state.outputs.out.markdown, /certified with limitations/);
    await replays(run);
});

test("a run that nobody attends accepts what stands at a gate", async (context) => {
    const { start, shown, replays } = gated(context, { onExhausted: "pause" });
    const { done, run } = await start("--yes");
    assert.equal(done.code, 1, done.stderr + done.stdout);
    assert.match((await shown(run)).outputs.out.markdown, /Draft 0\.[^]*certified with limitations/);
    await replays(run);
});

test("a gate that fails says what was tried, and a retry makes one more attempt", async (context) => {
    const { start, resume, shown, replays } = gated(context, { onExhausted: "fail" });
    const { done, run } = await start("--yes");
    assert.notEqual(done.code, 0);
    let state = await shown(run);
    assert.equal(state.status, "failed");
    assert.match(
        state.problem.message,
        /gate Review did not pass in 2 attempts \(first attempt: whole 60 %; repair 1: whole 50 %\)/,
    );
    assert.match(state.problem.action, /retry the run/);
    await resume(run);
    assert.equal((await shown(run)).status, "failed");
    await resume(run);
    state = await shown(run);
    assert.equal(state.status, "completed");
    assert.match(state.outputs.out.markdown, /Draft 3\./);
    await replays(run);
});

test("a gate that certifies, or stops for lack of progress, goes on with the best attempt", async (context) => {
    const rule = { maxIterations: 3, onExhausted: "certify", progress: "scores.last.whole > scores.before.whole" };
    const { start, shown, replays } = gated(context, rule);
    const { done, run } = await start();
    assert.equal(done.code, 0, done.stderr + done.stdout);
    const state = await shown(run);
    assert.equal(state.stages[1].gate.ended, "no_gain");
    assert.match(state.outputs.out.markdown, /Draft 0\.[^]*Check: certified with limitations/);
    await replays(run);
});

test("an agent says what is wrong with its gates", async (context) => {
    const { place, folder } = gated(context, { progress: "scores.previous.whole > 0" });
    const told = await place.run(["agent", "check", folder]);
    assert.match(told.stdout, /repairUnits\/0\/progress[^]*last, before/);
});
