// What a person's words at a pause do: a refusal is none of a consent, and no word of it is looked up.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";

import { Core } from "./core.mjs";
import { AGENT, Place, QUESTION, until, which } from "./lib.mjs";

/** Words of a refusal. */
const SAYS = /search the web|web search|internet|netz|websuche|online/i;

/**
 * A search service on this machine, and the addresses that it was asked by.
 * @param {import("node:test").TestContext} context
 */
async function countingService(context) {
    /** @type {string[]} */
    const asked = [];
    const server = createServer((request, response) => {
        asked.push(request.url ?? "");
        response.writeHead(200, { "content-type": "application/json", connection: "close" }).end('{"results":[]}');
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
    context.after(() => server.close());
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the service has no port");
    return { asked, env: { AGENTNATIVE_SEARXNG_URL: `http://127.0.0.1:${address.port}` } };
}

/** @param {Place} place */
async function decisions(place) {
    const events = await place.events();
    return events.filter((event) => event.type === "resumed").map((event) => event.decision);
}

/** @param {Place} place */
async function queries(place) {
    const outputs = JSON.parse((await place.do(["show", "--outputs"])).stdout);
    return outputs.analyze_query.sub_queries.map((/** @type {{ query: string }} */ one) => one.query);
}

test("words that refuse the web search keep every request from it, and are looked up nowhere", async (context) => {
    const place = Place.for(context);
    const { asked, env } = await countingService(context);
    const answers = join(place.work, "answers.json");
    const ask = async (/** @type {object[]} */ replies) => {
        writeFileSync(answers, JSON.stringify(replies));
        return place.run(["run", AGENT, "--answers", answers, QUESTION], { env });
    };
    for (const text of [
        "Pick your guesses - skip the web search",
        "Please don’t search the web",
        "Without web search, go ahead",
        "Lieber ohne Websuche, und bitte nicht im Netz suchen",
    ]) {
        const done = await ask([{ text }]);
        assert.equal(done.code, 0, `${text}: ${done.stderr}`);
        assert.deepEqual(
            (await decisions(place)).map((one) => one.choice),
            ["skip_web"],
            text,
        );
        for (const query of await queries(place)) assert.doesNotMatch(query, SAYS, text);
    }
    assert.deepEqual(asked, [], "no request arrived");

    const unclear = await ask([{ text: "It is about listed entities in the EU" }]);
    assert.equal(unclear.code, 0, unclear.stderr);
    const [decision] = await decisions(place);
    assert.equal(decision.choice, "skip_web");
    assert.match(decision.because, /has to be meant[^]*Nobody could be asked/);
    assert.equal(decision.text, "It is about listed entities in the EU");
    assert.match(unclear.stderr, /answered automatically: skip_web \([^]*Nobody could be asked/);
    assert.deepEqual(asked, []);

    const refused = await ask([{ text: "Do not go ahead yet" }]);
    assert.equal(refused.code, 3, "who refuses to go on is not overruled");
    await place.do(["cancel", "last"]).catch(() => undefined);

    const wanted = await ask([{ text: "no wait, do search" }, { text: "yes" }]);
    assert.equal(wanted.code, 0, wanted.stderr);
    assert.equal((await decisions(place))[0].choice, "search");
    assert.ok(asked.length > 0, "a consent is taken as one");
});

test(
    "in a terminal unclear words are asked about again and go along with the choice that is taken then",
    { skip: which("script") === undefined && "skipped: `script` is not installed" },
    async (context) => {
        const place = Place.for(context);
        const { asked, env } = await countingService(context);
        const run = place.start(["run", AGENT, QUESTION], { env, terminal: true, open: true });
        await run.saw(/Number, or your own words > $/);
        run.say("listed entities only\r");
        await run.saw(/Your words name no choice[^]*has to be meant[^]*Number, or your own words > $/);
        run.say("Please do not search the web\r");
        const ended = await run.ended;
        assert.equal(ended.code, 0, ended.stdout);
        assert.deepEqual(
            (await decisions(place)).map((one) => one.choice),
            ["skip_web"],
        );
        assert.deepEqual(asked, []);
    },
);

test("over the page's command words mean the same, and a choice that is not to be had says why", async (context) => {
    const place = Place.for(context);
    const { asked, env } = await countingService(context);
    place.start(["serve", "--json"], { env, seconds: 120 });
    const core = await Core.of(place.data);
    const paused = async () => {
        const run = await core.call("run_start", {
            agent: AGENT,
            request: QUESTION,
            attend: { replies: [], unattended: false },
        });
        assert.ok(await until(async () => (await core.begun(run)).status === "paused", 30_000));
        return run;
    };
    const say = (/** @type {string} */ run, /** @type {object} */ reply) =>
        core.call("run_answer", { run, pause: null, reply });
    const run = await paused();
    for (const text of ["why?", "no", "maybe", "banks only", "Please don't go ahead"]) {
        const answered = await say(run, { text });
        assert.equal(answered.result, "still_open", text);
    }
    assert.deepEqual((await say(run, { text: "banks only" })).words, "banks only");
    const against = await say(run, { choice: "search", text: "but please do not search the web" });
    assert.equal(against.result, "still_open", "words against the button are asked about");
    assert.match(against.message, /say no to what "Proceed, with a web search" does/);
    assert.deepEqual(await say(run, { text: "Please don't search the web" }), {
        result: "accepted",
        choice: "skip_web",
    });
    assert.ok(await until(async () => (await core.run(run)).status === "completed", 30_000));
    assert.deepEqual(asked, []);
});

test("without a web search its choice is shown as not to be had, and words for it are told why", async (context) => {
    const place = Place.for(context);
    const env = { BRAVE_API_KEY: "" };
    place.start(["serve", "--json"], { env, seconds: 120 });
    const core = await Core.of(place.data);
    const run = await core.call("run_start", {
        agent: AGENT,
        request: QUESTION,
        attend: { replies: [], unattended: false },
    });
    assert.ok(await until(async () => (await core.begun(run)).status === "paused", 30_000));
    const [form] = (await core.run(run)).pauses;
    const search = form.choices.find((/** @type {{ id: string }} */ one) => one.id === "search");
    assert.match(search.unavailable, /No web search is set up/);
    for (const reply of [{ choice: "search" }, { text: "search the web, please" }]) {
        const answered = await core.call("run_answer", { run, pause: null, reply });
        assert.equal(answered.result, "still_open");
        assert.match(answered.message, /can't be taken\. No web search is set up/);
    }
    const answered = await core.call("run_answer", { run, pause: null, reply: { text: "yes" } });
    assert.deepEqual(answered, { result: "accepted", choice: "skip_web" });
});
