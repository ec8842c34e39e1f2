// A deal memorandum in a browser: at its plan, at its fact sheet and finished, its session and its job page; no serious finding of axe
// and nothing wider than the window, light, dark and narrow. A footnote leads to the paragraph of the document.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { dealRoom } from "../deal-room.mjs";
import { Place } from "../lib.mjs";
import { Served, findings, findingsInBoth, go, launch, openPage, picture, seen } from "./served.mjs";

/** @type {import("playwright-core").Browser} */
let browser;
/** @type {Place} */
let place;
/** @type {Served} */
let served;
/** @type {Record<"plan" | "sheet" | "finished", { run: string, session: string }>} */
let runs;

before(async () => {
    place = new Place();
    const { input } = dealRoom(place.work);
    const args = ["run", "deal-memorandum", "--input", input, "--depth", "outline", "--json"];
    const newest = async () => (await place.runs())[0];
    /** @param {string[]} words @param {number} code */
    const gives = async (words, code) => {
        const done = await place.run(words, { seconds: 600 });
        assert.equal(done.code, code, done.stderr);
        return newest();
    };
    const finished = await gives([...args, "--yes"], 0);
    const plan = await gives(args, 3);
    await gives(args, 3);
    const answers = join(place.work, "answers.json");
    writeFileSync(answers, JSON.stringify([{ choice: "proceed" }]));
    const sheet = await gives(["resume", "--last", "--answers", answers, "--json"], 3);
    runs = { plan, sheet, finished };
    served = await Served.start(place);
    browser = await launch();
});

after(async () => {
    await browser?.close();
    await place?.end();
});

/** Each page of the job, by name: its address and what stands on it. */
const pages = () =>
    /** @type {[string, string, RegExp][]} */ ([
        ["plan", `#/session/${runs.plan.session}`, /10 sections/],
        ["sheet", `#/session/${runs.sheet.session}`, /Sign the fact sheet/],
        ["finished", `#/session/${runs.finished.session}`, /Status: draft, not signed/],
        ["job", `#/run/${runs.finished.run}`, /Score by dimension[\s\S]*Checkpoints/],
    ]);

for (const width of [1280, 390]) {
    test(`a memorandum is usable by everybody, light and dark, ${width} wide`, async (context) => {
        const { page } = await openPage(context, browser, served, { viewport: { width, height: 800 } });
        for (const [name, path, shows] of pages()) {
            await context.test(name, async () => {
                await go(page, path);
                await seen(page, shows);
                assert.deepEqual(await findingsInBoth(page, `memorandum-${name}-${width}`), []);
                const wide = await page.evaluate(() => document.documentElement.scrollWidth);
                assert.ok(wide <= width, `${wide} px in a window of ${width}`);
            });
        }
    });
}

test("a footnote of a memorandum leads to the paragraph of its document", async (context) => {
    const { page } = await openPage(context, browser, served);
    await go(page, `#/session/${runs.finished.session}`);
    await seen(page, /Status: draft, not signed/);
    const mark = page.locator("[data-turn] sup [data-note]").first();
    await mark.scrollIntoViewIfNeeded();
    // With the mouse: what can be clicked is as high as a line.
    await mark.click();
    await seen(page, /Cited for/);
    assert.deepEqual(await findings(page), []);
    await picture(page, "memorandum-paragraph");
});
