// Hostile texts in the real webview: in a question, a pause, a document, a paragraph, an agent, a source. Nothing of them runs,
// nothing of them loads.

import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { App } from "./app.mjs";
import { FINDINGS, WATCH, canary, payloads } from "./hostile.mjs";
import { reached } from "./steps.mjs";

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * Asserts that nothing came of what is shown now.
 * @param {import("./webdriver.mjs").Driver} page
 * @param {string[]} hits
 * @param {string} place
 */
async function harmless(page, hits, place) {
    // Whatever would load or run has had two frames and a turn of every queue.
    await page.later(
        "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))",
    );
    const found = await page.run(FINDINGS);
    assert.equal(typeof found.owned, "number", `${place}: the page was loaded anew`);
    const { owned, hidden, handlers, links, elements, remote } = found;
    assert.deepEqual(
        { owned, hidden, handlers, links, elements, remote },
        { owned: 0, hidden: false, handlers: [], links: [], elements: [], remote: [] },
        place,
    );
    assert.deepEqual(found.stopped, [], `${place}: the policy had to stop something that should not have been there`);
    assert.notEqual(found.title, "owned", place);
    assert.deepEqual(hits, [], place);
}

/** Moves over everything and gives the focus to everything inside of the page's main part. */
const TOUCH = `() => {
    for (const at of document.querySelectorAll("main *")) {
        for (const type of ["mouseover", "mouseenter", "pointerenter", "focusin"]) at.dispatchEvent(new MouseEvent(type, { bubbles: true }));
        if (at.tagName === "DETAILS") at.open = true;
    }
    // Whoever clicks on a web address wants it opened; everything else must lead nowhere.
    for (const at of document.querySelectorAll("main a[href]")) if (!/^(#|https?:)/.test(at.getAttribute("href"))) at.click();
}`;

/**
 * Questions of at most 3,500 characters that hold the whole corpus together.
 * @param {Record<string, string>} corpus
 */
function questions(corpus) {
    const asked = ["What must working papers contain?"];
    for (const payload of Object.values(corpus)) {
        if (`${asked.at(-1)}\n\n${payload}`.length > 3_500) asked.push("What must working papers contain?");
        asked[asked.length - 1] += `\n\n${payload}`;
    }
    return asked;
}

test("nothing hostile runs or loads, wherever it stands", { timeout: 240_000 }, async (context) => {
    const app = await App.for(context);
    const trap = await canary(context);
    const corpus = payloads(trap.address);
    const text = Object.entries(corpus)
        .map(([name, payload]) => `## ${name}\n\n${payload}\n`)
        .join("\n");

    // A knowledge base whose every paragraph and heading is hostile.
    const folder = join(app.place.work, "manual");
    mkdirSync(folder);
    const paragraphs = Object.values(corpus)
        .filter((payload) => !payload.includes("\n"))
        .map((payload, index) => `${index + 1}. The auditor shall keep working papers. ${payload}`);
    writeFileSync(
        join(folder, "manual.md"),
        `# Manual <img src=x onerror="window.__owned=1">\n\n${text}\n\n## Working papers\n\n${paragraphs.join("\n\n")}\n`,
    );

    // An agent and a source of the person's own, with hostile descriptions.
    const own = join(app.place.data, "workspaces", "default");
    const agent = join(own, "agents", "hostile");
    cpSync(join(ROOT, "agents", "standards-research"), agent, { recursive: true });
    cpSync(join(ROOT, "prompts", "standards-research"), join(agent, "prompts"), { recursive: true });
    const config = JSON.parse(readFileSync(join(agent, "config.json"), "utf8"));
    const bad = corpus["a handler"];
    writeFileSync(
        join(agent, "config.json"),
        JSON.stringify({ ...config, slug: "hostile", name: `Hostile ${bad}`, description: bad, examples: [bad] }),
    );
    const head = /^---\n[\s\S]*?\n---\n/.exec(readFileSync(join(agent, "AGENT.md"), "utf8"))?.[0] ?? "";
    writeFileSync(join(agent, "AGENT.md"), `${head}\n${text}`);

    const page = await app.start();
    const core = await app.core();
    await page.run(WATCH);
    // What would be noted is noted: an image that this test plants is stopped by the policy, and seen.
    await page.run((/** @type {string} */ at) => {
        const image = document.createElement("img");
        image.src = `${at}/planted.png`;
        document.body.append(image);
    }, trap.address);
    await page.until("the planted image to be stopped", async () => (await page.run(FINDINGS)).stopped.length > 0);
    await page.run(() => {
        document.querySelector("body > img")?.remove();
        /** @type {any} */ (window).__stopped = [];
    });
    const job = await core.call("base_ingest", {
        base: "hostile",
        title: `Hostile ${corpus["a handler in a slash"]}`,
        tier: "guide",
        citation: "",
        paths: [folder],
    });
    await page.until(
        "the base",
        async () =>
            (await core.call("job_list")).some(
                (/** @type {any} */ one) => one.job === job.job && one.status === "done",
            ),
        30_000,
    );

    const visit = async (/** @type {string} */ path, /** @type {RegExp} */ until) => {
        // From somewhere else: what was touched there stays behind.
        await page.go("/settings/about");
        await page.text(/About/);
        await page.go(path);
        await page.text(until);
        await harmless(page, trap.hits, path);
        await page.run(TOUCH);
        await harmless(page, trap.hits, `${path}, touched`);
        assert.ok((await page.path()).startsWith("#/"), "it is still our page");
    };

    // Questions with as much of it as one may have: each becomes a plan, a document and a session.
    for (const request of questions(corpus)) {
        const run = await core.call("run_start", { agent: "standards-research", corpus: "hostile", request });
        const { session } = await reached(core, run, "paused", 60_000);
        await visit(`/session/${session}`, /working papers/);
        for (;;) {
            const state = await core.run(run);
            if (state.status !== "paused") break;
            const on = state.pauses[0].choices.find(
                (/** @type {any} */ choice) => choice.action === "skip" || choice.action === "proceed",
            );
            await core.call("run_answer", { run, pause: null, reply: { choice: on.id } });
            await page.until("the next halt", async () => (await core.run(run)).status !== "running", 60_000);
        }
        assert.equal((await core.run(run)).status, "completed", JSON.stringify((await core.run(run)).problem));
        await visit(`/session/${session}`, /\d+ statements?: /);
        await visit(`/run/${run}`, /working papers/i);
    }
    await page.go("/agent/hostile");
    await page.until(
        "every diagram to be drawn or refused",
        () =>
            page.run(() => {
                const figures = [...document.querySelectorAll("main figure")];
                return (
                    figures.length >= 3 &&
                    figures.every(
                        (at) =>
                            at.querySelector("img") !== null || (at.textContent ?? "").includes("could not be drawn"),
                    )
                );
            }),
        40_000,
    );
    await visit("/agent/hostile", /Hostile/);
    await visit("/agents", /hostile/i);
    await visit("/knowledge", /Hostile/);
    await visit("/knowledge/hostile", /Paragraphs/);
    await visit("/knowledge/hostile?q=working+papers", /working papers/i);
    const { paragraphs: listed } = await core.call("base_paragraphs", {
        base: "hostile",
        document: null,
        after: 0,
        limit: 200,
    });
    for (const { id } of listed.slice(0, 40)) {
        await page.go(`/knowledge/hostile?paragraph=${encodeURIComponent(id)}`);
        await harmless(page, trap.hits, `paragraph ${id}`);
    }
    // Every payload alone as a title: lists, tray and notifications show it.
    for (const payload of Object.values(corpus))
        await core.call("run_start", { agent: "standards-research", corpus: "hostile", request: payload });
    await visit("/view/inbox", /auditor|script|img/i);
});
