// The two ends of the agent `deal-memorandum`, without a model: a folder with more passages than one call names, and one in which
// nothing is found that a memorandum could rest on.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Place, jsonLines } from "./lib.mjs";

/** What the sections are about, each in words of its own. */
const TOPICS = [
    [
        "capitalization",
        "authorized and issued shares",
        "ownership by holder and fully diluted percentage",
        "liquidation preference and protective provisions",
        "vesting and acceleration on a change of control",
    ],
    [
        "employment",
        "employee invention assignment and confidentiality",
        "compensation, severance and benefits",
        "non-competition and non-solicitation",
        "termination of employment",
    ],
    ["environment", "environmental liability and contamination", "environmental permits and compliance"],
    [
        "property",
        "ownership and assignment of work product",
        "contractor license and retained rights",
        "open source and third-party components",
        "intellectual property indemnity",
    ],
    [
        "approval",
        "regulatory approval or filing required for the transaction",
        "antitrust and competition notification",
        "export control and sanctions",
    ],
    ["tax", "tax liability, withholding and sales tax", "tax classification and filings", "responsibility for taxes"],
    [
        "customers",
        "change of control, termination and consent",
        "termination for convenience, notice and refund of prepaid fees",
        "service credits",
        "exclusivity and most favored pricing",
    ],
    [
        "revenue",
        "annual recurring revenue by customer",
        "customer concentration and top customers",
        "prepaid contract, invoicing and revenue recognition",
        "renewal, term end and churn",
    ],
    [
        "data",
        "sub-processors and their approval",
        "transfer of personal data outside the EEA",
        "security measures and personal data breach notice",
    ],
    [
        "disputes",
        "indemnification and its limits",
        "dispute resolution, governing law and arbitration",
        "insurance coverage",
    ],
];

/**
 * @param {import("node:test").TestContext} context
 * @param {Record<string, string>} documents
 */
async function memorandum(context, documents) {
    const place = Place.for(context);
    const folder = join(place.work, "room");
    mkdirSync(folder);
    for (const [name, text] of Object.entries(documents)) writeFileSync(join(folder, name), text);
    const input = join(place.work, "deal.json");
    writeFileSync(
        input,
        JSON.stringify({ title: "Acquisition", documents: folder, target: "Larkspur Analytics, Inc." }),
    );
    const args = ["run", "deal-memorandum", "--input", input, "--depth", "outline", "--yes", "--json"];
    const done = await place.run(args, { seconds: 400 });
    const last = jsonLines(done.stdout).at(-1);
    const text = last?.document ? readFileSync(last.document, "utf8") : "";
    return { place, done, last, text };
}

test("a room in which more than two hundred passages are found gets its memorandum", async (context) => {
    const documents = Object.fromEntries(
        TOPICS.map(([name, ...topics], document) => [
            `${name}.md`,
            `# On ${name}\n\n${Array.from({ length: 30 }, (_, at) => {
                const topic = topics[at % topics.length];
                return `## ${at + 1}. Clause\n\n${at + 1}.1 As to ${topic}, clause ${document + 1}.${at + 1} provides for USD ${1_000 + document * 100 + at} and for ${30 + at} days after the ${at + 1}th notice.\n`;
            }).join("\n")}`,
        ]),
    );
    const { place, done, text } = await memorandum(context, documents);
    assert.equal(done.code, 0, done.stderr + done.stdout.slice(-3_000));
    assert.match(text, /END OF MEMORANDUM\s*$/);
    const outputs = JSON.parse((await place.do(["show", "--outputs"])).stdout);
    const paragraphs = outputs.certified_parts.paragraphs.length;
    assert.ok(paragraphs > 200, `${paragraphs} paragraphs`);
    assert.match(text, /^The memorandum is certified /m);
});

test("a folder in which nothing is found gets no certificate, no points for what is not there, and another exit code", async (context) => {
    const cake =
        "# Apple cake\n\nPeel six apples and cut them into slices. Beat butter, sugar and eggs, and stir in the flour.\n\nBake the cake until it is brown.\n";
    const { place, done, last, text } = await memorandum(context, { "cake.md": cake });
    assert.equal(done.code, 1, done.stderr + done.stdout.slice(-3_000));
    assert.ok(last.unmet.length > 0, JSON.stringify(last));
    const certificate = text.slice(text.indexOf("\n## V. Certificate and limitations\n"));
    assert.match(certificate, /^The memorandum is not certified: no section answers what it is about/m);
    assert.doesNotMatch(text, /The memorandum is certified/);
    assert.match(certificate, /^- Missing for a certificate: /m);
    for (const name of ["Citations", "Quantification", "Executive summary", "Risk tables"])
        assert.match(certificate, new RegExp(`^\\| ${name} \\| 0(?:\\.0+)? \\| \\d+ \\|$`, "m"));
    const outputs = JSON.parse((await place.do(["show", "--outputs"])).stdout);
    assert.notEqual(outputs.qa_diagnostic.outcome, "CERTIFY");
});
