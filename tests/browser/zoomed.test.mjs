// The page at a zoom of 200 %, which leaves 640 x 400 of a window of 1280 x 800: nothing scrolls sideways, what a screen is
// for can be reached and is covered by nothing, and there is room to read. At 100 % list, document and inspector stand beside
// one another.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { AGENT, Place, QUESTION, jsonLines } from "../lib.mjs";
import { Mock } from "../mock.mjs";
import { Served, launch, picture, seen } from "./served.mjs";

const VIEWPORT = { width: 640, height: 400 };
const USAGE = { input_tokens: 900, output_tokens: 20 };
/** Longer than the window is wide. */
const COMMAND = `cat notes.txt | sort > ${"sorted-by-the-day-on-which-it-was-booked-".repeat(4)}notes.txt`;
/** The least height of what is read, in CSS pixels: some lines of text. */
const LEAST_ROOM = 120;

/** @type {import("playwright-core").Browser} */
let browser;
/** @type {Place[]} */
const places = [];
/** @type {(() => void)[]} */
const ends = [];
/** @type {Served} */
let full;
/** @type {Served} */
let empty;
/** @type {{ paused: string, finished: string, mission: string, asking: string }} */
let sessions;

before(async () => {
    const place = new Place();
    places.push(place);
    const folder = join(place.work, "folder");
    mkdirSync(folder);
    const context = /** @type {any} */ ({ after: (/** @type {() => void} */ end) => ends.push(end) });
    const calls = [{ name: "shell", arguments: JSON.stringify({ command: COMMAND, description: "Sort the notes" }) }];
    const mock = await Mock.for(context, place, [
        { match: { hasToolResult: false }, response: { content: "I sort them.", toolCalls: calls, usage: USAGE } },
        { match: {}, response: { content: "Sorted.", usage: USAGE } },
    ]);
    const finished = JSON.parse((await place.do(["run", AGENT, "--yes", "--json", QUESTION])).stdout.split("\n")[0]);
    const ask = ["mission", "start", "general-research", "What is materiality?", "--corpus", "isa-primer"];
    const mission = jsonLines((await place.do([...ask, "--yes", "--json"])).stdout).at(-1);
    const key = { MOCK_KEY: "sk-test-0123456789" };
    const model = ["--model", "claude-sonnet-5-5", "--key-env", "MOCK_KEY"];
    const connect = ["connect", "add", "mock", "--provider", "anthropic", "--base-url", mock.address, ...model];
    const added = await place.run(connect, { env: key });
    assert.equal(added.code, 0, added.stderr + added.stdout);
    full = await Served.start(place, { env: key });
    const core = await full.core();
    const paused = await core.call("run_start", { agent: AGENT, request: QUESTION, connection: "offline" });
    const message = { text: "Sort the notes", mentions: [], attachments: [] };
    const setup = { mode: "ask", folders: [folder] };
    const sent = await core.call("turn_send", { session: null, message, setup, connection: "mock" });
    sessions = {
        paused: (await core.begun(paused)).session,
        finished: (await core.begun(finished.run)).session,
        mission: (await core.call("mission_show", { mission: mission.mission })).session,
        asking: sent.session,
    };
    core.end();
    const second = new Place();
    places.push(second);
    empty = await Served.start(second);
    browser = await launch();
});

after(async () => {
    await browser?.close();
    for (const place of places) await place.end();
    for (const end of ends) end();
});

/**
 * @param {import("node:test").TestContext} context
 * @param {Served} served
 * @param {string} path
 * @param {RegExp} shows
 * @param {{ width: number, height: number }} [viewport]
 */
async function open(context, served, path, shows, viewport = VIEWPORT) {
    const room = await browser.newContext({ viewport, deviceScaleFactor: 2, reducedMotion: "reduce" });
    context.after(() => room.close());
    const page = await room.newPage();
    page.setDefaultTimeout(15_000);
    await page.goto(served.url);
    await seen(page, /\S/);
    await page.evaluate((/** @type {string} */ to) => {
        location.hash = to;
    }, path);
    await seen(page, shows);
    await page.evaluate(() => document.fonts.ready);
    await page.waitForFunction(() => document.querySelector("[aria-busy=true]") === null);
    return page;
}

/**
 * What keeps somebody from using the page: that it scrolls sideways, and controls in sight that something else covers.
 * @param {import("playwright-core").Page} page
 */
async function hindrances(page) {
    return page.evaluate(() => {
        const found = [];
        const root = document.scrollingElement ?? document.documentElement;
        if (root.scrollWidth > innerWidth || document.body.scrollWidth > innerWidth)
            found.push(`the page is ${Math.max(root.scrollWidth, document.body.scrollWidth)} wide`);
        if (root.scrollHeight > innerHeight + 1) found.push(`the page is ${root.scrollHeight} high`);
        const controls = "button, a[href], input, textarea, select, [role=button], [role=tab], [role=option]";
        for (const control of document.querySelectorAll(controls)) {
            const box = control.getBoundingClientRect();
            const seen = control.checkVisibility({ visibilityProperty: true, opacityProperty: true });
            if (!seen || box.width < 2 || box.height < 2 || getComputedStyle(control).pointerEvents === "none")
                continue;
            const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
            if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
            let cut = false;
            for (let up = control.parentElement; up !== null && !cut; up = up.parentElement) {
                const { overflowX, overflowY } = getComputedStyle(up);
                const edge = up.getBoundingClientRect();
                if (overflowX !== "visible" && (x < edge.left || x > edge.right)) cut = true;
                if (overflowY !== "visible" && (y < edge.top || y > edge.bottom)) cut = true;
            }
            const hit = document.elementFromPoint(x, y);
            if (cut || hit === null || control.contains(hit) || hit.contains(control)) continue;
            const label = control.closest("label");
            if (label !== null && label.contains(hit)) continue;
            const name = control.getAttribute("aria-label") ?? control.textContent ?? "";
            found.push(`${control.tagName} “${name.slice(0, 40)}” is covered by ${hit.outerHTML.slice(0, 120)}`);
        }
        return found;
    });
}

/**
 * Whether a control can be brought into sight as a whole, with nothing over it.
 * @param {import("playwright-core").Locator} control
 */
async function reach(control) {
    await control.scrollIntoViewIfNeeded();
    const box = await control.boundingBox();
    assert.ok(box !== null, "it is there");
    assert.ok(box.x >= 0 && box.x + box.width <= VIEWPORT.width, `it stands from ${box.x}, ${box.width} wide`);
    assert.ok(box.y >= -1 && box.y + Math.min(box.height, 24) <= VIEWPORT.height + 1, `it stands at ${box.y}`);
    await control.click({ trial: true });
}

/**
 * As {@link reach}, of all that can be used now.
 * @param {import("playwright-core").Locator} controls
 */
async function reachAll(controls) {
    assert.ok((await controls.count()) > 0, "there are some");
    for (const control of await controls.all())
        if ((await control.isVisible()) && (await control.isEnabled())) await reach(control);
}

/**
 * The height in which a part of the page can be read.
 * @param {import("playwright-core").Page} page
 * @param {string} selector of something inside of what scrolls
 */
async function roomOf(page, selector) {
    return page.evaluate((/** @type {string} */ inside) => {
        for (let up = document.querySelector(inside); up !== null; up = up.parentElement) {
            if (!/auto|scroll/.test(getComputedStyle(up).overflowY)) continue;
            const box = up.getBoundingClientRect();
            return Math.min(innerHeight, box.bottom) - Math.max(0, box.top);
        }
        return innerHeight;
    }, selector);
}

test("the first screen can be used at 200 %", async (context) => {
    const page = await open(context, empty, "/welcome", /Research you can sign your name under/);
    await picture(page, "zoomed-welcome");
    assert.deepEqual(await hindrances(page), []);
    await reachAll(page.getByRole("main").getByRole("button"));
});

test("a session with a document can be read and asked on at 200 %", async (context) => {
    const page = await open(context, full, `/session/${sessions.finished}`, /\d+ statements?: /);
    await picture(page, "zoomed-document");
    assert.deepEqual(await hindrances(page), []);
    const room = await roomOf(page, "section[data-turn]");
    assert.ok(room >= LEAST_ROOM, `${room} high`);
    await reach(page.getByRole("textbox").last());
    await reach(page.getByRole("button", { name: /, verified$/ }).first());
    await page
        .getByRole("button", { name: /, verified$/ })
        .first()
        .click();
    await seen(page, /Cited for/);
    await picture(page, "zoomed-paragraph");
    await reach(page.getByRole("dialog").getByRole("button", { name: "Close" }));
});

test("a pause can be answered at 200 %", async (context) => {
    const page = await open(context, full, `/session/${sessions.paused}`, /Research plan/);
    await picture(page, "zoomed-pause");
    assert.deepEqual(await hindrances(page), []);
    const room = await roomOf(page, "section[data-turn]");
    assert.ok(room >= LEAST_ROOM, `${room} high`);
    await reachAll(page.getByRole("region", { name: "Research plan" }).getByRole("button"));
});

test("a request for permission can be answered at 200 %", async (context) => {
    const page = await open(context, full, `/session/${sessions.asking}`, /Sort the notes/);
    const card = page.locator("[data-approval]");
    await card.waitFor();
    await picture(page, "zoomed-approval");
    assert.deepEqual(await hindrances(page), []);
    const room = await roomOf(page, "[data-approval]");
    assert.ok(room >= LEAST_ROOM, `${room} high`);
    await reachAll(card.getByRole("button"));
});

test("settings can be changed at 200 %", async (context) => {
    for (const section of ["general", "appearance", "connections", "permissions"]) {
        const page = await open(context, full, `/settings/${section}`, /Settings/);
        await picture(page, `zoomed-settings-${section}`);
        assert.deepEqual(await hindrances(page), [], section);
    }
});

test("a mission can be read and gone on with at 200 %", async (context) => {
    const page = await open(context, full, `/session/${sessions.mission}`, /Follow-up/);
    await picture(page, "zoomed-mission");
    assert.deepEqual(await hindrances(page), []);
    const room = await roomOf(page, "section[data-turn]");
    assert.ok(room >= LEAST_ROOM, `${room} high`);
    await reachAll(page.getByRole("tab"));
    await reach(page.getByRole("button", { name: "Follow-up…" }));
});

/**
 * The width of a pane; 0 where it is not shown.
 * @param {import("playwright-core").Locator} pane
 */
const widthOf = async (pane) => ((await pane.isVisible()) ? ((await pane.boundingBox())?.width ?? 0) : 0);

/** @param {import("playwright-core").Page} page */
async function panes(page) {
    const [list, content] = ["list", "content"].map((pane) => page.locator(`[data-pane=${pane}]`));
    const inspector = page.getByRole("complementary", { name: "Paragraph" });
    if (list === undefined || content === undefined) throw new Error("there are panes");
    return {
        list: await widthOf(list),
        content: await widthOf(content),
        inspector: await widthOf(inspector),
    };
}

test("list, document and inspector stand beside one another at 1280 x 800", async (context) => {
    const path = `/session/${sessions.finished}`;
    const page = await open(context, full, path, /\d+ statements?: /, { width: 1280, height: 800 });
    const before = await panes(page);
    await page
        .getByRole("button", { name: /, verified$/ })
        .first()
        .click();
    await seen(page, /Cited for/);
    await picture(page, "panes-1280");
    const beside = await panes(page);
    assert.ok(beside.list >= 240 && beside.content >= 480 && beside.inspector >= 300, JSON.stringify(beside));
    assert.deepEqual(await hindrances(page), []);
    // Closed, the list is as wide as it was.
    await page.keyboard.press("Escape");
    await page.getByRole("complementary", { name: "Paragraph" }).waitFor({ state: "hidden" });
    assert.deepEqual(await panes(page), before);
});

test("where not all of them fit, the inspector slides over the page and the list stays", async (context) => {
    const path = `/session/${sessions.finished}`;
    const page = await open(context, full, path, /\d+ statements?: /, { width: 1200, height: 800 });
    const before = await panes(page);
    assert.ok(before.list > 0);
    await page
        .getByRole("button", { name: /, verified$/ })
        .first()
        .click();
    await page.getByRole("dialog", { name: "Paragraph" }).waitFor();
    await picture(page, "panes-1200");
    assert.deepEqual(await panes(page), before);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Paragraph" }).waitFor({ state: "hidden" });
    // Without the sidebar there is room for all.
    await page.keyboard.press("Control+b");
    await page
        .getByRole("button", { name: /, verified$/ })
        .first()
        .click();
    await seen(page, /Cited for/);
    const beside = await panes(page);
    assert.ok(beside.list >= 240 && beside.content >= 480 && beside.inspector >= 300, JSON.stringify(beside));
});
