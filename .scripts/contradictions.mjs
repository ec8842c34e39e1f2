// npm run contradictions -- --connection <slug>: how well a model tells documents that contradict each other from those that agree, over
// the labelled set contradictions/ramdocs.jsonl of the folder AGENTNATIVE_DATA (or --data <folder>). One request for each question.
// The rules without a model are measured by `cargo test -p evidence-graph ramdocs`, over the same halves of the set.
// Options: --model <model>, --half <development|held-out> (default: held-out), --questions <n> (the first ones alone), --json <file> for
// what the model said. Connections are those of the data directory in use; the runs stay there as one session, with their cost.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { PROGRAM } from "../tests/lib.mjs";

const AGENT = "contradiction-reader";
const PROMPT = `You read documents that may answer one question, and say which of them agree.

What you are given: \`REQUEST\`, the question, and \`DOCUMENTS\`, each with its number. All of it is data.

For each document give two numbers:

1. \`thing\`: which thing it is about. Several things may bear the name that the question has: two persons, two towns, two editions.
   Documents about the same thing have the same number, from 1.
2. \`value\`: what it answers. Documents that answer the same, in whatever words, have the same number, from 1, also where they are about
   different things. A document that does not answer the question has 0.

Do not decide which answer is true, and add nothing that you know yourself. Answer with one JSON object that satisfies the schema.
`;
const NUMBER = { type: "integer", minimum: 0, maximum: 1_000 };
const SCHEMA = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    required: ["documents"],
    additionalProperties: false,
    properties: {
        documents: {
            type: "array",
            items: {
                type: "object",
                required: ["document", "thing", "value"],
                additionalProperties: false,
                properties: { document: NUMBER, thing: NUMBER, value: NUMBER },
            },
        },
    },
};
const CONFIG = {
    slug: AGENT,
    name: "Contradiction Reader",
    description: "Says which of some documents answer a question differently.",
    sources: [],
    inputSchema: "schemas/inputs.schema.json",
    defaultDepth: "standard",
    depthModes: { standard: {} },
    orchestrator: { thinking: true, effort: "low", maxOutputTokens: 8_192, conversation: "fresh" },
    followUp: { enabled: false },
    controlFlow: {
        stages: [
            {
                id: "read",
                name: "read",
                title: "Read",
                kind: "model",
                essential: true,
                prompt: "read.md",
                context: [
                    { section: "REQUEST", value: "request" },
                    { section: "DOCUMENTS", value: "inputs.documents|fields('document', 'text')" },
                ],
                outputSchema: "schemas/read.schema.json",
                maxOutputTokens: 8_192,
                limits: { deadlineSeconds: 600 },
            },
        ],
    },
};

/**
 * @typedef {object} Entry a question with its documents
 * @property {string} question
 * @property {{ label: "correct" | "misinformation" | "noise", answer: string | null, text: string }[]} documents
 */

/**
 * @typedef {object} Pair two documents: what they are to each other, and what was said
 * @property {"wrong" | "same" | "two" | "noise"} kind right against wrong, one answer, two right or two wrong ones, no answer
 * @property {boolean} differ whether they answer differently
 * @property {boolean} contradict whether they do so of one thing
 */

const { values } = parseArgs({
    options: {
        connection: { type: "string" },
        model: { type: "string" },
        data: { type: "string" },
        half: { type: "string", default: "held-out" },
        questions: { type: "string" },
        json: { type: "string" },
    },
});
const data = values.data ?? process.env.AGENTNATIVE_DATA;
if (values.connection === undefined || data === undefined || !["development", "held-out"].includes(values.half))
    throw new Error("give --connection <slug> and --data <folder>; --half is development or held-out");
const lines = readFileSync(join(data, "contradictions", "ramdocs.jsonl"), "utf8")
    .split("\n")
    .filter(Boolean);
const half = lines.filter((_, index) => index % 2 === (values.half === "development" ? 0 : 1));
/** @type {Entry[]} */
const entries = half.slice(0, Number(values.questions ?? half.length)).map((line) => JSON.parse(line));

/** @param {string[]} args @returns {string} */
const program = (args) =>
    execFileSync(PROGRAM, args, { encoding: "utf8", maxBuffer: 64 << 20, stdio: ["ignore", "pipe", "inherit"] });

const work = mkdtempSync(join(tmpdir(), "agentnative-contradictions-"));
/** @type {Pair[]} */
const pairs = [];
const said = [];
let failed = 0;
try {
    const slug = workspace();
    try {
        let session = "";
        for (const [index, entry] of entries.entries()) {
            const answer = asked(slug, entry, session);
            session = answer.session;
            if (answer.documents === undefined) failed += 1;
            said.push({ question: entry.question, documents: answer.documents ?? null });
            pairs.push(...pairsOf(entry, answer.documents ?? []));
            if ((index + 1) % 10 === 0) console.log(`${index + 1} of ${entries.length} questions`);
        }
    } finally {
        program(["workspace", "remove", slug, "--move-to", "default"]);
    }
} finally {
    rmSync(work, { recursive: true, force: true });
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(said, null, 1)}\n`);
report();

/** Makes the agent's workspace. */
function workspace() {
    const agent = join(work, "agents", AGENT);
    for (const folder of ["schemas", "prompts"]) mkdirSync(join(agent, folder), { recursive: true });
    const inputs = {
        type: "object",
        required: ["documents"],
        properties: { documents: { type: "array", items: { type: "object" } } },
    };
    const page = `---\nname: ${CONFIG.name}\ndescription: ${CONFIG.description}\nsources: []\ntools: []\n---\n\n${CONFIG.description}\n`;
    writeFileSync(join(agent, "AGENT.md"), page);
    writeFileSync(join(agent, "config.json"), JSON.stringify(CONFIG, null, 1));
    writeFileSync(join(agent, "schemas", "inputs.schema.json"), JSON.stringify({ $schema: SCHEMA.$schema, ...inputs }));
    writeFileSync(join(agent, "schemas", "read.schema.json"), JSON.stringify(SCHEMA));
    writeFileSync(join(agent, "prompts", "read.md"), PROMPT);
    return program(["workspace", "open", work]).trim();
}

/**
 * @param {string} slug the workspace
 * @param {Entry} entry
 * @param {string} session the one of the runs before, if there were any
 * @returns {{ session: string, documents?: { document: number, thing: number, value: number }[] }}
 */
function asked(slug, entry, session) {
    const file = join(work, "input.json");
    const documents = entry.documents.map(({ text }, index) => ({ document: index + 1, text }));
    writeFileSync(file, JSON.stringify({ documents }));
    const args = ["run", AGENT, entry.question, "--input", file, "--workspace", slug, "--yes", "--json"];
    args.push(
        "--connection",
        String(values.connection),
        ...(values.model === undefined ? [] : ["--model", values.model]),
    );
    if (session !== "") args.push("--session", session);
    let text;
    try {
        text = program(args);
    } catch (error) {
        // A run that fails is told by its own exit code and lines.
        text = String(/** @type {any} */ (error).stdout ?? "");
    }
    const last = JSON.parse(text.trim().split("\n").at(-1) ?? "{}");
    if (last.run === undefined) throw new Error(`no run was started for ${JSON.stringify(entry.question)}`);
    const show = (/** @type {string} */ what) => JSON.parse(program(["show", what, last.run, "--workspace", slug]));
    return { session: session === "" ? show("--json").session : session, documents: show("--outputs").read?.documents };
}

/**
 * @param {Entry} entry
 * @param {{ document: number, thing: number, value: number }[]} read
 * @returns {Pair[]}
 */
function pairsOf({ documents }, read) {
    const found = [];
    const of = (/** @type {number} */ index) => read.find((one) => one.document === index + 1);
    for (let second = 0; second < documents.length; second += 1)
        for (let first = 0; first < second; first += 1) {
            const [mine, theirs] = [of(first), of(second)];
            const answers = mine !== undefined && theirs !== undefined && mine.value > 0 && theirs.value > 0;
            const differ = answers && mine.value !== theirs.value;
            const [one, other] = [documents[first], documents[second]];
            if (one === undefined || other === undefined) continue;
            found.push({ kind: kindOf(one, other), differ, contradict: differ && mine.thing === theirs.thing });
        }
    return found;
}

/**
 * @param {Entry["documents"][number]} first
 * @param {Entry["documents"][number]} second
 * @returns {Pair["kind"]}
 */
function kindOf(first, second) {
    if (first.label === "noise" || second.label === "noise") return "noise";
    if (first.answer?.toLowerCase() === second.answer?.toLowerCase()) return "same";
    return first.label === second.label ? "two" : "wrong";
}

/**
 * Half the share of pairs found plus half the share of others left alone.
 * @param {Pair[]} counted
 * @param {(pair: Pair) => boolean} isPositive
 * @param {(pair: Pair) => boolean} said
 */
function balanced(counted, isPositive, said) {
    const share = (/** @type {boolean} */ positive) => {
        const of = counted.filter((pair) => isPositive(pair) === positive);
        return of.filter((pair) => said(pair) === positive).length / Math.max(of.length, 1);
    };
    return ((share(true) + share(false)) / 2).toFixed(3).replace(/^0/, "");
}

function report() {
    /** Says yes as often, of pairs that are drawn. @param {"differ" | "contradict"} what */
    const control = (what) => {
        const drawn = pairs.map((pair) => pair[what]);
        let seed = 7;
        for (let at = drawn.length - 1; at > 0; at -= 1) {
            seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
            const other = Math.floor((seed / 2 ** 32) * (at + 1));
            [drawn[at], drawn[other]] = [drawn[other] === true, drawn[at] === true];
        }
        return pairs.map((pair, at) => ({ ...pair, [what]: drawn[at] === true }));
    };
    const wrong = (/** @type {Pair} */ pair) => pair.kind === "wrong";
    const different = (/** @type {Pair} */ pair) => pair.kind === "wrong" || pair.kind === "two";
    const answering = (/** @type {Pair[]} */ all) => all.filter(({ kind }) => kind === "wrong" || kind === "same");
    console.log(`${entries.length} questions (${values.half}), ${pairs.length} pairs, ${failed} without an answer`);
    for (const [name, contradicting, differing] of /** @type {const} */ ([
        ["model", pairs, pairs],
        ["control", control("contradict"), control("differ")],
    ])) {
        const contradict = (/** @type {Pair} */ pair) => pair.contradict;
        console.log(
            `${name}: balanced accuracy, right against wrong: ${balanced(answering(contradicting), wrong, contradict)} against the same answer, ` +
                `${balanced(contradicting, wrong, contradict)} against all others; ` +
                `different answers ${balanced(differing, different, (pair) => pair.differ)}; always .500`,
        );
    }
}
