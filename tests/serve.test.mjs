// `agentnative serve` as a browser and other programs meet it: the real program, its real tool servers, and what its end leaves behind.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";

import { AGENT, Place, QUESTION, until } from "./lib.mjs";
import { spoken } from "./model.mjs";

/** Slow enough to be stopped in the middle of an answer. */
const SLOW = { AGENTNATIVE_OFFLINE_PACE: "40" };

/** A server with a client. */
class Serving {
    /**
     * @param {import("./lib.mjs").Started} program
     * @param {{ url: string, token: string, port: number }} told
     */
    constructor(program, { url, token, port }) {
        assert.equal(url, `http://127.0.0.1:${port}/#token=${token}`);
        this.program = program;
        this.token = token;
        this.address = `http://127.0.0.1:${port}`;
    }

    /**
     * @param {Place} place
     * @param {Record<string, string>} [env]
     */
    static async on(place, env = {}) {
        const program = place.start(["serve", "--json"], { env, seconds: 120 });
        await program.saw(/\}\n/);
        return new Serving(program, JSON.parse(program.stdout));
    }

    /**
     * @param {string} command
     * @param {any} [params]
     * @returns {Promise<any>} the answer, or the problem with its status
     */
    async call(command, params) {
        const answer = await fetch(`${this.address}/api`, {
            method: "POST",
            headers: { authorization: `Bearer ${this.token}` },
            body: JSON.stringify(params === undefined ? { command } : { command, params }),
        });
        const body = await answer.json();
        return answer.ok ? body.ok : { status: answer.status, ...body };
    }

    /** @param {boolean} unattended */
    ask(unattended) {
        return this.call("run_start", { agent: AGENT, request: QUESTION, attend: { replies: [], unattended } });
    }

    /** @param {string} run */
    async status(run) {
        return (await this.call("run_show", { run: { id: run } })).status;
    }

    /**
     * @param {string} run
     * @param {string[]} statuses
     */
    async reaches(run, statuses) {
        let status;
        const reached = await until(async () => statuses.includes((status = await this.status(run))), 60_000);
        assert.ok(reached, `the run is ${status}, not ${statuses.join(" or ")}: ${this.program.stderr}`);
        return status;
    }
}

test("a run over the api ends with a document, beside a terminal on the same data", async (context) => {
    const place = Place.for(context);
    const serving = await Serving.on(place);
    const run = await serving.ask(true);
    assert.match(run, /^run-/);
    await serving.reaches(run, ["completed"]);
    const document = await serving.call("run_document", { run: { id: run } });
    assert.match(document.markdown, /^# When must the auditor/);
    assert.deepEqual(
        (await place.runs()).map((known) => known.run),
        [run],
    );
    assert.equal((await fetch(`${serving.address}/api`, { method: "POST", body: "{}" })).status, 401);
    serving.program.kill("SIGTERM");
    const { code, late } = await serving.program.ended;
    assert.deepEqual([code, late], [0, false]);
    assert.deepEqual(place.processes(), []);
});

test("ended in the middle of an answer it leaves a run that can be resumed", async (context) => {
    const place = Place.for(context);
    const serving = await Serving.on(place, SLOW);
    const run = await serving.ask(true);
    await serving.reaches(run, ["running"]);
    serving.program.kill("SIGINT");
    const { code, late } = await serving.program.ended;
    assert.deepEqual([code, late], [0, false]);
    assert.deepEqual(place.processes(), []);
    assert.equal((await place.state(run)).status, "suspended");
    const again = await Serving.on(place);
    assert.equal(await again.status(run), "suspended", "what a person stopped waits for a person");
    await again.call("run_resume", { run: { id: run }, attend: { replies: [], unattended: true } });
    await again.reaches(run, ["completed"]);
});

test("killed, it goes on where it was when it is started again", async (context) => {
    const place = Place.for(context);
    const serving = await Serving.on(place, SLOW);
    const run = await serving.ask(true);
    const begun = async () =>
        (await serving.call("run_show", { run: { id: run }, events_after: 0 })).events?.some(
            (/** @type {any} */ event) => event.type === "model_call_requested",
        );
    assert.ok(await until(begun, 30_000));
    serving.program.kill("SIGKILL");
    await serving.program.ended;
    assert.ok(await until(() => place.processes().length === 0, 5_000), "its tool servers ended with it");
    const again = await Serving.on(place);
    await again.reaches(run, ["paused", "completed"]);
});

/**
 * A provider that keeps its first caller waiting and answers every later one.
 * @param {import("node:test").TestContext} context
 * @param {{ type: string, first: string, rest: string }} form
 */
async function hesitant(context, { type, first, rest }) {
    let asked = 0;
    const server = createServer((request, response) => {
        request.resume();
        request.on("end", () => {
            asked += 1;
            response.writeHead(200, { "content-type": type }).write(first);
            if (asked > 1) response.end(rest);
        });
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
    context.after(() => {
        server.close();
        server.closeAllConnections();
    });
    const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
    return { url: `http://127.0.0.1:${port}`, asked: () => asked };
}

/** @param {[string, object][]} events */
const sse = (events) => events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join("");

test("a call with a price that a crash interrupted is made again only when the person goes on", async (context) => {
    const place = Place.for(context);
    const usage = { input_tokens: 10, output_tokens: 1 };
    const message = { id: "m", type: "message", role: "assistant", content: [], model: "m", usage };
    const text = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Here it is." } };
    const paid = await hesitant(context, {
        type: "text/event-stream",
        first: sse([["message_start", { type: "message_start", message }]]),
        rest: sse([
            [
                "content_block_start",
                { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
            ],
            ["content_block_delta", text],
            ["content_block_stop", { type: "content_block_stop", index: 0 }],
            ["message_delta", { type: "message_delta", delta: { stop_reason: "end_turn" }, usage }],
            ["message_stop", { type: "message_stop" }],
        ]),
    });
    const free = await hesitant(context, {
        type: "application/x-ndjson",
        first: "\n",
        rest: spoken("Yes.", { input: 1, output: 1 }),
    });
    const env = { MOCK_KEY: "sk-test-0123456789-canary" };
    const of = (/** @type {string} */ slug, /** @type {string[]} */ ...args) =>
        place.run(["connect", "add", slug, "--no-test", ...args], { env });
    await of(
        "paid",
        "--provider",
        "anthropic",
        "--base-url",
        paid.url,
        "--model",
        "claude-sonnet-5-5",
        "--key-env",
        "MOCK_KEY",
    );
    await of("free", "--provider", "ollama", "--base-url", free.url, "--model", "m", "--no-key");
    const serving = await Serving.on(place, env);
    /** @type {string[]} */
    const turns = [];
    // The paid one first: unfinished turns go on oldest first.
    for (const [connection, provider] of /** @type {const} */ ([
        ["paid", paid],
        ["free", free],
    ])) {
        const sent = await serving.call("turn_send", { message: { text: "Where is it?" }, connection });
        turns.push(sent.turn);
        assert.ok(await until(() => provider.asked() === 1, 20_000), `${connection}: ${JSON.stringify(sent)}`);
    }
    serving.program.kill("SIGKILL");
    await serving.program.ended;

    const again = await Serving.on(place, env);
    assert.ok(await until(() => free.asked() === 2, 20_000), "what costs nothing goes on by itself");
    const { head } = await again.call("turn_show", { run: turns[0] });
    assert.deepEqual([head.status, paid.asked()], ["interrupted", 1]);
    assert.ok(head.doubtful > 0, "the interrupted call is counted");
    await again.call("turn_resume", { run: turns[0] });
    const status = async () => (await again.call("turn_show", { run: turns[0] })).head.status;
    assert.ok(await until(async () => (await status()) === "completed", 20_000));
    assert.equal(paid.asked(), 2);
    assert.equal(again.address, serving.address, "an open tab finds the program where it was");
});

test("a second one works through the first and takes over when that is killed", async (context) => {
    const place = Place.for(context);
    const [first, second] = [await Serving.on(place), await Serving.on(place)];
    const run = await second.ask(true);
    await first.reaches(run, ["completed"]);
    first.program.kill("SIGKILL");
    await first.program.ended;
    assert.equal(await second.status(run), "completed");
    assert.equal((await second.call("settings_update", { zoom: 1.2 })).zoom, 1.2);
});

test("agents, sources and knowledge bases can be looked at, tried and made", async (context) => {
    const place = Place.for(context);
    const serving = await Serving.on(place);
    const agents = await serving.call("agent_list");
    const isa = agents.find((/** @type {any} */ agent) => agent.slug === AGENT);
    assert.deepEqual(isa.depths, ["quick", "standard", "deep"]);
    assert.ok(isa.examples.length >= 3 && isa.needsCorpus && isa.shipped && isa.problems.length === 0);
    const view = await serving.call("agent_show", { slug: AGENT });
    assert.equal(view.stages.length, isa.stages);
    assert.ok(view.prompts.length > 0 && view.about !== "");
    assert.equal(
        (await serving.call("agent_show", { slug: "isa-deep-reserch" })).action,
        "did you mean `isa-deep-research`?",
    );

    const trial = await serving.call("source_test", { slug: "isa-knowledge-base" });
    assert.ok(trial.ok, JSON.stringify(trial));
    assert.match(trial.server, /agentnative/i);
    assert.ok(trial.tools.some((/** @type {any} */ tool) => tool.name === "isa_outline" && tool.readOnly));
    assert.deepEqual(
        place.processes().filter(({ command }) => command.includes("mcp")),
        [],
        "the trial left nothing behind",
    );

    const [primer] = await serving.call("base_list");
    assert.deepEqual([primer.name, primer.shipped, primer.tier], ["isa-primer", true, "primer"]);
    assert.ok(primer.paragraphs > 100 && primer.documents > 0 && primer.bytes > 0);
    const found = await serving.call("base_search", { base: "isa-primer", text: "performance materiality", hops: 1 });
    assert.deepEqual(found.terms, ["performance", "materiality"]);
    const [best] = found.hits;
    assert.ok(best.words > 0 && best.highlights.length > 0);
    const { start, end } = best.highlights[0];
    assert.match(best.paragraph.text.slice(start, end), /^(performance|material)/i);
    const page = await serving.call("base_paragraphs", { base: "isa-primer", limit: 2 });
    assert.deepEqual([page.paragraphs.length, page.next], [2, 2]);
    assert.equal((await serving.call("base_remove", { base: "isa-primer" })).code, "conflict");

    const notes = join(place.work, "notes");
    mkdirSync(notes);
    writeFileSync(
        join(notes, "rules.md"),
        "# Rules\n\n## Keeping papers\n\nWorking papers are kept for seven years.\n\n## Exceptions\n\nThe partner approves an exception in writing.\n",
    );
    const job = await serving.call("base_ingest", { base: "rules", title: "Our rules", paths: [notes] });
    assert.deepEqual([job.kind, job.status], ["ingest", "running"]);
    const ended = async () => (await serving.call("job_list"))[0].status !== "running";
    assert.ok(await until(ended, 20_000));
    const [last] = await serving.call("job_list");
    assert.equal(last.status, "done", JSON.stringify(last));
    const rules = (await serving.call("base_list")).find((/** @type {any} */ base) => base.name === "rules");
    assert.deepEqual([rules.title, rules.tier, rules.shipped], ["Our rules", "document", false]);
    for (const { params, about } of [
        { params: { base: "../rules", paths: [notes] }, about: "a name that is a path" },
        { params: { base: "rules", paths: ["notes"] }, about: "a relative path" },
        { params: { base: "rules", paths: [] }, about: "no path" },
        { params: { base: "isa-primer", paths: [notes] }, about: "a shipped name" },
        { params: { base: "rules", paths: [join(notes, "nothing")] }, about: "a missing path" },
    ]) {
        const refused = await serving.call("base_ingest", params);
        assert.equal(refused.code, "invalid_input", `${about}: ${JSON.stringify(refused)}`);
    }
    assert.equal(await serving.call("base_remove", { base: "rules" }), null);
    assert.ok(!(await serving.call("base_list")).some((/** @type {any} */ base) => base.name === "rules"));

    const checks = await serving.call("app_check");
    assert.deepEqual(
        checks.filter((/** @type {any} */ check) => check.state === "broken"),
        [],
    );
    const info = await serving.call("app_info");
    assert.ok(info.home === place.data && info.databaseBytes > 0 && info.knowledgeBytes > 0);
    const [offline] = await serving.call("connection_list");
    assert.deepEqual([offline.slug, offline.models.length], ["offline", 1]);
    serving.program.kill("SIGTERM");
    assert.equal((await serving.program.ended).code, 0);
});

test("a watched base is made anew when its files change", async (context) => {
    const place = Place.for(context);
    const folder = join(place.work, "rules");
    mkdirSync(folder);
    const write = (/** @type {string} */ years) =>
        writeFileSync(
            join(folder, "rules.md"),
            `# Rules\n\n## Keeping papers\n\nWorking papers are kept for ${years} years.\n`,
        );
    write("seven");
    await place.do(["kb", "ingest", folder, "--base", "papers", "--watch"]);
    const serving = await Serving.on(place);
    const text = async () =>
        (await serving.call("base_search", { base: "papers", text: "working papers kept" })).hits[0].paragraph.text;
    assert.match(await text(), /seven years/);
    // The watch begins beside the server's start: a change before it is one that nobody saw.
    const changed = async () => {
        write("ten");
        await until(async () => /ten years/.test(await text()), 4_000);
        return /ten years/.test(await text());
    };
    assert.ok(await until(changed, 30_000), serving.program.stderr);
    const base = (await serving.call("base_list")).find((/** @type {any} */ one) => one.name === "papers");
    assert.equal(base.generation, "g000002");
    serving.program.kill("SIGTERM");
    assert.equal((await serving.program.ended).code, 0);
});

test("a broken agent and broken settings are told with their places, and cost nothing else", async (context) => {
    const place = Place.for(context);
    const folder = join(place.data, "workspaces", "default", "agents", "mine");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "config.json"), '{ "slug": "mine", "name": 3 }');
    const serving = await Serving.on(place);
    const broken = (await serving.call("agent_list")).find((/** @type {any} */ agent) => agent.slug === "mine");
    assert.ok(
        broken.problems.some(
            (/** @type {any} */ problem) =>
                problem.place === "/name" && problem.file.endsWith("config.json") && problem.message.includes("found"),
        ),
        JSON.stringify(broken.problems),
    );
    assert.equal((await serving.call("agent_show", { slug: "mine" })).config.name, 3);
    await serving.call("settings_update", { mode: "dark" });
    writeFileSync(join(place.data, "settings.json"), "{ no");
    assert.equal((await serving.call("settings_show")).mode, "dark");
    const checks = await serving.call("app_check");
    const wrong = checks
        .filter((/** @type {any} */ check) => check.state === "broken")
        .map((/** @type {any} */ check) => check.name);
    assert.deepEqual(wrong.sort(), ["agent", "settings"]);
    assert.equal((await serving.call("settings_update", { zoom: 1.1 })).mode, "dark");
});

test("a folder without the window's files, a taken port and a wrong one are refused with a remedy", async (context) => {
    const place = Place.for(context);
    const nothing = await place.run(["serve", "--ui", place.work]);
    assert.equal(nothing.code, 2);
    assert.match(nothing.stderr, /index\.html[\s\S]*npm run ui/);
    const serving = await Serving.on(place);
    const taken = await place.run(["serve", "--port", new URL(serving.address).port]);
    assert.equal(taken.code, 2);
    assert.match(taken.stderr, /another port/);
    assert.equal((await place.run(["serve", "--port", "70000"])).code, 2);
});

test("the address that `serve --share` prints says what it shows, and the link of each page is printed whole", async (context) => {
    const place = Place.for(context);
    await place.research();
    const { session } = await place.state();
    const [share] = JSON.parse((await place.do(["share", "add", session, "--json"])).stdout);
    const server = place.start(["serve", "--share"]);
    await server.saw(/Ctrl-C ends it/);
    const address = server.stdout.trim();
    assert.match(address, /^http:\/\/127\.0\.0\.1:\d+$/, "what `share list` prints follows it");
    const about = await fetch(address);
    assert.equal(about.status, 200);
    assert.match(await about.text(), /Open the whole link that you were given/);
    const [link] = /http\S+\/s\/\S+/.exec(server.stderr) ?? [""];
    assert.equal(link, address + share.path);
    assert.equal((await fetch(link)).status, 200);
    server.kill("SIGTERM");
    await server.ended;
});
