// Missions over several knowledge bases, on graphs from elsewhere, and beside each other on one graph.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Place, jsonLines } from "./lib.mjs";

const ASK = "How long are working papers kept?";

/**
 * A place with two knowledge bases that say something on the same question.
 * @param {import("node:test").TestContext} context
 */
async function archive(context) {
    const place = Place.for(context);
    const documents = {
        handbook: "1.1 Working papers are kept for seven years after the date of the report.",
        minutes: "2.1 The partners decided that working papers of banks are kept for ten years.",
    };
    for (const [base, text] of Object.entries(documents)) {
        const folder = join(place.work, base);
        mkdirSync(folder);
        writeFileSync(join(folder, `${base}.md`), `# Retention\n\n${text}\n`);
        await place.do(["kb", "ingest", folder, "--base", base]);
    }
    return place;
}

const START = ["mission", "start", "general-research", ASK, "--corpus", "handbook", "--corpus", "minutes", "--yes"];

/** @param {string} stdout */
const end = (stdout) => jsonLines(stdout).at(-1);

test("each knowledge base is asked about a question, before anything else, and every call is shown", async (context) => {
    const place = await archive(context);
    const { stderr } = await place.do([...START, "--verbose"]);
    assert.match(stderr, /^Library Researcher \(handbook\): gathering paragraphs on .*: done, \d+\.\d s$/m);
    assert.match(stderr, /^Library Researcher \(minutes\): gathering paragraphs on .*: done, \d+\.\d s$/m);
    assert.match(stderr, /^ {2}c1 \[(\d+ %|supported)\] .* years.* \(.+\)$/m, "what was found is told with its source");
    const mission = JSON.parse((await place.do(["mission", "show", "--json"])).stdout);
    const report = readFileSync(mission.report, "utf8");
    assert.match(report, /seven years/);
    assert.match(report, /ten years/);
    const journal = (await place.do(["mission", "journal"])).stdout;
    const both = /By rule: Library Researcher \(handbook\) on “[^”]*”; Library Researcher \(minutes\) on “[^”]*”/;
    assert.match(journal, both);
    const sources = JSON.parse((await place.do(["mission", "graph", mission.mission, "sources", "--json"])).stdout);
    const addresses = sources.items.map((/** @type {any} */ one) => one.address.split("/")[0]);
    assert.deepEqual([...new Set(addresses)].sort(), ["kb:handbook", "kb:minutes"]);

    // A follow-up reads the same bases; quiet means dots and the result.
    const further = await place.do(["mission", "extend", mission.mission, "Who decided it?", "--yes", "--quiet"]);
    assert.match(further.stderr, /^\.+$/m);
    assert.doesNotMatch(further.stderr, /gathering/);
    assert.match((await place.do(["mission", "journal"])).stdout, /\(handbook\) on .*\(minutes\) on /);

    const missing = await place.run([...START, "--corpus", "nowhere", "--json"]);
    assert.notEqual(missing.code, 0);
    assert.match(missing.stderr, /nowhere/);
});

test("an exported graph becomes a mission elsewhere, and what is no graph is refused with its place", async (context) => {
    const place = await archive(context);
    const first = end((await place.do([...START, "--json"])).stdout);
    const { session } = JSON.parse((await place.do(["mission", "show", "--json"])).stdout);
    const graph = readFileSync(join(place.data, "sessions", session, "data", "graph.jsonl"), "utf8");
    const written = join(place.work, "exported.jsonl");
    assert.equal((await place.do(["mission", "graph", "export", "-o", written])).stdout.trim(), written);
    assert.equal(readFileSync(written, "utf8"), graph, "it is the file of the session");
    const claims = async (/** @type {Place} */ there, /** @type {string} */ mission) =>
        JSON.parse((await there.do(["mission", "graph", mission, "claims", "--json"])).stdout).items;

    const elsewhere = Place.for(context);
    mkdirSync(elsewhere.work, { recursive: true });
    const file = join(elsewhere.work, "graph.jsonl");
    writeFileSync(file, graph);
    const opened = await elsewhere.do(["mission", "graph", "import", file, "--json"]);
    const { mission } = JSON.parse(opened.stdout);
    assert.deepEqual(await claims(elsewhere, mission), await claims(place, first.mission));
    assert.match((await elsewhere.do(["mission", "journal", mission])).stdout, /A graph was imported/);
    const list = (await elsewhere.do(["mission", "report", mission, "--as", "a list"])).stdout;
    assert.match(list, /seven years/);
    const resumed = end((await elsewhere.do(["mission", "resume", mission, "--yes", "--json"])).stdout);
    assert.equal(resumed.exit, "completed");
    assert.match(readFileSync(resumed.report, "utf8"), /ten years/);

    const lines = graph.trimEnd().split("\n");
    const broken = {
        "line 2 is no item": [lines[0], "{", ...lines.slice(1)].join("\n"),
        "the export has form 9": graph.replace('"format":1', '"format":9'),
        "begins with its header": "",
        "claims what the graph does not bear out": graph.replaceAll('"verdict":"verified"', '"verdict":"mismatch"'),
    };
    for (const [said, text] of Object.entries(broken)) {
        writeFileSync(file, text);
        const refused = await elsewhere.run(["mission", "graph", "import", file]);
        assert.equal(refused.code, 2, refused.stderr);
        assert.ok(refused.stderr.includes(said), `${said}: ${refused.stderr}`);
    }
    assert.equal(JSON.parse((await elsewhere.do(["mission", "list", "--json"])).stdout).missions.length, 2);
});
