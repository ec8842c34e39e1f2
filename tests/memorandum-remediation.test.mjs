// What is done again after the checks of a memorandum, with a scripted model: grave questions that nobody answered are researched once
// more; a part with issues is given its own and no others, the executive summary as well; a part without issues stays as it is.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, test } from "node:test";

import { Place, jsonLines } from "./lib.mjs";

/** One for each subject of a section, so that the paragraph that they are is found for all of them. */
const SENTENCES = [
    "The founder of Larkspur in Linz holds sixty shares of common stock, and each of these shares carries one vote in every meeting of its holders.",
    "Each employee of Larkspur in Linz assigns every invention to the company and receives a severance of three months of wages where the employment is ended.",
    "A permit for the environmental treatment of waste water in Linz, with its liability for contamination, was granted to Larkspur by the city in the spring.",
    "The tax on the sales of Larkspur in Linz, with every withholding tax on licenses of its intellectual property, was paid for each year in full.",
    "On a change of control of Larkspur each customer in Linz may terminate its agreement within sixty days, and the annual fee is paid back for the rest.",
    "Approval by the regulatory authority for competition in Linz is needed before the transaction, and it takes three months after a complete notification has been filed.",
    "The annual recurring revenue of Larkspur in Linz comes from nine customers, and the contract of the largest of these customers was prepaid for three years.",
    "Personal data of the customers of Larkspur is kept in Linz by one processor, which has given notice of each breach within two days of it.",
    "A dispute of Larkspur with its insurance in Linz about the liability for a delay was settled by both parties in the autumn without a payment.",
];
const SECTION = "You write one section of a due-diligence memorandum";
const SUMMARY = "You write the executive summary of a due-diligence memorandum";
const REVIEWER = "You read a finished memorandum on a transaction as a reviewer";
const OPPOSITE = "The opposite view is not weighed in the section on permits";
const DISPUTE = "The summary leaves the dispute out";

/**
 * Sentences with their keys: they stand in one paragraph.
 * @param {number[]} which
 */
function text(which) {
    const cited = which.map((at) => `${SENTENCES[at]?.slice(0, -1)} [1.${at + 1}].`);
    return { synthesis: `## In short\n\n${cited.join(" ")}`, gaps: [], confidence: 0.9 };
}

const ALL = SENTENCES.map((_, at) => at);
/** What every call is answered with that no test answers otherwise. */
const ANSWERS = [
    {
        match: ["You are a specialist in a due-diligence team"],
        json: { ...text(ALL), findings: [], exposures: [], facts: [] },
    },
    { match: [SECTION], json: text(ALL) },
    { match: [SUMMARY], json: text([0, 1, 2, 3, 4]) },
    { match: [REVIEWER], json: { issues: [] } },
    { match: ["You sum up the sections of a finished memorandum"], json: { sections: [] } },
    { match: ["You judge whether the reports"], json: { score: 90, remarks: [] } },
    { match: ["You compare the reports of several specialists"], json: { conflicts: [] } },
];

/**
 * Writes a memorandum with a model that says this before all else. Gives it, its parts, how it came about, and an input of each run that
 * an attempt of a stage began.
 * @param {import("node:test").TestContext} context
 * @param {object[]} answers
 * @param {object[]} [replies] to its pauses; without them nobody attends
 */
async function memorandum(context, answers, replies) {
    const place = Place.for(context);
    const documents = join(place.work, "documents");
    mkdirSync(documents);
    writeFileSync(join(documents, "larkspur.md"), `# Larkspur\n\n${SENTENCES.join(" ")}\n`);
    const [input, script] = [join(place.work, "deal.json"), join(place.work, "script.json")];
    writeFileSync(input, JSON.stringify({ title: "Larkspur", documents, target: "Larkspur in Linz", focus: [] }));
    writeFileSync(script, JSON.stringify({ answers: [...answers, ...ANSWERS] }));
    const args = ["run", "deal-memorandum", "--input", input, "--depth", "outline", "--connection", "scripted"];
    const replied = join(place.work, "replies.json");
    writeFileSync(replied, JSON.stringify(replies ?? []));
    const attended = replies === undefined ? ["--yes"] : ["--answers", replied];
    const options = { env: { AGENTNATIVE_SCRIPT: script }, seconds: 400 };
    const done = await place.run([...args, ...attended, "--json"], options);
    const { run, document, unmet } = jsonLines(done.stdout).at(-1);
    // What nobody was asked to accept ends with another exit code.
    assert.equal(done.code, unmet === undefined ? 0 : 1, done.stderr + done.stdout);
    const events = jsonLines((await place.do(["show", "--events", run])).stdout);
    const begun = events.filter(({ type }) => type === "child_run_started");
    const written = readFileSync(document, "utf8");
    /** @param {string} stage @param {number} attempt @param {string} input */
    const given = async (stage, attempt, input) => {
        const runs = begun.filter(({ key }) => key.stage === stage && key.attempt === attempt);
        const shown = await Promise.all(runs.map(({ child }) => place.do(["show", child])));
        return shown.map(({ stdout }) => new RegExp(`"${input}": "(.*)"`).exec(stdout)?.[1]);
    };
    /** @param {string} heading */
    const part = (heading) => written.slice(written.indexOf(`\n## ${heading}`)).split("\n## ")[1] ?? "";
    const progress = JSON.parse((await place.do(["show", run, "--checkpoints", "--json"])).stdout);
    const reviews = events.filter(({ type, kind }) => type === "pause_requested" && kind === "gate");
    const decided = events.filter(
        ({ type, pause }) => type === "resumed" && reviews.some((review) => review.pause === pause),
    );
    return { written, given, part, progress, decided, folder: dirname(document) };
}

/** @type {(() => Promise<void>)[]} */
const ends = [];
after(async () => {
    for (const end of ends) await end();
});
/** @type {ReturnType<typeof memorandum> | undefined} */
let reviewed;

/** A memorandum whose reviewer finds two issues that are mended, once for the tests that look at it. */
function mended() {
    const context = /** @type {any} */ ({ after: (/** @type {() => Promise<void>} */ end) => ends.push(end) });
    const issues = [
        { id: "CRITICAL-101", dimension: "dim_2", severity: "CRITICAL", part: "IV-C", description: OPPOSITE },
        { id: "HIGH-101", dimension: "dim_4", severity: "HIGH", part: "summary", description: DISPUTE },
    ];
    reviewed ??= memorandum(context, [
        { match: [REVIEWER], times: 1, json: { issues } },
        { match: [SECTION, OPPOSITE], json: text([...ALL].reverse()) },
        { match: [SUMMARY, DISPUTE], json: text([8, 0, 1, 2, 3, 4]) },
    ]);
    return reviewed;
}

test("an issue is mended where it stands: by that section, or by the summary, and by nobody else", async () => {
    const { written, given, part, progress, folder } = await mended();
    const criteria = "Each section states and weighs the opposite view; No word of an advocate is left";
    assert.deepEqual(await given("remediation", 1, "feedback"), [
        `- CRITICAL: ${OPPOSITE}. Done when: ${criteria}.\\n`,
    ]);
    const [summary, ...others] = await given("summary_remediation", 1, "feedback");
    assert.match(summary ?? "", new RegExp(`^- HIGH: ${DISPUTE}\\. Done when: [^-]*$`));
    assert.deepEqual(others, []);
    const begins = (/** @type {string} */ heading) =>
        SENTENCES.findIndex((one) => part(heading).split("In short\n\n")[1]?.startsWith(one.slice(0, 40)));
    assert.deepEqual(["I. Executive Summary", "IV.A. ", "IV.B. ", "IV.C. ", "IV.D. "].map(begins), [8, 0, 0, 8, 0]);
    assert.match(written, /^\| Cycle of assessment \| 2 of 3 \|$/m);
    // The tasks of the first cycle are seen with what became of them.
    const tasks = progress.tables.find((/** @type {any} */ table) => table.title === "Remediation");
    assert.deepEqual(
        tasks.rows.map((/** @type {any[]} */ row) => [row[0].value.split(":")[0], row[2].value]),
        [
            ["W2-002", "settled"],
            ["W2-003", "settled"],
            // No amount at risk and no answer to what is critical: the documents have none.
            ["W2-005", "left as a limitation"],
            ["W2-006", "left as a limitation"],
        ],
    );
    const cycles = progress.checkpoints.filter((/** @type {any} */ one) => one.trigger === "repair_started");
    assert.ok(cycles.some((/** @type {any} */ one) => one.title === "A2_DIAGNOSTIC"));
    assert.doesNotMatch(written, new RegExp(`${OPPOSITE}|${DISPUTE}`));
    // Each cycle of the assessment has its time in the state, that of the first from the log of the memorandum.
    const { qa_cycle: assessed } = JSON.parse(readFileSync(join(folder, "qa-diagnostic-state.json"), "utf8"));
    const times = assessed.cycle_history.map((/** @type {any} */ one) => Date.parse(one.timestamp));
    assert.deepEqual([times.length, times.every(Number.isFinite), times[0] < times[1]], [2, true, true]);
});

test("what no cycle of assessment certifies is reviewed by a person: one more cycle with their words, then accepted as it stands", async (context) => {
    const issues = [
        { id: "CRITICAL-101", dimension: "dim_2", severity: "CRITICAL", part: "IV-C", description: OPPOSITE },
    ];
    const answers = [{ match: [REVIEWER], json: { issues } }];
    const review = [
        { choice: "again", text: "Mind the permit." },
        { choice: "certify", text: "The client knows of the permit." },
    ];
    const { written, given, decided, progress } = await memorandum(context, answers, [
        ...[{ choice: "proceed" }, { choice: "proceed" }],
        ...review,
    ]);
    assert.deepEqual(
        decided.map(({ decision }) => [decision.action.do, decision.text]),
        [
            ["again", "Mind the permit."],
            ["certify", "The client knows of the permit."],
        ],
    );
    // Only the last cycle of remediation has the reviewer's words.
    const repairs = progress.checkpoints.filter(
        (/** @type {any} */ one) => one.trigger === "repair_started" && one.title === "A2_DIAGNOSTIC",
    );
    const [last] = await given("remediation", repairs.length, "feedback");
    assert.match(last ?? "", new RegExp(`^- The reviewer: Mind the permit\\.\\\\n- CRITICAL: ${OPPOSITE}`));
    const [first] = await given("remediation", 1, "feedback");
    assert.match(first ?? "", new RegExp(`^- CRITICAL: ${OPPOSITE}`));
    assert.match(
        written,
        /^- Manual review: the cycles of assessment did not settle what is left\. A reviewer accepted it as it stands on 20\d\d-\d\d-\d\d: The client knows of the permit\.$/m,
    );

    const alone = await memorandum(context, answers);
    assert.deepEqual(
        alone.decided.map(({ decision }) => [decision.action.do, decision.unattended]),
        [["certify", true]],
    );
    assert.match(
        alone.written,
        /^The memorandum is (?:not certified|certified with the limitations below: its cycles)/m,
    );
    assert.match(alone.written, /^- Manual review: [^\n]*somebody has to look at it\.$/m);
});

test("what only the last wave concerns is written again in it; what the second wave wrote is not, once its checks find nothing", async (context) => {
    const [PLACE, PERMIT] = ["The footnotes of this section name no page", "The permit is praised in this section"];
    const issue = (/** @type {string} */ id, /** @type {string} */ dimension, /** @type {string} */ part) => ({
        id,
        dimension,
        severity: "CRITICAL",
        part,
        description: dimension === "dim_5" ? PLACE : PERMIT,
    });
    const issues = [
        issue("CRITICAL-101", "dim_5", "IV-B"),
        issue("CRITICAL-102", "dim_5", "IV-C"),
        issue("CRITICAL-103", "dim_2", "IV-C"),
    ];
    const { given, part } = await memorandum(context, [
        { match: [REVIEWER], times: 1, json: { issues } },
        { match: [SECTION, PLACE], json: text([...ALL].reverse()) },
    ]);
    const [second, ...others] = await given("remediation", 1, "feedback");
    // The section of both waves is given the issues of both.
    assert.match(second ?? "", new RegExp(`CRITICAL: ${PERMIT}[^]*CRITICAL: ${PLACE}`));
    assert.deepEqual(others, []);
    const last = await given("closing_wave", 1, "feedback");
    assert.deepEqual([last.length, last[0]?.includes(PLACE), last[0]?.includes(PERMIT)], [1, true, false]);
    for (const heading of ["IV.B. ", "IV.C. "]) assert.match(part(heading), /In short\n\n“?A dispute of Larkspur/);
});

test("what keeps a memorandum from being ready goes to the sections that it is about", async (context) => {
    const { given, part } = await memorandum(context, [
        { match: [SECTION, "(too short)"], json: text([8, 7, 6, 5]) },
        { match: [SECTION, "Environmental matters"], json: { ...text([]), synthesis: "[TBD]" } },
    ]);
    const [feedback, ...others] = await given("memo_sections", 2, "feedback");
    assert.match(feedback ?? "", /^- 1 words; at least 20 \(too short\)/);
    assert.deepEqual(others, []);
    assert.deepEqual(await given("executive_summary", 2, "feedback"), [""]);
    assert.match(part("IV.C. "), /A dispute of Larkspur/);
});

test("grave questions that no specialist answered are researched once more, three at most, and what was validated is validated again", async () => {
    const { given, written } = await mended();
    const briefs = await given("specialist_reports", 2, "brief");
    assert.equal(briefs.length, 3);
    for (const brief of briefs) assert.match(brief ?? "", /^[^?]+ [A-Z][^?]+\?/);
    for (const validator of ["fact_validation", "research_review", "coverage", "risk"])
        assert.equal((await given(validator, 2, "title")).length, 1, validator);
    assert.deepEqual(await given("specialist_reports", 3, "brief"), []);
    // What stays open is named as before.
    assert.match(written, /### Questions that no specialist answered/);
});
