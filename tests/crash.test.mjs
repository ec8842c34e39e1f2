// Real kills at every fsync of the writer, at random events and times; `npm run crash` makes a thousand of them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { crash, told } from "./crash.mjs";
import { which } from "./lib.mjs";

test("a run that is killed anywhere goes on to the same bytes, repeats nothing and leaves no process behind", async (context) => {
    const total = Number(process.env.CRASHES ?? 60);
    const seed = Number(process.env.CRASH_SEED ?? Date.now() % 2 ** 31);
    const report = await crash(total, { seed, say: (line) => console.error(line) });
    context.diagnostic(`seed ${seed}`);
    told(report)
        .split("\n")
        .forEach((line) => context.diagnostic(line));
    assert.deepEqual(report.failures, []);
    assert.ok(report.kills >= total, `${report.kills} kills`);
    assert.ok(report.resumed > 0 && report.unknown > 0, "no kill landed where there was something to resume");
    if (which("strace") !== undefined) assert.ok((report.byHow.fsync ?? 0) > 0, "no kill landed on an fsync");
});
