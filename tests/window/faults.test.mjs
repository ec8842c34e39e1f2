// What goes wrong around the window: it says what happened and what to do, and nothing that was typed is lost.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { AGENT, QUESTION, until } from "../lib.mjs";
import { App } from "./app.mjs";
import { CHOICE, PAUSE, askQuestion, started, verifiedDocument } from "./steps.mjs";

test("a data directory that another program holds is said, and taken when it is free", async (context) => {
    const app = await App.for(context);
    const holder = app.place.start(["run", AGENT, QUESTION], { open: true, terminal: true, seconds: 120 });
    await holder.saw(/\[A\]|Proceed/);
    const held = app.place
        .processes()
        .find(({ command }) => /agentnative run/.test(command) && !command.startsWith("script"));
    assert.ok(held !== undefined, JSON.stringify(app.place.processes()));
    process.kill(held.pid, "SIGSTOP");
    const page = await app.start();
    await page.text(/in use|does not answer/, 20_000);
    process.kill(held.pid, "SIGKILL");
    assert.ok(await until(() => !app.place.processes().some(({ pid }) => pid === held.pid), 5_000));
    await page.click("button", /^Retry now/);
    const runs = async () => (await app.core()).runs();
    // What is asked while the core changes hands is asked again.
    await page.until("the core", async () => (await runs().catch(() => [])).length === 1);
    await page.gone("button", /^Retry now/);
    await page.find("link", /^Needs you 1 session/);
});

test("a full disk is said in words, what was typed stays, and it goes on when there is space", async (context) => {
    const app = await App.for(context);
    const { data } = app.place;
    mkdirSync(data, { recursive: true });
    if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=48m", "tmpfs", data]).status !== 0) {
        context.skip("skipped: this user may not mount a small disk");
        return;
    }
    try {
        const page = await app.start();
        await app.core();
        await page.go("/new");
        await page.find("textbox", /^Ask a question/);
        fill(join(data, "filler"));
        await askQuestion(page);
        await page.text(/disk is full|no space/i, 30_000);
        const field = await page.find("textbox", /^Ask a question/);
        assert.equal(await field.value(), QUESTION, "what was typed stays");
        rmSync(join(data, "filler"));
        await field.click();
        await page.press("Enter");
        await page.find("heading", PAUSE.first);
        await page.click("button", CHOICE.skip);
        await verifiedDocument(page);
    } finally {
        await app.quit();
        spawnSync("umount", ["-l", data]);
    }
});

/** Fills a disk to its last byte. */
function fill(/** @type {string} */ path) {
    const file = openSync(path, "a");
    try {
        for (const size of [1 << 20, 1 << 12, 1]) {
            const zeros = Buffer.alloc(size);
            for (;;) if (writeSync(file, zeros) < size) break;
        }
    } catch (error) {
        assert.equal(/** @type {NodeJS.ErrnoException} */ (error).code, "ENOSPC");
        return;
    } finally {
        closeSync(file);
    }
    assert.fail("the disk never got full");
}

test("what was typed survives a reload, in the composer and in a pause", async (context) => {
    const app = await App.for(context);
    const page = await app.start();
    const core = await app.core();
    await page.go("/new");
    const field = await page.find("textbox", /^Ask a question/);
    await field.click();
    await page.write("Half a question about");
    await page.until(
        "a draft",
        async () => (await core.call("draft_show", { key: "new" }))?.text === "Half a question about",
    );
    await page.reload();
    const again = await page.find("textbox", /^Ask a question/);
    await page.until("what was typed", async () => (await again.value()) === "Half a question about");

    const { session } = await started(core, "paused");
    await page.go(`/session/${session}`);
    await page.find("heading", PAUSE.first);
    const remarks = await page.find("textbox", /^Remarks/);
    await remarks.click();
    await page.write("Only listed entities.");
    // At once: leaving the page stores what has not settled yet.
    await page.reload();
    const kept = await page.find("textbox", /^Remarks/);
    await page.until("what was typed", async () => (await kept.value()) === "Only listed entities.");
});

test("a stage that fails says what happened, what was kept and what to do", async (context) => {
    const app = await App.for(context);
    const page = await app.start();
    const core = await app.core();
    const { session, run } = await started(core, "paused");
    await page.go(`/session/${session}`);
    await page.find("heading", PAUSE.first);
    // Its knowledge base is switched off under it.
    await core.call("source_enable", { slug: "isa-knowledge-base", on: false });
    await page.click("button", CHOICE.skip);
    await page.until("an end", async () => (await core.run(run)).status === "failed", 60_000);
    await page.find("alert");
    await page.text(/Kept: your question/);
    await page.find("button", /^Try again/);
    await page.find("button", /^End run/);
});
