// A run that is repeated on its page: nothing changed, then with another plan.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Place, jsonLines } from "../lib.mjs";
import { Served, go, launch, picture, seen } from "./served.mjs";

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
    browser = await launch();
});
after(() => browser?.close());

test("a run's page repeats it, and says what was taken over", async (context) => {
    const place = Place.for(context);
    const done = await place.run(["run", "isa-deep-research", "What is materiality?", "--yes", "--json"]);
    const { run } = jsonLines(done.stdout).at(-1);
    const served = await Served.start(place);
    const room = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
    context.after(() => room.close());
    const page = await room.newPage();
    await page.goto(served.url);
    await go(page, `#/run/${run}`);
    await seen(page, /Run again/);
    // What was reached, the newest first; a run that has ended can be done anew from the beginning of a stage.
    const checkpoints = page.getByRole("list", { name: /\d checkpoints$/ });
    await checkpoints.getByText("Run complete", { exact: true }).waitFor();
    await checkpoints.getByRole("button", { name: "Rerun from here" }).first().waitFor();
    await page.getByRole("button", { name: "Run again" }).click();
    await seen(page, /Took over (\d+) of \1 calls from an earlier run/, 30_000);
    assert.ok(!page.url().includes(run), "a new run is shown");

    // Once the new run has ended, its outputs can be edited.
    await page.locator('button:has-text("Run again"):enabled').waitFor();
    await page.getByRole("combobox", { name: "Edit the output of" }).click();
    await page.getByRole("option", { name: "Analyze", exact: true }).click();
    const field = page.getByRole("textbox", { name: "Its output, as JSON" });
    await field.waitFor();
    await page.waitForFunction(() => document.querySelector("textarea")?.value.includes("{") === true);
    const plan = JSON.parse(await field.inputValue());
    plan.sub_queries = plan.sub_queries.slice(0, 1);
    await field.fill(JSON.stringify(plan));
    await page.getByRole("button", { name: "Run again" }).scrollIntoViewIfNeeded();
    await picture(page, "rerun-edit");
    await page.getByRole("button", { name: "Run again" }).click();
    await seen(page, /Edited beforehand: /, 30_000);
    await picture(page, "rerun-edited");
});
