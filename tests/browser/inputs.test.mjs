// A run with inputs in a browser: the form made from the agent's schema, by keys alone; what is wrong beside its field; the
// inputs on the run's page; no serious finding of axe, nothing wider than a narrow window, light and dark.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Place } from "../lib.mjs";
import { ticket } from "../ticket.mjs";
import { Served, findings, go, launch, picture, seen } from "./served.mjs";

const WHOLE = { fullPage: true };

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
    browser = await launch();
});
after(() => browser?.close());

test("a run is begun from the form of its agent by keys alone, and its page shows what it was given", async (context) => {
    const place = Place.for(context);
    const served = await Served.start(place, ticket(place));
    const room = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
    context.after(() => room.close());
    const page = await room.newPage();
    await page.goto(served.url);
    await go(page, "#/new?agent=ticket");
    await page.getByRole("group", { name: "Inputs of Ticket" }).waitFor();
    await picture(page, "inputs-empty", WHOLE);
    await page.getByRole("textbox", { name: "Title *" }).focus();
    await page.keyboard.press("Control+Enter");
    await seen(page, /Required\./);
    assert.deepEqual(await findings(page), []);
    await picture(page, "inputs-missing", WHOLE);

    await page.keyboard.type("Mend the door");
    await page.keyboard.press("Tab");
    await page.keyboard.type("It does not close.\nThe hinge is loose.");
    await page.keyboard.press("Tab");
    await page.keyboard.type(place.work);
    await page.keyboard.press("Tab");
    await page.getByRole("combobox", { name: "Priority *" }).press("Enter");
    await page.keyboard.press("h");
    await page.keyboard.press("Enter");
    const attempts = page.getByRole("textbox", { name: "Attempts" });
    await attempts.fill("9");
    await page.getByRole("button", { name: "Add an entry to Checks" }).press("Enter");
    await page.keyboard.type("npm test");
    await page.keyboard.press("Enter");
    await page.keyboard.type("npm run lint");
    await page.keyboard.press("Control+Enter");
    await seen(page, /At most 5\./);
    await attempts.fill("3");
    await picture(page, "inputs-filled", WHOLE);
    await attempts.press("Control+Enter");
    await seen(page, /It is high\.|Weigh/, 30_000);
    const [row] = await place.runs();
    assert.equal(row.title, "Mend the door");
    await go(page, `#/run/${row.run}`);
    await seen(page, /Inputs/);
    await seen(page, /npm run lint/);
    await picture(page, "inputs-run", WHOLE);
    const state = await place.state(row.run);
    assert.deepEqual(state.inputs, {
        title: "Mend the door",
        description: "It does not close.\nThe hinge is loose.",
        project: place.work,
        priority: "high",
        attempts: 3,
        draft: true,
        checks: ["npm test", "npm run lint"],
    });
});

test("the form fits a narrow window, light and dark", async (context) => {
    const place = Place.for(context);
    const served = await Served.start(place, ticket(place));
    for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
        const room = await browser.newContext({
            viewport: { width: 390, height: 844 },
            reducedMotion: "reduce",
            colorScheme,
        });
        context.after(() => room.close());
        const page = await room.newPage();
        await page.goto(served.url);
        await go(page, "#/new?agent=ticket");
        await page.getByRole("group", { name: "Inputs of Ticket" }).waitFor();
        await page.getByRole("button", { name: "Add an entry to Checks" }).click();
        await page.getByRole("button", { name: /^Run/ }).click();
        await seen(page, /Required\./);
        assert.deepEqual(await findings(page), []);
        const { wide, room: width } = await page.evaluate(() => ({
            wide: document.documentElement.scrollWidth,
            room: document.documentElement.clientWidth,
        }));
        assert.ok(wide <= width, `${wide} px in a window of ${width}`);
        await picture(page, `inputs-narrow-${colorScheme}`, WHOLE);
    }
});
