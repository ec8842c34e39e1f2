// The window in a browser: drafts, a program that ends and comes back, tokens, an answer as it is written.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { AGENT, Place, QUESTION } from "../lib.mjs";
import { Served, go, launch, seen } from "./served.mjs";

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
    browser = await launch();
});
after(() => browser?.close());

/**
 * @param {import("node:test").TestContext} context
 * @param {{ env?: Record<string, string> }} [options]
 */
async function opened(context, options) {
    const place = Place.for(context);
    const served = await Served.start(place, options);
    const core = await served.core();
    await core.call("settings_update", { welcomed: true });
    const room = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    context.after(() => room.close());
    const page = await room.newPage();
    await page.goto(served.url);
    return { place, served, core, page };
}

/** The composer of a new question. */
const composer = (/** @type {import("playwright-core").Page} */ page) =>
    page.getByRole("textbox", { name: /^Ask a question/ });

test("what was typed survives a reload", async (context) => {
    const { core, page } = await opened(context);
    await go(page, "/new");
    await composer(page).fill("Half a question");
    await page.reload();
    await page.waitForFunction(() =>
        [...document.querySelectorAll("textarea")].some((at) => at.value === "Half a question"),
    );
    assert.equal((await core.call("draft_show", { key: "new" })).text, "Half a question");
});

test("the token is not left in the address", async (context) => {
    const { served, page } = await opened(context);
    await seen(page, /\S/);
    assert.ok(!page.url().includes(served.token), page.url());
});

test("a program that is killed is said to be gone; started again, the page goes on with what was typed", async (context) => {
    const { place, served, page } = await opened(context);
    await go(page, "/new");
    await composer(page).fill("Typed before");
    const gone = page.getByRole("alert").filter({ hasText: /Reconnecting|core has stopped/ });
    await served.kill();
    await gone.waitFor();
    await composer(page).fill("Typed before and while it was away");
    // Another start has another token: its address, opened in the same tab, is enough.
    const again = await Served.start(place, { port: served.port });
    await page.goto(again.url);
    await gone.waitFor({ state: "detached", timeout: 20_000 });
    assert.equal(await composer(page).inputValue(), "Typed before and while it was away");
    assert.ok(!page.url().includes(again.token), page.url());
});

test("without the right token the page says so and shows nothing", async (context) => {
    const { served, core } = await opened(context);
    const run = await core.call("run_start", { agent: AGENT, request: QUESTION });
    assert.ok(run.startsWith("run-"));
    for (const address of [served.page, `${served.page}#token=${"0".repeat(served.token.length)}`]) {
        const room = await browser.newContext();
        const page = await room.newPage();
        await page.goto(address);
        await seen(page, /token|address that .*prints/i);
        assert.ok(!(await page.evaluate(() => document.body.innerText)).includes("going concern"));
        await room.close();
    }
});

test("an answer appears as it is written, and what was read stays where it is", async (context) => {
    const { core, page } = await opened(context, { env: { AGENTNATIVE_OFFLINE_PACE: "600" } });
    await go(page, "/new");
    await composer(page).fill(QUESTION);
    await composer(page).press("Enter");
    await page.getByRole("button", { name: /^Proceed without a web search/ }).click({ timeout: 30_000 });
    const length = () => page.evaluate(() => document.querySelector("main")?.innerText.length ?? 0);
    await page.waitForFunction(() => /Synthesi/.test(document.querySelector("main")?.innerText ?? ""));
    const run = (await core.runs())[0].run;
    // The stage's name stands there before the answer to the pause has arrived.
    for (const end = Date.now() + 10_000; (await core.run(run)).status === "paused" && Date.now() < end;)
        await page.waitForTimeout(20);
    /** @type {number[]} */
    const lengths = [];
    while ((await core.run(run)).status === "running") {
        lengths.push(await length());
        await page.waitForTimeout(100);
    }
    const grew = lengths.filter((one, index) => index > 0 && one > lengths[index - 1]).length;
    assert.ok(grew >= 5, `the text grew ${grew} times: ${lengths.join(" ")}`);
    await seen(page, /\d+ statements?: /);
});
