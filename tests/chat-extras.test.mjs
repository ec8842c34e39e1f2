// What the tools of conversations need of the program around them: another question to the model, documents as text, rules
// that reach into confined commands, the search path of commands.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Place, jsonLines } from "./lib.mjs";
import { Mock, PROTOCOLS } from "./mock.mjs";

const ANTHROPIC = /** @type {{ provider: string, below: string, path: RegExp }} */ (
    PROTOCOLS.find(({ provider }) => provider === "anthropic")
);
const USAGE = { input_tokens: 900, output_tokens: 20, prompt_tokens: 900, completion_tokens: 20, total_tokens: 920 };
const ENV = { env: { MOCK_KEY: "sk-test-0123456789-canary" } };

/**
 * @param {string} name the tool
 * @param {object} args
 */
function calls(name, args) {
    return { toolCalls: [{ name, arguments: JSON.stringify(args) }], usage: USAGE };
}

/**
 * A folder to work in, and a model that makes one call in answer to a message.
 * @param {import("node:test").TestContext} context
 * @param {object} call
 * @param {object[]} first fixtures that go before
 */
async function talk(context, call, first = []) {
    const place = Place.for(context);
    const folder = join(place.work, "folder");
    mkdirSync(folder);
    const mock = await Mock.for(context, place, [
        ...first,
        { match: { userMessage: "Go", hasToolResult: false }, response: call },
        { match: {}, response: { content: "All done.", usage: USAGE } },
    ]);
    const added = await place.run(
        [
            "connect",
            "add",
            "mock",
            "--provider",
            "anthropic",
            "--base-url",
            mock.address + ANTHROPIC.below,
            "--model",
            "claude-sonnet-5-5",
            "--key-env",
            "MOCK_KEY",
        ],
        ENV,
    );
    assert.equal(added.code, 0, added.stderr + added.stdout);
    await mock.forget();
    const chat = async (/** @type {string[]} */ ...more) => {
        const done = await place.run(
            ["chat", "--json", "--connection", "mock", "--folder", folder, ...more, "Go"],
            ENV,
        );
        assert.equal(done.code, 0, done.stderr + done.stdout);
        return jsonLines(done.stdout).at(-1).turn;
    };
    const bodies = async () =>
        (await mock.requests()).filter(({ path }) => ANTHROPIC.path.test(path.split("?")[0])).map(({ body }) => body);
    return { place, folder, chat, bodies };
}

/** A Word document of one paragraph: a ZIP archive without compression. @param {string} text */
function docx(text) {
    const name = Buffer.from("word/document.xml");
    const body = Buffer.from(
        `<?xml version="1.0"?><w:document xmlns:w="w"><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p><w:sectPr/></w:body></w:document>`,
    );
    const table = Array.from({ length: 256 }, (_, n) => {
        let c = n;
        for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
        return c >>> 0;
    });
    let crc = 0xffffffff;
    for (const byte of body) crc = (table[(crc ^ byte) & 255] ?? 0) ^ (crc >>> 8);
    crc = (crc ^ 0xffffffff) >>> 0;
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt32LE(crc, 10);
    head.writeUInt32LE(body.length, 14);
    head.writeUInt32LE(body.length, 18);
    head.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), head, name, body]);
    const central = Buffer.concat([
        Buffer.from("PK\x01\x02", "latin1"),
        Buffer.from([20, 0]),
        head,
        Buffer.alloc(14),
        name,
    ]);
    const end = Buffer.alloc(18);
    end.writeUInt16LE(1, 4);
    end.writeUInt16LE(1, 6);
    end.writeUInt32LE(central.length, 8);
    end.writeUInt32LE(local.length, 12);
    return Buffer.concat([local, central, Buffer.from("PK\x05\x06", "latin1"), end]);
}

test("a tool asks the model besides the conversation, in Explore too, and the usage page adds it", async (context) => {
    const { place, chat, bodies } = await talk(context, calls("call_model", { prompt: "How many legs has a chair?" }), [
        { match: { userMessage: "legs has a chair" }, response: { content: "Four.", usage: USAGE } },
    ]);
    const turn = await chat("--mode", "safe");
    assert.equal(turn.head.answer, "All done.");
    const sent = await bodies();
    assert.equal(sent.length, 3);
    assert.equal(sent[1].tools, undefined, "the question stands alone");
    assert.deepEqual(
        sent[1].messages
            .filter((/** @type {any} */ each) => each.role !== "system")
            .map((/** @type {any} */ each) => each.role),
        ["user"],
    );
    assert.ok(JSON.stringify(sent[2]).includes("Four."), "the model reads the answer");
    const usage = JSON.parse((await place.do(["usage", "--json"])).stdout);
    assert.equal(usage.total.calls, 3);
    assert.equal(turn.head.usage.input + turn.head.usage.output, 3 * 920, "the turn's meter has all three");
});

test("a question that the turn's budget does not reach for is not asked", async (context) => {
    const { chat, bodies } = await talk(context, calls("call_model", { prompt: "x ".repeat(20_000) }));
    const turn = await chat("--budget-tokens", "30000");
    const [step] = turn.steps.filter((/** @type {any} */ each) => each.kind === "tool");
    assert.equal(step.status, "failed");
    assert.match(step.summary, /budget/);
    const said = (await bodies())
        .flatMap((body) => body.messages)
        .filter((/** @type {any} */ each) => each.role === "user");
    assert.ok(!JSON.stringify(said).includes("x x x x x x"), "it never left");
});

test("a Word document is read as text by a process of its own", async (context) => {
    const { place, folder, chat, bodies } = await talk(context, calls("read", { path: "contract.docx" }));
    writeFileSync(join(folder, "contract.docx"), docx("The price is 42 crowns."));
    const turn = await chat();
    assert.equal(turn.head.status, "completed");
    assert.ok(JSON.stringify(await bodies()).includes("The price is 42 crowns."));
    const own = join(place.data, "sessions", turn.head.session, "data");
    assert.deepEqual(readdirSync(own), [], "the copy that was read is gone");
});

test("a confined search sees nothing of what rules keep from being read", async (context) => {
    const { folder, chat, bodies } = await talk(context, calls("shell", { command: "grep -rl needle ." }));
    for (const name of [".env", "server.key", "plain.txt"]) writeFileSync(join(folder, name), "needle\n");
    const turn = await chat("--mode", "safe");
    const [step] = turn.steps.filter((/** @type {any} */ each) => each.kind === "tool");
    if (/can't be confined/.test(step.summary)) return context.skip("commands can't be confined here");
    const results = JSON.stringify((await bodies()).at(-1).messages.at(-1));
    const found = [...results.matchAll(/\.\/([\w.]+)(?!.{0,3}: )/g)].map(([, name]) => name);
    assert.ok(found.includes("plain.txt"), results);
    assert.doesNotMatch(results.replaceAll(/[^\\"]*: Permission denied/g, ""), /\.env|server\.key/);
    assert.equal(readFileSync(join(folder, ".env"), "utf8"), "needle\n");
});

test("a command that is not found names where it was searched for", async (context) => {
    const { chat, bodies } = await talk(context, calls("shell", { command: "no-such-program-anywhere" }));
    await chat("--mode", "allow-all");
    assert.match(JSON.stringify((await bodies()).at(-1)), /Programs were searched for in PATH=\//);
});
