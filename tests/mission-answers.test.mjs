// A mission whose model answers as models do: around the JSON, in another shape, cut, with words in place of an answer, with sources
// that nobody read. It ends with a report that rests on what was read, and pays for nothing twice.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Place } from "./lib.mjs";
import { END, QUESTIONS, RENT, ROLES, quoted } from "./mission-lease.mjs";

/** @typedef {import("./mission-lease.mjs").Role} Role */

const PARTS = { objective: "What are the terms of the hall in Linz?", output_specification: "" };
const PLAN = { questions: QUESTIONS.map((text) => ({ text, section: "", required: true })) };
const STEP = {
    assignments: ["t1", "t2"].map((task) => ({ agent: "library-researcher", task })),
    exit: false,
    reasons: "Both are open.",
};
const REPORT = {
    title: "The hall in Linz",
    sections: [
        {
            heading: "Terms",
            form: "list",
            statements: [
                { text: RENT, claims: ["c1"] },
                { text: END, claims: ["c2"] },
            ],
        },
    ],
};
const REVIEW = { gaps_identified: [], contradictions: [] };
const found = (/** @type {string} */ sentence) => ({
    synthesis: `${sentence.slice(0, -1)} [@1.1].`,
    gaps: [],
    confidence: 1,
});

/**
 * @param {Role} role
 * @param {object} answer
 * @param {string} [more] what its request has to hold besides
 */
const says = (role, answer, more = "") => ({ match: [ROLES[role], more], ...answer });
const json = (/** @type {unknown} */ value) => ({ json: value });

/** The answers of a model that makes no mistake. */
const RIGHT = [
    says("split", json(PARTS)),
    says("plan", json(PLAN)),
    says("coordinate", json(STEP)),
    says("research", json(found(RENT)), QUESTIONS[0]),
    says("research", json(found(END)), QUESTIONS[1]),
    says("write", json(REPORT)),
    says("review", json(REVIEW)),
];

/** @param {import("node:test").TestContext} context */
async function lease(context) {
    const place = Place.for(context);
    const folder = join(place.work, "lease");
    mkdirSync(folder);
    for (const [name, text] of Object.entries({ rent: RENT, end: END }))
        writeFileSync(join(folder, `${name}.md`), `# ${name}\n\n${text}\n`);
    await place.do(["kb", "ingest", folder, "--base", "lease"]);
    /**
     * Runs a mission to its end.
     * @param {object[]} answers the first one that fits answers
     * @param {string} objective
     */
    return async (answers, objective = "Terms of the hall in Linz") => {
        const script = join(place.work, "script.json");
        writeFileSync(script, JSON.stringify({ answers }));
        const env = { AGENTNATIVE_SCRIPT: script };
        const ask = ["mission", "start", "general-research", objective, "--corpus", "lease"];
        const done = await place.run([...ask, "--connection", "scripted", "--yes"], { env });
        assert.equal(done.code, 0, done.stderr);
        const shown = JSON.parse((await place.do(["mission", "show", "--json"])).stdout);
        const report = (await place.do(["mission", "report"])).stdout;
        const journal = (await place.do(["mission", "journal"])).stdout;
        assert.deepEqual(quoted(report, [RENT, END]).made, [], report);
        return { shown, report, journal };
    };
}

/** @param {any} shown */
const failures = (shown) =>
    shown.invocations
        .filter((/** @type {any} */ one) => one.problem !== null)
        .map((/** @type {any} */ one) => one.problem.message);

test("what only has another shape is read, and no agent is asked again", async (context) => {
    const mission = await lease(context);
    const once = (/** @type {any} */ answer) => ({ ...answer, times: 1 });
    const text = JSON.stringify(PARTS, undefined, 2);
    const { questions } = PLAN;
    const { assignments, reasons } = STEP;
    const section = {
        ...REPORT.sections[0],
        form: "List",
        statements: [
            { text: "Here is what was found.", claims: [] },
            { text: RENT, claims: "c1" },
            { text: END, claims: ["c2"], note: "sure" },
        ],
    };
    const { shown, report } = await mission(
        [
            says("split", { text: `Here it is:\n\n\`\`\`json\n${text}\n\`\`\`\n\nTell me if you need more.` }),
            says("plan", json([{ questions: questions.map((one) => ({ ...one, section: null, required: "true" })) }])),
            says("coordinate", json({ decision: { assignments, reasons, exit: "False" } })),
            says(
                "research",
                { text: `{"synthesis": "${RENT.slice(0, -1)} [@1.1].", "confidence": "0.9",}` },
                QUESTIONS[0],
            ),
            says("research", json({ ...found(END), gaps: null, sources: ["end.md"] }), QUESTIONS[1]),
            says("write", json({ ...REPORT, sections: section })),
            says("review", json({ gaps_identified: [] })),
        ].map(once),
    );
    assert.deepEqual([shown.outcome, failures(shown)], ["satisfied", []]);
    for (const sentence of [RENT, END]) assert.ok(report.includes(`- ${sentence}[^c`), report);
    assert.doesNotMatch(report, /Here is what was found/, "what rests on no claim is left out");
});

test("whatever its agents answer, a mission ends with a report from what was found", async (context) => {
    const mission = await lease(context);
    const research = RIGHT.filter((one) => one.match[0] === ROLES.research);
    const half = JSON.stringify(REPORT).slice(0, 80);
    for (const [answer, problem] of /** @type {[object, RegExp][]} */ ([
        [
            { text: "I'm sorry, I can't help with that.", stop: "refusal" },
            /declined to answer.*I'm sorry, I can't help/,
        ],
        [{ text: "I cannot help with this request." }, /no complete JSON.*it says: “I cannot help with this request/],
        [{ text: half, stop: "max_tokens" }, /cut at the output limit/],
        [{ text: "" }, /the answer is empty/],
        [
            {
                text: "Let me look.",
                calls: [
                    { name: "search", arguments: {} },
                    { name: "read", arguments: "x" },
                ],
            },
            /called a tool \(search, read\)/,
        ],
    ])) {
        const roles = /** @type {Role[]} */ (["split", "plan", "coordinate", "write", "review"]);
        const failing = roles.map((role) => says(role, answer));
        // Without a plan the objective is the question.
        const { shown, report, journal } = await mission([...failing, ...research], QUESTIONS[0]);
        const told = failures(shown);
        assert.ok(told.length >= 4 && told.every((/** @type {string} */ one) => problem.test(one)), told.join("\n"));
        assert.ok(shown.invocations.length <= 12, "the budget is not spent on failures");
        assert.ok(report.includes(RENT), report);
        assert.match(journal, /Synthesis Agent failed: [^]*A report was made from the graph/);
    }
    const { shown } = await mission([
        ...RIGHT.filter((one) => one.match[0] !== ROLES.research),
        says("research", { text: "No." }),
    ]);
    assert.deepEqual(
        [shown.outcome, shown.unmet.includes("evidence")],
        ["partial", true],
        "nothing found is no success",
    );
});

test("nothing that nobody read is believed, research does not end before it began, and an empty report is none", async (context) => {
    const mission = await lease(context);
    const exit = says("coordinate", json({ assignments: [], exit: true, reasons: "I know all of it." }));
    const made = {
        synthesis:
            "The rent is 900 euros [@99.1]. The rent of the hall in Linz is 800 euros a month [@1.1]. It is due on Mondays (Contract 7.2). See [the site](https://made.example/up).",
        citations: [{ source_ref: "Contract 7.2", quote: "due on Mondays" }],
        gaps: ["", "x".repeat(900)],
        confidence: 1,
    };
    const twice = `${END.slice(0, -1)} [@1.1]. ${END.slice(0, -1)} [@1.1].`;
    const empty = {
        title: "Done",
        sections: [{ heading: "All", statements: [{ text: "All is well.", claims: ["c99"] }] }],
    };
    const answers = [
        exit,
        says("research", json(made), QUESTIONS[0]),
        says("research", json({ ...found(END), synthesis: twice }), QUESTIONS[1]),
        says("write", json(empty)),
        says(
            "review",
            json({ gaps_identified: [], contradictions: [{ first: "c1", second: "c98", about: "nothing" }] }),
        ),
    ];
    const { shown, report, journal } = await mission([...answers, ...RIGHT]);
    assert.equal(shown.outcome, "partial");
    assert.match(journal, /proposal was refused: it ends research, but nothing was looked into yet/);
    assert.equal(shown.facts.counts.supported_claims, 1, "said twice, known once");
    assert.doesNotMatch(report, /[89]00|Mondays|made\.example|All is well/);
    assert.ok(report.includes(END), report);
    assert.ok(quoted(report, [END]).quotes.length > 0, report);
    assert.equal(
        quoted(`${report}\n[^c9]: up: "due on Mondays" [c9]\n`, [END]).made.length,
        1,
        "it is seen where it is there",
    );
});
