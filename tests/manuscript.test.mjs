// The checks of long documents, from files in the terminal and over MCP as any client meets them.

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Place } from "./lib.mjs";
import { Client, ERAS } from "./mcp-client.mjs";
import { unzip } from "./zip.mjs";

const PARTS = [
    {
        id: "A",
        number: "A",
        markdown: "## A\n\nThe first claim.[^1] The second.[^x]\n\n[^1]: Ledger, p. 3.\n[^x]: Deed, p. 9.\n",
    },
    { id: "B", number: "B", markdown: "## B\n\nThe third claim.[^1]\n\n[^1]: Minutes, p. 2.\n" },
];
const LOST = [{ ...PARTS[0], markdown: `${PARTS[0]?.markdown}\nA fourth.[^gone]\n` }, PARTS[1]];

test("a check in the terminal ends with 0, 1 or 2, and writes what it gives under its name", async (context) => {
    const place = Place.for(context);
    const file = join(place.work, "input.json");
    /** @param {unknown} input @param {string[]} more */
    const check = async (input, ...more) => {
        writeFileSync(file, typeof input === "string" ? input : JSON.stringify(input));
        const ended = await place.run(["manuscript", "check", "renumber_footnotes", file, ...more]);
        return { ...ended, report: ended.stdout === "" ? undefined : JSON.parse(ended.stdout) };
    };
    const whole = await check({ parts: PARTS }, "-o", join(place.work, "out"));
    assert.equal(whole.code, 0, whole.stderr + whole.stdout);
    const notes = join(place.work, "out", "consolidated-footnotes.md");
    assert.ok(existsSync(notes));
    assert.match(readFileSync(notes, "utf8"), /Ledger, p\. 3[\s\S]*Deed, p\. 9[\s\S]*Minutes, p\. 2/);

    const lost = await check({ parts: LOST });
    assert.deepEqual([lost.code, lost.report.exit_code], [1, 1], lost.stdout);
    assert.match(JSON.stringify(lost.report.blocking), /gone/);

    const refused = await check({ parts: [{ id: 7 }] });
    assert.deepEqual([refused.code, refused.report.exit_code], [2, 2], refused.stdout);
    assert.match(JSON.stringify(refused.report.blocking), /parts\[0\]/);
    const broken = await check("{");
    assert.equal(broken.code, 2);
    assert.match(broken.stderr, /input\.json: not JSON/);

    const listed = (await place.do(["manuscript", "list"])).stdout;
    for (const name of [
        "pre_qa_validate",
        "apply_headings",
        "validate_provisions",
        "analyze_xrefs",
        "detect_counter_analysis",
    ])
        assert.match(listed, new RegExp(`^${name} `, "m"));
    for (const name of ["extract_citations", "scan_citation_tags", "extract_fact_registry", "aggregate_risk_tables"])
        assert.match(listed, new RegExp(`^${name} `, "m"));
    const schema = JSON.parse((await place.do(["manuscript", "schema", "renumber_footnotes"])).stdout);
    assert.ok(schema.properties.parts !== undefined);
    assert.ok(JSON.parse((await place.do(["manuscript", "schema"])).stdout).properties.chain !== undefined);
    const unknown = await place.run(["manuscript", "check", "dance", file]);
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /no check is called "dance"/);
});

test("a change names the checks that run again, versions are compared, and Markdown becomes a file for Word", async (context) => {
    const place = Place.for(context);
    /** @param {string} name @param {unknown} content */
    const file = (name, content) => {
        const path = join(place.work, name);
        writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
        return path;
    };
    const reruns = async (/** @type {string[]} */ ...args) =>
        (await place.do(["manuscript", "reruns", ...args])).stdout.trim().split("\n");
    assert.deepEqual(await reruns("citations_remediated"), ["extract_citations", "scan_citation_tags"]);
    const matrix = [{ change: "citations_remediated", reruns: ["integrity"] }];
    const rubric = file("rubric.json", { chain: { matrix } });
    assert.deepEqual(await reruns("citations_remediated", "--rubric", rubric), ["integrity"]);
    const twice = file("twice.json", { chain: { matrix: [...matrix, ...matrix] } });
    const refused = await place.run(["manuscript", "reruns", "citations_remediated", "--rubric", twice]);
    assert.match(refused.stderr, /two rows/);

    const changed = [{ ...PARTS[0], markdown: `${PARTS[0]?.markdown}\nMore words.\n` }];
    const diff = await place.do(["manuscript", "diff", file("old.json", PARTS), file("new.json", changed)]);
    assert.deepEqual(
        diff.stdout
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line))
            .map(({ part, change, added, removed }) => [part, change, added, removed > 0]),
        [
            ["A", "changed", 2, false],
            ["B", "removed", 0, true],
        ],
    );

    const markdown = file("memo.md", "# Memo\n\nA claim.[^1]\n\n[^1]: Ledger, p. 3.\n");
    const out = join(place.work, "memo.docx");
    await place.do(["manuscript", "word", markdown, "-o", out]);
    const bytes = readFileSync(out);
    assert.ok(bytes.includes("word/footnotes.xml"));
    const again = await place.run(["manuscript", "word", markdown, "-o", out]);
    assert.match(again.stderr, /is there already/);
    assert.ok(bytes.equals(readFileSync(out)));
    const newer = file("newer.md", "# Memo\n\nA stronger claim.[^1]\n\n[^1]: Ledger, p. 3.\n");
    const changes = join(place.work, "changes.docx");
    await place.do(["manuscript", "word", newer, "--changes-from", markdown, "-o", changes]);
    const body = String(unzip(readFileSync(changes)).get("word/document.xml"));
    assert.match(body, /<w:ins [^>]*w:author="AgentNative">.*stronger .*<\/w:ins>/);
    assert.doesNotMatch(body, /<w:delText[^>]*>[^<]*Ledger/);
    const shown = await place.run(["manuscript", "word", newer, "--changes-from", markdown, "-o", "changes.pdf"]);
    assert.match(shown.stderr, /shows no tracked changes/);
    const pages = join(place.work, "memo.pdf");
    await place.do(["manuscript", "word", markdown, "-o", pages]);
    assert.match(readFileSync(pages).subarray(0, 8).toString("latin1"), /^%PDF-1\.7/);
});

for (const [era, greet] of ERAS) {
    test(`a client of ${era} lists the checks and carries one out`, async (context) => {
        const place = Place.for(context);
        const client = new Client(place, ["manuscript"]);
        const ask = await greet(client);
        const { tools } = (await ask("tools/list")).result;
        assert.ok(tools.length >= 13, `${tools.length} tools`);
        for (const tool of tools) {
            assert.equal(tool.inputSchema.type, "object", tool.name);
            assert.equal(tool.annotations.readOnlyHint, true, tool.name);
        }
        const call = async (/** @type {unknown} */ parts) =>
            (await ask("tools/call", { name: "renumber_footnotes", arguments: { parts } })).result;
        const whole = await call(PARTS);
        assert.deepEqual([whole.isError ?? false, whole.structuredContent.exit_code], [false, 0]);
        // What stands in the text is the same.
        assert.deepEqual(JSON.parse(whole.content[0].text), whole.structuredContent);
        assert.equal((await call(LOST)).structuredContent.exit_code, 1);
        const refused = await call([]);
        assert.deepEqual([refused.isError, refused.structuredContent.exit_code], [true, 2]);
        const unknown = await ask("tools/call", { name: "dance", arguments: {} });
        assert.match(JSON.stringify(unknown), /no tool 'dance'/);
    });
}
