// An answer that a crash cut in two goes on from the draft that was kept: what a model on loopback is asked, and what is made of it.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Place, jsonLines, until } from "./lib.mjs";
import { serve, spoken } from "./model.mjs";

const WORDS = Array.from({ length: 400 }, (_, at) => `word${at}`);
const TEXT = `# Notice\n\n${WORDS.join(" ")}.`;

/**
 * A model behind Ollama's protocol. `write` gives what it says to a request, and whether the answer ever ends.
 * @param {import("node:test").TestContext} context
 * @param {Place} place
 * @param {(messages: { role: string, content: string }[]) => { text: string, ends: boolean }} write
 */
async function model(context, place, write) {
    /** @type {{ role: string, content: string }[][]} */
    const asked = [];
    await serve(context, place, (messages, response) => {
        asked.push(messages);
        const { text, ends } = write(messages);
        for (const piece of text.match(/[^]{1,200}/g) ?? []) response.write(spoken(piece));
        if (ends) response.end(spoken("", { input: 1_000, output: 100 }));
    });
    return asked;
}

/** @param {Place} place */
function agent(place) {
    const folder = join(place.data, "workspaces", "default", "agents", "writer");
    mkdirSync(join(folder, "prompts"), { recursive: true });
    const head = "---\nname: Writer\ndescription: Writes.\nsources: []\ntools: []\n---\nWrites.\n";
    writeFileSync(join(folder, "AGENT.md"), head);
    writeFileSync(join(folder, "prompts", "write.md"), "Write about {{ request }}.\n");
    const outputSchema = {
        type: "object",
        additionalProperties: false,
        required: ["text", "confidence"],
        properties: { text: { type: "string", minLength: 1 }, confidence: { type: "number" } },
    };
    const write = { id: "write", name: "write", title: "Write", kind: "model", prompt: "write.md", draftWords: 100 };
    const document = { answer: "{'synthesis': outputs.write.text}" };
    const stages = [
        { ...write, outputSchema },
        { id: "out", name: "out", title: "Document", kind: "render", document },
    ];
    const config = {
        slug: "writer",
        name: "Writer",
        description: "Writes.",
        sources: [],
        depthModes: { standard: {} },
    };
    writeFileSync(join(folder, "config.json"), JSON.stringify({ ...config, controlFlow: { stages } }));
}

/**
 * Starts a run whose answer never ends, and kills the program for real once a draft is kept.
 * @param {Place} place
 */
async function killed(place) {
    const started = place.start(["run", "writer", "--connection", "model", "--json", "notices"]);
    const isDrafted = () => started.stdout.includes('"model_call_drafted"');
    assert.ok(await until(isDrafted, 60_000), started.stdout.slice(-2_000) + started.stderr);
    started.kill("SIGKILL");
    await started.ended;
}

const answer = (/** @type {string} */ text) => JSON.stringify({ text, confidence: 0.9 });

test("an answer that a kill cut is asked for from where it stopped, and is one", async (context) => {
    const place = Place.for(context);
    agent(place);
    const asked = await model(context, place, (messages) => {
        const [draft, asks] = messages.slice(-2);
        if (!asks?.content.includes("of its field `text`")) return { text: answer(TEXT).slice(0, 2_000), ends: false };
        // It says its last words once more.
        const said = draft?.content ?? "";
        return { text: answer(TEXT.slice(said.lastIndexOf(" word", said.length - 12) + 1)), ends: true };
    });
    await killed(place);
    const paused = await place.run(["resume", "--last", "--json"]);
    assert.equal(paused.code, 3, paused.stderr);
    const [pause] = (await place.state()).pauses;
    const kept = Number(/The first (\d+) words of its answer were kept/.exec(pause.markdown)?.[1]);
    assert.ok(kept >= 100, pause.markdown);

    const resumed = await place.run(["resume", "--last", "--yes", "--json"]);
    assert.equal(resumed.code, 0, resumed.stderr + resumed.stdout);
    assert.match(resumed.stdout, new RegExp(`continued from a draft of ${kept} words`));
    assert.equal(asked.length, 2, "the whole is not asked for again");
    const [first, second] = asked;
    assert.deepEqual(second?.slice(0, -2), first);
    assert.deepEqual(
        second?.slice(-2).map(({ role }) => role),
        ["assistant", "user"],
    );
    assert.ok(TEXT.startsWith(second?.at(-2)?.content ?? "?"));
    const outputs = JSON.parse((await place.do(["show", "--outputs"])).stdout);
    assert.equal(outputs.write.text, TEXT);
    const lost = (await place.events()).find(({ type }) => type === "outcome_unknown");
    assert.equal(lost.continues, true);
    await place.do(["replay", "--redrive"]);
});

test("a continuation that is no answer leads to one call for the whole", async (context) => {
    const place = Place.for(context);
    agent(place);
    let calls = 0;
    const asked = await model(context, place, () => {
        calls += 1;
        if (calls === 1) return { text: answer(TEXT).slice(0, 2_000), ends: false };
        return { text: calls === 2 ? "I can't." : answer(TEXT), ends: true };
    });
    await killed(place);
    const resumed = await place.run(["resume", "--last", "--yes", "--json"]);
    assert.equal(resumed.code, 0, resumed.stderr + resumed.stdout);
    assert.deepEqual(asked[2], asked[0]);
    assert.equal(asked.length, 3);
    assert.equal(JSON.parse((await place.do(["show", "--outputs"])).stdout).write.text, TEXT);
    const types = jsonLines((await place.do(["show", "--events"])).stdout).map(({ type }) => type);
    assert.equal(types.filter((type) => type === "call_prepared").length, 2);
    await place.do(["replay", "--redrive"]);
});
