// Stages that share a conversation, through the built program and over a wire-compatible server: what goes over the wire, a full
// conversation that hands over, and the run computed and driven again.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Place, jsonLines } from "./lib.mjs";
import { Mock } from "./mock.mjs";

const ENV = { env: { MOCK_KEY: "sk-test-0123456789-canary" } };
const SMALL = { input_tokens: 900, output_tokens: 20 };
const FULL = { input_tokens: 165_000, output_tokens: 1_000 };

/**
 * @param {object} data
 * @param {object} usage
 */
const closes = (data, usage) => ({
    toolCalls: [{ name: "stage_gate", arguments: JSON.stringify({ complete: true, data }) }],
    usage,
});

const HANDOFF = [
    "## Pipeline State",
    "- **Completed stages:** the plan",
    "- **Next stage:** build",
    "- **User feedback received:** none",
    "## Codebase Knowledge Map",
    "- **Project structure:** one folder",
    "- **Key files explored:** none",
    "- **Architecture patterns:** none",
    "- **Dependencies:** none",
    "## Working State",
    "- **What was accomplished:** the plan",
    "- **What comes next:** bricks",
    "- **Files modified:** none",
    "- **Open questions:** none",
    "- **Gotchas:** mind the rain",
    "The bricks lie behind the shed and have to be carried one by one. ".repeat(170),
].join("\n");

/**
 * A place with an agent that plans and builds in one conversation.
 * @param {import("node:test").TestContext} context
 * @param {object} usage what the plan's answer claims
 */
async function builder(context, usage) {
    const place = Place.for(context);
    const folder = join(place.data, "workspaces", "default", "agents", "builder");
    mkdirSync(join(folder, "prompts"), { recursive: true });
    const head = "---\nname: Builder\ndescription: Plans and builds.\nsources: []\ntools: []\n---\nBuilds.\n";
    writeFileSync(join(folder, "AGENT.md"), head);
    writeFileSync(join(folder, "prompts", "shared.md"), "You plan and build for: {{ request }}\n");
    writeFileSync(join(folder, "prompts", "plan.md"), "Plan it.\n");
    writeFileSync(join(folder, "prompts", "build.md"), "Build it.\n");
    const stage = (/** @type {string} */ id, /** @type {string} */ title, /** @type {object} */ more) => ({
        ...{ id, name: id, title, kind: "dialogue", prompt: `${id}.md`, tools: ["tasks"] },
        outputSchema: {
            type: "object",
            required: ["text"],
            additionalProperties: false,
            properties: { text: { type: "string", minLength: 1 } },
        },
        ...more,
    });
    const stages = [
        stage("plan", "Plan", { context: [{ section: "REQUEST", value: "request" }] }),
        stage("build", "Build", {
            contextBudget: 60_000,
            tools: ["read"],
            context: [{ section: "PLAN", value: "outputs.plan.text" }],
        }),
        {
            ...{ id: "out", name: "out", title: "Output", kind: "render" },
            document: { answer: "{'synthesis': outputs.build.text}" },
        },
    ];
    const config = {
        ...{ slug: "builder", name: "Builder", description: "Plans and builds.", sources: [] },
        depthModes: { standard: {} },
        orchestrator: { conversation: "continue", system: "shared.md" },
        controlFlow: { stages },
    };
    writeFileSync(join(folder, "config.json"), JSON.stringify(config));
    const mock = await Mock.for(context, place, [
        { match: { userMessage: "# Hand over" }, response: closes({ handoff: HANDOFF }, FULL) },
        { match: { userMessage: "Build it." }, response: closes({ text: "Built of bricks." }, SMALL) },
        { match: { userMessage: "Plan it." }, response: closes({ text: "Use bricks." }, usage) },
    ]);
    const connect = ["connect", "add", "mock", "--provider", "anthropic", "--base-url", mock.address];
    const added = await place.run(
        [...connect, "--model", "claude-sonnet-5-5", "--key-env", "MOCK_KEY", "--no-test"],
        ENV,
    );
    assert.equal(added.code, 0, added.stderr + added.stdout);
    await mock.forget();
    return {
        place,
        /** @param {string[]} more */
        start: async (...more) => {
            const started = ["run", "builder", "--connection", "mock", "--json", "A small house", ...more];
            const done = await place.run(started, ENV);
            return { done, run: jsonLines(done.stdout).at(-1).run };
        },
        /** @param {string} run @param {object} reply */
        resume: async (run, reply) => {
            const file = join(place.work, "answers.json");
            writeFileSync(file, JSON.stringify([reply]));
            return place.run(["resume", run, "--answers", file, "--json"], ENV);
        },
        sent: async () => (await mock.requests()).filter(({ path }) => path.startsWith("/v1/messages")).map(bare),
        /** @param {string} run */
        shown: async (run) => JSON.parse((await place.run(["show", run, "--json"])).stdout),
        /** @param {string} run */
        replays: async (run) => {
            const replayed = await place.run(["replay", run, "--redrive"]);
            assert.equal(replayed.code, 0, replayed.stdout + replayed.stderr);
        },
    };
}

/**
 * A request as the server tells of it, in its own form: without marks for the cache, which move on with the conversation.
 * @param {{ body: any }} request
 */
function bare({ body }) {
    const plain = JSON.parse(JSON.stringify(body, (name, value) => (name === "cache_control" ? undefined : value)));
    const of = (/** @type {string[]} */ ...roles) =>
        plain.messages.filter((/** @type {{ role: string }} */ { role }) => roles.includes(role));
    return {
        system: of("system"),
        messages: of("user", "assistant"),
        tools: plain.tools.map((/** @type {any} */ tool) => tool.function),
    };
}

/** @param {any} message */
const words = (message) =>
    typeof message.content === "string"
        ? message.content
        : message.content
              .filter((/** @type {any} */ part) => part.type === "text")
              .map((/** @type {any} */ part) => part.text)
              .join("");

test("the second stage sends the first one's conversation to the letter, and what it adds is its own", async (context) => {
    const { place, start, sent, shown, replays } = await builder(context, SMALL);
    const { done, run } = await start("--yes");
    assert.equal(done.code, 0, done.stderr + done.stdout);
    const [plan, build, ...more] = await sent();
    assert.equal(more.length, 0);
    assert.deepEqual(build.system, plan.system);
    assert.deepEqual(build.tools, plan.tools);
    const names = plan.tools.map((/** @type {{ name: string }} */ tool) => tool.name);
    assert.equal(names.at(-1), "stage_gate");
    assert.ok(names.includes("tasks"), names.join(", "));
    assert.match(JSON.stringify(plan.system), /You plan and build for: A small house/);
    const first = (/** @type {any} */ message) => [message.role, words(message)];
    assert.deepEqual(first(build.messages[0]), first(plan.messages[0]));
    assert.equal(build.messages.length, 3);
    const told = words(build.messages.at(-1));
    assert.match(told, /^# Next stage: Build\n\n/);
    assert.match(told, /It stands above in this conversation: the result of the stage Plan\./);
    assert.doesNotMatch(told, /Use bricks/);
    assert.equal((await shown(run)).status, "completed");
    await replays(run);
    const capsule = join(place.work, "run.capsule");
    await place.do(["capsule", "make", run, "-o", capsule]);
    await place.do(["capsule", "verify", capsule]);
});

test("a full conversation asks, and hands over what it knows to a fresh one", async (context) => {
    const { place, start, resume, sent, shown, replays } = await builder(context, FULL);
    const { run } = await start();
    let state = await shown(run);
    assert.equal(state.status, "paused");
    const [form] = state.pauses;
    assert.equal(form.kind, "handoff");
    assert.match(
        form.markdown,
        /Context is at 83 %\. The next stage \(Build\) needs about 72,000 tokens, 34,000 are left\./,
    );
    assert.deepEqual(
        form.choices.map((/** @type {{ id: string }} */ choice) => choice.id),
        ["hand_over", "go_on", "cancel"],
    );
    assert.match((await place.run(["show", run])).stdout, /Hand over/);
    const done = await resume(run, { choice: "hand_over" });
    assert.equal(done.code, 0, done.stderr + done.stdout);
    const [plan, asked, build] = await sent();
    assert.deepEqual(words(asked.messages[0]), words(plan.messages[0]));
    assert.deepEqual(asked.tools, plan.tools);
    assert.equal(build.messages.length, 1);
    assert.match(words(build.messages[0]), /^# Context from the previous session\n/);
    assert.match(words(build.messages[0]), /mind the rain/);
    state = await shown(run);
    assert.equal(state.status, "completed");
    assert.equal(state.usage.input, FULL.input_tokens * 2 + SMALL.input_tokens);
    await replays(run);
});

test("without anybody there a full conversation hands over; at the person's word it goes on", async (context) => {
    const { start, resume, sent, shown, replays } = await builder(context, FULL);
    const alone = await start("--yes");
    assert.equal(alone.done.code, 0, alone.done.stderr + alone.done.stdout);
    assert.equal((await sent()).length, 3);
    const { run } = await start();
    const done = await resume(run, { choice: "go_on" });
    assert.equal(done.code, 0, done.stderr + done.stdout);
    assert.equal((await sent()).length, 5);
    assert.equal((await sent()).at(-1)?.messages.length, 3);
    assert.equal((await shown(run)).status, "completed");
    await replays(run);
});
