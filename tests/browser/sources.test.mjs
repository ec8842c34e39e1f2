// Sources from the page alone: every form with a key is filled, saved and tested; a source that lies there is approved.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { Place } from "../lib.mjs";
import { Served, go, launch, seen } from "./served.mjs";

const KEY = "canary-7319-of-the-page";

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
    browser = await launch();
});
after(() => browser?.close());

/** @param {import("node:test").TestContext} context */
async function opened(context) {
    /** @type {import("node:http").IncomingHttpHeaders[]} */
    const asked = [];
    const service = createServer((request, response) => {
        asked.push(request.headers);
        response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
    await new Promise((resolve) => service.listen(0, "127.0.0.1", () => resolve(undefined)));
    context.after(() => service.close());
    const address = service.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    const place = Place.for(context);
    const served = await Served.start(place);
    const core = await served.core();
    await core.call("settings_update", { welcomed: true });
    const room = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
    context.after(() => room.close());
    const page = await room.newPage();
    await page.goto(served.url);
    return { place, core, page, asked, base: `http://127.0.0.1:${address.port}/` };
}

test("every form for a web API with a key leads to a source that sends it", async (context) => {
    const { core, page, asked, base } = await opened(context);
    /** @type {any[]} */
    const presets = await core.call("source_presets");
    const keyed = presets.filter(({ config }) => config.type === "api" && config.api.authType !== "oauth");
    assert.equal(keyed.length, 10);
    for (const { name, config } of keyed) {
        await go(page, `/new-source?preset=${encodeURIComponent(name)}`);
        await page.getByRole("textbox", { name: "Base address" }).fill(base);
        await page.getByLabel(/key \(header|bearer token/i).fill(KEY);
        await page.getByRole("checkbox", { name: /checked the address/ }).check();
        await page.getByRole("button", { name: "Save", exact: true }).click();
        await seen(page, /Stored/);
        const before = asked.length;
        await page.getByRole("button", { name: "Test", exact: true }).click();
        await seen(page, /Works/);
        if (config.api.testEndpoint === undefined) continue;
        assert.equal(asked.length, before + 1, name);
        assert.ok(JSON.stringify(asked.at(-1)).includes(KEY), `${name} sends its key`);
    }
    const kept = await page.evaluate(() => JSON.stringify([document.documentElement.outerHTML, { ...localStorage }]));
    assert.ok(!kept.includes(KEY), "the key is not on the page afterwards");
});

test("a source whose file was put there is given its secret, approved and tested on its page", async (context) => {
    const { place, core, page, asked, base } = await opened(context);
    const folder = join(place.data, "workspaces", "default", "sources", "desk");
    mkdirSync(folder, { recursive: true });
    const api = { baseUrl: base, authType: "header", headerName: "X-Key", testEndpoint: { path: "me" } };
    const config = { slug: "desk", name: "Desk", description: "Keeps items.", type: "api", api };
    writeFileSync(join(folder, "config.json"), JSON.stringify(config));
    await core.call("secret_put", { name: "source/desk/apikey", value: KEY });
    await go(page, "/source/desk");
    await page.getByRole("button", { name: "Use the stored values here" }).click();
    await page.getByRole("checkbox", { name: /I have read this/ }).check();
    await page.getByRole("button", { name: "Approve and test" }).click();
    await seen(page, /Ready/);
    assert.equal(asked.at(-1)?.["x-key"], KEY);
});
