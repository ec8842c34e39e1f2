// Which checks of a memorandum run again after a change, and which give what they gave before: the text, a footnote, a fact, an amount.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Place, jsonLines } from "./lib.mjs";

const note = (/** @type {string} */ text) => [{ label: "1", text }];
const INPUTS = {
    title: "Memo",
    parts: [
        {
            id: "summary",
            title: "Summary",
            markdown: "# Summary\n\nMay the customer leave? Probably yes.[^1]\n",
            footnotes: note("orchard:2.1 (orchard.md): “may terminate” [VERIFIED]"),
        },
        {
            id: "IV-A",
            title: "Contracts",
            markdown: "## IV.A. Contracts\n\nThe fee is $4,200,000.[^1]\n",
            footnotes: note("orchard:1.2 (orchard.md): “$4,200,000” [VERIFIED]"),
        },
    ],
    statements: [{ category: "quantitative_facts", fact: "Fee", value: "$4,200,000", source: "orchard" }],
    exposures: [
        {
            id: "x1",
            category: "litigation_exposure",
            type: "ONE_TIME",
            cents: 100_000,
            probability_basis_points: 5_000,
        },
    ],
};
const CHECKS = [
    "aggregate_risk_tables",
    "analyze_xrefs",
    "apply_creac_headers",
    "detect_counter_analysis",
    "extract_citations",
    "extract_fact_registry",
    "scan_citation_tags",
    "validate_provisions",
];

/** @type {[string, (inputs: typeof INPUTS) => unknown, string[]][]} */
const CHANGES = [
    ["nothing", () => {}, []],
    [
        "an amount",
        ({ exposures: [first] }) => Object.assign(first ?? {}, { cents: 200_000 }),
        ["aggregate_risk_tables"],
    ],
    [
        "a fact",
        ({ statements: [first] }) => Object.assign(first ?? {}, { value: "$4,300,000" }),
        ["extract_fact_registry"],
    ],
    [
        // Its tag is scanned once the registry of citations is made anew.
        "a footnote",
        ({ parts }) => Object.assign(parts[1]?.footnotes[0] ?? {}, { text: "orchard:1.2 (orchard.md): “$4,200,000”" }),
        ["extract_citations", "scan_citation_tags"],
    ],
    [
        // Amounts, provisions and tags don't depend on it: what they gave stands.
        "the text",
        ({ parts }) => Object.assign(parts[1] ?? {}, { markdown: `${parts[1]?.markdown}\nMore words.\n` }),
        [
            "analyze_xrefs",
            "apply_creac_headers",
            "detect_counter_analysis",
            "extract_citations",
            "extract_fact_registry",
        ],
    ],
];

test("a change runs again exactly the checks that depend on it", async (context) => {
    const place = Place.for(context);
    const file = join(place.work, "inputs.json");
    const write = (/** @type {unknown} */ inputs) => writeFileSync(file, JSON.stringify(inputs));
    write(INPUTS);
    const first = await place.do([
        "run",
        "memo-qa-diagnostic",
        "--input",
        file,
        "--depth",
        "outline",
        "--yes",
        "--json",
    ]);
    const { run } = jsonLines(first.stdout).at(-1);
    for (const [what, change, again] of CHANGES) {
        const inputs = structuredClone(INPUTS);
        change(inputs);
        write(inputs);
        const repeated = await place.do(["rerun", run, "--input", file, "--yes", "--json"]);
        const shown = await place.do(["show", "--events", jsonLines(repeated.stdout).at(-1).run]);
        const reused = jsonLines(shown.stdout)
            .filter(({ type }) => type === "call_reused")
            .map(({ key }) => key.stage);
        const ran = CHECKS.filter((check) => !reused.includes(check));
        assert.deepEqual(ran, again, `after a change of ${what}`);
    }
});

test("in the next cycle only the checks run that the matrix names for what changed, and the others give what they gave", async (context) => {
    const place = Place.for(context);
    const file = join(place.work, "inputs.json");
    const assess = async (/** @type {object} */ more) => {
        writeFileSync(file, JSON.stringify({ ...INPUTS, ...more }));
        const args = ["run", "memo-qa-diagnostic", "--input", file, "--depth", "outline", "--yes", "--json"];
        const { run } = jsonLines((await place.do(args)).stdout).at(-1);
        const events = jsonLines((await place.do(["show", "--events", run])).stdout);
        const shown = JSON.parse((await place.do(["show", "--outputs", run])).stdout);
        const called = events.filter(({ type }) => type === "tool_call_requested").map(({ key }) => key.stage);
        return { called, result: (shown.outputs ?? shown).phase_6_return_status };
    };
    const first = await assess({});
    assert.deepEqual(
        CHECKS.filter((check) => !first.called.includes(check)),
        [],
    );
    const next = { cycle: 2, cached: first.result.cached, previous: first.result.tasks };
    const questions = await assess({ ...next, changes: ["questions_remediated"] });
    assert.deepEqual(
        CHECKS.filter((check) => questions.called.includes(check)),
        ["analyze_xrefs", "extract_citations", "scan_citation_tags"],
    );
    const facts = await assess({ ...next, changes: ["fact_conflict_resolved"] });
    assert.deepEqual(
        CHECKS.filter((check) => facts.called.includes(check)),
        ["extract_fact_registry"],
    );
    const nothing = await assess({ ...next, changes: [] });
    assert.deepEqual(
        CHECKS.filter((check) => nothing.called.includes(check)),
        [],
    );
    assert.deepEqual(
        [nothing.result.score, nothing.result.issues, nothing.result.measures],
        [first.result.score, first.result.issues, first.result.measures],
    );
});
