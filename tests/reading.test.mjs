// Reading, kind by kind: what must stand, what must not, and what must be told. The inputs are made here, and read in one go.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Place } from "./lib.mjs";
import { KINDS } from "./reading/cases/all.mjs";
import { isFound, judged, shown } from "./reading/judge.mjs";

/** @type {import("./reading/judge.mjs").Judged[]} */
let all = [];
const place = new Place();

before(async () => {
    all = await judged(place);
    const asked = all.flatMap((one) => one.finds.map((words) => ({ one, words })));
    await Promise.all(
        asked.map(async ({ one, words }) => {
            if (!(await isFound(place, one, words))) one.faults.push(`not found: ${words}`);
        }),
    );
});
after(() => place.end());

for (const [kind, cases] of Object.entries(KINDS)) {
    test(`${kind}: ${cases.length} cases`, () => {
        const failed = all.filter((one) => one.kind === kind && one.faults.length > 0);
        assert.equal(
            failed.length,
            0,
            `${failed.length} of ${cases.length} are not read as they must be\n${failed.map(shown).join("\n")}`,
        );
    });
}
