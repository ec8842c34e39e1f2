// Numbers in brackets that are a document's own: papers, encyclopedias, law reports, intervals, forms. Without a model each question is
// answered in the document's very words.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Place, document } from "./lib.mjs";

/** The words of a document, the question about them, and how they stand in Markdown. */
const CASES = {
    paper: ["Earlier work [2] found that passive cooling halves the outage time.", "What did earlier work find on passive cooling?"],
    court: [
        "The judges held in Alpha v Beta [2019] UKSC 12 that a notice of seven days is too short.",
        "How long a notice is too short?",
    ],
    interval: [
        "The confidence score lies in the interval [0, 1] for every answer.",
        "In which interval does the confidence score lie?",
    ],
    lake: ["Its greatest depth is 212 metres.[2]", "What is the greatest depth of the lake?"],
    form: ["The customer pays [30] days after receipt.", "When does the customer pay?"],
    labels: ["Part [P1] binds the members and page [W2] does not.", "What does part [P1] bind?"],
};

test("numbers in brackets stay in what is quoted without a model, and it is verified", async (context) => {
    const place = Place.for(context);
    for (const [name, [words = "", question = ""]] of Object.entries(CASES)) {
        const folder = join(place.work, name);
        mkdirSync(folder);
        writeFileSync(join(folder, `${name}.md`), `# A ${name}\n\n## 1 Words of the ${name}\n\n${words}\n`);
        await place.do(["kb", "ingest", folder, "--base", name]);
        const { markdown } = document(
            await place.do(["run", "standards-research", "--corpus", name, "--yes", question]),
        );
        const plain = markdown.replaceAll("\\", "");
        assert.ok(plain.includes(`“${words}”`), `${name}: ${markdown}`);
        assert.match(plain, /1 statement: 1 quoted word for word/, `${name}: ${markdown}`);
        assert.doesNotMatch(plain, /\[unverified|unknown citation/, `${name}: ${markdown}`);
    }
});
