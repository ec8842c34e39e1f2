// The first answer from a folder of one's own, from a fresh start: how many steps it takes and how long.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { Place } from "../lib.mjs";
import { docx, pdf } from "../papers.mjs";
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

/**
 * Twenty files of eight kinds; one of them answers.
 * @param {string} folder
 */
function fill(folder) {
    mkdirSync(join(folder, "more"), { recursive: true });
    const write = (/** @type {string} */ name, /** @type {string | Uint8Array} */ content) =>
        writeFileSync(join(folder, name), content);
    const about = (/** @type {number} */ number) =>
        `Project ${number} is led from office ${number * 7}. Its report goes to the board in month ${(number % 12) + 1}.`;
    write("retention.pdf", pdf([["# Retention", "Working papers are kept for seven years after the report."]]));
    for (const number of [1, 2, 3]) {
        write(`minutes-${number}.pdf`, pdf([[`# Minutes ${number}`, about(number)]]));
        write(`memo-${number}.docx`, docx([`# Memo ${number}`, about(number + 3)]));
        write(`note-${number}.md`, `# Note ${number}\n\n${about(number + 6)}\n`);
        write(`list-${number}.txt`, `${about(number + 9)}\n`);
        write(
            `more/page-${number}.html`,
            `<html><body><h1>Page ${number}</h1><p>${about(number + 12)}</p></body></html>`,
        );
    }
    write("more/plan.md", `# Plan\n\n${about(20)}\n`);
    write("photo.png", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]));
    write("data.bin", Buffer.from([0, 1, 2, 255, 254]));
    write("table.csv", "name,office\nA,1\n");
}

for (const [width, colorScheme] of /** @type {[number, "light" | "dark"][]} */ ([
    [1280, "light"],
    [390, "dark"],
])) {
    test(`a folder's first answer takes at most ${MAX_STEPS} steps, at ${width} pixels`, async (context) => {
        const place = Place.for(context);
        const folder = join(place.work, "papers");
        fill(folder);
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
