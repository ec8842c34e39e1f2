// A mission whose fixed roles are agents, through the built program with a scripted model: the request is taken apart and
// planned, the coordinator is held to the rules, the reviewer opens a gap, and every statement of the report has a footnote.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Place, jsonLines } from "./lib.mjs";
import { END, QUESTIONS, RENT, ROLES } from "./mission-lease.mjs";

const HEATING = "The tenant pays for the heating of the hall in Linz.";
const LETTER = "The rent of the hall in Linz is 1,200 euros a month.";
const GAP = "Who pays for the heating of the hall in Linz?";
const SECOND = "Which rent of the hall in Linz does the letter name?";

/** @type {(role: keyof typeof ROLES, json: object, more?: string) => object} */
const says = (role, json, more = "") => ({ match: [ROLES[role], more], times: 1, json });
const assigned = (/** @type {string[][]} */ ...pairs) => ({
    assignments: pairs.map(([agent, task]) => ({ agent, task })),
    exit: false,
    reasons: "These questions are open.",
    alternatives: ["To write at once: nothing is known yet."],
});
const answered = (/** @type {string} */ sentence) => ({
    synthesis: `${sentence.slice(0, -1)} [@1.1].`,
    gaps: [],
    confidence: 1,
});
const report = (/** @type {string[]} */ ...ids) => ({
    title: "The hall in Linz",
    sections: [
        {
            heading: "Terms",
            table: {
                columns: ["Term", "What holds"],
                rows: ids.map((id) => ({ cells: [`Term ${id}`, `As ${id} says`], claims: [id] })),
            },
        },
        { heading: "Outlook", form: "list", statements: [{ text: "Rents will rise.", claims: ["c99"] }] },
    ],
});

/**
 * A base about a lease, and a model that says what is given.
 * @param {import("node:test").TestContext} context
 * @param {object[]} answers
 * @param {Record<string, string>} [more] documents
 */
async function lease(context, answers, more = {}) {
    const place = Place.for(context);
    const folder = join(place.work, "lease");
    mkdirSync(folder);
    const documents = { rent: RENT, end: END, heating: HEATING, ...more };
    for (const [name, text] of Object.entries(documents))
        writeFileSync(join(folder, `${name}.md`), `# ${name}\n\n${text}\n`);
    await place.do(["kb", "ingest", folder, "--base", "lease"]);
    const script = join(place.work, "script.json");
    writeFileSync(script, JSON.stringify({ answers }));
    const env = { AGENTNATIVE_SCRIPT: script };
    /** @param {string[]} words */
    const mission = async (...words) => {
        const done = await place.run(["mission", ...words], { env });
        assert.equal(done.code, 0, done.stderr + done.stdout);
        return done.stdout;
    };
    return { place, mission };
}

const START = ["--corpus", "lease", "--connection", "scripted", "--yes", "--json"];
const SPLIT = says("split", { objective: "What are the terms of the hall in Linz?", output_specification: "Table" });
const planned = (/** @type {string[]} */ ...texts) =>
    says("plan", { questions: texts.map((text) => ({ text, section: "", required: true })) });

test("agents plan, coordinate, research, write and review, and the report rests on claims alone", async (context) => {
    const { mission } = await lease(context, [
        SPLIT,
        planned(...QUESTIONS),
        says("coordinate", assigned(["nobody", "t1"])),
        says("coordinate", assigned(["library-researcher", "t1"], ["library-researcher", "t2"])),
        says("coordinate", assigned(["pdf-analyzer", "g1"])),
        says("research", answered(RENT), QUESTIONS[0]),
        says("research", answered(END), QUESTIONS[1]),
        says("research", answered(HEATING), GAP),
        says("write", report("c1", "c2", "c3"), HEATING),
        says("write", report("c1", "c2")),
        says("review", { gaps_identified: [{ question: GAP, critical: true }], contradictions: [] }),
    ]);
    const ask = ["start", "general-research", "Terms of the hall in Linz. Format: table"];
    const dry = () => mission(...ask, "--corpus", "lease", "--connection", "scripted", "--dry-run");
    const unknown = await dry();
    // What is not known ends at the limit on money of a run.
    assert.match(unknown, /invocations; at most \$5\.00; no run is known of .*library-researcher/);
    assert.match(unknown, /^ {2}library-researcher \(.*\), reads lease /m);
    const started = await mission(...ask, ...START);
    const end = jsonLines(started).at(-1);
    assert.deepEqual([end.outcome, end.outputSpecification], ["satisfied", "Table"]);
    const journal = await mission("journal");
    assert.match(journal, /nobody/, "a proposal that breaks a rule is named");
    assert.match(journal, /These questions are open\.\n +instead of: To write at once: nothing is known yet\.\n/);
    const closed = new RegExp(`Closed: Who pays[^\\n]*\\n +c\\d: ${HEATING}`);
    assert.match(journal, closed, "what the reviewer missed is looked up, and the journal names what answers it");
    const markdown = await mission("report");
    assert.match(markdown, /\| Term c2 \| As c2 says\[\^c2\] \|/);
    for (const words of [RENT, END])
        assert.match(markdown, new RegExp(`^\\[\\^(c\\d)\\]: \\w+\\.md, .*"${words}" \\[\\1\\]$`, "m"));
    assert.doesNotMatch(markdown, /Rents will rise|c99/, "a statement without a claim is left out");
    const known = /invocations; \$0\.00 to \$5\.00; at least \d+ tokens; no run is known of (?!.*library-researcher)/;
    assert.match(await dry(), known, "what runs of its agents used is known by now");
});

test("what a report says otherwise than its claims gives way to their words", async (context) => {
    const stated = (/** @type {string} */ text) => ({ text, claims: ["c1"] });
    const { mission } = await lease(context, [
        SPLIT,
        planned(QUESTIONS[0]),
        says("coordinate", assigned(["library-researcher", "t1"])),
        says("research", answered(RENT), QUESTIONS[0]),
        says("write", {
            title: "The hall in Linz",
            sections: [
                {
                    heading: "In short",
                    form: "list",
                    statements: [
                        stated("The hall in Linz costs 1,000 euros a month."),
                        stated("The rent of the hall in Linz is 10,000 euros a month."),
                        stated("The rent of the hall in Linz may be\n\n1,000 euros a month."),
                    ],
                },
                {
                    heading: "Terms",
                    table: {
                        columns: ["Term", "What holds"],
                        rows: [{ cells: ["Rent", "1,000 dollars"], claims: ["c1"] }],
                    },
                },
            ],
        }),
        says("review", { gaps_identified: [], contradictions: [] }),
        says("write", report("c1")),
    ]);
    await mission("start", "general-research", "Terms of the hall in Linz. Format: table", ...START);
    const markdown = await mission("report");
    const remark = "3 statements differed from their claims and are given in the claims' words.";
    assert.match(markdown, new RegExp(`^# The hall in Linz\n\n> ${remark}$`, "m"));
    assert.match(
        markdown,
        /^- The hall in Linz costs 1,000 euros a month\.\[\^c1\]$/m,
        "other words are no difference",
    );
    assert.equal(markdown.split(`- ${RENT}[^c1]\n`).length, 3);
    assert.ok(markdown.includes(`| Rent | ${RENT}[^c1] |`), markdown);
    assert.doesNotMatch(markdown, /10,000|may be|dollars/);
    assert.match(await mission("journal"), /An agent wrote a report; quality \d+ of 100; 3 statements differed/);

    // Another report has the questions that the plan had, and no others.
    await mission("report", "last", "--as", "a table");
    const again = JSON.parse(await mission("show", "last", "--json"));
    assert.deepEqual([again.outcome, again.unmet], ["satisfied", []]);
    const { items } = JSON.parse(await mission("graph", "last", "questions", "--json"));
    assert.deepEqual(
        items.map((/** @type {any} */ one) => one.text),
        [QUESTIONS[0]],
    );
});

test("the fact checker settles a contradiction by a citation that supports what stands", async (context) => {
    const { mission } = await lease(
        context,
        [
            SPLIT,
            planned(QUESTIONS[0], SECOND),
            says("coordinate", assigned(["library-researcher", "t1"], ["market-analyzer", "t2"])),
            says("coordinate", assigned(["fact-checker", "x1"])),
            says("settle", { reason: "The lease binds.", outcome: "preferred", claim: "c1", evidence: ["q1"] }),
            says("research", answered(RENT), "Which holds"),
            says("research", answered(LETTER), SECOND),
            says("research", answered(RENT), QUESTIONS[0]),
            says("write", report("c1", "c2")),
            says("review", { gaps_identified: [], contradictions: [] }),
        ],
        { letter: LETTER },
    );
    await mission("start", "general-research", "Terms of the hall in Linz. Format: table", ...START);
    const settled = await mission("graph", "last", "contradictions", "--json");
    assert.match(settled, /"by":"preferred","claim":"c1","evidence":\["q1"\]/);
    const markdown = await mission("report");
    assert.match(markdown, /\[\^c1\]/);
    assert.doesNotMatch(markdown, /1,200 euros/, "what was superseded is not in the report");
});

test("a contradiction is settled by hand: what gives way is in no report, and the reason stays", async (context) => {
    const { place, mission } = await lease(
        context,
        [
            planned(QUESTIONS[0], SECOND),
            says("research", answered(LETTER), SECOND),
            says("research", answered(RENT), QUESTIONS[0]),
        ],
        { letter: LETTER },
    );
    const folder = join(place.data, "workspaces", "default", "agents", "one-round");
    mkdirSync(folder, { recursive: true });
    const profile = {
        slug: "one-round",
        name: "One round",
        description: "Asks when its one iteration is over.",
        successCriteria: { qualityScore: 100 },
        constraints: { iterations: 1 },
        agents: { allow: ["library-researcher"], roles: { plan: "research-planner" } },
        pauses: ["limit"],
    };
    writeFileSync(join(folder, "mission.json"), JSON.stringify(profile));
    const start = [
        "mission",
        "start",
        "one-round",
        "Terms of the hall in Linz.",
        ...START.filter((arg) => arg !== "--yes"),
    ];
    const waits = await place.run(start, { env: { AGENTNATIVE_SCRIPT: join(place.work, "script.json") } });
    assert.equal(waits.code, 3, waits.stderr + waits.stdout);
    const [open] = JSON.parse(await mission("graph", "last", "contradictions", "--json")).items;
    assert.equal(open.status.state, "open");
    const [stays, gives] = open.claims;
    const settle = (/** @type {string[]} */ ...words) => place.run(["mission", "steer", "last", "--settle", ...words]);
    assert.match((await settle("x9", "both", "x")).stderr, /no open contradiction x9/);
    assert.match((await settle(open.id, "c9", "x")).stderr, new RegExp(`about ${stays} and ${gives}, not c9`));
    assert.match((await settle(open.id, stays, " ")).stderr, /needs a reason/);
    assert.equal((await settle(open.id, stays, "The lease binds.")).code, 3);
    await mission("steer", "last", "--write");
    const markdown = await mission("report");
    assert.match(markdown, /1,000 euros/);
    assert.doesNotMatch(markdown, /- .*1,200 euros/);
    const [settled] = JSON.parse(await mission("graph", "last", "contradictions", "--json")).items;
    assert.deepEqual(settled.status.settlement, { by: "person", claim: stays, reason: "The lease binds." });
    assert.match(await mission("journal"), /You settled: .*The lease binds\./);
});
