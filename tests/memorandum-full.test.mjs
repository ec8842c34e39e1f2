// The agent `deal-memorandum` at full depth with a scripted model: questions presented and brief answers, an analysis that runs from its
// conclusion back to it, a draft provision for each grave finding, tasks with criteria that code tests; and what is left out without a model.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Place, jsonLines } from "./lib.mjs";
import { unzip } from "./zip.mjs";

/** The sections, and what the documents say for each of them. */
const SECTIONS = Object.entries({
    "Corporate structure and capitalization": "shares of common stock and their holders",
    "Employment and labor": "employment agreements and inventions",
    "Environmental matters": "environmental permits and contamination",
    "Intellectual property": "licenses of intellectual property",
    "Regulatory approval": "approval by the regulatory authority for competition",
    Tax: "tax on sales and withholding tax",
    "Customer contracts": "change of control and termination by customers",
    "Revenue quality and concentration": "annual recurring revenue and prepaid contracts",
    "Data protection and security": "personal data and its processors",
    "Disputes, liability and insurance": "disputes, liability and insurance",
});
const TOPICS = SECTIONS.map(([, topic]) => topic);
const SENTENCES = TOPICS.map(
    (topic, at) =>
        `Under clause ${at + 1} of the master agreement with Orchard Foods, the matter of ${topic} is settled by Larkspur in Linz in writing ` +
        `within ${at + 20} days for a fee of $${at + 1},200,000 a year, unless the customer has agreed to something else before.`,
);
const PLAN = "You plan one section of a due-diligence memorandum";
const SECTION = "You write one section of a due-diligence memorandum";
const SUMMARY = "You write the executive summary of a due-diligence memorandum";
const QUESTIONS = "You write the questions presented of a due-diligence memorandum";
const DRAFT = "You draft provisions for the purchase agreement";
const HEADINGS = [
    "In short",
    "Framework",
    "Explanation",
    "Application",
    "Counter-analysis",
    "Conclusion",
    "Risk",
    "Links to other sections",
    "Recommendations",
];
const CITED = SENTENCES.map((sentence, at) => `${sentence.slice(0, -1)} [1.${at + 1}].`);
/** Fewer words than a whole section has: what is too short is written again, and stands with that limitation. */
const SHORT = CITED.slice(0, 2).join(" ");
const FINDING = { id: "CoC-1", part: "G", severity: "CRITICAL", title: "The customer may terminate", keys: [] };

/** @param {string} synthesis */
const text = (synthesis) => ({ synthesis, gaps: [], confidence: 0.9 });

/**
 * Questions with their answers, the gravest first.
 * @param {number} count
 */
function questions(count) {
    const list = (/** @type {(at: number, first: boolean) => string} */ item) =>
        Array.from({ length: count }, (_, at) => `${at + 1}. ${item(at % TOPICS.length, at === 0)}`).join("\n");
    const asked = list(
        (at, first) =>
            `Under clause ${at + 1} of the Master Agreement with Orchard Foods, does the matter of ${TOPICS[at]} end the transaction when ` +
            `Larkspur pays $${at + 1},200,000 within ${at + 20} days (${first ? "CRITICAL" : "HIGH"}; Section IV.G)?`,
    );
    return `## Questions presented\n\n${asked}\n\n## Brief answers\n\n${list((at) => `Probably no. ${CITED[at]}`)}`;
}

const PROVISION = {
    id: "G-P1",
    kind: "indemnity",
    title: "Indemnity for the loss of Orchard Foods",
    text:
        "The Seller shall indemnify the Buyer against every loss that arises because Orchard Foods terminates its Master Agreement within sixty " +
        "days of the closing, up to an amount equal to the annual fees under that agreement.",
    findings: ["CoC-1"],
};

/** What every call is answered with that no test answers otherwise. */
const ANSWERS = [
    {
        match: ["You are a specialist in a due-diligence team", "Commercial contracts"],
        json: { ...text(`## In short\n\n${SHORT}`), findings: [FINDING], exposures: [], facts: [] },
    },
    {
        match: ["You are a specialist in a due-diligence team"],
        json: { ...text(`## In short\n\n${SHORT}`), findings: [], exposures: [], facts: [] },
    },
    { match: [PLAN], json: { points: [{ subsection: "in_short", point: "It is settled in writing" }] } },
    ...SECTIONS.flatMap(([title], at) =>
        HEADINGS.map((heading) => ({
            match: [SECTION, `"heading":"${heading}"`, `<TITLE>\n${title}\n</TITLE>`],
            json: text(`## ${heading}\n\n${CITED[at]}`),
        })),
    ),
    { match: [SUMMARY], json: text(`## In short\n\n${SHORT}`) },
    { match: [QUESTIONS], json: text(questions(12)) },
    { match: [DRAFT], json: { provisions: [PROVISION] } },
    { match: ["You read a finished memorandum on a transaction as a reviewer"], json: { issues: [] } },
    { match: ["You sum up the sections of a finished memorandum"], json: { sections: [] } },
    { match: ["You judge whether the reports"], json: { score: 90, remarks: [] } },
    { match: ["You compare the reports of several specialists"], json: { conflicts: [] } },
];

/**
 * Writes a memorandum at full depth; without answers no model is asked.
 * @param {import("node:test").TestContext} context
 * @param {object[]} [answers] what the model says before all else
 */
async function memorandum(context, answers) {
    const place = Place.for(context);
    const documents = join(place.work, "documents");
    mkdirSync(documents);
    writeFileSync(join(documents, "orchard.md"), `# Master Agreement with Orchard Foods\n\n${SENTENCES.join(" ")}\n`);
    const [input, script] = [join(place.work, "deal.json"), join(place.work, "script.json")];
    writeFileSync(input, JSON.stringify({ title: "Larkspur", documents, target: "Larkspur in Linz", focus: [] }));
    writeFileSync(script, JSON.stringify({ answers: [...(answers ?? []), ...ANSWERS] }));
    const args = ["run", "deal-memorandum", "--input", input, "--depth", "full", "--yes", "--json"];
    const model = answers ? ["--connection", "scripted"] : [];
    const done = await place.run([...args, ...model], { env: { AGENTNATIVE_SCRIPT: script }, seconds: 400 });
    const { run, document, unmet } = jsonLines(done.stdout).at(-1);
    // What nobody was asked to accept ends with another exit code.
    assert.equal(done.code, unmet === undefined ? 0 : 1, done.stderr + done.stdout);
    const written = readFileSync(document, "utf8");
    const folder = join(place.data, "sessions", (await place.runs())[0].session);
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    const read = (/** @type {RegExp} */ name) =>
        readFileSync(join(folder, files.find((file) => name.test(file)) ?? "none"), "utf8");
    /** @param {string} heading */
    const part = (heading) => written.slice(written.indexOf(`\n## ${heading}`)).split("\n## ")[1] ?? "";
    const events = jsonLines((await place.do(["show", "--events", run])).stdout);
    const begun = events.filter(({ type }) => type === "child_run_started");
    return { place, run, written, part, read, begun };
}

test("a memorandum at full depth has questions, brief answers, an analysis in order and provisions, in every format", async (context) => {
    const { place, run, written, part, read } = await memorandum(context, []);
    const asked = part("I.A. Questions presented and brief answers");
    assert.match(asked, /### Questions presented\n\n1\. Under clause 1 of [^\n]*\(CRITICAL; Section IV\.G\)\?/);
    assert.match(asked, /### Brief answers\n\n1\. Probably no\. Under clause 1 of [^\n]*\[\^\d+\]/);
    assert.equal(asked.match(/^\d+\. Probably no\./gm)?.length, 12);

    const customers = part("IV.G. Customer contracts");
    const headings = [...customers.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading);
    assert.deepEqual(headings, [...HEADINGS, "Draft provisions"]);
    assert.match(customers, /^#### G-P1\. Indemnity for the loss of Orchard Foods$/m);
    assert.match(customers, /^\*Indemnity; settles CoC-1\*$/m);
    assert.match(customers, /^> The Seller shall indemnify the Buyer/m);
    // A section without a grave finding has none.
    assert.doesNotMatch(part("IV.F. Tax"), /Draft provisions/);
    const state = JSON.parse(read(/section-writer-state-IV-G\.json$/));
    assert.deepEqual([...new Set(Object.values(state.subsections_status))], ["complete"]);
    // Its finding is dealt with by words of its title.
    assert.equal(state.metrics.findings_written, "1/1");

    const { tasks } = JSON.parse(read(/^certificate\.json$/));
    const settled = tasks.map((/** @type {any} */ task) => task.id);
    for (const id of ["W2-001", "W2-004", "W3-001-SCAN"]) assert.ok(!settled.includes(id), `${id} is planned`);
    // What no wave settled is a limitation, with what was measured.
    assert.match(
        part("V. Certificate and limitations"),
        /^- Task W2-006 \(Missing and short parts; wave 2, high\) is not done: [^\n]*The words reach their target \(measured: \d+\)/m,
    );

    for (const [format, wanted] of /** @type {const} */ ([
        ["docx", /Brief answers[\s\S]*Probably no\.[\s\S]*G-P1\. Indemnity[\s\S]*The Seller shall indemnify/],
        ["html", /Brief answers[\s\S]*Probably no\.[\s\S]*G-P1\. Indemnity[\s\S]*The Seller shall indemnify/],
    ])) {
        const out = join(place.work, `memo.${format}`);
        await place.do(["export", run, "--format", format, "-o", out]);
        const bytes = readFileSync(out);
        assert.match(format === "docx" ? String(unzip(bytes).get("word/document.xml")) : String(bytes), wanted);
    }
    const pages = join(place.work, "memo.pdf");
    await place.do(["export", run, "--format", "pdf", "-o", pages]);
    assert.match(readFileSync(pages).subarray(0, 8).toString("latin1"), /^%PDF-1\.7/);
    // A question states nothing: its answer does.
    assert.match(part("V. Certificate and limitations"), /^\| Statements \| (?:(?!uncited).)*\|$/m);
    assert.doesNotMatch(written, /No model was asked/i);
});

test("questions that are too few are put again by the agent that puts them, with what shows that it is done", async (context) => {
    const { part, begun } = await memorandum(context, [
        { match: [QUESTIONS, "Done when: 12 questions in the form"], json: text(questions(12)) },
        { match: [QUESTIONS], json: text(questions(3)) },
    ]);
    assert.ok(begun.some(({ key }) => key.stage === "questions_remediation"));
    assert.equal(part("I.A. Questions").match(/^\d+\. Probably no\./gm)?.length, 12);
    assert.doesNotMatch(part("V. Certificate and limitations"), /Task W2-001/);
});

test("without a model the memorandum says that it has no questions, answers or provisions", async (context) => {
    const { written, part } = await memorandum(context);
    assert.doesNotMatch(written, /Questions presented and brief answers\n|Draft provisions\n/);
    assert.match(
        part("V. Certificate and limitations"),
        /^- Questions presented, brief answers and draft provisions are written by a model\. None was asked/m,
    );
});
