// Reading, kind by kind: what must stand, what must not, and what must be told. The inputs are made here, and read in one go.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Place } from "./lib.mjs";
import { KINDS } from "./reading/cases/all.mjs";
import { judged, shown } from "./reading/judge.mjs";
import { OPEN } from "./reading/open.mjs";

/** @type {import("./reading/judge.mjs").Judged[]} */
let all = [];
const place = new Place();

before(async () => {
    all = await judged(place);
});
after(() => place.end());

for (const [kind, cases] of Object.entries(KINDS)) {
    test(`${kind}: ${cases.length} cases, ${OPEN[kind]?.length ?? 0} of them open`, () => {
        const open = OPEN[kind] ?? [];
        const failed = all.filter((one) => one.kind === kind && one.faults.length > 0);
        const wrong = failed.filter(({ name }) => !open.includes(name));
        assert.equal(
            wrong.length,
            0,
            `${wrong.length} of ${cases.length} are not read as they must be\n${wrong.map(shown).join("\n")}`,
        );
        const done = open.filter((name) => !failed.some((one) => one.name === name));
        assert.deepEqual(done, [], "these are read right, or gone: take them off the list of open cases");
    });
}

test("every case has a name of its own", () => {
    for (const [kind, cases] of Object.entries(KINDS))
        assert.equal(new Set(cases.map(([name]) => name)).size, cases.length, kind);
});
