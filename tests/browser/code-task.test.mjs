// A pause for permission in a browser: what the stage's tools would do is shown whole, a key struck in passing permits nothing, and the
// run goes on with what was allowed; no serious finding of axe, nothing wider than a narrow window, light and dark.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { Place } from "../lib.mjs";
import { Served, findings, go, launch, picture, seen } from "./served.mjs";

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
    browser = await launch();
});
after(() => browser?.close());

test("a run asks for permission with what it would do, and goes on with a button alone", async (context) => {
    const place = Place.for(context);
    const folder = join(place.work, "project");
    mkdirSync(join(folder, ".agentnative"), { recursive: true });
    const checks = { checks: [{ name: "sum", command: 'test "$(sh sum.sh 2 3)" = 5' }] };
    writeFileSync(join(folder, ".agentnative", "checks.json"), JSON.stringify(checks));
    writeFileSync(join(folder, "sum.sh"), "echo $(($1 + $2))\n");
    for (const words of [
        ["init", "--quiet", "--initial-branch=main"],
        ["add", "--all"],
        ["-c", "user.name=Eva", "-c", "user.email=eva@example.com", "commit", "--quiet", "-m", "first"],
    ])
        assert.equal(spawnSync("git", words, { cwd: folder, env: place.environment() }).status, 0, words.join(" "));
    const input = join(place.work, "task.json");
    writeFileSync(input, JSON.stringify({ title: "Fix the sum", description: "It must add.", project: folder }));
    const script = join(place.work, "script.json");
    writeFileSync(script, JSON.stringify({ answers: [{ text: "What is the sum for?" }] }));
    const env = { AGENTNATIVE_SCRIPT: script };
    const paused = await place.run(["run", "code-task", "--input", input, "--connection", "scripted"], { env });
    assert.equal(paused.code, 3, paused.stderr);
    const [{ run, session }] = await place.runs();

    const served = await Served.start(place, { env });
    for (const [name, width, colorScheme] of /** @type {const} */ ([
        ["wide", 1280, "light"],
        ["narrow", 390, "dark"],
    ])) {
        const room = await browser.newContext({
            viewport: { width, height: 844 },
            reducedMotion: "reduce",
            colorScheme,
        });
        context.after(() => room.close());
        const page = await room.newPage();
        await page.goto(served.url);
        await go(page, `#/session/${session}`);
        const heading = page.getByRole("heading", { name: "Permission needed" });
        await heading.waitFor();
        await seen(page, /git worktree add/);
        await seen(page, /sum: test/);
        await picture(page, `permission-${name}`, { fullPage: true });
        assert.deepEqual(await findings(page), []);
        const [wide, most] = await page.evaluate(() => [
            document.documentElement.scrollWidth,
            document.documentElement.clientWidth,
        ]);
        assert.ok(wide <= most, `${wide} px in a window of ${most}`);
        if (name === "wide") {
            await page.keyboard.press("Enter");
            assert.equal((await place.state(run)).pauses[0].kind, "permission");
            continue;
        }
        await page.getByRole("button", { name: "Allow once" }).click();
        await seen(page, /What is the sum for\?/, 30_000);
    }
});
