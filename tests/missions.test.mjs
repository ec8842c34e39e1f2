// Missions without a model: from an objective to a report, within limits, steered, killed, resumed, exported.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { Place, jsonLines } from "./lib.mjs";
import { quoted } from "./mission-lease.mjs";

const ASK = "What is materiality? How are risks of fraud identified? Format: table of statements and their sources";
const START = ["mission", "start", "general-research", ASK, "--corpus", "isa-primer", "--yes"];

/** @param {string} stdout */
const end = (stdout) => jsonLines(stdout).at(-1);

/**
 * @param {Place} place
 * @param {string} mission
 * @param {string} kind
 * @param {string[]} [more]
 */
const items = async (place, mission, kind, more = []) =>
    JSON.parse((await place.do(["mission", "graph", mission, kind, "--json", ...more])).stdout).items;

test("an objective becomes a report in the form that was asked for, twice in the same bytes", async (context) => {
    const place = Place.for(context);
    const first = end((await place.do([...START, "--json"])).stdout);
    assert.equal(first.exit, "completed");
    assert.equal(first.objective, "What is materiality? How are risks of fraud identified?");
    assert.equal(first.outputSpecification, "Format: table of statements and their sources");
    const report = readFileSync(first.report, "utf8");
    assert.match(report, /^\| Statement \| Confidence \| Sources \|$/m);
    assert.match(report, /^## What is materiality\?$/m);
    const notes = [...report.matchAll(/^\[\^(\d+)\]: (.*)$/gm)];
    assert.ok(notes.length > 3, report);
    for (const [, , note] of notes) assert.match(note ?? "", /\[c\d+\]$/);

    // No model was given anything: what the offline engine counts are no tokens.
    const standing = JSON.parse((await place.do(["mission", "show", first.mission, "--json"])).stdout);
    assert.equal(standing.noModel, true);

    const again = end((await place.do([...START, "--json"])).stdout);
    assert.equal(readFileSync(again.report, "utf8"), report);

    // Every claim of the report has a citation whose quote was checked; every closed gap names its evidence.
    const claims = await items(place, first.mission, "claims", ["--status", "supported"]);
    assert.ok(claims.length > 3);
    for (const { id } of claims) {
        const shown = await place.do(["mission", "graph", first.mission, "--claim", id, "--json"]);
        const { citations } = JSON.parse(shown.stdout);
        assert.ok(citations.length > 0, shown.stdout);
        for (const { citation, source } of citations) {
            assert.match(citation.verdict, /^(verified|judged_supported|unverified)$/);
            assert.match(source.address, /^kb:isa-primer\//);
        }
    }
    for (const { status } of await items(place, first.mission, "gaps"))
        if (status.state === "closed") assert.match(status.closing.by, /^(evidence|person|superseded|moot)$/);

    const journal = (await place.do(["mission", "journal", first.mission])).stdout;
    assert.match(journal, /By rule: Library Researcher on “What is materiality\?”/);
    assert.match(journal, /Research ended: /);
    const listed = JSON.parse((await place.do(["mission", "list", "--json"])).stdout).missions;
    assert.equal(listed.length, 2);
    const page = join(place.work, "session.md");
    await place.do(["export", listed[0].session, "--format", "markdown", "--redact", "none", "-o", page]);
    assert.match(readFileSync(page, "utf8"), /What is materiality\?/);

    // The same findings in another form: nothing is researched, every footnote leads to the same claims.
    const list = (await place.do(["mission", "report", first.mission, "--as", "a list"])).stdout;
    assert.match(list, /^# What is materiality\? How are risks of fraud identified\?$/m);
    assert.doesNotMatch(list, /^\|/m);
    const named = (/** @type {string} */ text) => new Set(text.match(/\[c\d+\]/g));
    assert.deepEqual(named(list), named(report));
    const shown = JSON.parse((await place.do(["mission", "show", "--json"])).stdout);
    assert.deepEqual([shown.previous, shown.invocations, shown.iteration], [first.mission, [], 0]);

    // A further objective goes on with what is known, and begins with its own questions.
    const further = "What is a significant risk?";
    const next = end((await place.do(["mission", "extend", first.mission, further, "--yes", "--json"])).stdout);
    const extended = readFileSync(next.report, "utf8");
    assert.match(extended, /^## What is a significant risk\?[^]*^## What is materiality\?$/m);
    for (const id of named(report)) assert.ok(extended.includes(id), id);
    assert.ok(named(extended).size > named(report).size);
    assert.match((await place.do(["mission", "journal", next.mission])).stdout, /began with the findings of run-/);

    // On another machine they are the same missions, each with its graph.
    const bundle = join(place.work, "mission.bundle");
    await place.do(["export", listed[1].session, "--format", "bundle", "--redact", "none", "-o", bundle]);
    const elsewhere = Place.for(context);
    await elsewhere.do(["import", bundle, "--yes"]);
    const there = JSON.parse((await elsewhere.do(["mission", "list", "--json"])).stdout).missions;
    assert.equal(there.length, 3);
    for (const [mission, text] of [
        [there[0].mission, extended],
        [there[2].mission, report],
    ])
        assert.equal((await elsewhere.do(["mission", "report", mission])).stdout.trim(), text.trim());
    assert.equal((await items(elsewhere, there[2].mission, "claims", ["--status", "supported"])).length, claims.length);
});

test("a question that the documents do not answer stays open, and passages near it are no answer", async (context) => {
    const place = Place.for(context);
    const folder = join(place.work, "handbook");
    mkdirSync(folder);
    const files = {
        retention:
            "# Retention\n\n1.1 Working papers are kept for seven years after the date of the report.\n\n1.2 The partner approves every destruction of working papers in writing.\n",
        travel: "# Travel\n\n2.1 Train journeys below four hours are made in second class.\n",
    };
    for (const [name, words] of Object.entries(files)) writeFileSync(join(folder, `${name}.md`), words);
    await place.do(["kb", "ingest", folder, "--base", "handbook"]);
    const answered = "How long are working papers kept?";
    const open = "Who approves journeys by plane?";
    const ask = ["mission", "start", "general-research", `${answered} ${open}`, "--corpus", "handbook"];
    const { mission, exit, outcome, unmet, report } = end((await place.do([...ask, "--yes", "--json"])).stdout);
    assert.deepEqual([exit, outcome], ["completed", "partial"]);
    assert.match(unmet.join("\n"), /coverage/i);
    const text = readFileSync(report, "utf8");
    assert.match(text, /^> Partial report\. Not met: /m);
    assert.match(text, /kept for seven years after the date of the report/);
    assert.doesNotMatch(text, /Train journeys/);
    assert.match(text, /; 1 open question;/);
    const { quotes, made } = quoted(text, Object.values(files));
    assert.ok(quotes.length > 0 && made.length === 0, made.join("; "));
    assert.ok(text.includes(`## ${open}\n\nNothing was found that a source supports.`), text);
    const told = (await place.do(["mission", "show", mission])).stdout;
    assert.match(
        told,
        /completed, partial[^]*^research ended: nothing new was found$[^]*^open: Who approves journeys/m,
    );
    assert.ok(told.includes(`next: \`agentnative mission extend ${mission} `), told);

    // A follow-up has its own questions: what is left of the first mission is in its report, and no matter of its criteria.
    const extend = async (/** @type {string} */ objective) =>
        end((await place.do(["mission", "extend", mission, objective, "--yes", "--json"])).stdout);
    const further = await extend("Who approves the destruction of working papers?");
    assert.deepEqual([further.outcome, further.unmet], ["satisfied", []]);
    assert.match(
        readFileSync(further.report, "utf8"),
        /^## Who approves the destruction[^]*^## Who approves journeys/m,
    );
    const journal = (await place.do(["mission", "journal", further.mission])).stdout;
    assert.match(journal, /on “Who approves the destruction of working papers\?”/);
    assert.doesNotMatch(journal, /on “Who approves journeys by plane\?”/);
    // Asked again it is one of its own.
    const again = await extend(open);
    assert.deepEqual([again.outcome, again.unmet], ["partial", ["coverage"]]);
    assert.match(
        (await place.do(["mission", "journal", again.mission])).stdout,
        /on “Who approves journeys by plane\?”/,
    );
});

test("what is asked comes first, and stands in the section of the report that it is for", async (context) => {
    const place = Place.for(context);
    const folder = join(place.work, "pumps");
    mkdirSync(folder);
    const facts = [
        "The size of the market of pumps in Austria is 40 million euros a year.",
        "The competitors of Acme in pumps are Borealis and Cygnus.",
    ];
    writeFileSync(join(folder, "pumps.md"), `# Pumps\n\n1.1 ${facts[0]}\n\n1.2 ${facts[1]}\n`);
    await place.do(["kb", "ingest", folder, "--base", "pumps"]);
    const asks = ["What is the size of the market of pumps in Austria?", "Who are the competitors of Acme in pumps?"];
    const form = "Format: a short list";
    const start = ["mission", "start", "market-research", `${asks.join(" ")} ${form}`, "--corpus", "pumps"];
    const { mission, outcome, report } = end((await place.do([...start, "--yes", "--json"])).stdout);
    assert.equal(outcome, "partial");
    const text = readFileSync(report, "utf8");
    const below = (/** @type {string} */ section, /** @type {number} */ at) =>
        text.includes(`## ${section}\n\n### ${asks[at]}\n\n- `) && text.includes(facts[at] ?? "");
    assert.ok(below("Market size", 0) && below("Competitors", 1), text);
    assert.match(text, /^## Prices\n\nNothing was found for this section\.$/m);
    const journal = (await place.do(["mission", "journal", mission])).stdout;
    const first = journal.split("\n").find((line) => line.includes("By rule: ")) ?? "";
    for (const ask of asks) assert.ok(first.includes(ask), journal);
});

test("a limit ends research, and the report says what is not met", async (context) => {
    const place = Place.for(context);
    const args = [...START, "--budget-usd", "0", "--max-invocations", "1", "--json"];
    const { exit, outcome, unmet, report } = end((await place.do(args)).stdout);
    assert.deepEqual([exit, outcome], ["completed", "partial"]);
    assert.ok(unmet.length > 0);
    assert.match(readFileSync(report, "utf8"), /^> Partial report\. Not met: /m);
    const shown = JSON.parse((await place.do(["mission", "show", "--json"])).stdout);
    const used = shown.limits.find((/** @type {any} */ one) => one.dimension === "invocations");
    assert.deepEqual([used.used, used.limit], [1, 1]);
});

test("it waits at its plan, is steered, and a rejected claim is in no report", async (context) => {
    const place = Place.for(context);
    const waits = await place.run(START.slice(0, -1));
    assert.equal(waits.code, 3, waits.stderr);
    assert.match(waits.stderr, /Plan[\s\S]*What is materiality\?[\s\S]*mission resume/);

    // The plan is changed before research begins; an edit that makes no plan changes nothing.
    const [{ mission: id }] = JSON.parse((await place.do(["mission", "list", "--json"])).stdout).missions;
    const edit = (/** @type {string[]} */ ...words) => place.run(["mission", "steer", id, ...words]);
    const added = await edit("--ask", "What is a significant risk?", "--ask", "What is a misstatement?");
    assert.equal(added.code, 3, added.stderr);
    const questions = await items(place, id, "questions");
    const named = (/** @type {string} */ text) => questions.find((/** @type {any} */ one) => one.text === text).id;
    assert.equal((await edit("--drop", named("How are risks of fraud identified?"))).code, 3);
    const reworded = await edit("--reword", named("What is a misstatement?"), "What is a material misstatement?");
    assert.match(reworded.stderr, /1\. What is a significant risk\?\s+1\. What is a material misstatement\?/);
    assert.doesNotMatch(reworded.stderr, /^1\. (How are risks|What is a misstatement)/m);
    const twice = await edit("--ask", "what is MATERIALITY");
    assert.match(twice.stderr, /asks that already/);
    assert.notEqual((await edit("--drop", "t99")).code, 0);

    const done = await place.do(["mission", "resume", "--yes", "--json"]);
    const { mission, report } = end(done.stdout);
    const [claim] = await items(place, mission, "claims", ["--status", "supported"]);
    const text = readFileSync(report, "utf8");
    assert.ok(text.includes(claim.text), claim.text);
    assert.match(text, /^## What is a significant risk\?[^]*^## What is a material misstatement\?$/m);
    assert.doesNotMatch(text, /^## (How are risks of fraud|What is a misstatement)/m);
    const changed = (await place.do(["mission", "journal", mission])).stdout;
    assert.match(changed, /You changed the plan\.[^]*No longer asks: How are risks of fraud identified\?/);
    // One that ended is not changed any more.
    const late = await place.run(["mission", "steer", mission, "--reject", claim.id, "wrong"]);
    assert.notEqual(late.code, 0);
    assert.match(late.stderr, /is completed already/);

    const second = await place.run(START.slice(0, -1));
    assert.equal(second.code, 3);
    const stopped = await place.run(["mission", "resume", "--json"]);
    const other = end(stopped.stdout);
    assert.equal(other.exit, "completed");
});

test("a claim that you reject is in no report, and research that you stop is written up", async (context) => {
    const place = Place.for(context);
    const folder = join(place.data, "workspaces", "default", "agents", "strict");
    mkdirSync(folder, { recursive: true });
    const profile = {
        slug: "strict",
        name: "Strict",
        description: "Asks when its one iteration is over.",
        successCriteria: { qualityScore: 100 },
        constraints: { iterations: 1 },
        agents: { allow: ["library-researcher"] },
        pauses: ["limit"],
    };
    writeFileSync(join(folder, "mission.json"), JSON.stringify(profile));
    const waits = await place.run(["mission", "start", "strict", ASK, "--corpus", "isa-primer", "--json"]);
    assert.equal(waits.code, 3, waits.stderr);
    const { mission } = end(waits.stdout);
    const [claim] = await items(place, mission, "claims", ["--status", "supported"]);
    const pinned = await place.run(["mission", "steer", mission, "--pin", claim.id]);
    assert.equal(pinned.code, 3, pinned.stderr);
    const rejected = await place.run(["mission", "steer", mission, "--reject", claim.id, "it is outdated", "--json"]);
    assert.equal(rejected.code, 3, rejected.stderr);
    const none = await place.run(["mission", "steer", mission, "--reject", "c999", "x"]);
    assert.match(none.stderr, /has no claim c999/);
    const unsaid = await place.run(["mission", "steer", mission, "--reject", claim.id, " "]);
    assert.match(unsaid.stderr, /needs a reason/);
    const kept = await place.run(["mission", "steer", mission, "--pin", claim.id]);
    assert.match(kept.stderr, new RegExp(`claim ${claim.id} stands no more, so it can't be kept`));
    const { report, outcome } = end((await place.do(["mission", "steer", mission, "--write", "--json"])).stdout);
    assert.equal(outcome, "partial");
    assert.ok(!readFileSync(report, "utf8").includes(claim.text), claim.text);
    assert.match((await place.do(["mission", "journal", mission])).stdout, /You rejected: [^]*it is outdated/);
    const [gone] = await items(place, mission, "claims", ["--status", "rejected"]);
    assert.deepEqual([gone.id, gone.rejected], [claim.id, "it is outdated"]);
    const word = join(place.work, "report.docx");
    await place.do(["mission", "report", mission, "--format", "docx", "-o", word]);
    assert.match(readFileSync(word).subarray(0, 2).toString(), /PK/);
});

test("a claim of a finished report is rejected, and another report is written that does not rest on it", async (context) => {
    const place = Place.for(context);
    const first = end((await place.do([...START, "--json"])).stdout);
    const report = readFileSync(first.report, "utf8");
    const claims = await items(place, first.mission, "claims", ["--status", "supported"]);
    const [wrong, other] = claims.filter((/** @type {any} */ claim) => report.includes(claim.text));
    const leave = (/** @type {string[]} */ ...words) =>
        place.run(["mission", "report", first.mission, "--without", ...words]);
    assert.match((await leave("c999", "x")).stderr, /has no claim c999/);
    assert.match((await leave(wrong.id, " ")).stderr, /needs a reason/);
    const left = await leave(wrong.id, "it is outdated", "--without", other.id, "no source of ours");
    assert.equal(left.code, 0, left.stderr);
    for (const { text } of [wrong, other]) assert.ok(!left.stdout.includes(text), text);
    assert.match(left.stdout, /^\| Statement \| Confidence \| Sources \|$/m, "the form is the same");
    const journal = (await place.do(["mission", "journal"])).stdout;
    assert.match(journal, /You rejected: [^]*it is outdated[^]*You rejected: [^]*no source of ours/);
    const shown = JSON.parse((await place.do(["mission", "show", "--json"])).stdout);
    assert.deepEqual([shown.previous, shown.invocations], [first.mission, []]);
    assert.match((await leave(wrong.id, "again", "--as", "a list")).stdout, /^- /m, "in the first mission it stands");
    const again = await place.run(["mission", "report", shown.mission, "--without", wrong.id, "again"]);
    assert.match(again.stderr, new RegExp(`claim ${wrong.id} stands no more`));
    assert.equal((await place.do(["mission", "report", first.mission])).stdout.trim(), report.trim());

    // Each mission of the session has files of its own.
    assert.match(shown.report, /\/mission-report-2\.md$/);
    const second = readFileSync(shown.report, "utf8");
    assert.equal(readFileSync(first.report, "utf8"), report);
    const graphs = ["graph.jsonl", "graph-2.jsonl"].map((name) => join(dirname(first.report), "data", name));
    const [graph, without] = graphs.map((path) => readFileSync(path, "utf8"));
    assert.ok(!graph?.includes("it is outdated") && without?.includes("it is outdated"), "one graph each");
    const show = async () => JSON.parse((await place.do(["mission", "show", first.mission, "--json"])).stdout);
    assert.match((await show()).files[0].path, /^data\/findings\/[\w-]+\.json$/);
    const exported = async (/** @type {string} */ mission) =>
        (await place.do(["mission", "report", mission, "--format", "markdown"])).stdout.trim();
    const paths = [await exported(first.mission), await exported(shown.mission)];
    assert.deepEqual(
        paths.map((path) => readFileSync(path, "utf8")),
        [report, second],
        "an export of the second one leaves that of the first",
    );
    // An earlier version wrote the second one's report over the first one's; what you write yourself stays.
    for (const [written, stands] of [
        [second, report],
        ["My own words.\n", "My own words.\n"],
    ]) {
        writeFileSync(first.report, written ?? "");
        await show();
        assert.equal(readFileSync(first.report, "utf8"), stands);
    }
});

test("killed at any moment it goes on: the same report, no agent invoked twice for the same", async (context) => {
    const place = Place.for(context);
    const whole = await place.do([...START, "--json"]);
    const text = readFileSync(end(whole.stdout).report, "utf8");
    const lines = jsonLines(whole.stdout).length;
    for (const part of [0.1, 0.4, 0.7, 0.95]) {
        const started = place.start([...START, "--json"]);
        await started.printed(Math.max(1, Math.floor(part * lines)));
        started.kill("SIGKILL");
        await started.ended;
        if (part === 0.1) {
            const left = await place.run(["mission", "follow"]);
            assert.match(left.stderr, /its process ended[\s\S]*mission resume/);
            assert.equal(
                JSON.parse((await place.do(["mission", "list", "--json"])).stdout).missions[0].status,
                "interrupted",
            );
        }
        const resumed = await place.run(["mission", "resume", "--yes", "--json"]);
        const shown = JSON.parse((await place.do(["mission", "show", "--json"])).stdout);
        if (resumed.code !== 0) assert.match(resumed.stderr, /is completed already/);
        assert.equal(shown.status, "completed");
        assert.ok(existsSync(shown.report));
        assert.equal(readFileSync(shown.report, "utf8"), text, `killed after ${part} of the lines`);
        rmSync(shown.report);
        const again = JSON.parse((await place.do(["mission", "show", "--json"])).stdout);
        assert.equal(readFileSync(again.report, "utf8"), text, "a lost report is written again");
        const runs = shown.invocations.map((/** @type {any} */ one) => one.run);
        assert.equal(new Set(runs).size, runs.length);
    }
});

test("a mission whose process died goes on in the next one that starts", async (context) => {
    const place = Place.for(context);
    const started = place.start([...START, "--json"]);
    await started.saw(/\n/);
    started.kill("SIGKILL");
    await started.ended;
    const host = place.start(["serve", "--json"]);
    await host.saw(/"url"/);
    let shown;
    for (let attempt = 0; attempt < 150; attempt += 1) {
        shown = JSON.parse((await place.do(["mission", "show", "--json"])).stdout);
        // Its files are written once its end is recorded.
        if (shown.status === "completed" && existsSync(shown.report)) break;
        await new Promise((resolve) => setTimeout(resolve, 200));
    }
    assert.equal(shown.status, "completed");
    assert.ok(existsSync(shown.report));
    host.kill("SIGTERM");
    await host.ended;
});

test("a session that is deleted for good ends its mission at work", async (context) => {
    const place = Place.for(context);
    const script = join(place.work, "script.json");
    writeFileSync(script, JSON.stringify({ answers: [{ hang: true }] }));
    const host = place.start(["serve", "--json"], { env: { AGENTNATIVE_SCRIPT: script }, seconds: 120 });
    await host.saw(/"url"/);
    const started = place.start([...START, "--connection", "scripted", "--json"]);
    await started.saw(/\n/);
    const [{ session }] = JSON.parse((await place.do(["mission", "list", "--json"])).stdout).missions;
    await place.do(["sessions", "delete", session]);
    await place.do(["sessions", "purge", "--yes", session], { seconds: 30 });
    await started.ended;
    assert.deepEqual(JSON.parse((await place.do(["mission", "list", "--json"])).stdout).missions, []);
    host.kill("SIGTERM");
    await host.ended;
});

test("a mission that is started again takes over what agents gave for the same, and only that", async (context) => {
    const place = Place.for(context);
    const folder = join(place.work, "notes");
    mkdirSync(folder);
    const ingest = async (/** @type {string} */ text) => {
        writeFileSync(
            join(folder, "notes.md"),
            `# Notes\n\n${text}\n\nRisks of fraud are identified by asking management.\n`,
        );
        await place.do(["kb", "ingest", folder, "--base", "notes"]);
    };
    await ingest("Materiality is what would change the decisions of a reader.");
    const start = ["mission", "start", "general-research", ASK, "--corpus", "notes", "--yes", "--json"];
    const first = end((await place.do(start)).stdout);
    const report = readFileSync(first.report, "utf8");
    const show = async () => JSON.parse((await place.do(["mission", "show", "--json"])).stdout);
    const before = await show();
    assert.ok(before.files.length > 1, JSON.stringify(before.files));
    for (const { kind, name } of before.files) {
        const folder = join(place.data, "sessions", before.session);
        assert.ok(existsSync(join(folder, ...(kind === "report" ? [name] : ["data", "findings", name]))), name);
    }

    const again = end((await place.do(["mission", "rerun", first.mission, "--yes", "--json"])).stdout);
    assert.equal(readFileSync(again.report, "utf8"), report);
    const after = await show();
    assert.equal(after.base, first.mission);
    assert.equal(after.invocations.length, before.invocations.length);
    for (const { key, reused, run } of after.invocations) assert.deepEqual([reused, run], [first.mission, null], key);
    const runs = after.limits.find((/** @type {any} */ one) => one.dimension === "invocations");
    assert.equal(runs.used, 0, "what was taken over is not counted");
    assert.match((await place.do(["mission", "journal"])).stdout, /stands; nothing was paid/);

    // An earlier version gave the second one's findings the names of the first one's: they are where they are shown.
    const findings = after.files.filter((/** @type {any} */ file) => file.kind === "findings");
    const paths = findings.map((/** @type {any} */ file) => join(place.data, "sessions", after.session, file.path));
    assert.ok(paths.length > 0 && paths.every((/** @type {string} */ path) => path.includes("findings-2")), paths);
    rmSync(dirname(paths[0]), { recursive: true });
    await show();
    for (const path of paths) assert.ok(existsSync(path), path);

    // Over other documents nothing of it stands: agents are invoked anew.
    await ingest("Materiality is a share of profit.");
    await place.do(["mission", "rerun", first.mission, "--yes", "--json"]);
    const anew = await show();
    assert.ok(anew.invocations.every((/** @type {any} */ one) => one.reused === null));
});

test("profiles are listed and checked, and a broken one says where", async (context) => {
    const place = Place.for(context);
    const { profiles } = JSON.parse((await place.do(["mission", "profiles", "--json"])).stdout);
    assert.ok(profiles.some((/** @type {any} */ one) => one.slug === "general-research"));
    await place.do(["mission", "check", "general-research"]);
    const missing = await place.run(["mission", "start", "general-researh", "x"]);
    assert.match(missing.stderr, /there is no mission profile `general-researh`[\s\S]*general-research/);

    const one = (await place.do(["mission", "profiles", "general-research"])).stdout;
    assert.match(
        one,
        /^general-research {2}.*\n.*\n {4}--mode [^]*^criteria: .*coverage 80 %.*\nlimits: .*invocations \d+/m,
    );
    assert.doesNotMatch(one, /market-research/);
    const [named] = profiles.filter((/** @type {any} */ one) => one.slug === "general-research");
    const shown = JSON.parse((await place.do(["mission", "profiles", "general-research", "--json"])).stdout);
    assert.deepEqual(shown, named);
    assert.match((await place.run(["mission", "profiles", "other"])).stderr, /there is no mission profile other/);
});

test("a dry run says what a mission would begin with, and starts nothing", async (context) => {
    const place = Place.for(context);
    const dry = [...START, "--max-invocations", "7", "--budget-usd", "2", "--dry-run"];
    const { stdout } = await place.do(dry);
    assert.match(stdout, /^connection offline, model /m);
    assert.match(stdout, /^ {2}library-researcher \(.*research.*\), reads isa-primer \S+$/m);
    assert.match(stdout, /^criteria: .*coverage 80 %/m);
    assert.match(stdout, /^limits: .*money \$2\.00.*invocations 7/m);
    assert.match(stdout, /^forecast: 1 to 7 invocations; nothing is paid, there is no model\nNothing was started\.$/m);
    const { outline, forecast } = JSON.parse((await place.do([...dry, "--json"])).stdout);
    assert.deepEqual([outline.offline, forecast.fewest, forecast.most], [true, 1, 7]);
    for (const why of outline.leftOut) assert.ok(stdout.includes(`without ${why}`), why);
    assert.deepEqual(JSON.parse((await place.do(["mission", "list", "--json"])).stdout).missions, []);
});

test("a mission is shown in percent, dollars and minutes, and what would do nothing is refused", async (context) => {
    const place = Place.for(context);
    await place.do([...START, "--budget-usd", "2", "--budget-minutes", "5", "--json"]);
    const { stdout } = await place.do(["mission", "show"]);
    assert.match(stdout, /^ +✓? *confidence: \d+ % of 50 %$/m);
    assert.match(stdout, /^ +✓? *coverage: \d+ % of 80 %$/m);
    assert.match(stdout, /^ +money: \$0\.00 of \$2\.00$/m);
    assert.match(stdout, /^ +minutes: \d\.\d of 5\.0$/m);

    const limit = await place.run(["mission", "steer", "last", "--write", "--max-iterations", "9"]);
    assert.equal(limit.code, 2, limit.stderr);
    assert.match(limit.stderr, /a limit is changed with --raise alone/);
    const raise = await place.run(["mission", "steer", "last", "--raise"]);
    assert.equal(raise.code, 2, raise.stderr);
    const options = /--budget-usd, --budget-tokens, --budget-minutes, --max-invocations or --max-iterations/;
    assert.match(raise.stderr, options);
    const follow = await place.run(["mission", "follow", "--yes"]);
    assert.equal(follow.code, 2, follow.stderr);
    assert.match(follow.stderr, /unexpected argument '--yes'/);
});
