// The first answer from a folder of one's own, from a fresh start: how many steps it takes and how long.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { Place } from "../lib.mjs";
import { folderOfPapers } from "../papers.mjs";
import { Served, launch, seen } from "./served.mjs";

/** The most steps: clicks, and keys that stand for one. */
const MAX_STEPS = 4;
const MAX_SECONDS = 60;

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
    browser = await launch();
});
after(() => browser?.close());

for (const [width, colorScheme] of /** @type {[number, "light" | "dark"][]} */ ([
    [1280, "light"],
    [390, "dark"],
])) {
    test(`a folder's first answer takes at most ${MAX_STEPS} steps, at ${width} pixels`, async (context) => {
        const place = Place.for(context);
        const folder = join(place.work, "papers");
        folderOfPapers(folder);
        const served = await Served.start(place);
        const room = await browser.newContext({
            viewport: { width, height: 800 },
            colorScheme,
            reducedMotion: "reduce",
        });
        context.after(() => room.close());
        const page = await room.newPage();
        const picture = async (/** @type {string} */ name) => {
            const shots = process.env.AGENTNATIVE_SHOTS;
            if (shots !== undefined) await page.screenshot({ path: join(shots, `first-${width}-${name}.png`) });
            const room = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
            assert.ok(room <= 0, `${name}: ${room} pixels wider than the window`);
        };
        await page.goto(served.url);
        await seen(page, /Research you can sign your name under/);
        const begin = performance.now();
        let steps = 0;
        const press = async () => {
            steps += 1;
            await page.keyboard.press("Enter");
        };

        await picture("welcome");
        steps += 1;
        await page.getByRole("textbox", { name: "Path of a folder" }).click();
        await page.keyboard.type(folder);
        await press();
        await seen(page, /What do you want to know/);
        await page.waitForFunction(() => document.activeElement?.matches("textarea") === true);
        await page.keyboard.type("How long are working papers kept?");
        await picture("question");
        await press();
        const go = page.getByRole("button", { name: /^Proceed/ }).first();
        await go.waitFor({ timeout: MAX_SECONDS * 1_000 });
        await picture("pause");
        steps += 1;
        await go.click();
        await seen(page, /In short[\s\S]*seven years/, MAX_SECONDS * 1_000);
        const seconds = (performance.now() - begin) / 1_000;
        await picture("answer");
        context.diagnostic(`${steps} steps, ${seconds.toFixed(1)} s`);
        assert.ok(steps <= MAX_STEPS, `${steps} steps`);
        assert.ok(seconds < MAX_SECONDS, `${seconds} s`);
    });
}
