// Knowledge bases from the page alone: looked at, ingested, found, walked through; a download that can't be had.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { Place } from "../lib.mjs";
import { Served, go, launch, seen } from "./served.mjs";

const MANUAL = `# Working papers

## 4.1 Retention

Working papers of an engagement are kept for eight years. The reviewer is named in 4.2.

## 4.2 Review

Every working paper is reviewed by someone who did not prepare it, as 4.1 presumes.
`;

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
    browser = await launch();
});
after(() => browser?.close());

/** @param {import("node:test").TestContext} context */
async function opened(context) {
    const place = Place.for(context);
    const served = await Served.start(place);
    const core = await served.core();
    await core.call("settings_update", { welcomed: true });
    const room = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
    context.after(() => room.close());
    const page = await room.newPage();
    await page.goto(served.url);
    await go(page, "/knowledge");
    await seen(page, /Add documents/);
    return { place, core, page };
}

test("documents are looked at, ingested and found, by the keyboard and the page alone", async (context) => {
    const { place, core, page } = await opened(context);
    const folder = join(place.work, "papers");
    mkdirSync(folder);
    writeFileSync(join(folder, "papers.md"), MANUAL);
    writeFileSync(join(folder, "photo.bin"), Buffer.from([0, 1, 2, 3, 255, 254, 0, 9]));
    await page.keyboard.press("a");
    await page.getByRole("textbox", { name: /^Files and folders/ }).fill(folder);
    await page.keyboard.press("Control+Enter");
    await seen(page, /Citation format/);
    await page.getByRole("textbox", { name: "Title" }).fill("Working papers of the firm");
    await page.keyboard.press("Enter");
    await seen(page, /as they would be stored/);
    const bases = async () => (await core.call("base_list")).map((/** @type {any} */ base) => base.name);
    assert.ok(!(await bases()).includes("working-papers-of-the-firm"), "a look stores nothing");
    await page.getByRole("button", { name: "Ingest", exact: true }).click();
    await seen(page, /Knowledge base “working-papers-of-the-firm” is ready/);
    assert.ok((await bases()).includes("working-papers-of-the-firm"));

    await page.keyboard.press("/");
    await page.keyboard.type("kept for eight years");
    const hit = page.getByRole("listitem").filter({ hasText: "kept for eight years" }).first();
    await hit.waitFor();
    assert.match(await hit.innerText(), /Retention[\s\S]*has .*\d+ %/);
    assert.doesNotMatch(await hit.innerText(), /Standard|Guide/, "a document has no badge");
    await hit.getByRole("button").first().click();
    await page
        .getByRole("complementary", { name: "Paragraph" })
        .getByRole("button", { name: /^Link graph/ })
        .click();
    await seen(page, /Links of /);
});

test("a text that can't be had says why, and nothing is lost", async (context) => {
    const { core, page } = await opened(context);
    const before = await core.call("base_list");
    await page.getByRole("button", { name: /^Download texts/ }).click();
    await page.getByRole("tab", { name: "From an address" }).click();
    // Nobody listens there.
    await page.getByRole("textbox", { name: "Address" }).fill("https://127.0.0.1:1/law.html");
    await page.getByRole("checkbox", { name: /^I may keep a copy/ }).click();
    await page.getByRole("button", { name: "Download", exact: true }).click();
    const told = page
        .getByRole("dialog")
        .getByRole("alert")
        .filter({ hasText: /Download of .* failed/ });
    await told.waitFor();
    assert.match(await told.innerText(), /127\.0\.0\.1[\s\S]*ingest the file/);
    assert.deepEqual(
        (await core.call("base_list")).map((/** @type {any} */ base) => base.name),
        before.map((/** @type {any} */ base) => base.name),
    );
});
