// Proof: two runs are compared, a forecast is scored, and an old answer says which of its sentences no longer rest on their sources.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Place, document } from "./lib.mjs";
import { unzip } from "./zip.mjs";

const QUESTION = "How often must a lamp be cleaned?";

/** @type {{ id: string, title: string, text: string }[]} */
const ROWS = [
    { id: "L1", title: "Cleaning", text: "A lamp must be cleaned gently by its keeper at the end of each month." },
    { id: "L2", title: "Oil", text: "Oil for lamps is kept in a cool room behind a locked door." },
    { id: "L3", title: "Glass", text: "Broken glass of a lamp is carried away in a bucket of sand." },
];

/**
 * @param {Place} place
 * @param {typeof ROWS} rows
 */
async function ingest(place, rows) {
    const folder = join(place.work, "lamps");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "lamps.jsonl"), rows.map((row) => JSON.stringify(row)).join("\n"));
    await place.do(["kb", "ingest", folder, "--base", "lamps", "--citation", "(Lamp {id})"]);
}

/**
 * A finished run; its id and its document.
 * @param {Place} place
 * @param {string[]} more
 */
async function asked(place, ...more) {
    const { path } = document(
        await place.do(["run", "standards-research", "--corpus", "lamps", "--yes", ...more, QUESTION]),
    );
    const [{ run }] = await place.runs();
    return { run, markdown: readFileSync(path, "utf8") };
}

/**
 * @param {Place} place
 * @param {string[]} args
 */
async function json(place, ...args) {
    const { code, stdout, stderr } = await place.run(args);
    return { code, stderr, value: stdout.trim() === "" ? undefined : JSON.parse(stdout) };
}

test("two runs are compared: nothing differs, or another depth is named", async (context) => {
    const place = Place.for(context);
    await ingest(place, ROWS);
    const first = await asked(place);
    const again = await asked(place);
    for (const other of [first, again]) {
        const { code, value } = await json(place, "diff", first.run, other.run, "--json");
        assert.equal(code, 0, JSON.stringify(value));
        assert.equal(value.same, true);
        assert.deepEqual(value.pins, []);
        assert.ok(value.stages.length > 2 && value.stages.every((/** @type {any} */ stage) => stage.same));
        assert.ok(value.statements.every((/** @type {any} */ pair) => pair.same));
    }
    const deep = await asked(place, "--depth", "deep");
    const { code, value } = await json(place, "diff", first.run, deep.run, "--json");
    assert.equal(code, 1);
    assert.deepEqual(
        value.pins.map((/** @type {any} */ pin) => [pin.what, pin.right]),
        [["depth", "deep"]],
    );
    const words = await place.run(["diff", first.run, deep.run]);
    assert.equal(words.code, 1);
    assert.match(words.stdout, /^depth\n {2}- standard\n {2}\+ deep$/m);
    assert.match(words.stdout, /^document: \d+ words gone, \d+ words new$/m);
    const missing = await place.run(["diff", first.run, "run-none"]);
    assert.deepEqual([missing.code, missing.stdout], [2, ""]);
});

test("a forecast is shown with what was used, and scored", async (context) => {
    const place = Place.for(context);
    await ingest(place, ROWS);
    assert.equal((await json(place, "usage", "--forecasts", "--json")).value.runs, 0);
    await asked(place);
    const { run } = await asked(place);
    const { forecast } = await place.state(run);
    assert.equal(forecast.runs, 1, "from one earlier run");
    assert.ok(forecast.tokens.low <= forecast.tokens.likely && forecast.tokens.likely <= forecast.tokens.high);
    const shown = await place.do(["show", run]);
    assert.match(shown.stdout, /^\$0\.00, no model in /m);
    assert.doesNotMatch(shown.stdout, /tokens|forecast:/, "the offline engine asks no model");
    const { value } = await json(place, "usage", "--forecasts", "--json");
    assert.deepEqual([value.runs, value.from_history, value.agents[0].agent], [2, 1, "standards-research"]);
    assert.ok(value.coverage >= 0 && value.median_ratio > 0, JSON.stringify(value));
    assert.match((await place.do(["usage", "--forecasts"])).stdout, /^in all +2 +1 /m);
});

test("an old answer says which sentences no longer rest on their sources, and a follow-up carries it on", async (context) => {
    const place = Place.for(context);
    await ingest(place, ROWS);
    const { run } = await asked(place);
    const before = await json(place, "check", run, "--json");
    assert.deepEqual([before.code, before.value.stale, before.value.citations], [0, 0, []]);
    assert.ok(before.value.sentences > 0);

    await ingest(place, [{ ...ROWS[0], text: ROWS[0].text.replace("each month", "each week") }, ...ROWS.slice(1)]);
    const after = await json(place, "check", run, "--json");
    assert.equal(after.code, 1);
    assert.ok(after.value.stale > 0);
    const changed = after.value.citations.filter((/** @type {any} */ one) => !one.holds);
    assert.ok(
        changed.length > 0 &&
            changed.every((/** @type {any} */ one) => one.paragraph === "L1" && one.kind === "changed"),
        JSON.stringify(after.value),
    );
    assert.deepEqual([changed[0].cited, changed[0].current], ["g000001", "g000002"]);
    const words = await place.run(["check", run]);
    assert.equal(words.code, 1);
    assert.match(words.stdout, /Lamp L1\S* has another text now/);
    assert.match(words.stdout, /no longer rests? on what (its|their) sources say\.$/m);

    const followed = await asked(place, "--follow-up", run);
    assert.match(followed.markdown, /^### Changed since the earlier answer\n\n- .*rests on .*L1.*another text now/m);
});

test("a locked document names its reviewer and its text, and a changed source opens exactly the sentences that rest on it", async (context) => {
    const place = Place.for(context);
    await ingest(place, ROWS);
    const { run } = await asked(place);
    const locked = await json(place, "lock", run, "--reviewer", "Eva  Novak", "--note", "Read twice.", "--json");
    const { lock } = locked.value;
    assert.deepEqual(
        [lock.version, lock.reviewer, lock.note, lock.sha256.length, locked.value.reopened],
        [1, "Eva Novak", "Read twice.", 64, undefined],
    );
    assert.match(
        (await place.run(["lock", run, "--reviewer", "X"])).stderr,
        /locked by Eva Novak already[\s\S]*unlock it/,
    );
    assert.match((await place.run(["lock", run, "--reviewer", " "])).stderr, /needs the name/);
    assert.match((await place.run(["lock", run])).stderr, /--reviewer/);
    const word = join(place.work, "locked.docx");
    await place.do(["export", run, "--format", "docx", "-o", word]);
    const body = String(unzip(readFileSync(word)).get("word/document.xml"));
    assert.match(body, new RegExp(`Locked as version 1 by Eva Novak on [^<]*${lock.sha256}`));

    await ingest(place, [{ ...ROWS[0], text: ROWS[0].text.replace("each month", "each week") }, ...ROWS.slice(1)]);
    const { value: check } = await json(place, "check", run, "--json");
    const stale = check.citations.filter((/** @type {any} */ one) => !one.holds).map((/** @type {any} */ one) => one.n);
    assert.deepEqual(check.reopened, [...new Set(stale)]);
    assert.ok(check.reopened.length > 0);
    assert.match((await place.run(["check", run])).stdout, /^ +reopened, because .*: statement \d+/m);

    // Locked again, they are accepted as they are.
    const { value: second } = await json(place, "lock", run, "--reviewer", "Jan Dvorak", "--json");
    assert.deepEqual([second.lock.version, second.lock.accepted, second.reopened], [2, check.reopened, undefined]);
    assert.match((await place.do(["lock", run, "--remove"])).stdout, /^unlocked$/m);
    assert.equal((await json(place, "check", run, "--json")).value.lock, undefined);
    assert.match((await place.run(["lock", run, "--remove"])).stderr, /is not locked/);
});

test("after an ingest the session list marks the answers that rest on changed text, until they hold or are replaced", async (context) => {
    const place = Place.for(context);
    await ingest(place, ROWS);
    const { run } = await asked(place);
    const stale = async () => {
        const { value } = await json(place, "sessions", "list", "--json");
        return value.sessions.map((/** @type {any} */ row) => row.stale);
    };
    assert.deepEqual(await stale(), [0]);
    const other = [{ ...ROWS[0], text: ROWS[0].text.replace("each month", "each week") }, ...ROWS.slice(1)];
    await ingest(place, other);
    const { value: check } = await json(place, "check", run, "--json");
    assert.ok(check.stale > 0);
    assert.deepEqual(await stale(), [check.stale]);
    assert.match((await place.do(["sessions", "list"])).stdout, /\[\d+ statements? rests? on changed text\]/);

    // As it was: the check is fine again.
    await ingest(place, ROWS);
    assert.deepEqual(await stale(), [0]);
    await ingest(place, other);
    assert.deepEqual(await stale(), [check.stale]);
    await asked(place, "--follow-up", run);
    assert.deepEqual(await stale(), [0], "a newer answer replaces it");
});
