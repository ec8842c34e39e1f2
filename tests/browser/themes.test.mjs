// Themes in a browser: chosen, edited, written by hand, and on the page before its program is.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { Place } from "../lib.mjs";
import { Served, findingsInBoth, go, launch, openPage, seen } from "./served.mjs";

/** @type {import("playwright-core").Browser} */
let browser;
/** @type {Place} */
let place;
/** @type {Served} */
let served;

before(async () => {
    place = new Place();
    [browser, served] = await Promise.all([launch(), Served.start(place)]);
});

after(async () => {
    await browser?.close();
    await served?.end();
    await place?.end();
});

/**
 * The settings of the look.
 * @param {import("node:test").TestContext} context
 * @param {import("playwright-core").BrowserContextOptions} [options]
 */
async function open(context, options) {
    const opened = await openPage(context, browser, served, { colorScheme: "light", ...options });
    const { page } = opened;
    await go(page, "/settings/appearance");
    await page.getByRole("radio", { name: "Harbour" }).waitFor();
    return opened;
}

const ground = (/** @type {import("playwright-core").Page} */ page) =>
    page.evaluate(() => getComputedStyle(document.body).backgroundColor);

/**
 * Waits for the page's colour.
 * @param {import("playwright-core").Page} page
 * @param {string} wanted as computed
 */
const becomes = (page, wanted) =>
    page.waitForFunction((colour) => getComputedStyle(document.body).backgroundColor === colour, wanted, {
        timeout: 10_000,
    });

test("a chosen theme is there before the program is, at the next start", async (context) => {
    const { page, errors } = await open(context);
    await page.getByRole("radio", { name: "Lagoon" }).click();
    await becomes(page, "rgb(231, 248, 249)");
    // The program does not come at all: what is seen is from before the first paint.
    await page.route("**/*.js", (route) =>
        route.request().url().endsWith("/appearance.js") ? route.continue() : route.abort(),
    );
    await page.reload({ waitUntil: "domcontentloaded" });
    await becomes(page, "rgb(231, 248, 249)");
    await page.unrouteAll();
    await page.reload();
    await page.getByRole("radio", { name: "Lagoon" }).waitFor();
    await page.getByRole("radio", { name: "Paper" }).click();
    await becomes(page, "rgb(250, 249, 246)");
    assert.deepEqual(
        errors.filter((error) => !error.includes("ERR_FAILED")),
        [],
    );
});

test("what the editor shows is gone when it is cancelled, and a file when it is saved", async (context) => {
    const { page } = await open(context);
    const before = await ground(page);
    await page.getByRole("button", { name: "New theme…" }).click();
    const background = page.getByRole("textbox", { name: "Background, light", exact: true });
    await background.fill("#fff1e6");
    await becomes(page, "rgb(255, 241, 230)");
    await background.press("Enter");
    await background.press("Escape");
    await becomes(page, before);
    await page.getByRole("button", { name: "New theme…" }).click();
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("Peach");
    await background.fill("#fff1e6");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("radio", { name: "Peach", checked: true }).waitFor();
    await becomes(page, "rgb(255, 241, 230)");
    const file = JSON.parse(readFileSync(join(place.data, "themes", "peach.json"), "utf8"));
    assert.equal(file.light.background, "#fff1e6");
});

test("a theme written by hand is seen at once, and one that is broken keeps its look and says where", async (context) => {
    const { page } = await open(context);
    mkdirSync(join(place.data, "themes"), { recursive: true });
    const file = join(place.data, "themes", "night-shift.json");
    writeFileSync(file, JSON.stringify({ name: "Night shift", light: { background: "#e8eef5" } }));
    await page.getByRole("radio", { name: "Night shift" }).click();
    await becomes(page, "rgb(232, 238, 245)");
    writeFileSync(file, JSON.stringify({ name: "Night shift", light: { background: "#dfe9f3" } }));
    await becomes(page, "rgb(223, 233, 243)");
    writeFileSync(file, JSON.stringify({ name: "Night shift", light: { background: "blue-ish" } }));
    await seen(page, /\/light\/background/);
    assert.equal(await ground(page), "rgb(223, 233, 243)");
});

test("a theme of another program comes over with a report", async (context) => {
    const { page } = await open(context);
    await page.getByRole("button", { name: "Import…" }).click();
    const text = JSON.stringify({
        name: "Ice field",
        background: "#eef2f6",
        foreground: "#223344",
        accent: "#88bbee",
        mode: "scenic",
        backgroundImage: "https://example.org/x.jpg",
        dark: { background: "#101820", foreground: "#e0e8f0" },
    });
    await page.getByRole("textbox", { name: "Paste the theme here" }).fill(text);
    await page.getByRole("button", { name: "Preview" }).click();
    await seen(page, /pictures behind the window are not shown/);
    await seen(page, /low contrast/);
    await page.getByRole("button", { name: "Add and use" }).click();
    await page.getByRole("radio", { name: "Ice field", checked: true }).waitFor();
    await becomes(page, "rgb(238, 242, 246)");
});

test("the gallery and the editor are usable by everybody, light and dark", async (context) => {
    const { page, errors } = await open(context);
    await page.getByRole("button", { name: "New theme…" }).click();
    await page.getByRole("dialog", { name: "Edit theme" }).waitFor();
    await page.getByText("Surface colours").click();
    await page.getByText(/^Contrast:/).click();
    assert.deepEqual(await findingsInBoth(page), []);
    assert.deepEqual(errors, []);
    // Where motion is reduced, all of the page is dark at once.
    await page.emulateMedia({ colorScheme: "dark" });
    const moving = await page.evaluate(
        () => document.getAnimations().filter((one) => one instanceof CSSTransition).length,
    );
    assert.equal(moving, 0);
});
