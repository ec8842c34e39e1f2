// The inbox over `agentnative serve`: statuses, labels and views are worked with the keyboard and the mouse, and what was said is found.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Place, until } from "../lib.mjs";
import { fill } from "../world.mjs";
import { Served, go, launch, seen } from "./served.mjs";

/** @type {import("playwright-core").Browser} */
let browser;
/** @type {{ place: Place, served: Served, world: import("../world.mjs").World, core: import("../core.mjs").Core }} */
let full;

before(async () => {
    const place = new Place();
    const [world, started] = await Promise.all([fill(place), launch()]);
    browser = started;
    const served = await Served.start(place);
    full = { place, served, world, core: await served.core() };
});

after(async () => {
    full?.core.end();
    await browser?.close();
    await full?.place.end();
});

/**
 * A page that has been given the token, and the errors on it.
 * @param {import("node:test").TestContext} context
 */
async function open(context) {
    const room = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
    context.after(() => room.close());
    const page = await room.newPage();
    /** @type {string[]} */
    const errors = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (message) => {
        if (message.type() === "error") errors.push(message.text());
    });
    await page.goto(full.served.url);
    await go(page, "/view/inbox");
    await page.getByRole("treeitem", { level: 2 }).first().waitFor();
    return { page, errors };
}

const news = (/** @type {import("playwright-core").Page} */ page) => page.getByRole("region", { name: "News" });

/** The row that a session has in the core. */
async function row(/** @type {string} */ session) {
    return (await full.core.call("session_show", { session })).session;
}

test("a session is given a status and a label with the keyboard, and both are taken back", async (context) => {
    const { page, errors } = await open(context);
    const { session } = full.world.finished;
    const list = page.getByRole("tree");
    await list.focus();
    await page.locator(`[data-session="${session}"]`).click();
    await list.focus();
    await page.keyboard.press("s");
    await page.getByRole("combobox", { name: "Status" }).fill("review");
    await page.keyboard.press("Enter");
    await seen(page, /set to “Needs Review”/);
    assert.equal((await row(session)).status, "needs-review");
    await page.keyboard.press("l");
    await page.getByRole("combobox", { name: "Labels" }).fill("bug");
    await page.keyboard.press("Enter");
    await seen(page, /labelled “Bug”/);
    await page.keyboard.press("Escape");
    assert.deepEqual((await row(session)).labels, ["bug"]);
    await list.focus();
    await page.keyboard.press("Control+z");
    assert.ok(await until(async () => (await row(session)).labels.length === 0, 10_000));
    await news(page).getByRole("button", { name: "Undo" }).first().click();
    assert.ok(await until(async () => (await row(session)).status === "todo", 10_000));
    assert.deepEqual(errors, []);
});

test("many sessions are archived at once and each comes back as it was", async (context) => {
    const { page, errors } = await open(context);
    const before = (await full.core.call("session_counts")).inbox;
    await full.core.call("session_update", { sessions: [full.world.second.session], patch: { status: "done" } });
    await page.locator(`[data-session="${full.world.second.session}"]`).filter({ hasText: "Done." }).waitFor();
    const list = page.getByRole("tree");
    await list.focus();
    await page.keyboard.press("Control+a");
    await seen(page, new RegExp(`${before} selected`));
    await page.keyboard.press("1");
    await seen(page, /sessions set to “Todo”/);
    await news(page).getByRole("button", { name: "Undo" }).last().click();
    assert.ok(await until(async () => (await row(full.world.second.session)).status === "done", 10_000));
    assert.equal((await row(full.world.finished.session)).status, "todo");
    await list.focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.press("e");
    await seen(page, /Nothing here yet/);
    await news(page).getByRole("button", { name: "Undo" }).last().click();
    await page.getByRole("treeitem", { level: 2 }).first().waitFor();
    assert.equal((await full.core.call("session_counts")).inbox, before);
    assert.deepEqual(errors, []);
});

test("a session is dragged onto a status, and statuses change their order by the keyboard", async (context) => {
    const { page } = await open(context);
    const { session } = full.world.first;
    const entry = (/** @type {string} */ name) => page.getByRole("group", { name: "Statuses" }).getByRole("link", { name: new RegExp(`^${name}`) });
    await page.locator(`[data-session="${session}"]`).dragTo(entry("In Progress"));
    assert.ok(await until(async () => (await row(session)).status === "in-progress", 10_000));
    const order = async () => (await full.core.call("organise_show")).statuses.map((/** @type {{ id: string }} */ one) => one.id).join(" ");
    for (const expected of ["todo needs-review in-progress", "needs-review todo in-progress"]) {
        await entry("Needs Review").focus();
        await page.keyboard.press("Alt+ArrowUp");
        assert.ok(await until(async () => (await order()).startsWith(expected), 10_000), await order());
        await seen(page, expected.startsWith("todo") ? /Todo[^]*Needs Review[^]*In Progress/ : /Needs Review[^]*Todo[^]*In Progress/);
    }
});

test("a list is grouped, folded, and filtered", async (context) => {
    const { page } = await open(context);
    await page.getByRole("button", { name: "Group the list" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Status" }).click();
    const group = page.getByRole("treeitem", { level: 1 }).first();
    await group.filter({ hasText: /Todo|In Progress|Needs Review|Done/ }).waitFor();
    const rows = () => page.getByRole("treeitem", { level: 2 }).count();
    const all = (await full.core.call("session_counts")).inbox;
    assert.ok(await until(async () => (await rows()) === all, 10_000), "every group has its rows");
    await group.click();
    assert.ok(await until(async () => (await rows()) < all, 10_000));
    await group.click();
    assert.ok(await until(async () => (await rows()) === all, 10_000));
    await page.getByRole("searchbox").fill("status:nonsense");
    await seen(page, /can't be read/);
    await page.getByRole("searchbox").fill("is:flagged");
    assert.ok(await until(async () => (await rows()) === 1, 10_000));
});

test("what was said is found, and the hit leads to its message", async (context) => {
    const { page, errors } = await open(context);
    await page.keyboard.press("Control+Shift+f");
    const line = page.getByRole("combobox", { name: "Search everything that was said" });
    await line.fill("going concern");
    const hits = page.getByRole("list", { name: "What was found" });
    await hits.getByRole("link").first().waitFor();
    assert.ok((await hits.locator("mark").count()) > 0, "hits are marked");
    const message = hits.locator('a[href*="message="]').first();
    await message.click();
    await page.waitForFunction(() => /\/session\/.+message=/.test(location.hash));
    await seen(page, /going concern/i);
    await page.goBack();
    await hits.getByRole("link").first().waitFor();
    await line.fill("lable:bug concern");
    await seen(page, /did you mean/i);
    assert.deepEqual(errors, []);
});

test("a view is written with completion, counted while it is written, and stands in the sidebar", async (context) => {
    const { page, errors } = await open(context);
    await go(page, "/settings/organisation?add=view");
    await page.getByLabel("Name", { exact: true }).fill("Flagged ones");
    const field = page.getByRole("combobox", { name: "Expression" });
    await field.fill("isFlaged");
    await seen(page, /isFlagged/);
    await field.fill("");
    await field.pressSequentially("isFlag");
    await page.getByRole("option", { name: /isFlagged/ }).first().waitFor();
    await page.keyboard.press("Tab");
    assert.match(await field.inputValue(), /^isFlagged/);
    await seen(page, /Shows \d+ sessions? now/);
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("group", { name: "Views" }).getByRole("link", { name: /Flagged ones/ }).click();
    await page.getByRole("heading", { name: "Flagged ones" }).waitFor();
    await page.getByRole("treeitem", { level: 2 }).first().waitFor();
    assert.deepEqual(errors, []);
});

test("a label's rule is tried on a message before it is saved", async (context) => {
    const { page, errors } = await open(context);
    await go(page, "/settings/organisation?open=label:due");
    const text = page.getByLabel("Try the rules on a message");
    await text.fill("The memo is due on 2026-12-24.");
    await seen(page, /Gives due::2026-12-24/);
    await page.getByLabel("Pattern").fill("(");
    await page.getByRole("alert").filter({ hasText: /./ }).first().waitFor();
    assert.deepEqual(errors, []);
});
