// Calls of tools as models really write them, and files as they really are: read as they are meant, by the gate as well, and no
// byte lost.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Place, jsonLines } from "./lib.mjs";
import { Mock, PROTOCOLS } from "./mock.mjs";

const ENV = { env: { MOCK_KEY: "sk-test-0123456789-canary" } };
const USAGE = { input_tokens: 900, output_tokens: 20, prompt_tokens: 900, completion_tokens: 20, total_tokens: 920 };
const MODELS = /** @type {Record<string, string>} */ ({
    anthropic: "claude-sonnet-5-5",
    openai: "gpt-6.1-sol",
    "openai-chat": "gpt-5-mini",
    gemini: "gemini-3.8-flash",
    ollama: "qwen3",
});
/** How a model of each protocol may write the name of `read`. */
const NAMES = /** @type {Record<string, string>} */ ({
    anthropic: "Read",
    openai: "READ",
    "openai-chat": "functions.read",
    gemini: "default_api:read",
    ollama: "read<|channel|>commentary",
});

/**
 * A conversation in which a model makes these calls at once, and then says that it is done.
 * @param {import("node:test").TestContext} context
 * @param {{ name: string, arguments: object }[]} made
 */
async function talk(context, made, protocol = /** @type {any} */ (PROTOCOLS[0])) {
    const place = Place.for(context);
    const folder = join(place.work, "folder");
    mkdirSync(folder);
    writeFileSync(join(folder, "notes.txt"), "one\ntwo\nthree\n");
    const toolCalls = made.map((call) => ({ name: call.name, arguments: JSON.stringify(call.arguments) }));
    const mock = await Mock.for(context, place, [
        { match: { userMessage: "Go on", hasToolResult: false }, response: { toolCalls, usage: USAGE } },
        { match: {}, response: { content: "Done.", usage: USAGE } },
    ]);
    const to = ["--provider", protocol.provider, "--base-url", mock.address + protocol.below];
    const model = MODELS[protocol.provider] ?? "m";
    const added = await place.run(["connect", "add", "mock", ...to, "--model", model, "--key-env", "MOCK_KEY"], ENV);
    assert.equal(added.code, 0, added.stderr + added.stdout);
    await mock.forget();
    const chat = async (/** @type {string[]} */ ...more) => {
        const done = await place.run(
            ["chat", "--connection", "mock", "--folder", folder, "--json", ...more, "Go on."],
            ENV,
        );
        const turn = jsonLines(done.stdout).at(-1)?.turn;
        assert.ok(turn, done.stderr + done.stdout);
        const steps = turn.steps.filter((/** @type {any} */ step) => step.kind === "tool");
        const sent = (await mock.requests()).filter(({ path }) => protocol.path.test(path.split("?")[0]));
        return { turn, steps, told: JSON.stringify(sent.at(-1)?.body) };
    };
    return { place, folder, chat };
}

for (const protocol of PROTOCOLS) {
    const name = NAMES[protocol.provider] ?? "Read";
    test(`a call of ${name} with numbers as text is read as it is meant over ${protocol.provider}`, async (context) => {
        const made = [
            { name, arguments: { file_path: "notes.txt", limit: "1", offset: null, column: "" } },
            { name: "list", arguments: { glob: null, hidden: "true", depth: 1.0 } },
        ];
        const { place, chat } = await talk(context, made, protocol);
        const { turn, steps, told } = await chat();
        assert.deepEqual(
            steps.map((/** @type {any} */ step) => [step.tool, step.status]),
            [
                ["read", "ok"],
                ["list", "ok"],
            ],
        );
        assert.ok(told.includes("Lines 1 to 1 of 3"), told);
        // What goes back to the provider has a name that it takes.
        assert.ok(!told.includes(`"name":${JSON.stringify(name)}`), told);
        const adapted = steps[0].adapted.join("\n");
        for (const part of [
            `${name} read as read`,
            "`file_path` read as `path`",
            'limit: "1" read as 1',
            "offset: null",
        ])
            assert.ok(adapted.includes(part), adapted);
        const shown = await place.run(["show", turn.head.run]);
        assert.match(shown.stdout, / read as read .*limit: "1" read as 1/);
        const events = jsonLines((await place.do(["show", turn.head.run, "--events"])).stdout);
        const calls = events.find((event) => event.event === "model_answered").tools;
        assert.equal(calls[0].adapted.length, 5, "how much was adapted is counted in the log");
    });
}

test("permission is decided on what is run, whatever a tool or an argument is called", async (context) => {
    const { folder, chat } = await talk(context, [
        { name: "Write", arguments: { file_path: "notes.txt", contents: "mine" } },
        { name: "functions.shell", arguments: { cmd: "touch made.txt", timeout_seconds: "5" } },
    ]);
    const { steps, told } = await chat("--mode", "safe");
    assert.deepEqual(
        steps.map((/** @type {any} */ step) => step.tool),
        ["write", "shell"],
    );
    assert.equal(steps[0].status, "denied");
    assert.equal(readFileSync(join(folder, "notes.txt"), "utf8"), "one\ntwo\nthree\n");
    assert.ok(!existsSync(join(folder, "made.txt")), told);
});

test("a name that may be several or none is told with what there is", async (context) => {
    const { chat } = await talk(context, [
        { name: "reads", arguments: { path: "notes.txt" } },
        { name: "read", arguments: { path: "notes.txt", lines: 3 } },
    ]);
    const { steps, told } = await chat();
    assert.deepEqual(
        steps.map((/** @type {any} */ step) => step.status),
        ["failed", "failed"],
    );
    assert.match(told, /there is no tool .{1,3}reads.{1,3}; the nearest is read/);
    assert.match(told, /there is no argument `lines`.*The arguments are: path \(string, required\)/);
});

test("a stray byte, a no-break space and letters taken apart stay as they are when a model edits beside them", async (context) => {
    const { folder, chat } = await talk(context, [
        { name: "edit", arguments: { path: "stray.md", old: "name: x", new: "name: café" } },
        { name: "edit", arguments: { path: "breaks.md", old: "list in current", new: "list in next" } },
        { name: "edit", arguments: { path: "größen.md", old: "Größe", new: "Breite" } },
        { name: "edit", arguments: { path: "gbk.txt", old: "v = 1", new: "v = é" } },
    ]);
    const stray = Buffer.from("# Übersicht\nGröße: 5\nname: x\nstray: ", "utf8");
    writeFileSync(join(folder, "stray.md"), Buffer.concat([stray, Buffer.from([0xff, 0x0a])]));
    writeFileSync(join(folder, "breaks.md"), "the task list in\u00a0current\n");
    writeFileSync(join(folder, "gro\u0308\u00dfen.md"), "Gro\u0308\u00dfe: 1\n");
    const gbk = Buffer.concat([Buffer.from([0xd6, 0xd0, 0xce, 0xc4]), Buffer.from("\nv = 1\n")]);
    writeFileSync(join(folder, "gbk.txt"), gbk);
    const { steps, told } = await chat("--mode", "allow-all");
    assert.deepEqual(
        steps.map((/** @type {any} */ step) => step.status),
        ["ok", "ok", "ok", "failed"],
        told,
    );
    const after = Buffer.from("# Übersicht\nGröße: 5\nname: café\nstray: ", "utf8");
    assert.deepEqual(readFileSync(join(folder, "stray.md")), Buffer.concat([after, Buffer.from([0xff, 0x0a])]));
    assert.equal(readFileSync(join(folder, "breaks.md"), "utf8"), "the task list in\u00a0next\n");
    assert.equal(readFileSync(join(folder, "gro\u0308\u00dfen.md"), "utf8"), "Breite: 1\n");
    assert.deepEqual(readFileSync(join(folder, "gbk.txt")), gbk);
    assert.match(told, /U\+00A0 \(a no-break space\) stands where a space was written/);
    assert.match(told, /charset that is guessed/);
});

test("a long file is given as far as it is shown, and a server that ends with its call is named", async (context) => {
    const { folder, chat } = await talk(context, [
        { name: "read", arguments: { path: "long.txt" } },
        { name: "shell", arguments: { command: "sleep 300 & echo started" } },
    ]);
    writeFileSync(
        join(folder, "long.txt"),
        Array.from({ length: 2_200 }, (_, n) => `line ${n} of many words\n`).join(""),
    );
    const { steps, told } = await chat("--mode", "allow-all");
    assert.deepEqual(
        steps.map((/** @type {any} */ step) => step.status),
        ["ok", "ok"],
        told,
    );
    const [, last, next] = /Lines 1 to (\d+) of 2200\. Go on with offset (\d+)/.exec(told) ?? [];
    assert.equal(Number(next), Number(last) + 1);
    assert.ok(told.includes(`line ${Number(last) - 1} of many words`) && !told.includes("left out here"), told);
    assert.match(told, /\[Ended with the command: process \d+ \(sleep 300\)/);
    assert.match(told, /start it alone with background: true/);
});
