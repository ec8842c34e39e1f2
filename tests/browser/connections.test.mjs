// Connections and credentials from the page alone: made, tested, kept, asked over, removed. The key is typed once and seen nowhere again.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Place } from "../lib.mjs";
import { Mock } from "../mock.mjs";
import { Served, go, launch, seen } from "./served.mjs";

const KEY = "sk-test-0123456789-browser";
const USAGE = { prompt_tokens: 12, completion_tokens: 1, total_tokens: 13 };

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
    browser = await launch();
});
after(() => browser?.close());

/** @param {import("node:test").TestContext} context */
async function opened(context) {
    const place = Place.for(context);
    const mock = await Mock.for(context, place, [
        {
            match: { model: "denied" },
            response: {
                error: {
                    message: "Incorrect API key provided",
                    type: "invalid_request_error",
                    code: "invalid_api_key",
                },
                status: 401,
            },
        },
        { match: {}, response: { content: "Yes.", usage: USAGE } },
    ]);
    const served = await Served.start(place);
    const core = await served.core();
    await core.call("settings_update", { welcomed: true });
    const room = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
    context.after(() => room.close());
    const page = await room.newPage();
    /** @type {string[]} What the core told the page. */
    const told = [];
    page.on("response", (answer) => {
        if (new URL(answer.url()).pathname === "/api")
            answer.text().then(
                (text) => told.push(text),
                () => undefined,
            );
    });
    await page.goto(served.url);
    return { core, mock, page, told };
}

/**
 * Fills the form of a host that speaks Chat Completions.
 * @param {import("playwright-core").Page} page
 * @param {{ address: string, model: string }} host
 */
async function fill(page, { address, model }) {
    await go(page, "/settings/connections?add=openai-compatible");
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("Test host");
    await page.getByRole("textbox", { name: "Address" }).fill(address);
    await page.getByLabel("Key", { exact: true }).fill(KEY);
    await page.getByRole("combobox", { name: "Model" }).fill(model);
}

test("a connection is made by the keyboard and the page alone, and its key is seen nowhere again", async (context) => {
    const { core, mock, page, told } = await opened(context);
    await go(page, "/settings/connections");
    await seen(page, /No model is connected/);
    await page.getByRole("button", { name: "Add connection" }).press("Enter");
    await page.getByRole("link", { name: /^Any OpenAI-compatible host/ }).press("Enter");
    await seen(page, /Name in commands/);
    await fill(page, { address: `${mock.address}/v1`, model: "gpt-5-mini" });
    await page.getByRole("button", { name: "Test", exact: true }).press("Enter");
    await seen(page, /Works/);
    assert.ok(
        !(await core.call("connection_list")).some((/** @type {any} */ row) => row.slug === "test-host"),
        "a test keeps nothing",
    );

    await page.getByRole("combobox", { name: "Model" }).press("Enter");
    await seen(page, /Key stored/);
    assert.match(page.url(), /open=test-host$/);
    await page.getByRole("button", { name: "Test", exact: true }).press("Enter");
    await seen(page, /first token after/);
    const [row] = (await core.call("connection_list")).filter((/** @type {any} */ each) => each.slug === "test-host");
    assert.equal(row.credential, "stored");
    assert.equal(row.tested.verdict, "works");

    await page.getByRole("button", { name: "Edit…" }).press("Enter");
    await seen(page, /Stored in the vault/);
    await go(page, "/settings/credentials");
    await seen(page, /connection\/test-host\/key/);
    const kept = await page.evaluate(() =>
        JSON.stringify([document.documentElement.outerHTML, { ...localStorage }, { ...sessionStorage }, location.href]),
    );
    assert.ok(!kept.includes(KEY), "not on the page, in its storage or in its address");
    assert.ok(told.length > 5 && !told.join("\n").includes(KEY), "not in what the core told the page");
});

test("a connection that does not work says why and what to do, and is kept only when the person wants it", async (context) => {
    const { core, mock, page } = await opened(context);
    await fill(page, { address: `${mock.address}/v1`, model: "denied" });
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await seen(page, /Key refused/);
    // Nobody listens there.
    await page.getByRole("textbox", { name: "Address" }).fill("http://127.0.0.1:9/v1");
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await seen(page, /Unreachable/);
    await page.getByRole("button", { name: "Cancel" }).click();
    await seen(page, /No model is connected/);
    assert.equal((await core.call("connection_list")).length, 1);
    assert.deepEqual((await core.call("vault_show")).entries, []);
});

test("a connection becomes the default of new questions, and is removed with its key", async (context) => {
    const { core, mock, page } = await opened(context);
    await fill(page, { address: `${mock.address}/v1`, model: "gpt-5-mini" });
    await page.getByRole("button", { name: "Save" }).click();
    await seen(page, /Key stored/);
    // The first one is the default at once.
    await go(page, "/new");
    await page.getByRole("button", { name: "Connection and model: Test host, gpt-5-mini" }).waitFor();
    for (const [slug, chosen] of [
        ["offline", /^Connection and model: Offline engine/],
        ["test-host", "Connection and model: Test host, gpt-5-mini"],
    ]) {
        await go(page, `/settings/connections?open=${slug}`);
        await page.getByRole("button", { name: "Set as default" }).click();
        await seen(page, /New questions use/);
        await go(page, "/new");
        await page.getByRole("button", { name: chosen }).waitFor();
    }

    await go(page, "/settings/connections?open=test-host");
    // The page knows of the default once it was read anew.
    await page.getByRole("button", { name: "Set as default" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Remove…" }).click();
    const asked = page.getByRole("alertdialog");
    assert.match(await asked.innerText(), /by default[\s\S]*key is removed from the vault/);
    await asked.getByRole("button", { name: "Remove" }).click();
    await seen(page, /No model is connected/);
    assert.deepEqual((await core.call("vault_show")).entries, []);
    await go(page, "/new");
    await page.getByRole("button", { name: /^Connection and model: Offline engine/ }).waitFor();
});
