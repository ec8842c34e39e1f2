// What a run over a provider used, as the page tells it: its sums, its export, the session's meter, and what went over the wire.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";

import { AGENT, Place, QUESTION, until } from "../lib.mjs";
import { Mock } from "../mock.mjs";
import { Served, go, launch, seen } from "./served.mjs";

const KEY = "sk-test-0123456789-usage";
const USAGE = { prompt_tokens: 900, completion_tokens: 200, total_tokens: 1_100 };

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
    browser = await launch();
});
after(() => browser?.close());

test("what a run used is told by its session, its stages and the page of usage alike", async (context) => {
    const place = Place.for(context);
    await place.research(["--connection", "offline"]);
    const outputs = JSON.parse((await place.do(["show", "--outputs"])).stdout);
    const mock = await Mock.for(context, place, [
        {
            match: { systemMessage: "You plan research in a knowledge base" },
            response: { content: JSON.stringify(outputs.analyze_query), usage: USAGE },
        },
        {
            match: { systemMessage: "You write the answer to a question about auditing" },
            response: { content: JSON.stringify(outputs.synthesize), usage: USAGE },
        },
        { match: {}, response: { content: "Yes.", usage: USAGE } },
    ]);
    const served = await Served.start(place);
    const core = await served.core();
    await core.call("settings_update", { welcomed: true });
    const connection = {
        slug: "host",
        name: "Host",
        provider: "openai-chat",
        baseUrl: `${mock.address}/v1`,
        auth: { kind: "key" },
        defaultModel: "gpt-5-mini",
    };
    await core.call("connection_save", { connection, secret: KEY });
    const run = await core.call("run_start", {
        agent: AGENT,
        request: QUESTION,
        connection: "host",
        attend: { replies: [], unattended: true },
    });
    const { session } = await core.begun(run);
    await until(async () => ["completed", "failed"].includes((await core.run(run)).status), 60_000);
    const state = await core.run(run);
    assert.equal(state.status, "completed", JSON.stringify(state.problem));

    const room = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
    context.after(() => room.close());
    const page = await room.newPage();
    await page.goto(served.url);
    await go(page, "/usage");
    await seen(page, /By connection/);
    const { total, sessions } = await core.call("usage_show", {});
    const together = await page.getByRole("region", { name: "Totals" }).innerText();
    for (const number of [total.calls, total.usage.output])
        assert.ok(together.includes(number.toLocaleString("en-GB")), `${number} in ${together}`);
    assert.ok(sessions.some((/** @type {any} */ sum) => sum.key === session));
    assert.equal(
        await page.getByRole("table", { name: "By session" }).getByRole("link").first().getAttribute("href"),
        `#/session/${session}`,
    );
    await page.getByRole("img", { name: /by day/ }).focus();
    await seen(page, /request/);
    const written = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export as CSV" }).click();
    const file = await (await written).path();
    assert.ok(readFileSync(file, "utf8").trim().split("\n").length > 2, "a line a request");

    await go(page, `/session/${session}`);
    const meter = page.getByRole("button", { name: /Cost and tokens/ });
    await meter.click();
    await seen(page, /By stage, latest question/);
    await page.keyboard.press("Escape");

    await go(page, `/run/${run}`);
    const asked = state.stages.find((/** @type {any} */ stage) => stage.usage.output > 0);
    await page
        .getByRole("list", { name: "Stages", exact: true })
        .getByRole("button", { name: new RegExp(`^${asked.title}`) })
        .click();
    await page.getByRole("tab", { name: /^Calls/ }).click();
    await page.getByRole("tabpanel").locator("summary").filter({ hasText: asked.title }).first().click();
    await seen(page, /POST http:\/\/127\.0\.0\.1/);
    await page.getByRole("tabpanel").locator("summary").filter({ hasText: "Headers" }).first().click();
    await seen(page, /\(secret\)/);
    assert.ok(!(await page.content()).includes(KEY));
});

test("where nothing was used, the page says what would change that", async (context) => {
    const place = Place.for(context);
    const served = await Served.start(place);
    await (await served.core()).call("settings_update", { welcomed: true });
    const room = await browser.newContext({ viewport: { width: 640, height: 800 }, reducedMotion: "reduce" });
    context.after(() => room.close());
    const page = await room.newPage();
    await page.goto(served.url);
    await go(page, "/usage?range=all");
    await seen(page, /No usage yet/);
    assert.ok(await page.getByRole("button", { name: "Export as CSV" }).isDisabled());
    assert.ok(
        await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
        "nothing stands beyond the window's edge",
    );
});
