// Search from outside: why a hit is one, several bases, filters, the graph, a base on another machine, and measuring.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Place, jsonLines } from "./lib.mjs";

/**
 * Two bases: `boats` of two documents with cross-references, `kites` of another tier.
 * @param {Place} place
 */
async function bases(place) {
    const folder = join(place.work, "boats");
    mkdirSync(folder);
    const section = (/** @type {[string, string, string][]} */ rows) =>
        rows.map(([id, title, text]) => `## ${id} ${title}\n\n${text}\n`).join("\n");
    writeFileSync(
        join(folder, "hulls.md"),
        `# Hulls\n\n${section([
            [
                "1.1",
                "Inspection",
                "A hull must be inspected for leaks before every voyage. Section 2.1 tells how the report is kept.",
            ],
            ["1.2", "Repair", "A leaking hull is repaired on land."],
        ])}`,
    );
    writeFileSync(
        join(folder, "papers.md"),
        `# Papers\n\n${section([
            ["2.1", "Logbook", "The master writes every report into the logbook within one day."],
            ["2.2", "Archive", "Logbooks are archived for seven years ashore."],
        ])}`,
    );
    const kites = join(place.work, "kites.md");
    writeFileSync(kites, "# Kites\n\n## 1 Strings\n\nA kite string must be inspected for tears before every flight.\n");
    await place.do([
        "kb",
        "ingest",
        folder,
        "--base",
        "boats",
        "--rules",
        "numbered-manual",
        "--citation",
        "(Boat {id})",
        "--json",
    ]);
    await place.do([
        "kb",
        "ingest",
        kites,
        "--base",
        "kites",
        "--rules",
        "numbered-manual",
        "--tier",
        "guide",
        "--citation",
        "(Kite {id})",
        "--json",
    ]);
}

/**
 * @param {Place} place
 * @param {string[]} args
 */
async function hits(place, ...args) {
    return jsonLines((await place.do(["kb", "search", "--json", ...args])).stdout);
}

test("a hit says what its score is made of, and how links led to it", async (context) => {
    const place = Place.for(context);
    await bases(place);
    const found = await hits(place, "inspected", "leaks", "--base", "boats", "--explain", "--hops", "1");
    const [best] = found;
    assert.match(best.text, /^A hull must be inspected/);
    assert.deepEqual(best.via, { by: "words" });
    assert.equal(best.why.words_rank, 1);
    const terms = best.why.words;
    assert.equal(terms.length, 2);
    const sum = terms.reduce((/** @type {number} */ all, /** @type {any} */ { share }) => all + share, 0);
    assert.ok(Math.abs(sum - best.why.words_score) < 1e-4, "the shares of the words make up their score");
    const linked = found.find((hit) => hit.text.startsWith("The master writes"));
    assert.ok(
        linked !== undefined &&
            linked.why.path.some((/** @type {any} */ step) => step.from === best.id && step.gain > 0),
        JSON.stringify(found),
    );
    const told = (await place.do(["kb", "search", "inspected", "leaks", "--base", "boats", "--explain", "--hops", "1"]))
        .stdout;
    assert.match(told, /words: \d+\.\d+ \(place 1\) from /);
    assert.match(told, /link: \w+ from .* brought/);
    assert.deepEqual(await hits(place, "xylophone", "--base", "boats"), []);
    const alone = await place.run(["kb", "search", "hull", "--base", "boats", "--by", "vectors"]);
    assert.equal(alone.code, 2, "a base without vectors can't be searched by them");
});

test("several bases are searched as one, and filters leave out what was not asked for", async (context) => {
    const place = Place.for(context);
    await bases(place);
    const both = await hits(place, "must be inspected", "--base", "boats", "--base", "kites");
    assert.deepEqual(new Set(both.slice(0, 2).map((hit) => hit.base)), new Set(["boats", "kites"]));
    const all = await hits(place, "must be inspected", "--all", "--limit", "50");
    assert.ok(all.some((hit) => hit.base === "isa-primer") && all.some((hit) => hit.base === "boats"));
    const guides = await hits(place, "must be inspected", "--base", "boats", "--base", "kites", "--tier", "guide");
    assert.ok(guides.length > 0 && guides.every((hit) => hit.base === "kites"));
    const stats = JSON.parse((await place.do(["kb", "stats", "boats", "--json"])).stdout);
    const { name } = stats.documents.find((/** @type {any} */ one) => /papers/i.test(one.name));
    const papers = await hits(place, "report", "--base", "boats", "--document", name);
    assert.ok(papers.length > 0 && papers.every((hit) => /master|Logbooks/.test(hit.text)), JSON.stringify(papers));
    assert.deepEqual(await hits(place, "report", "--base", "boats", "--kind", "requirement"), []);
    const pages = [
        await hits(place, "going concern", "--limit", "2"),
        await hits(place, "going concern", "--limit", "2", "--offset", "2"),
        await hits(place, "going concern", "--limit", "4"),
    ];
    assert.deepEqual(
        [...pages[0], ...pages[1]].map((hit) => hit.id),
        pages[2].map((hit) => hit.id),
    );
    const absent = await place.run(["kb", "search", "x", "--base", "boots"]);
    assert.notEqual(absent.code, 0);
    assert.match(absent.stderr, /boots/);
});

test("the graph is told as rows, as JSON and for Graphviz", async (context) => {
    const place = Place.for(context);
    const near = JSON.parse((await place.do(["kb", "graph", "12.3", "--json"])).stdout);
    assert.deepEqual([near.nodes[0].id, near.nodes[0].depth, near.cut], ["12.3", 0, false]);
    const known = new Set(near.nodes.map((/** @type {any} */ node) => node.id));
    assert.ok(
        near.links.length > 0 &&
            near.links.every((/** @type {any} */ link) => known.has(link.from) && known.has(link.to)),
    );
    const far = JSON.parse((await place.do(["kb", "graph", "12.3", "--json", "--depth", "2"])).stdout);
    assert.ok(far.nodes.length > near.nodes.length);
    const dot = (await place.do(["kb", "graph", "12.3", "--dot"])).stdout;
    assert.match(dot, /^digraph \w+ \{\n(?: {2}.*;\n)+\}\n$/);
    const rows = jsonLines((await place.do(["kb", "graph"])).stdout);
    assert.ok(rows.length > 700 && rows.every((row) => row.from && row.to && row.kind));
    assert.notEqual((await place.run(["kb", "graph", "99.99"])).code, 0);
});

test("the graph names paragraphs of own files by file and number, as documents do", async (context) => {
    const place = Place.for(context);
    const folder = join(place.work, "files");
    mkdirSync(folder);
    writeFileSync(
        join(folder, "hulls.md"),
        "# Hulls\n\n## 1.1 Inspection\n\nHulls are inspected. Section 2.1 tells how.\n",
    );
    writeFileSync(join(folder, "papers.md"), "# Papers\n\n## 2.1 Logbook\n\nReports are written into the logbook.\n");
    await place.do(["kb", "ingest", folder, "--base", "files", "--rules", "numbered-manual", "--json"]);
    const told = (await place.do(["kb", "graph", "1.1 ¶1", "--base", "files"])).stdout;
    assert.match(told, /^hulls\.md, 1\.1/m);
    assert.match(told, /^ {2}papers\.md, 2\.1/m);
    const { nodes } = JSON.parse((await place.do(["kb", "graph", "1.1 ¶1", "--base", "files", "--json"])).stdout);
    assert.match(nodes[0].id, /1\.1/);
    assert.equal(nodes[0].label, "hulls.md, 1.1 ¶1");
    const dot = (await place.do(["kb", "graph", "1.1 ¶1", "--base", "files", "--dot"])).stdout;
    assert.match(dot, /^ {2}"[^"]+" \[label="papers\.md, 2\.1[^"]*"\];$/m);
    const [link] = jsonLines((await place.do(["kb", "graph", "--base", "files"])).stdout);
    assert.match(`${link.from_label} to ${link.to_label}`, /^hulls\.md, 1\.1.* to papers\.md, 2\.1/);
});

test("an exported base is the same base where it is taken in, and a changed one is refused", async (context) => {
    const place = Place.for(context);
    await bases(place);
    const folder = join(place.work, "carried");
    await place.do(["kb", "export", "boats", folder]);
    assert.notEqual((await place.run(["kb", "export", "boats", folder])).code, 0, "nothing is written over");
    const other = Place.for(context);
    await other.do(["kb", "import", folder, "--base", "ships"]);
    const manifest = async (/** @type {Place} */ where, /** @type {string} */ base) =>
        JSON.parse((await where.do(["kb", "stats", base, "--json"])).stdout).manifest;
    const [from, to] = [await manifest(place, "boats"), await manifest(other, "ships")];
    assert.deepEqual(
        [to.digest, to.index, to.citation, to.counts],
        [from.digest, from.index, from.citation, from.counts],
    );
    const asked = async (/** @type {Place} */ where, /** @type {string} */ base) =>
        (await hits(where, "inspected leaks", "--base", base, "--hops", "1")).map(({ id, score }) => [id, score]);
    assert.deepEqual(await asked(place, "boats"), await asked(other, "ships"));

    const file = join(folder, "paragraphs.jsonl");
    writeFileSync(file, `${readFileSync(file, "utf8")}{"id":"9"}\n`);
    const refused = await other.run(["kb", "import", folder, "--base", "wrecks"]);
    assert.notEqual(refused.code, 0);
    assert.ok(!existsSync(join(other.data, "knowledge", "wrecks", "CURRENT")), "a refused base is none");
    await place.do(["kb", "remove", "boats", "--yes"]);
    assert.notEqual((await place.run(["kb", "stats", "boats"])).code, 0);
});

test("judged queries are measured, and a ranking is written and compared with itself", async (context) => {
    const place = Place.for(context);
    const folder = join(place.work, "judged");
    mkdirSync(folder);
    const lines = (/** @type {any[]} */ rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
    writeFileSync(
        join(folder, "docs.jsonl"),
        lines([
            { _id: "kettle", title: "Kettles", text: "Water is boiled in a kettle on the stove." },
            { _id: "roof", title: "Roofs", text: "Rain runs off a roof into the gutter." },
            { _id: "anchor", title: "Anchors", text: "An anchor holds a ship against wind and tide." },
        ]),
    );
    writeFileSync(
        join(folder, "queries.jsonl"),
        lines([
            { _id: "q1", text: "boiled water" },
            { _id: "q2", text: "rain gutter" },
            { _id: "q3", text: "kettle on the stove" },
        ]),
    );
    writeFileSync(
        join(folder, "qrels.jsonl"),
        lines(
            [
                ["q1", "kettle"],
                ["q2", "roof"],
                ["q3", "anchor"],
            ].map(([query, doc]) => ({ query_id: query, doc_id: doc, relevance: 1 })),
        ),
    );
    const ranking = join(place.work, "out.trec");
    const told = (await place.do(["kb", "eval", folder, "--run", ranking])).stdout;
    assert.match(
        told,
        /^without a model +nDCG@10 0\.\d{4} +Recall@100 \d\.\d{4} +MRR \d\.\d{4} +all@8 \d\.\d{4} +search p50 \d+\.\d+ ms, p95 \d+\.\d+ ms$/m,
    );
    assert.match(readFileSync(ranking, "utf8"), /^q1 Q0 kettle 1 \d+(\.\d+)? agentnative$/m);
    const [row] = jsonLines((await place.do(["kb", "eval", folder, "--compare", ranking, "--json"])).stdout);
    assert.deepEqual(row.difference, [0, 0, 0]);
    assert.deepEqual([row.paragraphs, row.each.q1[0], row.each.q2[0]], [3, 1, 1]);
    assert.ok(row.each.q3[0] < 1, "a judgement that the search does not meet costs");
    const nothing = await place.run(["kb", "eval", place.temp]);
    assert.equal(nothing.code, 2);
    assert.match(nothing.stderr, /docs\.jsonl/);
});
