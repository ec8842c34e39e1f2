// Limits on money: what runs, conversations and missions spend counts together; a word at 80 %, a pause at 100 %, never an overrun
// by more than the call in flight.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { AGENT, Place, QUESTION, until, whole } from "./lib.mjs";
import { Mock } from "./mock.mjs";

const ENV = { env: { MOCK_KEY: "sk-test-0123456789" } };
/** Tokens of each answer: half a million in, which is about a dollar. */
const USAGE = { input_tokens: 495_000, output_tokens: 100 };
/** What one answer costs, in dollars. */
const EACH = 0.495 * 2 + 0.001;

/**
 * A place with a connection that is paid by use: each answer costs about a dollar.
 * @param {import("node:test").TestContext} context
 * @param {object[]} [first] what it answers before anything else
 */
async function paid(context, first = []) {
    const place = Place.for(context);
    const { outputs } = await whole();
    const says = (/** @type {string} */ system, /** @type {unknown} */ answer) => ({
        match: { systemMessage: system },
        response: { content: JSON.stringify(answer), usage: USAGE },
    });
    const mock = await Mock.for(context, place, [
        ...first,
        says("You plan research in a knowledge base", outputs.analyze_query),
        says("You write the answer to a question about auditing", { ...outputs.synthesize, gaps: [] }),
        { match: {}, response: { content: "Yes.", usage: USAGE } },
    ]);
    const args = ["connect", "add", "paid", "--provider", "anthropic", "--base-url", mock.address];
    const model = ["--model", "claude-sonnet-5-5", "--key-env", "MOCK_KEY", "--no-test"];
    const added = await place.do([...args, ...model], ENV);
    return { place, mock, added };
}

/**
 * @param {Place} place
 * @param {string[]} more
 */
const ask = (place, more = []) => place.run(["run", AGENT, "--yes", QUESTION, "--connection", "paid", ...more], ENV);

/** @param {Place} place */
async function limits(place) {
    return JSON.parse((await place.do(["usage", "--limits", "--json"])).stdout);
}

/**
 * What is spent today, in dollars.
 * @param {Place} place
 */
async function today(place) {
    const { uses } = await limits(place);
    return uses.find((/** @type {any} */ use) => use.span === "day" && use.connection === null).spent / 1e9;
}

test("limits hold from the first paid connection on, are shown, and are changed by one command", async (context) => {
    const { place, added } = await paid(context);
    assert.match(
        added.stderr,
        /Limits on money over all connections: a run \$5\.00, a day \$20\.00, a month \$100\.00/,
    );
    assert.deepEqual((await limits(place)).settings.all, { run: 5, day: 20, month: 100 });
    await place.do(["usage", "--limits", "--per-run", "none", "--per-day", "$7.50"]);
    await place.do(["usage", "--limits", "--per-day", "2", "--connection", "paid"]);
    const { settings } = await limits(place);
    assert.deepEqual(settings.all, { day: 7.5, month: 100 });
    assert.deepEqual(settings.connections, { paid: { day: 2 } });
    const shown = (await place.do(["usage", "--limits"])).stdout;
    assert.match(shown, /all connections +each run +no limit/);
    assert.match(shown, /paid +each run +no limit/);
    for (const wrong of ["-1", "many", "1e9", ""])
        assert.equal((await place.run(["usage", "--limits", "--per-day", wrong])).code, 2, wrong);
    assert.equal((await place.run(["usage", "--limits", "--per-day", "1", "--connection", "nowhere"])).code, 2);
    const again = await place.do(
        ["connect", "add", "two", "--preset", "anthropic", "--key-env", "MOCK_KEY", "--no-test", "--per-month", "9"],
        ENV,
    );
    assert.doesNotMatch(again.stderr, /Limits on money/, "who has set limits is not asked");
    assert.deepEqual((await limits(place)).settings.connections.two, { month: 9 });
});

test("two runs and a conversation share the day's limit; a word is said at 80 %, and at 100 % a run pauses", async (context) => {
    const { place } = await paid(context);
    await place.do(["usage", "--limits", "--per-run", "none", "--per-day", "6"]);
    const first = await ask(place);
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stderr, /claude-sonnet-5-5: at most \$6\.00 \(the limit of \$6\.00 for today\); no earlier run/);
    assert.match(first.stderr, /forecast: at most \$6\.00; used \$1\.98/, "forecast and truth side by side");
    const talk = await place.run(["chat", "--connection", "paid", "Is this an audit?"], ENV);
    assert.equal(talk.code, 0, talk.stderr);
    const second = await ask(place);
    assert.equal(second.code, 0, second.stderr);
    assert.match(second.stderr, /likely \$1\.98, \$1\.98 to \$1\.98 in four of five runs, at most \$3\.0\d/);
    assert.match(second.stderr, /8\d % of the limit of \$6\.00 for today is used: \$4\.9\d spent/);
    assert.equal(
        [first, talk, second].filter(({ stderr }) => /% of the limit/.test(stderr)).length,
        1,
        "the word is said once",
    );

    const third = await ask(place);
    assert.equal(third.code, 3, `it pauses: ${third.stderr}`);
    const spent = await today(place);
    assert.ok(spent <= 6, `${spent} of 6 dollars`);
    const state = await place.state();
    assert.equal(state.status, "paused");
    const [form] = state.pauses;
    assert.equal(form.kind, "budget");
    assert.match(form.markdown, /\*\*Limit reached\*\*[^]*the limit of \$6\.00 for today: \$5\.\d\d spent/);
    assert.deepEqual(
        form.choices.map((/** @type {any} */ choice) => choice.id),
        ["raise", "cancel"],
    );

    // Nobody's yes raises it, and a conversation ends its turn with words.
    const unattended = await place.run(["resume", "--last", "--yes"], ENV);
    assert.equal(unattended.code, 3, unattended.stderr);
    const full = await place.run(["chat", "--connection", "paid", "And this?"], ENV);
    assert.match(full.stdout + full.stderr, /a limit on money is reached/);
    assert.match(full.stdout + full.stderr, /usage --limits --per-day/);
    assert.equal(await today(place), spent, "nothing more was spent");

    // Raised for today, it goes on to its end.
    const answers = join(place.work, "answers.json");
    writeFileSync(answers, JSON.stringify([{ choice: "raise", text: "$5" }]));
    const lower = await place.run(["resume", state.run, "--answers", answers], ENV);
    assert.equal(lower.code, 3);
    writeFileSync(answers, JSON.stringify([{ choice: "raise", text: "$10" }]));
    const raised = await place.run(["resume", state.run, "--answers", answers], ENV);
    assert.equal(raised.code, 0, raised.stderr);
    const { settings, uses } = await limits(place);
    assert.equal(settings.all.day, 6, "tomorrow the limit is as it was");
    assert.equal(uses.find((/** @type {any} */ use) => use.span === "day").limit, 10e9);

    for (const more of [[], ["--redrive"]]) {
        const replayed = await place.run(["replay", state.run, ...more], ENV);
        assert.equal(replayed.code, 0, replayed.stdout + replayed.stderr);
    }
});

test("two runs at the same time never exceed the day's limit together", async (context) => {
    const { place } = await paid(context);
    await place.do(["usage", "--limits", "--per-run", "none", "--per-day", "3"]);
    const core = place.start(["serve", "--json"], ENV);
    assert.ok(await until(() => core.lines > 0, 20_000));
    const runs = await Promise.all([ask(place), ask(place)]);
    assert.ok(
        runs.some(({ code }) => code === 3),
        runs.map(({ stderr }) => stderr).join("\n"),
    );
    const spent = await today(place);
    assert.ok(spent <= 3 + EACH, `${spent} of 3 dollars: at most the call in flight beyond it`);
});

test("a run has a limit of its own, which a typed budget raises for that run alone", async (context) => {
    const { place } = await paid(context);
    await place.do(["usage", "--limits", "--per-run", "1.20"]);
    const stopped = await ask(place);
    assert.equal(stopped.code, 3, stopped.stderr);
    assert.match((await place.state()).pauses[0].markdown, /the limit of \$1\.20 for this run: \$0\.99 spent/);
    const named = await ask(place, ["--budget-usd", "4"]);
    assert.equal(named.code, 0, named.stderr);
    const again = await ask(place);
    assert.equal(again.code, 3, again.stderr);
});

test("a connection has limits of its own, and flat rates and the offline engine have none", async (context) => {
    const { place, mock } = await paid(context);
    await place.do(["usage", "--limits", "--per-day", "0", "--connection", "paid"]);
    const stopped = await ask(place);
    assert.equal(stopped.code, 3, stopped.stderr);
    assert.match((await place.state()).pauses[0].markdown, /the limit of \$0\.00 for today over paid: \$0\.00 spent/);
    assert.deepEqual(await mock.requests(), [], "nothing was sent");
    await place.do(["usage", "--limits", "--per-run", "0", "--per-day", "0", "--per-month", "0"]);
    const args = ["connect", "add", "flat", "--provider", "anthropic", "--base-url", mock.address, "--flat-rate"];
    await place.do([...args, "--model", "claude-sonnet-5-5", "--key-env", "MOCK_KEY", "--no-test"], ENV);
    const flat = await place.run(["run", AGENT, "--yes", QUESTION, "--connection", "flat"], ENV);
    assert.equal(flat.code, 0, flat.stderr);
    const offline = await place.run(["run", AGENT, "--yes", QUESTION]);
    assert.equal(offline.code, 0, offline.stderr);
});

test("what is spent outlives a kill, and the call that was under way counts at its maximum", async (context) => {
    const slow = {
        match: { systemMessage: "You write the answer to a question about auditing", sequenceIndex: 0 },
        response: { content: "x".repeat(4_000), usage: USAGE },
        latency: 60_000,
    };
    const { place, mock } = await paid(context, [slow]);
    await place.do(["usage", "--limits", "--per-run", "none", "--per-day", "2"]);
    const running = place.start(["run", AGENT, "--yes", QUESTION, "--connection", "paid"], ENV);
    assert.ok(await until(async () => (await mock.requests()).length === 2, 60_000), "the answer is under way");
    running.child.kill("SIGKILL");
    await running.ended;
    assert.ok(Math.abs((await today(place)) - EACH) < 0.01, "the plan is booked");
    const resumed = await place.run(["resume", "--last", "--yes"], ENV);
    assert.ok([0, 3].includes(resumed.code ?? -1), resumed.stderr);
    const rows = readFileSync((await place.do(["usage", "--csv"])).stdout.trim(), "utf8")
        .trim()
        .split("\r\n");
    const unknown = rows.filter((row) => /,true,\d+,/.test(row) && !/,0\.000000000,/.test(row));
    assert.equal(unknown.length, 1, rows.join("\n"));
    assert.ok((await today(place)) <= 2 + EACH);
});
