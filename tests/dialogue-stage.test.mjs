// A stage that a conversation carries out, through the built program and over a wire-compatible server: its tools, its gate, a
// question to the person, an end without anybody there, a crash.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Place, jsonLines } from "./lib.mjs";
import { Mock } from "./mock.mjs";

const ENV = { env: { MOCK_KEY: "sk-test-0123456789-canary" } };
const USAGE = { input_tokens: 900, output_tokens: 20 };

/** @param {object} args */
const gate = (args) => ({ toolCalls: [{ name: "stage_gate", arguments: JSON.stringify(args) }], usage: USAGE });

/** @param {string} content */
const says = (content) => ({ content, usage: USAGE });

/**
 * A place with an agent of two stages, and a connection to a server that follows a script.
 * @param {import("node:test").TestContext} context
 * @param {object[]} fixtures
 */
async function helper(context, fixtures) {
    const place = Place.for(context);
    const folder = join(place.data, "workspaces", "default", "agents", "helper");
    mkdirSync(join(folder, "prompts"), { recursive: true });
    writeFileSync(
        join(folder, "AGENT.md"),
        "---\nname: Helper\ndescription: Talks and writes.\nsources: []\ntools: []\n---\nTalks and writes.\n",
    );
    writeFileSync(join(folder, "prompts", "talk.md"), "Find out what the person needs and close the stage with it.\n");
    writeFileSync(
        join(folder, "config.json"),
        JSON.stringify({
            slug: "helper",
            name: "Helper",
            description: "Talks and writes.",
            sources: [],
            depthModes: { standard: {} },
            controlFlow: {
                stages: [
                    {
                        id: "talk",
                        name: "talk",
                        title: "Talk",
                        kind: "dialogue",
                        prompt: "talk.md",
                        tools: ["tasks"],
                        context: [{ section: "REQUEST", value: "request" }],
                        outputSchema: {
                            type: "object",
                            required: ["found"],
                            additionalProperties: false,
                            properties: { found: { type: "string", minLength: 1 } },
                        },
                    },
                    {
                        id: "output",
                        name: "output",
                        title: "Output",
                        kind: "render",
                        document: { answer: "{'synthesis': 'Found: ' ~ outputs.talk.found}" },
                    },
                ],
            },
        }),
    );
    const mock = await Mock.for(context, place, [...fixtures, { match: {}, response: says("Which one?") }]);
    const added = await place.run(
        [
            "connect",
            "add",
            "mock",
            "--provider",
            "anthropic",
            "--base-url",
            mock.address,
            "--model",
            "claude-sonnet-5-5",
            "--key-env",
            "MOCK_KEY",
        ],
        ENV,
    );
    assert.equal(added.code, 0, added.stderr + added.stdout);
    await mock.forget();
    const run = (/** @type {string[]} */ ...more) => place.run(["run", "helper", "--connection", "mock", ...more], ENV);
    return { place, mock, run };
}

/** @param {Place} place */
function markdown(place) {
    const sessions = join(place.data, "sessions");
    const [session] = existsSync(sessions) ? readdirSync(sessions) : [];
    const plans = join(sessions, String(session), "plans");
    return existsSync(plans)
        ? readdirSync(plans)
              .map((name) => readFileSync(join(plans, name), "utf8"))
              .join("\n")
        : "";
}

test("a stage closes with data that fits, after it was told what did not, and the run goes on by itself", async (context) => {
    const { place, mock, run } = await helper(context, [
        {
            match: { userMessage: "Look", toolResultContains: "/data" },
            response: gate({ complete: true, data: { found: "the heron" } }),
        },
        {
            match: { userMessage: "Look", hasToolResult: false },
            response: gate({ complete: true, data: { found: [7] } }),
        },
    ]);
    const done = await run("--yes", "Look for it");
    assert.equal(done.code, 0, done.stderr + done.stdout);
    assert.match(markdown(place), /Found: the heron/);
    const sent = (await mock.requests()).filter(({ path }) => path.startsWith("/v1/messages"));
    assert.equal(sent.length, 2);
    assert.match(JSON.stringify(sent[0].body.tools), /stage_gate/);
    assert.deepEqual(
        place.processes().filter(({ command }) => !command.includes("aimock")),
        [],
    );
});

test("where nobody is there a stage that asks is told so once, and fails with a clear problem when it asks again", async (context) => {
    const { mock, run } = await helper(context, []);
    const done = await run("--yes", "Look for it");
    assert.notEqual(done.code, 0);
    assert.match(done.stderr + done.stdout, /nobody is there/);
    const sent = (await mock.requests()).filter(({ path }) => path.startsWith("/v1/messages"));
    assert.equal(sent.length, 2);
    assert.match(JSON.stringify(sent[1].body), /Nobody is there to answer/);
});

test("what a stage asks is answered from a file of answers", async (context) => {
    const { place, run } = await helper(context, [
        { match: { userMessage: "the blue one" }, response: gate({ complete: true, data: { found: "blue" } }) },
    ]);
    const answers = join(place.work, "answers.json");
    writeFileSync(answers, JSON.stringify([{ text: "the blue one" }]));
    const done = await run("--answers", answers, "Look for it");
    assert.equal(done.code, 0, done.stderr + done.stdout);
    assert.match(markdown(place), /Found: blue/);
});

test("a run that waits at a stage's question is told as paused and goes on with the answer", async (context) => {
    const { place, run } = await helper(context, [
        { match: { userMessage: "the red one" }, response: gate({ complete: true, data: { found: "red" } }) },
    ]);
    const waits = await run("--json", "Look for it");
    assert.match(waits.stdout, /Which one\?/);
    const answers = join(place.work, "answers.json");
    writeFileSync(answers, JSON.stringify([{ text: "the red one" }]));
    const done = await place.run(["resume", "--json", "--answers", answers], ENV);
    assert.equal(done.code, 0, done.stderr + done.stdout);
    assert.ok(jsonLines(done.stdout).length > 0);
    assert.match(markdown(place), /Found: red/);
});
