// The agent `memo-section-writer` at full depth with a scripted model: a plan of the section, then a call for each subsection, put together
// in order; without a model and at the small depth it is one call.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Place, until } from "./lib.mjs";

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
const SENTENCES = Array.from(
    { length: 12 },
    (_, at) =>
        `Under clause ${at + 1} the landlord of hall ${at + 1} in Linz may end the lease with a notice of ${at + 2} months in writing once a ` +
        `year, unless the tenant has paid the rent of hall ${at + 1} for the whole year in advance.`,
);
const PLAN = "You plan one section of a due-diligence memorandum";
const WRITE = "You write one section of a due-diligence memorandum";
const POINT = { subsection: "C_risk_assessment", point: "The notice may come at a bad time" };
const MEND = "An answer to a question was checked.";
/** Enough words for a whole section, where each subsection has them. */
const WHOLE = cited([...SENTENCES, ...SENTENCES]);

/**
 * Sentences with their keys: they stand in one paragraph.
 * @param {string[]} sentences
 */
function cited(sentences) {
    const key = (/** @type {string} */ sentence) => `[@1.${SENTENCES.indexOf(sentence) + 1}]`;
    return sentences.map((sentence) => `${sentence.slice(0, -1)} ${key(sentence)}.`).join(" ");
}

/**
 * What a scripted model answers for one subsection, once.
 * @param {string} heading
 * @param {string} text
 * @param {string} [title] the heading that it writes
 */
function subsection(heading, text, title = heading) {
    const synthesis = `## ${title}\n\n${text}`;
    return { match: [WRITE, `"heading":"${heading}"`], times: 1, json: { synthesis, gaps: [], confidence: 0.9 } };
}

/**
 * Runs the section at full depth with a model that says this. Gives the session's folder and the section.
 * @param {{ place: Place, args: string[] }} lease
 * @param {object[]} answers besides the plan of the section
 */
async function write({ place, args }, answers) {
    const script = join(place.work, "script.json");
    writeFileSync(
        script,
        JSON.stringify({ answers: [{ match: [PLAN], times: 1, json: { points: [POINT] } }, ...answers] }),
    );
    const done = await place.run([...args, "--depth", "full", "--connection", "scripted"], {
        env: { AGENTNATIVE_SCRIPT: script },
        seconds: 180,
    });
    assert.equal(done.code, 0, done.stderr);
    const [{ session }] = await place.runs();
    const folder = join(place.data, "sessions", session);
    return { folder, section: read(folder, /section-reports\/IV-C\.md$/) };
}

/** @param {import("node:test").TestContext} context */
async function lease(context) {
    const place = Place.for(context);
    const folder = join(place.work, "lease");
    mkdirSync(folder);
    writeFileSync(join(folder, "lease.md"), `# Lease\n\n${SENTENCES.join(" ")}\n`);
    await place.do(["kb", "ingest", folder, "--base", "lease"]);
    const input = join(place.work, "section.json");
    const queries = ["notice of the landlord", "rent in advance"];
    const inputs = { section_id: "C", title: "Leases", brief: "Who may end the leases in Linz, and when", queries };
    writeFileSync(input, JSON.stringify(inputs));
    const args = ["run", "memo-section-writer", "--input", input, "--corpus", "lease", "--yes"];
    return { place, args };
}

/**
 * @param {string} folder
 * @param {RegExp} name
 */
function read(folder, name) {
    const found = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((path) => name.test(path));
    assert.ok(found !== undefined, `no file ${name}`);
    return readFileSync(join(folder, found), "utf8");
}

test("each subsection is a call of its own, and together they are the section", async (context) => {
    const part = (/** @type {string} */ heading) => {
        const { match, json, ...answer } = subsection(heading, WHOLE);
        const isRisk = heading === "Risk";
        return {
            ...answer,
            match: isRisk ? [...match, POINT.point] : match,
            json: { ...json, gaps: isRisk ? ["the deposit"] : [] },
        };
    };
    // Asked for in any order: they are written at the same time.
    const { folder, section } = await write(await lease(context), [...HEADINGS].reverse().map(part));
    const headings = [...section.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading);
    assert.deepEqual(headings.slice(0, HEADINGS.length), HEADINGS);
    assert.ok(section.split(/\s+/).length > 3_000);
    const state = JSON.parse(read(folder, /section-writer-state-IV-C\.json$/));
    assert.equal(state.phases_complete.phase_3_structure, true);
    assert.deepEqual([...new Set(Object.values(state.subsections_status))], ["complete"]);
});

test("a statement that does not hold is replaced, and no subsection is written again", async (context) => {
    const wrong = "The rent of every hall in Linz is low.";
    const { section } = await write(await lease(context), [
        ...HEADINGS.map((heading) => subsection(heading, heading === "Risk" ? `${wrong} ${WHOLE}` : WHOLE)),
        // The statement's number: those of the subsections before it come first.
        {
            match: [MEND, wrong],
            times: 1,
            json: { replacements: [{ n: 6 * 2 * SENTENCES.length + 1, text: cited(SENTENCES.slice(0, 1)) }] },
        },
    ]);
    assert.ok(!section.includes(wrong), section.slice(0, 2_000));
    const risk = section.slice(section.indexOf("### Risk"), section.indexOf("### Links to other sections"));
    assert.equal(risk.split("the landlord of hall 1 in Linz").length - 1, 3);
});

test("the words of a subsection that the program is killed in are kept and shown, and it goes on from them afterwards", async (context) => {
    const { place, args } = await lease(context);
    const script = join(place.work, "script.json");
    const scripted = (/** @type {object[]} */ answers) =>
        writeFileSync(script, JSON.stringify({ answers: [{ match: [PLAN], json: { points: [POINT] } }, ...answers] }));
    scripted(
        HEADINGS.map((heading) => {
            const answer = subsection(heading, WHOLE);
            // Most of its text comes, and its end never.
            return heading === "Risk" ? { ...answer, chunks: 40, delayMs: 200, hang: true, after: 25 } : answer;
        }),
    );
    const env = { AGENTNATIVE_SCRIPT: script };
    const started = place.start([...args, "--depth", "full", "--connection", "scripted", "--json"], { env });
    // Other subsections come in one piece. The state file follows within seconds.
    const isDrafted = () => /"type":"model_call_drafted","key":\{[^}]*"item":6\}/.test(started.stdout);
    const sessions = join(place.data, "sessions");
    const isInState = () =>
        readdirSync(sessions, { recursive: true, encoding: "utf8" })
            .filter((path) => path.endsWith("section-writer-state-IV-C.json"))
            .some((path) => JSON.parse(readFileSync(join(sessions, path), "utf8")).drafts.length > 0);
    assert.ok(await until(() => isDrafted() && isInState(), 120_000), started.stdout.slice(-2_000) + started.stderr);
    started.kill("SIGKILL");
    await started.ended;

    const progress = JSON.parse((await place.do(["show", "--checkpoints", "--json"])).stdout);
    const draft = progress.drafts.find((/** @type {any} */ one) => one.title === "Analysis, 7");
    assert.ok(draft.words >= 250, JSON.stringify(draft));
    assert.match(draft.text, /^## Risk\n\nUnder clause 1 the landlord of hall 1 in Linz/);
    const written = progress.checkpoints.filter((/** @type {any} */ one) => one.trigger === "words_written");
    assert.ok(written.some((/** @type {any} */ one) => one.words === draft.words));
    const shown = (await place.do(["show", "--checkpoints"])).stdout;
    assert.match(
        shown,
        new RegExp(`words_written.*${draft.words} words[^]*Draft: Analysis, 7, ${draft.words} words\n  ## Risk`),
    );
    const [{ session }] = await place.runs();
    const state = JSON.parse(read(join(place.data, "sessions", session), /section-writer-state-IV-C\.json$/));
    await place.do(["schema", "check", join(place.data, "sessions", session, "section-writer-state-IV-C.json")]);
    assert.match(state.drafts.at(-1).text, /^## Risk\n\nUnder clause 1/);
    assert.ok(state.metrics.word_count >= 250, JSON.stringify(state.metrics));

    // Nobody answers for the whole subsection any more: only the rest of it is there.
    const kept = draft.text.slice(0, draft.text.search(/\S*$/));
    const whole = `## Risk\n\n${WHOLE}`;
    assert.ok(whole.startsWith(kept.trimEnd()));
    const rest = { synthesis: whole.slice(kept.trimEnd().length).trimStart(), gaps: [], confidence: 0.9 };
    scripted([
        { match: [WRITE, '"heading":"Risk"', "of its field `synthesis`"], times: 1, json: rest },
        ...HEADINGS.filter((heading) => heading !== "Risk").map((heading) => subsection(heading, WHOLE)),
    ]);
    const resumed = await place.run(["resume", "--last", "--yes", "--json"], { env });
    assert.equal(resumed.code, 0, resumed.stderr);
    assert.match(resumed.stdout, new RegExp(`continued from a draft of ${draft.words} words`));
    const section = read(join(place.data, "sessions", session), /section-reports\/IV-C\.md$/);
    assert.deepEqual([...section.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading).slice(0, 9), HEADINGS);
    const risk = section.slice(section.indexOf("### Risk"), section.indexOf("### Links to other sections"));
    assert.equal(risk.split("the landlord of hall 1 in Linz").length - 1, 2);
    assert.equal("drafts" in JSON.parse((await place.do(["show", "--checkpoints", "--json"])).stdout), false);
    await place.do(["replay", "--redrive"]);
});

test("an analysis that does not come back to its conclusion is written again", async (context) => {
    const { section } = await write(await lease(context), [
        ...HEADINGS.map((heading) =>
            // What should be the conclusion stands under another heading.
            subsection(heading, WHOLE, heading === "Conclusion" ? "Summary" : heading),
        ),
        ...HEADINGS.map((heading) => {
            const answer = subsection(heading, WHOLE);
            return {
                ...answer,
                match: [...answer.match, "REPAIR_FEEDBACK", "conclusion does not stand where it belongs"],
            };
        }),
    ]);
    const headings = [...section.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading);
    assert.deepEqual(headings.slice(0, HEADINGS.length), HEADINGS);
});

test("a section that is too short is written again, part by part", async (context) => {
    const short = cited(SENTENCES.slice(0, 1));
    const { section } = await write(await lease(context), [
        ...HEADINGS.map((heading) => subsection(heading, short)),
        ...HEADINGS.map((heading) => {
            const answer = subsection(heading, WHOLE);
            return { ...answer, match: [...answer.match, "REPAIR_FEEDBACK"] };
        }),
    ]);
    assert.ok(section.split(/\s+/).length > 3_000, section);
});

test("at the small depth the section is one call, and the state says what it does without", async (context) => {
    const { place, args } = await lease(context);
    const done = await place.run([...args, "--depth", "outline"]);
    assert.equal(done.code, 0, done.stderr);
    const [{ session }] = await place.runs();
    const folder = join(place.data, "sessions", session);
    assert.match(read(folder, /section-reports\/IV-C\.md$/), /may end the lease with a notice[^\n]*\[\^\d+\]/);
    const state = JSON.parse(read(folder, /section-writer-state-IV-C\.json$/));
    assert.equal(state.status, "complete");
    assert.equal(state.phases_complete.phase_3_structure, false);
});
