// Our MCP servers `bridge` and `session-tools` as any client meets them: raw JSON-RPC, real sources, a real model's wire, and
// what a credential leaves behind.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";

import { Place, until } from "./lib.mjs";
import { Client, ERAS, GARBAGE, value } from "./mcp-client.mjs";
import { Mock } from "./mock.mjs";

const CANARY = "canary-7319-of-the-desk";
const KEYED = { env: { MOCK_KEY: "sk-test-0123456789-canary" } };

/** A service on this machine that wants a key and remembers who came. */
class Service {
    /** @type {{ method: string, url: string, key: string }[]} */
    heard = [];
    address = "";

    /** @param {import("node:test").TestContext} context */
    static async for(context) {
        const service = new Service();
        const server = createServer((request, response) => {
            const key = String(request.headers["x-key"] ?? "");
            service.heard.push({ method: request.method ?? "", url: request.url ?? "", key });
            response.setHeader("content-type", "application/json");
            response.statusCode = key === CANARY ? (request.url?.includes("broken") === true ? 503 : 200) : 401;
            // A careless service repeats what it was sent.
            response.end(JSON.stringify({ you_sent: key, path: request.url }));
        });
        await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
        context.after(() => server.close());
        const at = server.address();
        service.address = `http://127.0.0.1:${typeof at === "object" && at !== null ? at.port : 0}`;
        return service;
    }
}

/** The program as a server of its api. */
class Serving {
    /** @param {Place} place */
    static async on(place) {
        const program = place.start(["serve", "--json"], { seconds: 120 });
        await program.saw(/\}\n/);
        const { port, token } = JSON.parse(program.stdout);
        return new Serving(program, port, token);
    }

    /**
     * @param {import("./lib.mjs").Started} program
     * @param {number} port
     * @param {string} token
     */
    constructor(program, port, token) {
        this.program = program;
        this.address = `http://127.0.0.1:${port}/api`;
        this.token = token;
    }

    /**
     * @param {string} command
     * @param {any} [params]
     * @returns {Promise<any>}
     */
    async call(command, params) {
        const answer = await fetch(this.address, {
            method: "POST",
            headers: { authorization: `Bearer ${this.token}` },
            body: JSON.stringify(params === undefined ? { command } : { command, params }),
        });
        const body = /** @type {any} */ (await answer.json());
        assert.ok(answer.ok, `${command}: ${JSON.stringify(body)}`);
        return body.ok;
    }

    async end() {
        this.program.kill("SIGTERM");
        const { code, late, stderr } = await this.program.ended;
        assert.deepEqual([code, late], [0, false], stderr);
    }
}

/**
 * A place whose person has set up a service with a key, approved it, and closed the program.
 * @param {import("node:test").TestContext} context
 */
async function keyed(context) {
    const place = Place.for(context);
    const service = await Service.for(context);
    const serving = await Serving.on(place);
    await add(serving, service.address);
    return { place, service, serving };
}

/**
 * @param {Serving} serving
 * @param {string} address
 */
async function add(serving, address) {
    const operation = (/** @type {string} */ operationId, /** @type {string} */ summary) => ({
        operationId,
        summary,
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
    });
    await serving.call("source_save", {
        config: {
            slug: "desk",
            name: "Desk",
            description: "Keeps items.",
            type: "api",
            api: { baseUrl: `${address}/v1`, authType: "header", headerName: "X-Key", openapi: "openapi.json" },
        },
        secrets: { apikey: CANARY },
        openapi: JSON.stringify({
            openapi: "3.1.0",
            info: { title: "Desk" },
            servers: [{ url: `${address}/v1` }],
            paths: {
                "/items/{id}": {
                    get: operation("showItem", "Shows an item."),
                    delete: operation("dropItem", "Removes an item."),
                },
            },
        }),
        approved: true,
    });
}

/** @param {any} answer of `tools/list` */
function names(answer) {
    assert.equal(answer.error, undefined, JSON.stringify(answer.error));
    return answer.result.tools.map((/** @type {any} */ tool) => tool.name).sort();
}

/** @param {any} answer of `tools/call` */
function why(answer) {
    assert.equal(answer.result?.isError, true, JSON.stringify(answer));
    return answer.result.content[0].text;
}

/**
 * Where a text stands below a folder.
 * @param {string} folder
 * @param {string} text
 */
function holding(folder, text) {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return files.map((entry) => join(entry.parentPath, entry.name)).filter((path) => readFileSync(path).includes(text));
}

/** @param {Place} place */
function nothingKeeps(place) {
    const processes = place.processes();
    assert.ok(processes.length > 0);
    for (const { pid } of processes) {
        for (const file of ["environ", "cmdline"])
            assert.ok(!readFileSync(`/proc/${pid}/${file}`, "latin1").includes(CANARY), `${file} of ${pid}`);
    }
    for (const folder of [place.data, place.temp, place.user, place.work]) {
        if (existsSync(folder)) assert.deepEqual(holding(folder, CANARY), []);
    }
}

const TOOLS = ["desk__dropItem", "desk__request", "desk__showItem"];
const item = (/** @type {string} */ id) => ({ name: "desk__showItem", arguments: { id } });

for (const [era, greet] of ERAS) {
    test(`a client of ${era} calls a service through the bridge, whose key reaches the service alone`, async (context) => {
        const { place, service, serving } = await keyed(context);
        await serving.end();
        service.heard.length = 0;

        const bridge = new Client(place, ["bridge"]);
        const ask = await greet(bridge);
        const { tools } = (await ask("tools/list")).result;
        assert.deepEqual(names({ result: { tools } }), TOOLS);
        const hints = (/** @type {string} */ name) =>
            tools.find((/** @type {any} */ tool) => tool.name === name).annotations;
        assert.equal(hints("desk__showItem").readOnlyHint, true);
        assert.deepEqual(
            [hints("desk__dropItem").readOnlyHint, hints("desk__dropItem").destructiveHint],
            [false, true],
        );

        const shown = await ask("tools/call", item("7"));
        assert.match(shown.result.content[0].text, /\/v1\/items\/7/);
        const sent = await ask("tools/call", {
            name: "desk__request",
            arguments: { method: "POST", path: "items", body: { a: 1 } },
        });
        assert.notEqual(sent.result.isError, true, JSON.stringify(sent));
        assert.deepEqual(service.heard, [
            { method: "GET", url: "/v1/items/7", key: CANARY },
            { method: "POST", url: "/v1/items", key: CANARY },
        ]);

        assert.match(why(await ask("tools/call", item("broken"))), /503/);
        for (const [name, args] of [
            ["desk__request", { method: "GET", path: "https://evil.example/x" }],
            ["desk__request", { method: "GET", path: "../../admin" }],
            ["desk__request", { method: "GET", path: "items", headers: { "x-key": "mine" } }],
            ["desk__request", { method: "TRACE", path: "items" }],
            ["desk__request", {}],
            ["desk__showItem", { id: { a: ["x"] } }],
            ["desk__showItem", {}],
        ]) {
            assert.ok(why(await ask("tools/call", { name, arguments: args })).length > 10, JSON.stringify(args));
        }
        assert.equal(service.heard.length, 3, JSON.stringify(service.heard));
        assert.ok((await ask("tools/call", { name: "desk__dance", arguments: {} })).error !== undefined);
        for (const garbage of GARBAGE) bridge.raw(garbage);
        assert.deepEqual(names(await ask("tools/list")), TOOLS, "it still answers after garbage");

        nothingKeeps(place);
        for (const stream of [bridge.server.stdout, bridge.server.stderr]) assert.ok(!stream.includes(CANARY));
        await bridge.close();
        assert.deepEqual(place.processes(), []);
    });
}

test("two bridges work beside the running program and beside each other, and after it", async (context) => {
    const { place, serving } = await keyed(context);
    const bridges = [new Client(place, ["bridge"]), new Client(place, ["bridge", "--source", "desk"])];
    await Promise.all(bridges.map((bridge) => bridge.initialize()));
    const both = (/** @type {string} */ method, /** @type {any} */ params = {}) =>
        Promise.all(bridges.map((bridge) => bridge.ask(method, params)));
    for (const answer of await both("tools/list")) assert.deepEqual(names(answer), TOOLS);
    for (const answer of await both("tools/call", item("1"))) assert.match(answer.result.content[0].text, /items\/1/);
    await serving.call("source_enable", { slug: "desk", on: false });
    for (const answer of await both("tools/list")) assert.deepEqual(names(answer), []);
    for (const answer of await both("tools/call", item("2")))
        assert.match(answer.error.message, /no tool 'desk__showItem' now/);
    await serving.call("source_enable", { slug: "desk", on: true });
    nothingKeeps(place);
    await serving.end();
    for (const answer of await both("tools/list")) assert.deepEqual(names(answer), TOOLS);
    for (const answer of await both("tools/call", item("3"))) assert.match(answer.result.content[0].text, /items\/3/);
    await Promise.all(bridges.map((bridge) => bridge.close()));
    assert.deepEqual(place.processes(), []);
});

test("what nobody approved, or is not there, is not passed on", async (context) => {
    const { place, service, serving } = await keyed(context);
    const sources = join(place.data, "workspaces", "default", "sources");
    mkdirSync(join(sources, "sly"), { recursive: true });
    writeFileSync(
        join(sources, "sly", "config.json"),
        JSON.stringify({
            slug: "sly",
            name: "Sly",
            description: "x",
            type: "api",
            api: { baseUrl: `${service.address}/v1`, authType: "none" },
        }),
    );
    const bridge = new Client(place, ["bridge"]);
    await bridge.initialize();
    assert.deepEqual(names(await bridge.ask("tools/list")), TOOLS);
    const file = join(sources, "desk", "config.json");
    const config = JSON.parse(readFileSync(file, "utf8"));
    config.api.baseUrl = "http://127.0.0.1:9/v1";
    writeFileSync(file, JSON.stringify(config));
    assert.deepEqual(names(await bridge.ask("tools/list")), [], "a key goes nowhere that the person has not seen");
    await bridge.close();
    await serving.end();
    const none = await place.run(["mcp", "bridge", "--source", "nowhere"]);
    assert.notEqual(none.code, 0);
    assert.match(none.stderr, /nowhere/);
});

/**
 * A place with a connection to a model that follows a script, and a session.
 * @param {import("node:test").TestContext} context
 */
async function talking(context) {
    const place = Place.for(context);
    const usage = { input_tokens: 900, output_tokens: 20 };
    const mock = await Mock.for(context, place, [
        { match: { userMessage: "slowly" }, response: { content: "word ".repeat(400), usage }, latency: 300 },
        { match: {}, response: { content: "Yes, it is.", usage } },
    ]);
    await place.do(
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
        KEYED,
    );
    const said = await place.do(["chat", "--connection", "mock", "--json", "Hello"], KEYED);
    const last = JSON.parse(said.stdout.trimEnd().split("\n").at(-1) ?? "");
    await mock.forget();
    return { place, mock, session: /** @type {string} */ (last.turn.head.session) };
}

/**
 * Processes of a place but the model's server.
 * @param {Place} place
 */
function ours(place) {
    return place.processes().filter(({ command }) => !command.includes("aimock"));
}

/**
 * @param {Place} place
 * @param {string[]} [args]
 */
async function tools(place, args = []) {
    const client = new Client(place, ["session-tools", ...args], KEYED);
    await client.initialize();
    const raw = (/** @type {string} */ name, /** @type {any} */ given = {}) =>
        client.ask("tools/call", { name, arguments: given });
    return {
        client,
        raw,
        call: async (/** @type {string} */ name, /** @type {any} */ given = {}) => value(await raw(name, given)),
    };
}

test("session tools look at sessions, change what may be changed, and say what is wrong", async (context) => {
    const { place, session } = await talking(context);
    const { client, raw, call } = await tools(place);
    const { sessions } = await call("list_sessions");
    assert.deepEqual(
        sessions.map((/** @type {any} */ row) => row.session),
        [session],
    );
    assert.equal((await call("get_session_info", { session })).mode, "ask");
    const { work } = await call("agent_state", { session });
    assert.deepEqual(
        work.map((/** @type {any} */ one) => [one.kind, one.status, one.request]),
        [["turn", "completed", "Hello"]],
    );
    await call("set_session_title", { session, title: "Grüße an 🦔" });
    await call("set_session_flag", { session, flagged: true });
    const [row] = (await call("list_sessions", { view: "flagged" })).sessions;
    assert.deepEqual([row.session, row.title], [session, "Grüße an 🦔"]);
    for (const [name, given] of [
        ["get_session_info", { session: "../../etc/passwd" }],
        ["set_session_title", { session: "nobody", title: "x" }],
        ["list_sessions", { view: "everything" }],
        ["source_test", { source: "nowhere" }],
        ["skill_validate", { skill: "nowhere" }],
        ["config_validate", { kind: "agent", name: "nowhere" }],
        ["submit_plan", { session: "nobody", title: "x", text: "y" }],
    ]) {
        assert.ok(why(await raw(/** @type {string} */ (name), given)).length > 10, JSON.stringify(given));
    }
    const rules = { version: 1, rules: [{ effect: "maybe", command: "ls" }] };
    for (const [kind, name, text, place] of [
        ["permissions", undefined, JSON.stringify(rules, undefined, 1), /rules\/0/],
        ["source", "desk", '{"slug": "other"}', /slug|name|type/],
        ["connections", undefined, "[", /JSON|parse|expected/i],
    ]) {
        const checked = await call("config_validate", { kind, name, text });
        assert.equal(checked.valid, false, String(kind));
        assert.match(JSON.stringify(checked.problems), /** @type {RegExp} */ (place));
    }
    assert.deepEqual(await call("config_validate", { kind: "permissions" }), { valid: true, problems: [] });
    assert.deepEqual(await call("config_validate", { kind: "agent", name: "isa-deep-research" }), {
        valid: true,
        problems: [],
    });
    assert.equal((await call("mermaid_validate", { text: "graph TD; A-->B" })).checked, false);
    for (const garbage of GARBAGE) client.raw(garbage);
    await client.close();
    assert.deepEqual(ours(place), []);
});

test("a plan that is submitted waits for the person, who refines or accepts it", async (context) => {
    const { place, mock, session } = await talking(context);
    const { client, raw, call } = await tools(place, ["--session", session]);
    const plan = await call("submit_plan", { title: "Mend the parser", text: "1. Look\n2. Mend" });
    assert.equal(readFileSync(plan.path, "utf8"), "1. Look\n2. Mend");
    assert.ok(plan.path.startsWith(join(place.data, "sessions", session, "plans")), plan.path);
    assert.deepEqual(await mock.requests(), [], "no model is asked");
    assert.match(why(await raw("submit_plan", { title: "x".repeat(300), text: "y" })), /title/);
    await client.close();

    const serving = await Serving.on(place);
    context.after(() => serving.program.kill("SIGKILL"));
    const { head } = await serving.call("turn_show", { run: plan.turn });
    assert.deepEqual(
        [head.status, head.plan.state, head.plan.title, head.plan.text],
        ["completed", "waiting", "Mend the parser", "1. Look\n2. Mend"],
    );
    const again = await tools(place, ["--session", session]);
    const second = await again.call("submit_plan", { title: "Mend the parser", text: "1. Mend" });
    assert.notEqual(second.path, plan.path, "another plan of that title has a file of its own");
    await again.client.close();
    await serving.end();
    const answered = await place.do(
        ["chat", "--connection", "mock", "--session", session, "--json", "Is that all?"],
        KEYED,
    );
    assert.match(answered.stdout, /Yes, it is/);
    const [asked] = (await mock.requests()).map((request) => JSON.stringify(request.body));
    assert.ok(asked?.includes("1. Look") && asked.includes("1. Mend"), "the model knows what was planned");
});

test("a model is asked only where the person allowed it, within a budget, and it is metered", async (context) => {
    const { place, mock, session } = await talking(context);
    const without = await tools(place);
    assert.ok(!names(await without.client.ask("tools/list")).includes("call_model"));
    assert.ok((await without.raw("call_model", { prompt: "Is it so?" })).error !== undefined);
    await without.client.close();

    const { client, raw, call } = await tools(place, ["--allow-model", "--model-budget", "0.5"]);
    const said = await call("call_model", { prompt: "Is it so?", connection: "mock", model: "claude-sonnet-5-5" });
    assert.deepEqual([said.text, said.connection, said.model], ["Yes, it is.", "mock", "claude-sonnet-5-5"]);
    assert.ok(
        said.cost_usd > 0 && said.left_usd > 0 && Math.abs(said.cost_usd + said.left_usd - 0.5) < 1e-9,
        JSON.stringify(said),
    );
    const [{ body }] = await mock.requests();
    assert.deepEqual(
        [body.tools ?? [], body.messages.length, JSON.stringify(body).includes("Is it so?")],
        [[], 1, true],
    );
    assert.match(
        why(await raw("call_model", { prompt: "Is it so?", connection: "mock", budget_usd: 0.000_01 })),
        /is left/,
    );
    assert.equal((await mock.requests()).length, 1, "what could cost more than it may is not asked");
    assert.match(why(await raw("call_model", { prompt: "x", connection: "nowhere" })), /nowhere/);
    const { sessions } = await call("list_sessions");
    assert.deepEqual(
        sessions.map((/** @type {any} */ row) => row.session),
        [session],
        "questions are not among the person's sessions",
    );
    const archived = (await call("list_sessions", { view: "archived" })).sessions;
    assert.ok(archived.some((/** @type {any} */ row) => row.session === said.session));
    await client.close();
    const usage = JSON.parse((await place.do(["usage", "--json"])).stdout);
    assert.equal(usage.connections.find((/** @type {any} */ sum) => sum.key === "mock").calls, 2);
    const bad = await place.run(["mcp", "session-tools", "--allow-model", "--model-budget", "-1"]);
    assert.notEqual(bad.code, 0);
});

test("a question that nobody waits for any more is stopped, and a client that goes away leaves nothing running", async (context) => {
    const { place } = await talking(context);
    const { client, call } = await tools(place, ["--allow-model"]);
    const listed = async (/** @type {string} */ view) => (await call("list_sessions", { view })).sessions;
    const begin = async (/** @type {number} */ id) => {
        client.raw(
            JSON.stringify({
                jsonrpc: "2.0",
                id,
                method: "tools/call",
                params: {
                    name: "call_model",
                    arguments: { prompt: "Tell it slowly", connection: "mock", budget_usd: 0.4 },
                },
            }),
        );
        assert.ok(await until(async () => (await listed("running")).length === 1, 10_000), "it is under way");
        return /** @type {string} */ ((await listed("running"))[0].session);
    };
    const first = await begin(901);
    client.raw(JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 901 } }));
    const stopped = async () =>
        (await listed("archived")).some((/** @type {any} */ row) => row.session === first && row.status === "stopped");
    assert.ok(await until(stopped, 10_000), "what was cancelled is stopped");
    const second = await begin(902);
    await client.close();
    assert.deepEqual(ours(place), []);
    const later = await tools(place);
    const { work } = await later.call("agent_state", { session: second });
    assert.ok(["suspended", "interrupted", "stopped"].includes(work[0].status), work[0].status);
    await later.client.close();
});
