// npm run everyday -- --corpora <folder>: asks the built program sixty everyday questions offline and counts how often the paragraph that
// answers each one was retrieved, cited, and cited under "In short". Questions and paragraphs: tests/everyday/questions.json.
// Options: --only <corpus>, --json <file> for the rows, --keep <folder> for the answers.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";

import { PROGRAM, Place } from "../tests/lib.mjs";
import { manual } from "./manual.mjs";
import { ROOT } from "./process.mjs";

/** How many of the sixty should be answered under "In short". */
const GOAL = 54;

/**
 * @typedef {object} Row
 * @property {string} corpus
 * @property {string} question
 * @property {string[]} right ids of the paragraphs that answer it; none where the corpus has no answer
 * @property {boolean} retrieved
 * @property {boolean} cited
 * @property {boolean} short whether it is cited under "In short"
 * @property {number} confidence
 * @property {string} verified what the document says of its citations
 * @property {string} opening the first line under "In short"
 */

const { values } = parseArgs({
    options: {
        corpora: { type: "string" },
        only: { type: "string" },
        json: { type: "string" },
        keep: { type: "string" },
    },
});
const folder = values.corpora ?? process.env.AGENTNATIVE_CORPORA;
const { corpora, questions, absent } = JSON.parse(
    readFileSync(join(ROOT, "tests", "everyday", "questions.json"), "utf8"),
);
const place = new Place();
/** @type {Row[]} */
const rows = [];
try {
    console.log(`program ${PROGRAM}`);
    for (const [base, corpus] of Object.entries(corpora)) {
        if (values.only !== undefined && values.only !== base) continue;
        const source = sourceOf(base, corpus);
        if (source === undefined) {
            console.log(`${base}: skipped, ${corpus.file ?? corpus.manual} is not here (--corpora <folder>)`);
            continue;
        }
        await place.do(["kb", "ingest", source, "--base", base, "--title", corpus.title], { seconds: 300 });
        for (const one of [...questions, ...absent].filter((one) => one.corpus === base)) {
            const row = await asked({ right: [], ...one });
            rows.push(row);
            console.log(line(row));
        }
    }
} finally {
    await place.end();
}
report();
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(rows, null, 1)}\n`);

/**
 * @param {string} base
 * @param {any} corpus
 * @returns {string | undefined} what to ingest
 */
function sourceOf(base, corpus) {
    if (corpus.file !== undefined) {
        const path = join(folder ?? "", corpus.file);
        return folder !== undefined && existsSync(path) ? resolve(path) : undefined;
    }
    const found = manual();
    if (found === undefined) return undefined;
    const path = join(place.work, base, corpus.manual.replace(/\.gz$/, ""));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, gunzipSync(readFileSync(join(found, corpus.manual))));
    return dirname(path);
}

/**
 * @param {{ corpus: string, question: string, right: string[] }} one
 * @returns {Promise<Row>}
 */
async function asked({ corpus, question, right }) {
    const ended = await place.do([
        "run",
        "standards-research",
        "--connection",
        "offline",
        "--corpus",
        corpus,
        "--yes",
        question,
    ]);
    const { retrieve, synthesize } = JSON.parse((await place.do(["show", "--outputs"])).stdout);
    const { markdown } = documentOf(ended.stdout);
    const paragraphs = retrieve.paragraphs.filter((/** @type {any} */ one) => right.includes(one.id));
    const references = paragraphs.map((/** @type {any} */ one) => one.ref ?? one.reference);
    const opening = /## In short\n([\s\S]*?)(?=\n## |$)/.exec(synthesize.synthesis)?.[1] ?? "";
    if (values.keep !== undefined) {
        mkdirSync(values.keep, { recursive: true });
        writeFileSync(join(values.keep, `${corpus}-${question.replace(/\W+/g, "-").toLowerCase()}.md`), markdown);
    }
    return {
        corpus,
        question,
        right,
        retrieved: paragraphs.length > 0,
        cited: references.some((/** @type {string} */ ref) => synthesize.synthesis.includes(ref)),
        short: references.some((/** @type {string} */ ref) => opening.includes(ref)),
        confidence: synthesize.confidence,
        verified: /^\d+ of \d+ citations verified\.$/m.exec(markdown)?.[0] ?? "",
        opening: opening.trim().split("\n")[0] ?? "",
    };
}

/** @param {string} stdout whose last line is the document's path */
function documentOf(stdout) {
    return { markdown: readFileSync(stdout.trimEnd().split("\n").at(-1) ?? "", "utf8") };
}

/** @param {Row} row */
function line({ question, right, retrieved, cited, short, confidence, opening }) {
    const mark =
        right.length === 0
            ? "absent   "
            : short
              ? "in short "
              : cited
                ? "cited    "
                : retrieved
                  ? "retrieved"
                  : "missing  ";
    return `${mark} ${confidence.toFixed(2)}  ${question}  [${right.join(", ")}]\n${" ".repeat(16)}${opening.slice(0, 160)}`;
}

function report() {
    const answerable = rows.filter(({ right }) => right.length > 0);
    const count = (/** @type {Row[]} */ among, /** @type {"retrieved" | "cited" | "short"} */ what) =>
        among.filter((row) => row[what]).length;
    const mean = (/** @type {Row[]} */ among) =>
        among.length === 0 ? "-" : (among.reduce((sum, row) => sum + row.confidence, 0) / among.length).toFixed(2);
    console.log("\ncorpus          asked  retrieved  cited  in short");
    for (const [name, among] of [
        ...Object.keys(corpora).map(
            (name) => /** @type {const} */ ([name, answerable.filter(({ corpus }) => corpus === name)]),
        ),
        /** @type {const} */ (["all", answerable]),
    ]) {
        if (among.length === 0) continue;
        console.log(
            `${name.padEnd(15)} ${String(among.length).padStart(5)} ${String(count(among, "retrieved")).padStart(10)} ${String(count(among, "cited")).padStart(6)} ${String(count(among, "short")).padStart(9)}`,
        );
    }
    console.log(
        `\nmean confidence: ${mean(answerable.filter(({ short }) => short))} where "In short" has the paragraph, ${mean(answerable.filter(({ short }) => !short))} where it lacks it, ${mean(rows.filter(({ right }) => right.length === 0))} where the corpus has no answer`,
    );
    console.log(`goal: ${GOAL} of ${questions.length} in short`);
}
