// Automations from the terminal: nothing before it is enabled, a test by hand, a veto that the model is told, a schedule that is kept while
// a server runs.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";

import { Place, jsonLines, until } from "./lib.mjs";
import { Mock, PROTOCOLS } from "./mock.mjs";

const PROTOCOL = /** @type {{ provider: string, below: string }} */ (
    PROTOCOLS.find(({ provider }) => provider === "anthropic")
);
const USAGE = { input_tokens: 900, output_tokens: 20 };
const ENV = { env: { MOCK_KEY: "sk-test-0123456789-canary" } };

/**
 * Keeps an automation.
 * @param {Place} place
 * @param {object} said with its event
 */
async function add(place, said) {
    const file = join(place.work, "automation.json");
    writeFileSync(file, JSON.stringify(said));
    return place.do(["schedule", "add", file], ENV);
}

/**
 * A server on loopback that keeps what it is sent.
 * @param {import("node:test").TestContext} context
 */
async function listener(context) {
    /** @type {string[]} */
    const got = [];
    const server = createServer((request, response) => {
        let body = "";
        request
            .on("data", (piece) => (body += piece))
            .on("end", () => {
                got.push(`${request.url} ${body}`);
                response.end("ok");
            });
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
    context.after(() => server.close());
    const address = server.address();
    return { got, url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}` };
}

test("a schedule does nothing until it is enabled, is fired by hand, and says what it did", async (context) => {
    const place = Place.for(context);
    const { got, url } = await listener(context);
    const added = await add(place, {
        event: "SchedulerTick",
        name: "Standup",
        cron: "0 9 * * 1-5",
        timezone: "Europe/Budapest",
        actions: [{ type: "webhook", url: `${url}/standup`, body: { event: "${AN_EVENT}" } }],
    });
    assert.match(added.stdout, /It does nothing yet/);
    const entry = {
        event: "SchedulerTick",
        cron: "0 9 * * *",
        actions: [{ type: "run", agent: "nobody", input: "x" }],
    };
    for (const [wrong, why] of /** @type {[object, RegExp][]} */ ([
        [entry, /\/actions\/0\/agent there is no agent nobody/],
        [{ ...entry, cron: "61 * * * *" }, /\/cron the minute "61" is not understood/],
    ])) {
        const refused = await place.run(["schedule", "add", "-"], { input: JSON.stringify(wrong) });
        assert.equal(refused.code, 2, refused.stdout);
        assert.match(refused.stderr, why);
    }
    assert.match((await place.do(["schedule", "list"])).stdout, /standup +disabled/);

    const unasked = await place.run(["schedule", "fire", "standup"]);
    assert.equal(unasked.code, 2, "nobody is there to say yes");
    const dry = await place.do(["schedule", "fire", "standup", "--dry"]);
    assert.match(dry.stdout, /would .*Sends a POST request/);
    assert.deepEqual(got, []);

    assert.equal((await place.run(["schedule", "enable", "standup"])).code, 2);
    const enabled = await place.do(["schedule", "enable", "standup", "--yes"]);
    assert.match(enabled.stdout, /Sends a POST request with what happened to .*\/standup/);
    assert.match((await place.do(["schedule", "next"])).stdout, /09:00 +Europe\/Budapest +Standup/);
    await place.do(["schedule", "fire", "standup"]);
    assert.deepEqual(got, ['/standup {"event":"SchedulerTick"}']);
    const history = jsonLines((await place.do(["schedule", "history", "--json"])).stdout);
    assert.deepEqual(
        history.map((/** @type {any} */ done) => [done.id, done.outcome]),
        [["standup", "done"]],
    );

    const file = join(place.data, "workspaces/default/automations.json");
    writeFileSync(file, readFileSync(file, "utf8").replace("/standup", "/elsewhere"));
    assert.match((await place.do(["schedule", "list"])).stdout, /standup +changed/);
    assert.equal((await place.run(["schedule", "fire", "standup"])).code, 2);
    assert.equal(got.length, 1);
});

test("a command that says no keeps a tool from being called, and the model reads why", async (context) => {
    const place = Place.for(context);
    const folder = join(place.work, "folder");
    mkdirSync(folder);
    const asks = (/** @type {string} */ message, /** @type {string} */ path) => [
        {
            match: { userMessage: message, hasToolResult: false },
            response: {
                toolCalls: [{ name: "write", arguments: JSON.stringify({ path, content: "x" }) }],
                usage: USAGE,
            },
        },
        { match: { userMessage: message, hasToolResult: true }, response: { content: "I was told.", usage: USAGE } },
    ];
    const mock = await Mock.for(context, place, [
        ...asks("first", "first.txt"),
        ...asks("second", "second.txt"),
        { match: {}, response: { content: "Yes.", usage: USAGE } },
    ]);
    await place.do(
        [
            "connect",
            "add",
            "mock",
            "--provider",
            PROTOCOL.provider,
            "--base-url",
            mock.address + PROTOCOL.below,
            "--model",
            "claude-sonnet-5-5",
            "--key-env",
            "MOCK_KEY",
        ],
        ENV,
    );
    const chat = async (/** @type {string} */ message) => {
        const done = await place.do(
            ["chat", "--connection", "mock", "--folder", folder, "--mode", "allow-all", "--json", message],
            ENV,
        );
        return /** @type {any} */ (jsonLines(done.stdout).at(-1)).turn;
    };
    await add(place, {
        event: "PreToolUse",
        id: "guard",
        matcher: "^write$",
        permissionMode: "allow-all",
        actions: [{ type: "command", command: 'echo "No $AN_TOOL today"; exit 2' }],
    });
    await chat("The first one");
    assert.ok(existsSync(join(folder, "first.txt")), "it is not enabled yet");
    await place.do(["schedule", "enable", "guard", "--yes"]);
    const turn = await chat("The second one");
    assert.ok(!existsSync(join(folder, "second.txt")));
    assert.equal(turn.head.status, "completed");
    assert.match(JSON.stringify(turn), /No write today/);
    assert.match(JSON.stringify(await mock.requests()), /No write today/);
    const history = jsonLines((await place.do(["schedule", "history", "guard", "--json"])).stdout);
    assert.deepEqual(
        history.map((/** @type {any} */ done) => done.outcome),
        ["vetoed"],
    );
});

test("what happens in sessions fires automations while a server runs", async (context) => {
    const place = Place.for(context);
    const { got, url } = await listener(context);
    await add(place, {
        event: "FlagChange",
        id: "flags",
        matcher: "^true$",
        actions: [{ type: "webhook", url: `${url}/flag`, body: { name: "${CRAFT_SESSION_NAME}" } }],
    });
    await place.do(["schedule", "enable", "flags", "--yes"]);
    await place.research();
    const { session } = await place.state();
    const server = place.start(["serve", "--json"], { seconds: 120 });
    await server.saw(/\}\n/);
    const { url: address, token } = JSON.parse(server.stdout);
    const update = async (/** @type {object} */ patch) => {
        const body = JSON.stringify({ command: "session_update", params: { sessions: [session], patch } });
        const answer = await fetch(new URL("/api", address), {
            method: "POST",
            headers: { authorization: `Bearer ${token}` },
            body,
        });
        assert.equal(answer.status, 200, await answer.text());
    };
    await update({ title: "Seen" });
    await update({ flagged: true });
    assert.ok(await until(() => got.length > 0, 5_000));
    assert.deepEqual(got, ['/flag {"name":"Seen"}']);
});
