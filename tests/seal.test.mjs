// The green seal of a document, with a model that writes: it stands over answers that the sources carry, and never over a question that
// they do not answer. AGENTNATIVE_FOLDERS names a folder with real documents, for twenty questions besides the small ones here.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";

import { manual } from "../.scripts/manual.mjs";
import { Place, document } from "./lib.mjs";
import { ResearchModel } from "./model.mjs";

/**
 * A question that a folder answers, with what the sentence that answers it has, and the answer where it is in other words.
 * @typedef {{ question: string, says: RegExp, answer?: string }} Answerable
 *
 * A question that it does not answer, with what a model could make up.
 * @typedef {{ question: string, invented: string }} Unanswerable
 *
 * @typedef {{ base: string, answered: Answerable[], open: Unanswerable[] }} Folder
 */

const HANDBOOK = {
    "retention.md":
        "# Retention\n\n1.1 Working papers are kept for seven years after the date of the report.\n\n1.2 The partner approves every destruction of working papers in writing.\n",
    "travel.md":
        "# Travel\n\n2.1 Train journeys below four hours are made in second class.\n\n2.2 Receipts are handed in within thirty days of the journey.\n",
};

/** @type {Folder} */
const SMALL = {
    base: "handbook",
    answered: [
        {
            question: "How long are working papers kept?",
            says: /seven years/,
            answer: "Working papers are kept for seven years after the report's date",
        },
        { question: "When are receipts handed in?", says: /thirty days/ },
    ],
    open: [
        {
            question: "How long are employment contracts kept?",
            invented: "Employment contracts are kept for ten years",
        },
        { question: "Who approves journeys by plane?", invented: "The partner approves journeys by plane" },
        { question: "How do I bake sourdough bread?", invented: "Sourdough bread is baked at 240 degrees" },
    ],
};

/** Questions about published documents, fixed before any answer was looked at. @type {Folder[]} */
const LARGE = [
    {
        base: "dataroom",
        answered: [
            {
                question: "Within how many days are undisputed invoices paid?",
                says: /undisputed.*thirty \(30\)/i,
                answer: "Undisputed invoices are paid within thirty (30) days of the invoice date",
            },
            {
                question: "Which state's laws govern the agreement with Meridian Freight?",
                says: /laws of the .*Delaware/,
            },
            {
                question: "How long is the initial term of the agreement with Meridian Freight?",
                says: /initial term of .*three/,
            },
            { question: "Which interest accrues on late payments?", says: /one and one-half percent/ },
        ],
        open: [
            {
                question: "How many trucks does Harbor Foods own?",
                invented: "Harbor Foods owns 140 trucks",
            },
            {
                question: "Which insurer covers fire in Northwind's warehouses?",
                invented: "Northwind's warehouses are insured against fire by Allianz",
            },
            {
                question: "What is the date of birth of Northwind's chief executive?",
                invented: "Northwind's chief executive was born on 4 May 1971",
            },
        ],
    },
    {
        base: "quarterly",
        answered: [
            { question: "On which day does Apple's fiscal year end?", says: /last Saturday of September/ },
            {
                question: "How many shares did NVIDIA repurchase in the third quarter of fiscal year 2024?",
                says: /8\.3 million/,
            },
            {
                question: "Which useful lives did NVIDIA assess in February 2023?",
                says: /useful lives of our property/,
            },
        ],
        open: [
            {
                question: "How many people does Apple employ in Ireland?",
                invented: "Apple employs 6,000 people in Ireland",
            },
            {
                question: "What salary was Apple's chief executive paid in 2023?",
                invented: "Apple's chief executive was paid a salary of $3 million in 2023",
            },
            {
                question: "What is NVIDIA's share of the market for gaming graphics cards in Japan?",
                invented: "NVIDIA holds 88 percent of the market for gaming graphics cards in Japan",
            },
        ],
    },
    {
        base: "policy",
        answered: [
            {
                question: "Where is the copyright file of a package installed?",
                says: /\/usr\/share\/doc\/.*\/copyright/,
            },
            { question: "Which option should shell scripts set to detect errors?", says: /set -e/ },
            { question: "In which file is the changelog of a source package?", says: /debian\/changelog/ },
        ],
        open: [
            { question: "How is a dividend taxed?", invented: "A dividend is taxed at 25 percent" },
            {
                question: "When must a kidney transplant be refused?",
                invented: "A kidney transplant is refused above an age of 80",
            },
            {
                question: "What does a maintainer of packages earn in a year?",
                invented: "A maintainer of packages earns 60,000 euros in a year",
            },
            {
                question: "Which laptop does the project recommend to maintainers?",
                invented: "Maintainers are recommended a laptop with 16 gigabytes of memory",
            },
        ],
    },
];

/**
 * What a model may do with a question that its paragraphs do not answer.
 * @type {Record<string, (invented: string, first: import("./model.mjs").Sentence | undefined) => import("./model.mjs").Written>}
 */
const WAYS = {
    "says so": () => ({ text: "The documents do not state this.", gaps: ["What was asked."], confidence: 0 }),
    "says so and names no gap": () => ({ text: "The documents do not state this." }),
    "makes it up": (invented, first) => ({ text: `${invented} [${first?.key ?? "@1.1"}].` }),
    "says something else": (_invented, first) => ({
        text: first === undefined ? "Nothing." : `${first.text.replace(/\.$/, "")} [${first.key}].`,
    }),
};

/**
 * Asks every question of a folder.
 * @param {import("node:test").TestContext} context
 * @param {Place} place
 * @param {Folder} folder
 * @param {string[]} ways
 */
async function asked(context, place, folder, ways) {
    let way = WAYS[ways[0] ?? ""] ?? assert.fail();
    await ResearchModel.for(context, place, (question, sentences) => {
        const known = folder.answered.find((one) => one.question === question);
        const says = sentences.find(({ text }) => known?.says.test(text));
        if (known !== undefined && says !== undefined) {
            return { text: `${known.answer ?? says.text.replace(/\.$/, "")} [${says.key}].` };
        }
        const invented = folder.open.find((one) => one.question === question)?.invented ?? "Nobody knows";
        return way(invented, sentences[0]);
    });
    const seal = async (/** @type {string} */ question, connection = "model") => {
        const args = ["--yes", "--corpus", folder.base, "--connection", connection, question];
        const { html, markdown } = document(await place.do(["run", "standards-research", ...args]));
        return { level: /class="bar (\w+)"/.exec(html)?.[1], markdown };
    };
    for (const { question } of folder.answered) {
        const { level, markdown } = await seal(question);
        assert.equal(level, "good", `${question}\n${markdown}`);
    }
    for (const name of ways) {
        way = WAYS[name] ?? assert.fail(name);
        for (const { question } of folder.open) {
            const { level, markdown } = await seal(question);
            assert.notEqual(level, "good", `${question}: the model ${name}\n${markdown}`);
        }
    }
    return seal;
}

test("a document is green where its sources answer the question, and never where they do not", async (context) => {
    const place = Place.for(context);
    const folder = join(place.work, "handbook");
    mkdirSync(folder);
    for (const [name, text] of Object.entries(HANDBOOK)) writeFileSync(join(folder, name), text);
    await place.do(["kb", "ingest", folder, "--base", SMALL.base]);
    await asked(context, place, SMALL, Object.keys(WAYS));
});

const folders = process.env.AGENTNATIVE_FOLDERS;
for (const folder of LARGE) {
    const at = {
        dataroom: join(folders ?? "", "dataroom", "Northwind_Logistics"),
        quarterly: join(folders ?? "", "sec-10q", "docs"),
        policy: manual() ?? "",
    }[folder.base];
    const skip =
        folders === undefined ? "AGENTNATIVE_FOLDERS is not set" : !existsSync(at ?? "") && `${at} is not there`;
    test(`questions about real documents: ${folder.base}`, { skip }, async (context) => {
        const place = Place.for(context);
        let source = at ?? "";
        if (folder.base === "policy") {
            source = join(place.work, "policy");
            mkdirSync(source);
            writeFileSync(join(source, "policy.txt"), gunzipSync(readFileSync(join(at ?? "", "policy.txt.gz"))));
        }
        await place.do(["kb", "ingest", source, "--base", folder.base], { seconds: 300 });
        // A true sentence that has half of the question's words can't be told from an answer without reading it.
        const seal = await asked(context, place, folder, ["says so", "says so and names no gap", "makes it up"]);
        for (const { question } of folder.open) {
            const { level, markdown } = await seal(question, "offline");
            assert.notEqual(level, "good", `${question}: offline\n${markdown}`);
        }
    });
}
