// The first answer from a folder of one's own in the real window, from a fresh start: steps, seconds, and the page behind a citation.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { pause, until } from "../lib.mjs";
import { folderOfPapers } from "../papers.mjs";
import { App } from "./app.mjs";

/** The most steps: clicks, and keys that stand for one. */
const MAX_STEPS = 5;
const MAX_SECONDS = 60;

test("from a fresh start to an answer out of twenty files, and to the page that says so", async (context) => {
    const app = await App.for(context);
    const folder = join(app.place.work, "papers");
    folderOfPapers(folder);
    const page = await app.start();
    const shots = process.env.AGENTNATIVE_SHOTS;
    const picture = async (/** @type {string} */ name) => {
        if (shots !== undefined) writeFileSync(join(shots, `window-first-${name}.png`), await page.picture());
    };
    // The page stands still.
    await page.find("heading", /^Connect a model$/);
    await page.find("button", /^Ask a folder/);
    const begin = performance.now();
    let steps = 0;
    const click = async (/** @type {RegExp} */ name, /** @type {number} */ ms = 15_000) => {
        steps += 1;
        await page.click("button", name, { ms });
    };
    const enter = async (/** @type {() => Promise<void>} */ key) => {
        steps += 1;
        await key();
    };

    await picture("welcome");
    await click(/^Ask a folder/);
    await enter(() => chooseFolder(app.desktop, folder));
    await page.text(/What do you want to know/);
    await page.until("the composer", () => page.run(() => document.activeElement?.matches("textarea")));
    await page.write("How long are working papers kept?");
    await picture("question");
    await enter(() => page.press("Enter"));
    await click(/^Proceed/, MAX_SECONDS * 1_000);
    await page.text(/In short[\s\S]*seven years/, MAX_SECONDS * 1_000);
    const seconds = (performance.now() - begin) / 1_000;
    await picture("answer");
    context.diagnostic(`${steps} steps, ${seconds.toFixed(1)} s`);
    assert.ok(steps <= MAX_STEPS, `${steps} steps`);
    assert.ok(seconds < MAX_SECONDS, `${seconds} s`);

    // Behind the citation stand the paragraph and its file, and the page with the passage marked.
    await page.click("button", /^retention.*, verified$/);
    await page.text(/retention\.pdf, page 1/);
    await page.click("button", /^Open page$/);
    const drawn =
        "() => [...document.querySelectorAll('[role=dialog] img, [role=dialog] canvas')].some((one) => one.width > 200)";
    await page.until("the page", () => page.run(drawn));
    await picture("page");
});

/**
 * Types a folder into the system's dialog and confirms it.
 * @param {import("./desktop.mjs").Desktop} desktop
 * @param {string} folder
 */
async function chooseFolder(desktop, folder) {
    let dialog = "";
    const visible = (/** @type {string} */ name) => desktop.xdotool("search", "--onlyvisible", "--name", name);
    const isOpen = () => (dialog = visible("^Choose a folder$")) !== "";
    // GTK asks services of a desktop first, some of which are not there and are waited for.
    if (!(await until(isOpen, 45_000))) {
        const names = visible(".").split("\n");
        const titles = names.map((window) => desktop.xdotool("getwindowname", window));
        assert.fail(`no dialog; the windows are ${titles.join(", ")}`);
    }
    desktop.xdotool("windowfocus", "--sync", dialog);
    desktop.xdotool("type", "--delay", "20", folder);
    // What the dialog completes stands selected behind it.
    await pause(500);
    desktop.xdotool("key", "Delete", "Return");
    assert.ok(await until(() => !isOpen(), 15_000), "the dialog stays");
}
