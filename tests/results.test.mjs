// What tools give and how answers end, as a person meets it: every part of a result reaches the model and the terminal, a
// picture that a provider refuses blocks nothing, and an answer that was broken off is not taken for one. Against a server of
// tools and a provider on this machine.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";

import { Place, jsonLines } from "./lib.mjs";

/** One pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const GIF = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
const text = (/** @type {string} */ words) => ({ type: "text", text: words });
/** What the tools give. @type {Record<string, object>} */
const RESULTS = {
    mixed: {
        content: [
            text("successfully downloaded text file"),
            { type: "resource", resource: { uri: "repo://readme", text: "EMBEDDED-README" } },
            { type: "resource_link", uri: "https://example.org/more", name: "more" },
            { type: "resource", resource: { uri: "repo://b.txt", mimeType: "text/plain", blob: "QkxPQi1URVhU" } },
            { type: "image", mimeType: "image/jpeg", data: PNG },
            { type: "image", mimeType: "image/png", data: PNG.slice(0, 40) },
            { type: "image", mimeType: "image/svg+xml", data: Buffer.from("<svg>SVG-WORDS</svg>").toString("base64") },
            { type: "audio", mimeType: "audio/wav", data: "UklGRg==" },
            { type: "hologram", words: "UNKNOWN-KIND" },
        ],
        structuredContent: { rows: ["STRUCTURED-ROW"] },
    },
    fails: {
        isError: true,
        content: [
            { type: "resource", resource: { uri: "log://1", text: "REASON-OF-FAILURE" } },
            { type: "image", mimeType: "image/png", data: PNG },
        ],
    },
    refused: { content: [text("a picture"), { type: "image", mimeType: "image/gif", data: GIF }] },
};

/**
 * A place with a server of tools, named `desk`.
 * @param {import("node:test").TestContext} context
 */
async function withTools(context) {
    const place = Place.for(context);
    const server = join(place.work, "server.mjs");
    const tools = Object.keys(RESULTS).map((name) => ({ name, inputSchema: { type: "object" } }));
    writeFileSync(
        server,
        `const RESULTS = ${JSON.stringify(RESULTS)};
const TOOLS = ${JSON.stringify(tools)};
let rest = "";
process.stdin.on("data", (data) => {
    const lines = (rest + data).split("\\n");
    rest = lines.pop();
    for (const line of lines) {
        const { id, method, params } = JSON.parse(line);
        if (id === undefined) continue;
        const says = (answer) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
        if (method === "initialize")
            says({ result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "desk", version: "1" } } });
        else if (method === "tools/list") says({ result: { tools: TOOLS } });
        else if (method === "tools/call") says({ result: RESULTS[params.name] });
        else says({ error: { code: -32601, message: "no such method" } });
    }
});
`,
    );
    await place.do(["source", "add", "desk", "--yes", "--", process.execPath, server]);
    const early = await place.run(["source", "call", "desk", "mixed"]);
    assert.match(early.stderr + early.stdout, /has not been approved yet/);
    assert.doesNotMatch(early.stderr + early.stdout, /changed/);
    await place.do(["source", "approve", "desk", "--yes"]);
    return place;
}

/**
 * A provider whose answers a function gives: a status and a body, or lines of a stream.
 * @param {import("node:test").TestContext} context
 * @param {Place} place
 * @param {string} provider
 * @param {(body: any) => { status?: number, body?: object, stream?: string }} answer
 */
async function provide(context, place, provider, answer) {
    /** @type {any[]} */
    const asked = [];
    const server = createServer((request, response) => {
        let body = "";
        request.on("data", (chunk) => (body += chunk));
        request.on("end", () => {
            if (request.method !== "POST" || /count_tokens|input_tokens/.test(request.url ?? ""))
                return void response.writeHead(404).end();
            const parsed = JSON.parse(body);
            asked.push(parsed);
            const { status = 200, body: refusal, stream } = answer(parsed);
            const type = stream === undefined || provider === "ollama" ? "application/json" : "text/event-stream";
            response.writeHead(status, { "content-type": type }).end(stream ?? JSON.stringify(refusal));
        });
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
    context.after(() => {
        server.close();
        server.closeAllConnections();
    });
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    const base = `http://127.0.0.1:${address.port}${{ openai: "/v1", "openai-chat": "/v1", gemini: "/v1beta" }[provider] ?? ""}`;
    const model =
        { anthropic: "claude-sonnet-5-5", openai: "gpt-6.1-sol", gemini: "gemini-3.8-flash" }[provider] ?? "m";
    const args = ["--provider", provider, "--base-url", base, "--model", model, "--no-key", "--no-test", "--replace"];
    await place.do(["connect", "add", provider, ...args]);
    return asked;
}

/** Events of a stream. @param {...object} events */
const sse = (...events) =>
    events
        .map((event) => `${"type" in event ? `event: ${String(event.type)}\n` : ""}data: ${JSON.stringify(event)}\n\n`)
        .join("");

/**
 * An answer in the Messages protocol.
 * @param {object[]} blocks
 * @param {string} stop
 */
function message(blocks, stop) {
    const pieces = blocks.flatMap((/** @type {any} */ block, index) => {
        const { input, ...start } = block;
        const delta =
            input === undefined
                ? { type: "text_delta", text: block.text }
                : { type: "input_json_delta", partial_json: typeof input === "string" ? input : JSON.stringify(input) };
        return [
            {
                type: "content_block_start",
                index,
                content_block: input === undefined ? text("") : { ...start, input: {} },
            },
            { type: "content_block_delta", index, delta },
            { type: "content_block_stop", index },
        ];
    });
    const usage = { input_tokens: 10, output_tokens: 5 };
    return sse(
        {
            type: "message_start",
            message: { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], usage },
        },
        ...pieces,
        { type: "message_delta", delta: { stop_reason: stop }, usage },
        { type: "message_stop" },
    );
}

const call = (/** @type {string} */ name, /** @type {object | string} */ input = {}) =>
    message([{ type: "tool_use", id: `toolu_${name}`, name, input }], "tool_use");
const isResult = (/** @type {any} */ block) => block.type === "tool_result";
const last = (/** @type {any} */ body) => body.messages.at(-1).content;

test("every part of a result reaches the terminal and the model in order, and pictures go by their bytes", async (context) => {
    const place = await withTools(context);
    const called = await place.do(["source", "call", "desk", "mixed"]);
    const words = [
        "successfully downloaded",
        "EMBEDDED-README",
        "https://example.org/more",
        "BLOB-TEXT",
        "image/png, 70 bytes",
        "damaged",
        "SVG-WORDS",
        "audio/wav",
        "UNKNOWN-KIND",
        "STRUCTURED-ROW",
    ];
    const inOrder = new RegExp(words.join("[^]*"));
    assert.match(called.stdout, inOrder);
    const failed = await place.run(["source", "call", "desk", "fails"]);
    assert.notEqual(failed.code, 0);
    assert.match(failed.stderr + failed.stdout, /REASON-OF-FAILURE/);

    const asked = await provide(context, place, "anthropic", (body) => {
        const results = body.messages
            .flatMap((/** @type {any} */ { content }) => (Array.isArray(content) ? content : []))
            .filter(isResult);
        if (results.length === 0) return { stream: call("desk__mixed") };
        return { stream: results.length === 1 ? call("desk__fails") : message([text("Seen.")], "end_turn") };
    });
    const ask = ["chat", "--json", "--connection", "anthropic", "--mode", "allow-all", "--source", "desk", "Go"];
    const { turn } = jsonLines((await place.do(ask)).stdout).at(-1);
    assert.equal(turn.head.answer, "Seen.");
    const [mixed, broken] = [last(asked.at(1)), last(asked.at(2))];
    assert.match(JSON.stringify(mixed.filter(isResult)), inOrder);
    const pictures = (/** @type {any[]} */ blocks) =>
        blocks.filter(({ type }) => type === "image").map(({ source }) => [source.media_type, source.data]);
    assert.deepEqual(pictures(mixed), [["image/png", PNG]]);
    assert.match(JSON.stringify(mixed), /is damaged: it breaks off/);
    assert.ok(broken.filter(isResult).at(-1).is_error);
    assert.match(JSON.stringify(broken.filter(isResult)), /REASON-OF-FAILURE/);
    assert.deepEqual(pictures(broken), [["image/png", PNG]]);
});

test("a picture that the provider refuses is left out and told, and the session goes on", async (context) => {
    const place = await withTools(context);
    let refusals = 0;
    const asked = await provide(context, place, "anthropic", (body) => {
        if (JSON.stringify(body).includes(GIF)) {
            refusals += 1;
            const at = body.messages.findIndex((/** @type {any} */ { content }) =>
                JSON.stringify(content).includes(GIF),
            );
            const where = body.messages[at].content.findIndex((/** @type {any} */ block) =>
                JSON.stringify(block).includes(GIF),
            );
            const words = `messages.${at}.content.${where}.image.source.base64.data: Could not process image`;
            return { status: 400, body: { type: "error", error: { type: "invalid_request_error", message: words } } };
        }
        const seen = JSON.stringify(body).includes("tool_result");
        return { stream: seen ? message([text("Without it.")], "end_turn") : call("desk__refused") };
    });
    const ask = ["chat", "--connection", "anthropic", "--mode", "allow-all", "--source", "desk"];
    const first = await place.do([...ask, "Go"]);
    assert.match(first.stdout, /Without it\./);
    assert.match(first.stderr, /note: A picture \(image\/gif, 1 kB\) was left out[^]*Could not process image/);
    assert.match(JSON.stringify(last(asked.at(-1))), /left out, because it was refused/);
    assert.equal(refusals, 1);
    const [, session] = /\(([^()\s]+)\)\s*$/.exec(first.stderr.trim()) ?? [];
    // Another process knows nothing of the refusal, meets it again and goes on all the same.
    const second = await place.do([...ask, "--session", String(session), "And now?"]);
    assert.match(second.stdout, /Without it\./);
    assert.equal(refusals, 2);
});

test("a call that was cut is told to the model as cut, and to the person", async (context) => {
    const place = await withTools(context);
    const asked = await provide(context, place, "anthropic", (body) => {
        const seen = JSON.stringify(body).includes("tool_result");
        if (seen) return { stream: message([text("Shorter.")], "end_turn") };
        const cut = { type: "tool_use", id: "toolu_1", name: "desk__mixed", input: '{"path": "a' };
        return { stream: message([cut], "max_tokens") };
    });
    const done = await place.do(["chat", "--connection", "anthropic", "--mode", "allow-all", "--source", "desk", "Go"]);
    assert.match(JSON.stringify(last(asked.at(-1))), /reached the limit of its length within this call/);
    assert.match(done.stderr, /note: The answer was cut at its limit of length within a call of desk__mixed/);
});

/** An answer that a filter broke off, in each protocol. @type {Record<string, string>} */
const BROKEN = {
    anthropic: message([text("The dose is 50 mg, but never")], "refusal"),
    "openai-chat": `${sse(
        {
            id: "1",
            object: "chat.completion.chunk",
            choices: [{ index: 0, delta: { content: "The dose is 50 mg, but never" } }],
        },
        {
            id: "1",
            object: "chat.completion.chunk",
            choices: [{ index: 0, delta: {}, finish_reason: "content_filter" }],
        },
    )}data: [DONE]\n\n`,
    openai: sse(
        { type: "response.created", response: { id: "r", model: "m" } },
        {
            type: "response.output_item.done",
            output_index: 0,
            item: {
                type: "message",
                role: "assistant",
                content: [{ type: "output_text", text: "The dose is 50 mg, but never" }],
            },
        },
        {
            type: "response.incomplete",
            response: { id: "r", status: "incomplete", incomplete_details: { reason: "content_filter" } },
        },
    ),
    gemini: sse({
        candidates: [
            { content: { parts: [{ text: "The dose is 50 mg, but never" }] }, finishReason: "RECITATION", index: 0 },
        ],
    }),
    ollama: `${JSON.stringify({ model: "m", created_at: "2026-01-01T00:00:00Z", message: { role: "assistant", content: "The dose is 50 mg, but never" }, done: true, done_reason: "safety" })}\n`,
};

for (const [provider, stream] of Object.entries(BROKEN)) {
    test(`an answer that a filter broke off is said to be none: ${provider}`, async (context) => {
        const place = Place.for(context);
        await provide(context, place, provider, () => ({ stream }));
        const done = await place.run(["chat", "--connection", provider, "What is the dose?"]);
        assert.equal(done.code, 1, done.stderr);
        assert.match(done.stdout, /The dose is 50 mg, but never/);
        assert.match(done.stderr, /note: It ended before the model was done: [^]*broke the answer off/);
    });
}

test("a local model's thinking is no part of its answer, and its written call is made", async (context) => {
    const place = await withTools(context);
    const line = (/** @type {string} */ content, /** @type {object} */ end = {}) =>
        `${JSON.stringify({ model: "m", created_at: "2026-01-01T00:00:00Z", message: { role: "assistant", content }, done: false, ...end })}\n`;
    const written = (/** @type {string} */ words) =>
        [...words].map((letter) => line(letter)).join("") + line("", { done: true, done_reason: "stop" });
    const asked = await provide(context, place, "ollama", (body) => {
        const seen = body.messages.some((/** @type {any} */ { role }) => role === "tool");
        const first = '<think>secret thoughts</think>\n<tool_call>{"name": "desk__mixed", "arguments": {}}</tool_call>';
        return { stream: written(seen ? "<think>more secrets</think>The answer." : first) };
    });
    const ask = ["chat", "--connection", "ollama", "--mode", "allow-all", "--source", "desk"];
    const first = await place.do([...ask, "Go"]);
    assert.equal(first.stdout.trim(), "The answer.");
    const [, session] = /\(([^()\s]+)\)\s*$/.exec(first.stderr.trim()) ?? [];
    await place.do([...ask, "--session", String(session), "More"]);
    assert.doesNotMatch(JSON.stringify(asked), /secret|<tool_call>/);
    assert.match(JSON.stringify(asked.at(-1)), /EMBEDDED-README/);
});
