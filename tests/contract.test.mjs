// What scripts of others rely on: outputs, exit codes, files, and what a terminal shows.

import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { AGENT, Place, QUESTION, document, jsonLines, snapshot, which, whole } from "./lib.mjs";

test("an unattended run prints the document's path last, and two fresh homes get the same bytes", async (context) => {
    const [one, two] = [Place.for(context), Place.for(context)];
    const [first, second] = [await one.research(), await two.research()];
    assert.ok(first.path.startsWith(one.data) && first.path.endsWith(".md"), first.path);
    assert.equal(first.stdout.trim(), first.path, "nothing else is on standard output");
    assert.equal(first.markdown, second.markdown);
    assert.equal(first.html, second.html);
    assert.match(first.markdown, new RegExp(`^# ${QUESTION.replace("?", "\\?")}`));
    assert.match(first.markdown, /\(\[Primer \d+\.\d+\]\(#cite-/);
    for (const place of [one, two]) {
        assert.ok(
            !first.markdown.includes(place.root) && !first.html.includes(place.root),
            "a path of the machine is in the document",
        );
        assert.deepEqual(place.processes(), []);
    }
});

test("everything is written below AGENTNATIVE_HOME", async (context) => {
    const place = Place.for(context);
    const folders = [place.user, place.work, place.temp];
    const before = folders.map(snapshot);
    await place.research();
    await place.do(["kb", "list"]);
    await place.do(["runs"]);
    await place.do(["doctor"]);
    await place.do(["agent", "new", "mine"]);
    assert.deepEqual(folders.map(snapshot), before);
});

test("without AGENTNATIVE_HOME the platform's data folder is used", async (context) => {
    const place = Place.for(context);
    await place.do(["runs"], { env: { AGENTNATIVE_HOME: "", XDG_DATA_HOME: join(place.work, "xdg") } });
    assert.ok(existsSync(join(place.work, "xdg", "agentnative", "agentnative.db")));
});

test("depth, agent and corpus are taken as named", async (context) => {
    const place = Place.for(context);
    const ids = new Map();
    for (const depth of ["quick", "standard", "deep"]) {
        const { markdown } = await place.research(["--depth", depth]);
        const [started] = await place.events();
        assert.equal(started.depth, depth);
        ids.set(depth, markdown);
    }
    assert.equal(new Set(ids.values()).size, 3, "each depth gives another document");
    const named = await place.do(["run", "--agent", "standards-research", "--corpus", "isa-primer", "--yes", QUESTION]);
    assert.match(document(named).markdown, /\(\[Primer \d+\.\d+\]\(#cite-/);
    assert.equal((await place.events())[0].agent, "standards-research");
    const wrong = await place.run(["run", AGENT, "--depth", "abyss", "--yes", QUESTION]);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /abyss.*deep.*quick.*standard/);
    const none = await place.run(["run", "standards-research", "--corpus", "nowhere", "--yes", QUESTION]);
    assert.equal(none.code, 2);
    assert.match(none.stderr, /nowhere[^]*kb ingest/);
});

test("--json prints one JSON object a line, committed events without gaps, and the document last", async (context) => {
    const place = Place.for(context);
    const { stdout, code } = await place.run(["run", AGENT, "--yes", "--json", QUESTION]);
    assert.equal(code, 0);
    const lines = jsonLines(stdout);
    const events = lines.filter((line) => line.kind === "event").map((line) => line.record);
    assert.deepEqual(
        events.map((event) => event.seq),
        events.map((_, index) => index + 1),
    );
    assert.deepEqual([events[0].type, events.at(-1).type], ["run_started", "run_completed"]);
    assert.equal(lines.filter((line) => line.kind === "done").length, 1);
    const last = lines.at(-1);
    assert.equal(last.exit, "completed");
    assert.ok(document({ stdout: last.document }).markdown.startsWith("# "));
    assert.deepEqual(await place.events(), events, "the log is what was told");
});

test("replies from a file answer the pauses in order", async (context) => {
    const place = Place.for(context);
    const answers = join(place.work, "answers.json");
    writeFileSync(answers, JSON.stringify([{ choice: "skip_web" }]));
    const skipped = await place.do(["run", AGENT, "--answers", answers, QUESTION]);
    assert.match(
        document(skipped).markdown,
        /Calibrate: left out by the person/,
        "the skipped stage shows in the document",
    );
    const stages = (await place.state()).stages;
    assert.equal(stages[1].phase, "skipped");

    writeFileSync(
        answers,
        JSON.stringify([{ choice: "amend", text: "Look at group audits, too." }, { choice: "cancel" }]),
    );
    const cancelled = await place.run(["run", AGENT, "--answers", answers, QUESTION]);
    assert.equal(cancelled.code, 5, cancelled.stderr);
    assert.deepEqual(
        (await place.events()).filter((event) => event.type === "amended").map((event) => event.feedback),
        ["Look at group audits, too."],
    );

    for (const bad of ["{", JSON.stringify([{ choise: "proceed" }]), JSON.stringify([{ choice: "no such choice" }])]) {
        writeFileSync(answers, bad);
        const refused = await place.run(["run", AGENT, "--answers", answers, QUESTION]);
        assert.notEqual(refused.code, 0, bad);
        assert.match(refused.stderr, /answers\.json|no such choice/, bad);
    }
});

test("runs, show and export tell of a run, and export writes the same files again", async (context) => {
    const place = Place.for(context);
    const { path, markdown, html } = await place.research();
    const [run] = await place.runs();
    assert.deepEqual([run.agent, run.status, run.title], [AGENT, "completed", QUESTION]);
    assert.match((await place.do(["runs"])).stdout, new RegExp(`^${run.run}  completed`));
    assert.match((await place.do(["runs", "--status", "completed"])).stdout, new RegExp(`^${run.run}  completed`));
    assert.doesNotMatch((await place.do(["runs", "--status", "failed"])).stdout, new RegExp(run.run));
    const unknown = await place.run(["runs", "--status", "done"]);
    assert.match(unknown.stderr, /`done` is no status of a run; there are running, .*completed/);
    assert.equal(unknown.code, 2);
    assert.match((await place.do(["show"])).stdout, /completed +Verify .*citation 100 %/);
    assert.match((await place.do(["show", run.run.slice(0, 20)])).stdout, new RegExp(run.run));
    assert.equal((await place.do(["show", "--document"])).stdout, markdown);
    assert.ok(Object.keys(JSON.parse((await place.do(["show", "--outputs"])).stdout)).includes("synthesize"));
    const events = await place.events();
    assert.deepEqual(
        events.map((event) => event.seq),
        events.map((_, index) => index + 1),
    );

    const answer = join(path, "..", "..", "data", "answer.json");
    const before = JSON.parse(readFileSync(answer, "utf8"));
    rmSync(join(place.data, "sessions"), { recursive: true });
    const exported = await place.do(["export", "last"]);
    assert.equal(exported.stdout.trim(), path);
    assert.deepEqual([document(exported).markdown, document(exported).html], [markdown, html]);
    assert.deepEqual(JSON.parse(readFileSync(answer, "utf8")), before);
    const state = JSON.parse(readFileSync(join(path, "..", "..", "data", "pipeline-state.json"), "utf8"));
    assert.ok(JSON.stringify(state).includes(run.session) && JSON.stringify(state).includes(AGENT));
});

test("each exit code means what the help says", async (context) => {
    const place = Place.for(context);
    const code = async (/** @type {string[]} */ args, /** @type {import("./lib.mjs").StartOptions} */ options = {}) => {
        const ended = await place.run(args, options);
        if (ended.code !== 0)
            assert.ok(ended.stderr.trim().length > 10, `exit ${ended.code} without a word: ${args.join(" ")}`);
        return ended.code;
    };
    assert.equal(await code(["resume", "--last", "--yes"]), 4, "no run yet");
    assert.equal(await code(["run", AGENT, QUESTION]), 3, "nobody answers the pause");
    assert.equal(await code(["resume", "--last"]), 3, "still nobody");
    assert.equal(await code(["resume", "--last", "--yes"]), 0);
    assert.equal(await code(["show", "no-such-run"]), 2);
    assert.equal(await code(["frobnicate"]), 2);
    assert.equal(await code(["run", "no-such-agent", "--yes", QUESTION]), 2);
    assert.equal(await code(["run", AGENT, "--yes", "   "]), 2);
    assert.equal(await code([]), 2, "no terminal to ask in");
    assert.equal(await code(["run", AGENT, QUESTION]), 3);
    const [run] = await place.runs();
    assert.equal(await code(["cancel", run.run]), 0);
    assert.equal(await code(["resume", run.run, "--yes"]), 4, "a cancelled run can't be resumed");

    const script = join(place.work, "script.json");
    writeFileSync(script, JSON.stringify({ default: { error: "bad_request", message: "the model is out of order" } }));
    const env = { AGENTNATIVE_SCRIPT: script };
    const failed = await place.run(["run", AGENT, "--yes", "--connection", "scripted", QUESTION], { env });
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /the model is out of order[^]*resume/);
    assert.equal((await place.runs())[0].status, "failed");

    const file = join(place.work, "a-file");
    writeFileSync(file, "");
    assert.equal(await code(["runs"], { env: { AGENTNATIVE_HOME: file } }), 6);
});

test("a finished run whose files were lost is resumed to its document", async (context) => {
    const place = Place.for(context);
    const { path, markdown, html } = await place.research();
    rmSync(join(place.data, "sessions"), { recursive: true });
    const resumed = await place.do(["resume", "--last", "--yes"]);
    assert.equal(resumed.stdout.trim(), path);
    assert.deepEqual([document(resumed).markdown, document(resumed).html], [markdown, html]);
});

test("a failed run goes on where it failed once the reason is gone, and pays nothing twice", async (context) => {
    const place = Place.for(context);
    const { markdown, outputs } = await whole();
    const script = join(place.work, "script.json");
    const plan = { match: "<CORPUS_OUTLINE", json: outputs.analyze_query };
    writeFileSync(script, JSON.stringify({ answers: [plan], default: { error: "refused", message: "not today" } }));
    const args = ["--yes", "--connection", "scripted"];
    const failed = await place.run(["run", AGENT, ...args, QUESTION], { env: { AGENTNATIVE_SCRIPT: script } });
    assert.equal(failed.code, 1, failed.stderr);
    const asked = (await place.events()).filter((event) => event.type === "model_call_requested").length;
    writeFileSync(
        script,
        JSON.stringify({
            answers: [{ match: "<GAPS", json: { replacements: [] } }],
            default: { json: outputs.synthesize },
        }),
    );
    const resumed = await place.do(["resume", "--last", "--yes"], { env: { AGENTNATIVE_SCRIPT: script } });
    assert.equal(document(resumed).markdown, markdown);
    const later = (await place.events()).filter((event) => event.type === "model_call_requested");
    assert.equal(later.length, asked + 2, "the answer, and what a second search brought for its gaps");
});

test("every schema is valid JSON and describes what the program reads or prints", async (context) => {
    const place = Place.for(context);
    for (const of of ["agent", "source", "event", "answers", "record"]) {
        const schema = JSON.parse((await place.do(["schema", of])).stdout);
        assert.match(schema.$schema, /json-schema/, of);
    }
    assert.equal((await place.run(["schema", "weather"])).code, 2);
});

test("a new agent is made from a shipped one, is sound, and runs", async (context) => {
    const place = Place.for(context);
    assert.match((await place.do(["agent", "list"])).stdout, /isa-deep-research[^]*standards-research/);
    assert.match((await place.do(["agent", "show", AGENT])).stdout, /Analyze[^]*Verify[^]*depths:/);
    const folder = (await place.do(["agent", "new", "mine", "--template", AGENT])).stdout.trim();
    assert.ok(folder.startsWith(place.data));
    assert.match((await place.do(["agent", "check", "mine"])).stdout, /nothing wrong/);
    const own = document(await place.do(["run", "mine", "--yes", QUESTION]));
    assert.equal(own.markdown, (await whole()).markdown, "a copy gives the same document");
    const again = await place.run(["agent", "new", "mine"]);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /exists already/);
    assert.equal((await place.run(["agent", "new", "../out"])).code, 2);
});

test("an agent is made with instructions alone, edited, and refused as a run", async (context) => {
    const place = Place.for(context);
    const folder = (await place.do(["agent", "new", "Loan clerk"])).stdout.trim();
    assert.ok(folder.endsWith("loan-clerk"), folder);
    assert.match((await place.do(["agent", "check", "loan-clerk"])).stdout, /nothing wrong/);
    assert.match((await place.do(["agent", "show", "loan-clerk"])).stdout, /chat --agent loan-clerk/);
    assert.match((await place.do(["prompt", "loan-clerk"])).stdout, /Your part: Loan clerk/);
    const run = await place.run(["run", "loan-clerk", "--yes", QUESTION]);
    assert.equal(run.code, 2);
    assert.match(run.stderr, /has no stages/);
    const edit = (/** @type {string} */ script) =>
        place.run(["agent", "edit", "loan-clerk"], { env: { VISUAL: "", EDITOR: `sed -i ${script}` } });
    assert.equal((await edit("s/^name:.*/name:Clerk:[/")).code, 1, "the editor closed, and the agent is broken");
    const mended = await edit("s/^name:.*/name:\\x20Clerk/");
    assert.equal(mended.code, 0, mended.stdout);
    const failed = await place.run(["agent", "edit", "loan-clerk"], { env: { VISUAL: "", EDITOR: "false" } });
    assert.equal(failed.code, 2);
    assert.match(failed.stderr, /false: exit status: 1/, "an editor that fails is no edit");
    const shipped = await place.run(["agent", "edit", AGENT]);
    assert.equal(shipped.code, 2);
    assert.match(shipped.stderr, /agent copy/);
});

test("a broken agent is told by file, place, what was expected and what was found", async (context) => {
    const place = Place.for(context);
    const folder = (await place.do(["agent", "copy", "standards-research", "mine"])).stdout.trim();
    const config = join(folder, "config.json");
    const sound = readFileSync(config, "utf8");
    /** @type {[string, (config: any) => void, RegExp][]} */
    const cases = [
        [
            "an unknown kind",
            (it) => (it.controlFlow.stages[0].kind = "dance"),
            /config\.json.*\/controlFlow\/stages\/0\/kind.*dance/,
        ],
        ["a missing prompt", (it) => (it.controlFlow.stages[0].prompt = "gone.md"), /gone\.md/],
        [
            "a cycle",
            (it) => (it.controlFlow.stages[0].dependsOn = ["output"]),
            /\/controlFlow\/stages.*(cycle|circle|itself)/i,
        ],
        ["a pause after nothing", (it) => (it.controlFlow.pauseAfterStages = ["nowhere"]), /pauseAfterStages.*nowhere/],
        ["an unknown field", (it) => (it.nmae = "x"), /nmae/],
        [
            "a path out of the folder",
            (it) => (it.controlFlow.stages[0].outputSchema = "../../../secret.json"),
            /outputSchema/,
        ],
        [
            "a template that reads nothing",
            (it) => (it.output.titleTemplate = "{{ requets }}"),
            /titleTemplate.*requets/,
        ],
    ];
    for (const [name, change, expected] of cases) {
        const value = JSON.parse(sound);
        change(value);
        writeFileSync(config, JSON.stringify(value, null, 2));
        const checked = await place.run(["agent", "check", "mine"]);
        assert.equal(checked.code, 1, name);
        assert.match(checked.stdout, expected, name);
        assert.match(checked.stdout, /expected .*found /s, name);
        const run = await place.run(["run", "mine", "--yes", QUESTION, "--corpus", "isa-primer"]);
        assert.equal(run.code, 2, name);
        assert.match(run.stderr, expected, name);
    }
    writeFileSync(config, sound.slice(0, 100));
    assert.match(
        (await place.run(["agent", "check", "mine"])).stdout,
        /config\.json.*line|:\d+/,
        "broken JSON is told with its line",
    );
    assert.match(
        (await place.do(["agent", "list"])).stdout,
        /mine +can't be used[^]*config\.json/,
        "the others are still listed",
    );
    const doctor = await place.run(["doctor"]);
    assert.equal(doctor.code, 1);
    assert.match(doctor.stdout, /^ok +agents +\d+ are valid\nwrong +agent +mine: /m, "one line for all that are sound");
    await place.research();
});

test("a run keeps the agent it started with", async (context) => {
    const place = Place.for(context);
    const folder = (await place.do(["agent", "new", "mine", "--template", AGENT])).stdout.trim();
    assert.equal((await place.run(["run", "mine", QUESTION])).code, 3);
    const kept = join(place.work, "kept");
    cpSync(folder, kept, { recursive: true });
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    const resumed = document(await place.do(["resume", "--last", "--yes"]));
    assert.equal(resumed.markdown, (await whole()).markdown);
});

test("a follow-up builds on the finished run and lies beside it", async (context) => {
    const place = Place.for(context);
    const first = await place.research();
    const ask = ["run", AGENT, "--follow-up", "last", "And what must be documented about it?"];
    const done = await place.do(ask);
    assert.match(done.stderr, /^pause {4}search, taken by itself because this is a follow-up; .*rerun run-\w+ --edit/m);
    const second = document(done);
    assert.notEqual(second.path, first.path);
    assert.equal(join(second.path, ".."), join(first.path, ".."), "the same session");
    assert.equal(readFileSync(first.path, "utf8"), first.markdown, "the first document stays as it was");
    const loaded = (await place.events()).find((event) => event.type === "followup_context_loaded");
    assert.equal(loaded.number, 1);
    assert.equal(loaded.warning ?? null, null);
    assert.match(second.markdown, /^# Follow-up 1: /);
    const named = `](agentnative://run/${(await place.state()).previous}) (ISA Deep Research, `;
    assert.ok(second.markdown.includes(named), "it names the answer before it");
    const [taken] = (await place.state()).answered;
    assert.deepEqual([taken.decision.choice, taken.decision.followUp], ["search", true]);
    assert.match((await place.do(["show"])).stdout, /taken by itself because this is a follow-up/);
    assert.equal((await place.run([...ask, "--pause-at-plan"])).code, 3);

    assert.equal((await place.run(["run", AGENT, QUESTION])).code, 3);
    const early = await place.run(["run", AGENT, "--yes", "--follow-up", "last", "And then?"]);
    assert.equal(early.code, 2, "a run that is not finished can't be followed up");
});

test("in a terminal a person answers, asks why, stops and comes back", { skip: terminal() }, async (context) => {
    const place = Place.for(context);
    const run = place.start(["run", AGENT, QUESTION], { terminal: true, open: true });
    await run.saw(/Number, or your own words > $/);
    run.say("why?\r");
    await run.saw(/Number, or your own words > [^]*Number, or your own words > $/);
    assert.equal((await pausesOf(place)).answered, 0, "a question decides nothing");
    run.say("\u0003");
    const stopped = await run.ended;
    assert.equal(stopped.code, 3, stopped.stdout);
    assert.match(stopped.stdout, /agentnative resume/);

    const resumed = place.start(["resume", "--last"], { terminal: true, open: true });
    await resumed.saw(/Number, or your own words > $/);
    resumed.say("\r");
    await resumed.saw(/Number, or your own words > [^]*Number, or your own words > $/);
    resumed.say("1\r");
    const ended = await resumed.ended;
    assert.equal(ended.code, 0, ended.stdout);
    const path = ended.stdout.trimEnd().split("\n").at(-1)?.trim() ?? "";
    assert.equal(readFileSync(path, "utf8"), (await whole()).markdown);
});

test(
    "Ctrl-C stops a working run so that it can be resumed, and a second one cancels it",
    { skip: terminal() },
    async (context) => {
        const place = Place.for(context);
        const { markdown, outputs } = await whole();
        const script = join(place.work, "script.json");
        const env = { AGENTNATIVE_SCRIPT: script };
        const slow = (/** @type {number} */ delayMs) =>
            writeFileSync(
                script,
                JSON.stringify({
                    answers: [
                        { match: "<CORPUS_OUTLINE", json: outputs.analyze_query },
                        { match: "<GAPS", json: { replacements: [] } },
                        { match: "<ISA_CONTEXT", json: outputs.synthesize, delayMs },
                    ],
                }),
            );
        const args = ["run", AGENT, "--yes", "--connection", "scripted", QUESTION];
        slow(60_000);
        const first = place.start(args, { terminal: true, open: true, env });
        await first.saw(/done +Retrieve/);
        first.say("\u0003");
        assert.equal((await first.ended).code, 3, first.stdout);
        assert.equal((await place.runs())[0].status, "suspended");
        assert.deepEqual(place.processes(), []);
        slow(0);
        const resumed = await place.do(["resume", "--last", "--yes"], { env });
        assert.equal(document(resumed).markdown, markdown);

        slow(60_000);
        const second = place.start(args, { terminal: true, open: true, env });
        await second.saw(/done +Retrieve/);
        second.say("\u0003");
        await second.saw(/Ctrl-C again cancels/);
        second.say("\u0003");
        assert.equal((await second.ended).code, 5, second.stdout);
        assert.equal((await place.runs())[0].status, "cancelled");
        assert.deepEqual(place.processes(), []);
    },
);

/** @param {Place} place whose run another process drives */
async function pausesOf(place) {
    const events = await place.events();
    return { answered: events.filter((event) => event.type === "resumed").length };
}

/** @returns {string | false} why there is no terminal to test in */
function terminal() {
    return which("script") === undefined && "skipped: `script` is not installed";
}
