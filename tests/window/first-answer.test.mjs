// The first answer from a folder of one's own in the real window, from a fresh start: steps, seconds, and the page behind a citation.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";

import { folderOfPapers } from "../papers.mjs";
import { App } from "./app.mjs";

/** The most steps: clicks, and keys that stand for one. */
const MAX_STEPS = 4;
const MAX_SECONDS = 60;

test("from a fresh start to an answer out of twenty files, and to the page that says so", async (context) => {
    const app = await App.for(context);
    const folder = join(app.place.work, "papers");
    folderOfPapers(folder);
    const page = await app.start();
    const field = await page.find("textbox", "Path of a folder");
    const begin = performance.now();
    let steps = 0;
    const press = async () => {
        steps += 1;
        await page.press("Enter");
    };

    steps += 1;
    await field.click();
    await page.write(folder);
    await press();
    await page.text(/What do you want to know/);
    await page.until("the composer", () => page.later(() => document.activeElement?.matches("textarea")));
    await page.write("How long are working papers kept?");
    await press();
    steps += 1;
    await page.click("button", /^Proceed/, { ms: MAX_SECONDS * 1_000 });
    await page.text(/In short[\s\S]*seven years/, MAX_SECONDS * 1_000);
    const seconds = (performance.now() - begin) / 1_000;
    context.diagnostic(`${steps} steps, ${seconds.toFixed(1)} s`);
    assert.ok(steps <= MAX_STEPS, `${steps} steps`);
    assert.ok(seconds < MAX_SECONDS, `${seconds} s`);
});
