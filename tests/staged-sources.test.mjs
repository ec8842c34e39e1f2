// Agents whose stages ask an HTTP interface and read a folder, run by the real program: no model, no server of tools.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";

import { Place, document } from "./lib.mjs";

const KEY = "canary-5521-of-the-ledger";

/**
 * An interface on this machine that tells invoices to those who have the key, and counts what it is asked.
 * @param {import("node:test").TestContext} context
 */
async function ledger(context) {
    /** @type {{ line: string, key: string | undefined, body: string }[]} */
    const asked = [];
    const state = { broken: false };
    const server = createServer((request, response) => {
        let body = "";
        request.on("data", (part) => (body += String(part)));
        request.on("end", () => {
            const key = request.headers["x-key"];
            asked.push({
                line: `${request.method} ${request.url}`,
                key: key === undefined ? undefined : String(key),
                body,
            });
            const found = /^\/v1\/invoices\/(\d+)/.exec(request.url ?? "");
            const answer = found === null ? { ok: true } : { number: Number(found[1]), total: 1200, currency: "EUR" };
            response.writeHead(key !== KEY ? 401 : state.broken ? 502 : 200, { "content-type": "application/json" });
            response.end(JSON.stringify(answer));
        });
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
    context.after(() => server.close());
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    return { asked, state, base: `http://127.0.0.1:${address.port}/v1/` };
}

/**
 * @param {Place} place
 * @param {string} base
 */
function sources(place, base) {
    const notes = join(place.work, "notes");
    mkdirSync(notes, { recursive: true });
    writeFileSync(join(notes, "january.md"), "Invoice 17 was paid in cash.\n");
    writeFileSync(join(notes, "february.md"), "Invoice 18 is still open.\n");
    const api = {
        slug: "ledger",
        name: "Ledger",
        description: "Tells invoices.",
        type: "api",
        api: { baseUrl: base, authType: "header", headerName: "X-Key", testEndpoint: { path: "me" } },
    };
    const local = {
        slug: "notes",
        name: "Notes",
        description: "Notes on invoices.",
        type: "local",
        local: { path: notes },
    };
    return { api, local };
}

/**
 * Writes the agent: it reads the notes, asks for an invoice, and perhaps marks it.
 * @param {Place} place
 * @param {object[]} uses
 * @param {object[]} [more] further steps
 */
function matcher(place, uses, more = []) {
    const folder = join(place.data, "workspaces", "default", "agents", "matcher");
    mkdirSync(folder, { recursive: true });
    writeFileSync(
        join(folder, "AGENT.md"),
        "---\nname: Matcher\ndescription: Matches invoices.\nsources: [ledger, notes]\ntools: []\n---\nMatches invoices.\n",
    );
    writeFileSync(
        join(folder, "config.json"),
        JSON.stringify({
            slug: "matcher",
            name: "Matcher",
            description: "Matches invoices.",
            sources: uses,
            depthModes: { standard: {} },
            controlFlow: {
                stages: [
                    {
                        id: "gather",
                        name: "gather",
                        title: "Gather",
                        kind: "tools",
                        steps: [
                            {
                                tool: "notes/search",
                                args: { pattern: "Invoice {{ request }}", literal: true },
                                pick: "hits",
                                collect: "notes",
                            },
                            {
                                tool: "notes/read",
                                forEach: "collected.notes",
                                args: { path: "{{ item.path }}" },
                                pick: "text",
                                collect: "texts",
                            },
                            {
                                tool: "ledger/request",
                                args: { method: "GET", path: "invoices/{{ request }}" },
                                collect: "invoice",
                            },
                            ...more,
                        ],
                        limits: { attempts: 1 },
                    },
                    {
                        id: "output",
                        name: "output",
                        title: "Output",
                        kind: "render",
                        document: {
                            answer: "{'synthesis': 'Invoice ' ~ request ~ ' is over ' ~ outputs.gather.invoice.total ~ '. ' ~ outputs.gather.texts[0]}",
                        },
                    },
                ],
            },
        }),
    );
}

const BOTH = [
    { slug: "ledger", required: true },
    { slug: "notes", required: true },
];
const RUN = ["run", "matcher", "--yes", "17"];

/**
 * @param {Place} place
 * @param {{ api: object, local: object }} made
 * @param {Record<string, string>} secrets
 */
function saved(place, { api, local }, secrets) {
    return place.through([
        ["source_save", { config: api, secrets, approved: true }],
        ["source_save", { config: local, approved: true }],
    ]);
}

/** @param {Place} place */
function allowed(place) {
    return place.do(["permissions", "allow", "matcher"]);
}

test("stages of an agent ask an interface with its secret and read a folder", async (context) => {
    const place = Place.for(context);
    const { asked, base } = await ledger(context);
    matcher(place, BOTH);
    await saved(place, sources(place, base), { apikey: KEY });
    const refused = await place.run(RUN);
    assert.match(refused.stderr, /the stages of matcher call .*request of ledger.*which you have not allowed yet/);
    assert.equal(asked.length, 0, "nothing is asked before that");
    assert.match((await allowed(place)).stdout, /^allowed {2}ledger: request$/m);
    assert.match((await place.do(["permissions", "list"])).stdout, /Stages of `matcher` call `request` of `ledger`/);
    const { markdown } = document(await place.do(RUN));
    assert.match(markdown, /Invoice 17 is over 1200\. Invoice 17 was paid in cash\./);
    assert.deepEqual(
        asked.map(({ line, key }) => `${line} ${key}`),
        [`GET /v1/me ${KEY}`, `GET /v1/invoices/17 ${KEY}`],
    );
    assert.deepEqual(place.processes(), []);
    for (const name of readdirSync(place.data, { recursive: true, withFileTypes: true })) {
        const path = join(name.parentPath, name.name);
        if (statSync(path).isFile()) assert.ok(!readFileSync(path).includes(KEY), `${path} holds the key`);
    }
});

test("a missing secret is told before the run with what to do", async (context) => {
    const place = Place.for(context);
    const { asked, base } = await ledger(context);
    matcher(place, BOTH);
    await saved(place, sources(place, base), {});
    const refused = await place.run(RUN);
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /source ledger: its secret apikey is missing/);
    assert.match(refused.stderr, /Sources page/);
    assert.deepEqual([await place.runs(), asked], [[], []]);
});

test("a source that nobody approved is neither read nor asked", async (context) => {
    const place = Place.for(context);
    const { asked, base } = await ledger(context);
    matcher(place, BOTH);
    const made = sources(place, base);
    for (const config of [made.api, made.local]) {
        const folder = join(place.data, "workspaces", "default", "sources", config.slug);
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, "config.json"), JSON.stringify(config));
    }
    const refused = await place.run(RUN);
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /source ledger: it has not been approved yet/);
    assert.deepEqual(asked, []);
});

test("a request that changes something is not sent again unasked when nobody knows whether it was done", async (context) => {
    const place = Place.for(context);
    const { asked, state, base } = await ledger(context);
    matcher(place, BOTH, [
        {
            tool: "ledger/request",
            args: { method: "POST", path: "marks", body: { invoice: "{{ request }}" } },
            collect: "mark",
        },
    ]);
    const made = sources(place, base);
    delete (/** @type {any} */ (made.api).api.testEndpoint);
    await saved(place, made, { apikey: KEY });
    await allowed(place);
    const marks = () => asked.filter(({ line }) => line.startsWith("POST"));
    const before = place.start(RUN);
    await before.ended;
    assert.deepEqual([before.end?.code, marks().length], [0, 1], before.stderr);
    assert.deepEqual(JSON.parse(marks()[0].body), { invoice: "17" });

    matcher(place, BOTH, [
        { tool: "ledger/request", args: { method: "POST", path: "marks", body: {} }, collect: "mark", when: "true" },
    ]);
    const folder = join(place.data, "workspaces", "default", "agents", "matcher", "config.json");
    const config = JSON.parse(readFileSync(folder, "utf8"));
    // Only the request that changes something is left, so that it meets the fault.
    config.controlFlow.stages[0].steps = config.controlFlow.stages[0].steps.slice(-1);
    config.controlFlow.stages[1].document.answer = "{'synthesis': 'Marked.'}";
    writeFileSync(folder, JSON.stringify(config));
    const changed = await place.run(RUN);
    assert.match(changed.stderr, /allowed when its stages were others/, "what was allowed were other stages");
    await allowed(place);
    state.broken = true;
    const paused = await place.run(RUN);
    assert.equal(marks().length, 2, paused.stderr);
    assert.equal((await place.runs())[0].status, "paused", paused.stderr);
    const again = await place.run(["resume", "--last", "--yes"]);
    assert.equal(marks().length, 2, again.stderr);
});

test("an agent's pause holds its mission up, and the answer to the agent's run goes on to it", async (context) => {
    const place = Place.for(context);
    const { asked, state, base } = await ledger(context);
    matcher(place, BOTH);
    const agent = join(place.data, "workspaces", "default", "agents", "matcher", "config.json");
    const config = JSON.parse(readFileSync(agent, "utf8"));
    config.capabilities = ["research"];
    config.controlFlow.stages = [
        {
            id: "mark",
            name: "mark",
            title: "Mark",
            kind: "tools",
            steps: [{ tool: "ledger/request", args: { method: "POST", path: "marks", body: {} }, collect: "mark" }],
            limits: { attempts: 1 },
        },
    ];
    writeFileSync(agent, JSON.stringify(config));
    const rest = { successCriteria: { coverage: 1 }, constraints: { iterations: 1 } };
    place.profile("marking", { ...rest, agents: { allow: ["matcher"] } });
    const made = sources(place, base);
    delete (/** @type {any} */ (made.api).api.testEndpoint);
    await saved(place, made, { apikey: KEY });
    await allowed(place);
    state.broken = true;
    const waits = await place.run(["mission", "start", "marking", "Which invoices are marked?"]);
    assert.equal(waits.code, 3, waits.stderr);
    const show = async () => JSON.parse((await place.do(["mission", "show", "--json"])).stdout);
    const [{ title, markdown, run }] = (await show()).pauses;
    assert.equal(title, "An agent asks");
    assert.match(markdown, /Its outcome is unknown[^]*mission steer run-\w+ --answer retry\|cancel/);
    const wrong = await place.run(["mission", "steer", "last", "--answer", "perhaps"]);
    assert.match(wrong.stderr, /perhaps/);
    assert.deepEqual([asked.length, (await show()).pauses[0].run], [1, run]);

    state.broken = false;
    const answered = await place.run(["mission", "steer", "last", "--answer", "retry"]);
    assert.equal(answered.code, 0, answered.stderr);
    assert.equal(asked.length, 2, "once more, after that was allowed");
    const after = await show();
    assert.deepEqual([after.status, after.invocations[0].status, after.pauses], ["completed", "done", []]);

    // By the agent's own run, too: the mission goes on when it is resumed.
    state.broken = true;
    assert.equal((await place.run(["mission", "start", "marking", "Which invoices are marked now?"])).code, 3);
    const [{ run: second }] = (await show()).pauses;
    const answers = join(place.work, "answers.json");
    writeFileSync(answers, JSON.stringify([{ choice: "retry" }]));
    state.broken = false;
    await place.run(["resume", second, "--answers", answers]);
    assert.equal(asked.length, 4);
    await place.run(["mission", "resume", "last"]);
    assert.equal((await show()).status, "completed");
});
