// What a person at a terminal gives a run besides its question and a choice: files, depth, connection, an edit with words.

import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { AGENT, Place, QUESTION, document, which, whole } from "./lib.mjs";

/**
 * A connection `scripted` that can plan and nothing else.
 * @param {Place} place
 * @returns {Promise<import("./lib.mjs").StartOptions>}
 */
async function planner(place) {
    const { outputs } = await whole();
    const script = join(place.work, "script.json");
    const answers = [{ match: "<CORPUS_OUTLINE", json: outputs.analyze_query }];
    writeFileSync(script, JSON.stringify({ answers, default: { error: "refused", message: "not today" } }));
    return { env: { AGENTNATIVE_SCRIPT: script, VISUAL: "", EDITOR: "sed -i s/management.s.assessment/solvency/" } };
}

test("a question takes files along, and what can't be read starts nothing", async (context) => {
    const place = Place.for(context);
    const [notes, picture] = [join(place.work, "notes.md"), join(place.work, "picture.bin")];
    writeFileSync(notes, "The company has lost its main customer.\n");
    writeFileSync(picture, Buffer.from([0xff, 0x00, 0xfe]));
    const ask = (/** @type {string} */ file) => place.run(["run", AGENT, "--yes", "--attach", file, QUESTION]);
    for (const [file, why] of /** @type {[string, RegExp][]} */ ([
        [join(place.work, "nowhere.md"), /nowhere\.md/],
        [picture, /picture\.bin is of a type that a run can.t read/],
    ])) {
        const refused = await ask(file);
        assert.notEqual(refused.code, 0);
        assert.match(refused.stderr, why);
    }
    assert.deepEqual(await place.runs(), []);
    const done = await ask(notes);
    assert.equal(done.code, 0, done.stderr);
    const { session } = await place.state();
    const [kept] = readdirSync(join(place.data, "sessions", session, "attachments"));
    assert.match(kept ?? "", /-notes\.md$/);
});

test("a message to an agent carries depth and knowledge base, and others say that they are not used", async (context) => {
    const place = Place.for(context);
    const more = ["--connection", "offline", "--depth", "quick", "--corpus", "isa-primer"];
    const begun = await place.run(["chat", ...more, `@${AGENT} ${QUESTION}`]);
    assert.equal(begun.code, 3, begun.stderr);
    const waits =
        /What you can do[^]*- Proceed[^]*`agentnative resume run-\w+` goes on;[^]*--answers <file> another: proceed, amend, cancel/;
    assert.match(begun.stderr, waits, "it is told where the run waits and how it is answered");
    const { depth, corpus } = await place.state();
    assert.deepEqual([depth, corpus.split(" ")[0].split("@")[0]], ["quick", "isa-primer"]);
    const plain = await place.do(["chat", ...more, "What is an audit?"]);
    assert.match(plain.stderr, /--depth and --corpus are not used/);
});

test("a run that waits is resumed with another connection, which answers from then on", async (context) => {
    const place = Place.for(context);
    const options = await planner(place);
    const waits = await place.run(["run", AGENT, "--connection", "scripted", QUESTION], options);
    assert.equal(waits.code, 3, waits.stderr);
    const resume = (/** @type {string[]} */ ...more) =>
        place.run(["resume", "--last", "--connection", ...more], options);
    const alone = await resume("offline");
    assert.equal(alone.code, 2);
    assert.match(alone.stderr, /moved when its pause is answered[^]*--yes/);
    const unknown = await resume("nowhere", "--yes");
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /no connection nowhere/);
    assert.equal((await place.state()).connection, "scripted", "nothing was moved");

    const moved = await resume("offline", "--yes");
    assert.equal(moved.code, 0, moved.stderr);
    assert.match(document(moved).markdown, /going concern/);
    const state = await place.state();
    assert.equal(state.connection, "offline");
    const late = await place.run(["resume", state.run, "--connection", "offline"], options);
    assert.equal(late.code, 2);
    assert.match(late.stderr, /only while it waits after a stage[^]*rerun/);
});

test(
    "in a terminal a pause is answered with a depth, a connection, an edit and words beside it",
    { skip: which("script") === undefined && "skipped: `script` is not installed" },
    async (context) => {
        const place = Place.for(context);
        const options = await planner(place);
        const args = ["run", AGENT, "--connection", "scripted", QUESTION];
        const run = place.start(args, { ...options, terminal: true, open: true });
        await run.saw(
            /e {2}Edit[^]*d {2}Change the depth[^]*c {2}Change the connection[^]*Number, or your own words > $/,
        );
        run.say("d\r");
        await run.saw(/Depth: [^\n]*quick[^\n]*keeps standard\) > $/);
        run.say("deepest\r");
        await run.saw(/There is no deepest[^]*Number, or your own words > $/);
        run.say("d\r");
        await run.saw(/There is no deepest[^]*Depth: [^\n]*> $/);
        run.say("quick\r");
        await run.saw(/> quick\s+Number, or your own words > $/);
        run.say("c\r");
        await run.saw(/Connection: [^\n]*offline[^\n]*keeps scripted\) > $/);
        run.say("offline\r");
        await run.saw(/> offline\s+Number, or your own words > $/);
        run.say("e\r");
        await run.saw(/> e\s+Number, or your own words > $/);
        run.say("why?\r");
        await run.saw(/> why\?[^]*Number, or your own words > $/);
        run.say("Proceed, and mind the small entities\r");
        const ended = await run.ended;
        assert.equal(ended.code, 0, ended.stdout);

        const events = await place.events();
        const [edited, resumed] = ["edited", "resumed"].map((type) => events.find((event) => event.type === type));
        assert.equal(edited.depth, "quick");
        assert.deepEqual([resumed.decision.text, resumed.decision.edited], ["mind the small entities", true]);
        const state = await place.state();
        assert.deepEqual([state.depth, state.connection], ["quick", "offline"], "a question kept what was changed");
        const outputs = JSON.parse((await place.do(["show", "--outputs"])).stdout);
        assert.ok(outputs.analyze_query.sub_queries.some((/** @type {any} */ one) => one.query === "solvency"));
    },
);
