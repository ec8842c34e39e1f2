// The research agent over each provider's protocol, against a wire-compatible server: connected, asked, cited, verified, metered.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { AGENT, PROGRAM, Place, QUESTION, jsonLines, whole } from "./lib.mjs";
import { Mock, PROTOCOLS } from "./mock.mjs";

/** What the two stages that ask a model begin their system prompt with. */
const PLAN = "You plan research in a knowledge base";
const WRITE = "You write the answer to a question about auditing";
const KEY = "sk-test-0123456789-canary";
const USAGE = {
    input_tokens: 900,
    output_tokens: 200,
    prompt_tokens: 900,
    completion_tokens: 200,
    total_tokens: 1_100,
};

/**
 * What a good model answers: what the offline engine says, which is cited from the same primer.
 * @returns {Promise<{ plan: any, answer: any }>}
 */
async function goodAnswers() {
    const { outputs } = await whole();
    // Nothing is missing: what is would be searched for once more, and asked about.
    return { plan: outputs.analyze_query, answer: { ...outputs.synthesize, gaps: [] } };
}

/**
 * @param {string} system what the system prompt holds
 * @param {object} response
 */
function fixture(system, response) {
    return { match: { systemMessage: system }, response };
}

/**
 * @param {Place} place
 * @param {Mock} mock
 * @param {{ provider: string, below: string }} protocol
 * @param {string[]} [more]
 */
function connect(place, mock, { provider, below }, more = []) {
    const args = [
        "connect",
        "add",
        `${provider}-mock`,
        "--provider",
        provider,
        "--base-url",
        mock.address + below,
        "--model",
        MODELS[provider] ?? "m",
        ...more,
    ];
    return place.run([...args, ...(more.includes("--no-key") ? [] : ["--key-env", "MOCK_KEY"])], {
        env: { MOCK_KEY: KEY },
    });
}

/** @type {Record<string, string>} */
const MODELS = {
    anthropic: "claude-sonnet-5-5",
    openai: "gpt-6.1-sol",
    "openai-chat": "gpt-5-mini",
    gemini: "gemini-3.8-flash",
    ollama: "qwen3",
};

/** Everything that a request may never carry. */
function clean(/** @type {any} */ body) {
    const text = JSON.stringify(body);
    for (const field of ["temperature", "top_p", "top_k", "topP", "topK"])
        assert.ok(!(`"${field}"` in body) && !text.includes(`"${field}":`), `${field} is never sent`);
    assert.ok(!("tools" in body), "no tools, no field");
    assert.ok(!("tool_choice" in body) && !("toolConfig" in body));
    assert.ok(!text.includes(KEY), "the key stands in its header alone");
}

for (const protocol of PROTOCOLS) {
    test(`a document comes over ${protocol.provider}, cited and verified, and its use is metered`, async (context) => {
        const place = Place.for(context);
        const { plan, answer } = await goodAnswers();
        const mock = await Mock.for(context, place, [
            fixture(PLAN, { content: JSON.stringify(plan), usage: USAGE }),
            fixture(WRITE, { reasoning: "The primer says it.", content: JSON.stringify(answer), usage: USAGE }),
            { match: {}, response: { content: "Yes.", usage: USAGE } },
        ]);
        const added = await connect(place, mock, protocol);
        assert.equal(added.code, 0, added.stderr + added.stdout);
        await mock.forget();

        const document = await place.research(["--connection", `${protocol.provider}-mock`], {
            env: { MOCK_KEY: KEY },
        });
        const state = await place.state();
        assert.equal(state.status, "completed");
        assert.equal(state.connection, `${protocol.provider}-mock`);
        assert.equal(state.document.verified, state.document.total);
        assert.ok(state.document.total > 0);
        assert.match(document.markdown, /Primer/);

        const requests = (await mock.requests()).filter(({ path }) => protocol.path.test(path.split("?")[0]));
        assert.equal(requests.length, 2, "one request a stage");
        for (const { body } of requests) clean(body);

        const usage = JSON.parse((await place.do(["usage", "--json"])).stdout);
        assert.equal(
            usage.connections.find((/** @type {any} */ sum) => sum.key === `${protocol.provider}-mock`).calls,
            2,
        );
        const shown = state.stages.reduce(
            (/** @type {number} */ sum, /** @type {any} */ stage) => sum + stage.usage.output,
            0,
        );
        assert.equal(
            usage.connections.find((/** @type {any} */ sum) => sum.key === `${protocol.provider}-mock`).usage.output,
            shown,
        );
        assert.ok(!readFileSync(`${place.data}/connections.json`, "utf8").includes(KEY));
    });
}

test("a key that is piped in is stored in the vault, used, and found nowhere else", async (context) => {
    const place = Place.for(context);
    const mock = await Mock.for(context, place, [{ match: {}, response: { content: "Yes.", usage: USAGE } }]);
    const args = [
        "connect",
        "add",
        "gate",
        "--provider",
        "openai-chat",
        "--base-url",
        `${mock.address}/v1`,
        "--model",
        "m",
        "--bearer",
    ];
    const added = await place.run(args, { input: `${KEY}\n` });
    assert.equal(added.code, 0, added.stderr + added.stdout);
    const [row] = JSON.parse((await place.do(["connect", "list", "--json"])).stdout).filter(
        (/** @type {any} */ one) => one.slug === "gate",
    );
    assert.equal(row.credential, "stored");
    assert.equal(row.tested.verdict, "works");
    const entries = JSON.parse((await place.do(["secrets", "show", "--json"])).stdout).entries;
    assert.deepEqual(
        entries.map((/** @type {any} */ entry) => entry.name),
        ["connection/gate/key"],
    );
    assert.ok(!(added.stdout + added.stderr).includes(KEY));
    const grep = await place.run(["connect", "show", "gate", "--json"]);
    assert.ok(!grep.stdout.includes(KEY));
    assert.match((await place.do(["connect", "list"])).stdout, /^\* gate /m, "the first one that works is the default");
    await place.do(args.with(2, "other").with(-1, "--no-key"));
    assert.match((await place.do(["connect", "list"])).stdout, /^\* gate /m, "and stays it");
    await place.do(["connect", "remove", "gate"]);
    assert.deepEqual(JSON.parse((await place.do(["secrets", "show", "--json"])).stdout).entries, []);
});

test("a connection that does not work says why, in words", async (context) => {
    const place = Place.for(context);
    const mock = await Mock.for(context, place, [
        {
            match: { model: "denied" },
            response: {
                error: {
                    message: "Incorrect API key provided",
                    type: "invalid_request_error",
                    code: "invalid_api_key",
                },
                status: 401,
            },
        },
        {
            match: { model: "broke" },
            response: {
                error: {
                    message: "You exceeded your current quota",
                    type: "insufficient_quota",
                    code: "insufficient_quota",
                },
                status: 429,
            },
        },
        {
            match: { model: "gone" },
            response: {
                error: {
                    message: "The model `gone` does not exist",
                    type: "invalid_request_error",
                    code: "model_not_found",
                },
                status: 404,
            },
        },
    ]);
    const verdict = async (/** @type {string} */ slug, /** @type {string} */ model, url = `${mock.address}/v1`) => {
        await place.run(
            [
                "connect",
                "add",
                slug,
                "--provider",
                "openai-chat",
                "--base-url",
                url,
                "--model",
                model,
                "--key-env",
                "MOCK_KEY",
                "--no-test",
                "--replace",
            ],
            { env: { MOCK_KEY: KEY } },
        );
        const tested = await place.run(["connect", "test", slug, "--json"], { env: { MOCK_KEY: KEY } });
        assert.equal(tested.code, 1, tested.stderr);
        const [told] = jsonLines(tested.stdout);
        assert.ok(told.message.length > 10 && told.action.length > 10, JSON.stringify(told));
        assert.ok(!JSON.stringify(told).includes(KEY));
        return told.verdict;
    };
    assert.equal(await verdict("a", "denied"), "key_wrong");
    assert.equal(await verdict("b", "broke"), "no_credit");
    assert.equal(await verdict("c", "gone"), "model_unknown");
    assert.equal(await verdict("d", "m", "http://127.0.0.1:9/v1"), "unreachable");
    const missing = await place.run(["connect", "test", "a", "--json"]);
    assert.equal(jsonLines(missing.stdout)[0].verdict, "key_missing");
});

test("a rate limit is waited for and said, and the run goes on", async (context) => {
    const place = Place.for(context);
    const { plan, answer } = await goodAnswers();
    const mock = await Mock.for(context, place, [
        {
            match: { systemMessage: PLAN, sequenceIndex: 0 },
            response: { error: { message: "Slow down", type: "rate_limit_error" }, status: 429 },
        },
        fixture(PLAN, { content: JSON.stringify(plan), usage: USAGE }),
        fixture(WRITE, { content: JSON.stringify(answer), usage: USAGE }),
    ]);
    await connect(place, mock, PROTOCOLS[2], ["--no-test"]);
    const ended = await place.do(["run", AGENT, "--yes", QUESTION, "--connection", "openai-chat-mock", "--json"], {
        env: { MOCK_KEY: KEY },
    });
    const waiting = jsonLines(ended.stdout).find((event) => JSON.stringify(event).includes("waiting"));
    assert.ok(waiting !== undefined, "the wait is told");
    const usage = JSON.parse((await place.do(["usage", "--json"])).stdout);
    assert.equal(usage.total.failed, 1);
});

test("how well a model tells contradicting documents apart is measured over a connection by one command", async (context) => {
    const place = Place.for(context);
    // A model that reads what each document says of itself.
    const server = createServer((request, response) => {
        let body = "";
        request.on("data", (part) => (body += part));
        request.on("end", () => {
            if (request.url !== "/api/chat") return void response.writeHead(404).end();
            const text = body.replaceAll("\\", "");
            const found = [...text.matchAll(/"document":(\d+),"text":"Of thing (\d+): (\d+)\."/g)];
            const documents = found.map(([, document, thing, value]) => ({
                document: Number(document),
                thing: Number(thing),
                value: Number(value),
            }));
            const message = { role: "assistant", content: JSON.stringify({ documents }) };
            const end = { done: true, done_reason: "stop", prompt_eval_count: 10, eval_count: 10 };
            const line = { model: "m", created_at: "2026-01-01T00:00:00Z", message, ...end };
            response.writeHead(200, { "content-type": "application/x-ndjson" }).end(`${JSON.stringify(line)}\n`);
        });
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
    context.after(() => server.close());
    const address = server.address();
    assert.ok(address !== null && typeof address === "object");
    const base = `http://127.0.0.1:${address.port}`;
    const model = ["--provider", "ollama", "--base-url", base, "--model", "m", "--no-key", "--no-test"];
    await place.do(["connect", "add", "reader", ...model]);

    const document = (/** @type {string} */ label, /** @type {number} */ thing, /** @type {number} */ value) => ({
        label,
        answer: value === 0 ? null : String(value),
        text: `Of thing ${thing}: ${value}.`,
    });
    const documents = [
        document("correct", 1, 1),
        document("misinformation", 1, 2),
        document("correct", 1, 1),
        document("correct", 2, 3),
        document("noise", 1, 0),
    ];
    const data = join(place.work, "data");
    mkdirSync(join(data, "contradictions"), { recursive: true });
    const lines = [1, 2].map((at) => JSON.stringify({ question: `When was mill ${at} built?`, documents }));
    writeFileSync(join(data, "contradictions", "ramdocs.jsonl"), `${lines.join("\n")}\n`);
    const script = fileURLToPath(new URL("../.scripts/contradictions.mjs", import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [script, "--connection", "reader", "--data", data], {
        env: { ...place.environment(), AGENTNATIVE_BIN: PROGRAM },
    });
    assert.match(stdout, /^1 questions \(held-out\), 10 pairs, 0 without an answer\n/);
    // The document that is wrong of the first thing says nothing of the second one.
    assert.match(
        stdout,
        /\nmodel: [^\n]* \.833 against the same answer, [^\n]* different answers 1\.000; always \.500\ncontrol: /,
    );
    const workspaces = (await place.do(["workspace", "list"])).stdout.trim().split("\n");
    assert.equal(workspaces.length, 1, "its workspace is gone");
});
