// An exported page and a shared one in a real browser: they need nothing from anywhere, run nothing that was said, and print.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { lines, put } from "../craft.mjs";
import { Place } from "../lib.mjs";
import { launch } from "./served.mjs";

const HIT = "document.title='hit'";
const HOSTILE = [
    `<script>${HIT}</script>`,
    `<img src=x onerror="${HIT}">`,
    `<svg onload="${HIT}">`,
    `</title><script>${HIT}</script>`,
    `</script><script>${HIT}</script>`,
    `<a href="javascript:${HIT}">a</a>`,
    `[b](javascript:${HIT})`,
    `[c](data:text/html,<script>${HIT}</script>)`,
    `![d](http://192.0.2.1/t.png)`,
    `<style>@import 'http://192.0.2.1/x.css'</style>`,
    `<iframe src="http://192.0.2.1/"></iframe>`,
    `<base href="http://192.0.2.1/">`,
    `<meta http-equiv="refresh" content="0;url=http://192.0.2.1/">`,
    `<form action="http://192.0.2.1/"><button>x</button></form>`,
    `\`\`\`html"><script>${HIT}</script>\nx\n\`\`\``,
    `| <script>${HIT}</script> |\n|---|\n| [e](JaVaScRiPt:${HIT}) |`,
    `[f]: javascript:${HIT}\n\n[f]`,
    `<http://192.0.2.1/${"x".repeat(30)}>`,
].join("\n\n");

/** @type {import("playwright-core").Browser} */
let browser;
/** @type {Place} */
let place;
/** @type {string} */
let session;

before(async () => {
    place = new Place();
    const folder = join(place.work, "260111-swift-river");
    put(
        folder,
        "session.jsonl",
        lines([
            {
                id: "260111-swift-river",
                name: `Herons </title><script>${HIT}</script>`,
                createdAt: 1_768_000_000_000,
                labels: ["bug"],
                sessionStatus: "todo",
            },
            {
                id: "1",
                type: "user",
                content: HOSTILE,
                timestamp: 1_768_000_000_001,
                attachments: [
                    {
                        name: `<img src=x onerror="${HIT}">.txt`,
                        storedPath: "{{SESSION_PATH}}/attachments/a.txt",
                        size: 1,
                    },
                ],
            },
            {
                id: "2",
                type: "tool",
                content: "",
                toolName: `<script>${HIT}</script>`,
                toolIntent: HOSTILE,
                toolUseId: "t",
                toolInput: { command: HOSTILE, [HOSTILE.slice(0, 40)]: 1 },
                toolResult: HOSTILE,
                toolStatus: "completed",
                timestamp: 1_768_000_000_002,
            },
            { id: "3", type: "assistant", content: `${HOSTILE}\n\nHerons **fish**.`, timestamp: 1_768_000_000_003 },
        ]),
    );
    const done = JSON.parse((await place.do(["import", folder, "--yes", "--json"])).stdout);
    [session] = done.sessions;
    browser = await launch();
});

after(async () => {
    await browser?.close();
    await place?.end();
});

/**
 * Opens an address, and says what it asked for, what it ran and what it complained of.
 * @param {import("node:test").TestContext} context
 * @param {string} address
 */
async function look(context, address) {
    const room = await browser.newContext();
    context.after(() => room.close());
    const page = await room.newPage();
    const seen = { requests: /** @type {string[]} */ ([]), dialogs: 0, errors: /** @type {string[]} */ ([]) };
    page.on("request", (request) => seen.requests.push(request.url()));
    page.on("dialog", (dialog) => {
        seen.dialogs += 1;
        void dialog.dismiss();
    });
    page.on("pageerror", (error) => seen.errors.push(error.message));
    const answer = await page.goto(address, { waitUntil: "load" });
    return { page, seen, answer };
}

/**
 * @param {import("playwright-core").Page} page
 * @param {{ requests: string[], dialogs: number, errors: string[] }} seen
 * @param {string} address
 */
async function harmless(page, seen, address) {
    assert.match(await page.title(), /^Herons/);
    assert.match(await page.locator("article").last().innerText(), /Herons fish\./);
    await page.getByRole("button", { name: "Unfold all" }).click();
    assert.equal(await page.locator("details:not([open])").count(), 0, "the page's own script runs");
    await page.getByRole("searchbox").fill("herons fish");
    assert.equal(await page.locator("main > :visible").count(), 1);
    await page.getByRole("searchbox").fill("");
    const active = await page.evaluate(
        () =>
            document.querySelectorAll(
                "script, img, svg, iframe, object, embed, link, base, main form, main style, main meta",
            ).length,
    );
    assert.equal(active, 1, "nothing that was said is more than text");
    const links = await page.evaluate(() =>
        [...document.querySelectorAll("a")].map((link) => link.getAttribute("href") ?? ""),
    );
    assert.deepEqual(
        links.filter((href) => !/^(#|https?:)/.test(href)),
        [],
    );
    for (const name of ["b", "c", "e"])
        await page
            .getByText(name, { exact: true })
            .first()
            .click({ timeout: 2_000 })
            .catch(() => undefined);
    assert.match(await page.title(), /^Herons/, "no script of the session ran");
    const pdf = await page.pdf();
    assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
    assert.ok(pdf.length > 5_000);
    assert.deepEqual(seen, { requests: [address], dialogs: 0, errors: [] }, "nothing was asked for but the page");
}

test("an exported page needs nothing from anywhere and runs nothing that was said", async (context) => {
    const { path } = JSON.parse(
        (await place.do(["export", session, "--format", "html", "--json", "-o", join(place.work, "page.html")])).stdout,
    );
    const address = pathToFileURL(path).href;
    const { page, seen } = await look(context, address);
    await harmless(page, seen, address);
    assert.doesNotMatch(readFileSync(path, "utf8"), new RegExp(place.root), "no path of the machine is in it");
});

test("a shared page is the same for somebody else, until it is revoked", async (context) => {
    const [share] = JSON.parse((await place.do(["share", "add", session, "--json"])).stdout);
    const server = place.start(["serve", "--share", "--json"], { seconds: 120 });
    context.after(async () => {
        server.kill("SIGTERM");
        await server.ended;
    });
    await server.saw(/\}\n/);
    const { port } = JSON.parse(server.stdout);
    const address = `http://127.0.0.1:${port}${share.path}`;
    const { page, seen, answer } = await look(context, address);
    assert.equal(answer?.status(), 200);
    // A browser asks for an icon by itself; the page forbids it where the browser listens to it.
    seen.requests = seen.requests.filter((url) => !url.endsWith("/favicon.ico"));
    await harmless(page, seen, address);
    await place.do(["share", "revoke", share.id]);
    assert.equal((await page.goto(address))?.status(), 404);
});
