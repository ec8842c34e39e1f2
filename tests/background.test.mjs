// Answers in the background: a call that a crash interrupted is fetched by its response's id, and paid for once.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Background } from "./background.mjs";
import { AGENT, Place, QUESTION, jsonLines, until, whole } from "./lib.mjs";

const PLAN = "You plan research in a knowledge base";
const WRITE = "You write the answer to a question about auditing";
const ENV = { env: { MOCK_KEY: "sk-test-0123456789-canary" } };

/**
 * A place with a connection to a server whose answer to the question is held until the test says otherwise.
 * @param {import("node:test").TestContext} context
 * @param {{ background?: boolean, hold?: (system: string) => boolean }} [options]
 */
async function place(context, { background = true, hold = (system) => system.includes(WRITE) } = {}) {
    const place = Place.for(context);
    const { outputs } = await whole();
    const said = {
        plan: JSON.stringify(outputs.analyze_query),
        answer: JSON.stringify({ ...outputs.synthesize, gaps: [] }),
    };
    let held = true;
    const server = await Background.for(context, (body) => {
        const system = String(body.instructions ?? "");
        const text = system.includes(PLAN) ? said.plan : system.includes(WRITE) ? said.answer : "Yes, all of it.";
        const first = !held && hold(system);
        held ||= first;
        return { text, held: first };
    });
    await place.do(
        [
            ...["connect", "add", "far", "--provider", "openai", "--base-url", `${server.address}/v1`],
            ...["--model", "gpt-6.1-sol", "--key-env", "MOCK_KEY", ...(background ? ["--background"] : [])],
        ],
        ENV,
    );
    // What is asked when a connection is added is answered at once.
    held = false;
    server.seen.length = 0;
    server.kept.clear();
    return { place, server };
}

/**
 * Starts a run and kills it for real when the held answer is known by its id.
 * @param {Place} place
 * @param {Background} server
 */
async function killed(place, server) {
    const started = place.start(["run", AGENT, "--yes", "--json", QUESTION, "--connection", "far"], ENV);
    assert.ok(await until(() => server.held() !== undefined, 30_000));
    const known = () => started.stdout.includes('"model_call_accepted"');
    const last = () => started.stdout.split("model_call_accepted").length - 1 >= server.count("POST");
    assert.ok(await until(() => known() && last(), 20_000), started.stdout.slice(-2_000));
    started.kill("SIGKILL");
    assert.equal((await started.ended).signal, "SIGKILL");
    const kept = server.held();
    assert.ok(kept);
    assert.equal(server.count("POST"), 2);
    return kept;
}

/** @param {any[]} events @param {string} type */
function of(events, type) {
    return events.filter((event) => event.type === type);
}

for (const when of ["finished while the program was dead", "still being made"]) {
    test(`an answer that is ${when} is fetched after a kill, and paid once`, async (context) => {
        const { place: home, server } = await place(context);
        const kept = await killed(home, server);
        if (when.startsWith("finished")) server.end(kept);
        const resumed = home.start(["resume", "--last", "--yes"], ENV);
        assert.ok(await until(() => server.count("GET") === 1, 20_000));
        if (!when.startsWith("finished")) server.end(kept);
        const ended = await resumed.ended;
        assert.equal(ended.code, 0, ended.stderr);
        assert.equal(server.count("POST"), 2, "nothing is asked twice");
        assert.equal(server.seen.find(({ what }) => what === "GET")?.id, kept.id);
        assert.ok(kept.body.store === true && kept.body.background === true);

        const events = await home.events();
        assert.deepEqual(of(events, "outcome_unknown"), []);
        assert.deepEqual(
            of(events, "pause_requested").filter(({ kind }) => kind === "ambiguous"),
            [],
        );
        const [failed] = of(events, "model_call_failed");
        assert.equal(failed.receipt.response_id, kept.id);
        assert.equal(of(events, "model_call_completed").filter(({ key }) => key.stage === failed.key.stage).length, 1);
        const state = await home.state();
        assert.equal(state.status, "completed");
        // Two answers of 900 and 200 tokens.
        assert.equal(state.usage.input + state.usage.output, 2_200, JSON.stringify(state.usage));
        const usage = JSON.parse((await home.do(["usage", "--json"])).stdout);
        assert.ok(JSON.stringify(usage).includes("far"));
        const replay = await home.run(["replay", "--json"]);
        assert.equal(replay.code, 0, replay.stdout + replay.stderr);
    });
}

test("an answer that the provider has no more is asked for anew, as without background mode", async (context) => {
    const { place: home, server } = await place(context);
    const kept = await killed(home, server);
    server.kept.delete(kept.id);
    const ended = await home.run(["resume", "--last", "--yes"], ENV);
    assert.equal(ended.code, 0, ended.stderr);
    assert.deepEqual([server.count("GET"), server.count("POST")], [1, 3]);
    assert.equal(of(await home.events(), "outcome_unknown").length, 1, "it may have been paid");
});

test("an answer that failed at the provider is asked for anew", async (context) => {
    const { place: home, server } = await place(context);
    const kept = await killed(home, server);
    server.end(kept, "failed");
    const ended = await home.run(["resume", "--last", "--yes"], ENV);
    assert.equal(ended.code, 0, ended.stderr);
    assert.deepEqual([server.count("GET"), server.count("POST")], [1, 3]);
});

test("a line that breaks in the middle of an answer is taken up again without asking anew", async (context) => {
    const { place: home, server } = await place(context);
    const started = home.start(["run", AGENT, "--yes", QUESTION, "--connection", "far"], ENV);
    assert.ok(await until(() => (server.held()?.readers.size ?? 0) > 0, 30_000));
    const kept = /** @type {import("./background.mjs").Kept} */ (server.held());
    server.cut(kept);
    assert.ok(await until(() => kept.readers.size > 0, 20_000));
    server.end(kept);
    const ended = await started.ended;
    assert.equal(ended.code, 0, ended.stderr);
    assert.deepEqual([server.count("GET"), server.count("POST")], [1, 2]);
    assert.equal((await home.state()).usage.output, 400);
});

test("without background mode nothing is stored, and a call under way is asked again", async (context) => {
    const { place: home, server } = await place(context, { background: false });
    const started = home.start(["run", AGENT, "--yes", "--json", QUESTION, "--connection", "far"], ENV);
    assert.ok(await until(() => server.count("POST") === 2, 30_000));
    started.kill("SIGKILL");
    await started.ended;
    const ended = await home.run(["resume", "--last", "--yes"], ENV);
    assert.equal(ended.code, 0, ended.stderr);
    assert.deepEqual([server.count("GET"), server.count("POST")], [0, 3]);
    for (const { body } of server.seen) assert.ok(body.store === false && !("background" in body));
});

test("a chat turn that was killed goes on with the answer that was under way", async (context) => {
    const { place: home, server } = await place(context, { hold: () => true });
    const started = home.start(["chat", "--json", "--connection", "far", "Is it all there?"], ENV);
    assert.ok(await until(() => server.held() !== undefined, 30_000));
    const kept = /** @type {import("./background.mjs").Kept} */ (server.held());
    // The third event tells that the provider took the call; what is told has been committed.
    assert.ok(await until(() => started.stdout.includes('"seq":3,"kind"'), 20_000), started.stdout);
    const { run } = jsonLines(started.stdout.slice(0, started.stdout.lastIndexOf("\n")))[0];
    started.kill("SIGKILL");
    await started.ended;
    server.end(kept);
    const asked = server.seen.length;
    const resumed = await home.run(["resume", run], ENV);
    assert.equal(resumed.code, 0, resumed.stderr);
    assert.match(resumed.stdout, /Yes, all of it\./);
    assert.equal(server.seen.filter(({ what, id }) => what === "GET" && id === kept.id).length, 1);
    const again = server.seen
        .slice(asked)
        .filter(({ what, body }) => what === "POST" && body.max_output_tokens > 1_000);
    assert.deepEqual(again, [], "nothing but a title is asked");
});

test("a turn that the person stops ends at the provider, too", async (context) => {
    const { place: home, server } = await place(context, { hold: () => true });
    const started = home.start(["chat", "--json", "--connection", "far", "Is it all there?"], ENV);
    assert.ok(await until(() => started.stdout.includes("Yes, "), 30_000), started.stderr);
    const kept = /** @type {import("./background.mjs").Kept} */ (server.held());
    started.kill("SIGINT");
    assert.equal((await started.ended).code, 5);
    assert.deepEqual([server.count("CANCEL"), kept.status], [1, "cancelled"]);
});
