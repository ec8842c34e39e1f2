// Limits on money in the window: set in one place, told of at 80 %, and raised where a run waits for it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { AGENT, Place, QUESTION, until, whole } from "../lib.mjs";
import { Mock } from "../mock.mjs";
import { Served, go, launch, openPage, seen } from "./served.mjs";

const KEY = "sk-test-0123456789-limits";
/** Half a million tokens, which is about a dollar. */
const USAGE = { input_tokens: 495_000, output_tokens: 100 };

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
    browser = await launch();
});
after(() => browser?.close());

test("limits are asked for at the first paid connection, changed in Settings, and raised at a run's pause", async (context) => {
    const place = Place.for(context);
    const { outputs } = await whole();
    const mock = await Mock.for(context, place, [
        {
            match: { systemMessage: "You plan research in a knowledge base" },
            response: { content: JSON.stringify(outputs.analyze_query), usage: USAGE },
        },
        {
            match: { systemMessage: "You write the answer to a question about auditing" },
            response: { content: JSON.stringify({ ...outputs.synthesize, gaps: [] }), usage: USAGE },
        },
    ]);
    const served = await Served.start(place);
    const core = await served.core();
    await core.call("settings_update", { welcomed: true });
    const connection = {
        slug: "paid",
        name: "Paid",
        provider: "anthropic",
        baseUrl: mock.address,
        auth: { kind: "key" },
        defaultModel: "claude-sonnet-5-5",
    };
    await core.call("connection_save", { connection, secret: KEY });

    const { page, errors } = await openPage(context, browser, served);
    await go(page, "/settings/connections?open=paid");
    await seen(page, /\$5 for a run, \$20 for a day, \$100 for a month/);
    await page.getByRole("button", { name: "Keep these limits" }).click();
    await until(async () => (await core.call("settings_show")).limits.asked, 10_000);

    await go(page, "/settings/limits");
    const day = page.getByLabel("A day, all connections (US dollars)");
    await day.fill("1.20");
    await day.press("Enter");
    await until(async () => (await core.call("settings_show")).limits.all.day === 1.2, 10_000);
    assert.equal((await core.call("settings_show")).limits.all.day, 1.2);

    const run = await core.call("run_start", {
        agent: AGENT,
        request: QUESTION,
        connection: "paid",
        attend: { replies: [], unattended: true },
    });
    const { session } = await core.begun(run);
    await seen(page, /8\d % of the limit of \$1\.20 for today is used/);
    await until(async () => (await core.run(run)).status === "paused", 60_000);
    await go(page, `/session/${session}`);
    const card = page.locator("[data-pause]");
    await card
        .getByText(/the limit of \$1\.20 for today/)
        .first()
        .waitFor();
    const amount = card.getByLabel("New limit: US dollars");
    assert.equal(await amount.inputValue(), "2.4", "twice the limit is proposed");
    await amount.fill("9");
    await card.getByRole("button", { name: /Raise the limit for today/ }).click();
    await until(async () => (await core.run(run)).status === "completed", 60_000);
    assert.equal((await core.run(run)).status, "completed");
    await go(page, "/settings/limits");
    await seen(page, /\$1\.98 spent of \$9\.00/);
    assert.equal((await core.call("settings_show")).limits.all.day, 1.2, "tomorrow it is as it was");
    assert.deepEqual(errors, []);
});
