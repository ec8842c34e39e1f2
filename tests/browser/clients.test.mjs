// Two clients in one window: the composer of the second offers nothing of the first, until a base is shared on purpose.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { Place } from "../lib.mjs";
import { Served, go, launch, seen } from "./served.mjs";

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
    browser = await launch();
});
after(() => browser?.close());

test("a new client's workspace offers nothing of the other one, and a base that is shared shows on both sides", async (context) => {
    const place = Place.for(context);
    const folder = join(place.work, "quokkadeal");
    mkdirSync(folder);
    writeFileSync(join(folder, "terms.md"), "# Terms\n\n1.1 The quokka clause ends in May.\n");
    await place.do(["kb", "ingest", folder, "--base", "quokkadeal"]);
    await place.do(["workspace", "create", "Client B"]);
    const served = await Served.start(place);
    const core = await served.core();
    await core.call("settings_update", { welcomed: true });
    const room = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
    context.after(() => room.close());
    const page = await room.newPage();
    await page.goto(served.url);
    await go(page, "/new");
    await seen(page, /quokkadeal/);
    await page.locator("[data-composer]").first().fill("What of the quokka clause?");

    const other = await room.newPage();
    await other.goto(served.url.replace("/#", "/?workspace=client-b#"));
    await go(other, "/new");
    await seen(other, /What do you want/);
    await other.locator("[data-composer]").first().waitFor();
    const words = async () => (await other.locator("body").innerText()) + (await other.content());
    assert.doesNotMatch(await words(), /quokka/i, "neither its base nor what was typed for it");
    await go(other, "/knowledge");
    await seen(other, /Primer/);
    assert.doesNotMatch(await words(), /quokka/i);

    await go(page, "/knowledge/quokkadeal");
    await page.getByRole("tab", { name: "About" }).click();
    await page.getByRole("switch", { name: "Share with Client B" }).click();
    await seen(other, /quokkadeal, shared by default/);
    await go(other, "/knowledge/quokkadeal");
    await other.getByRole("tab", { name: "About" }).click();
    await seen(other, /Shared by the workspace Default/);
    await go(page, "/knowledge");
    await seen(page, /shared with client-b/);

    await go(page, "/knowledge/quokkadeal");
    await page.getByRole("tab", { name: "About" }).click();
    await page.getByRole("switch", { name: "Share with Client B" }).click();
    await go(other, "/knowledge");
    await seen(other, /Primer/);
    await other.getByText("quokkadeal").waitFor({ state: "detached" });
});
