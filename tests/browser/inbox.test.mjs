// The inbox over `agentnative serve`: statuses, labels and views are worked with the keyboard and the mouse, and what was said is found.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Place, until } from "../lib.mjs";
import { fill } from "../world.mjs";
import { Served, go, launch, openPage, seen } from "./served.mjs";

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
    const opened = await openPage(context, browser, full.served);
    const { page } = opened;
    await go(page, "/view/inbox");
    await page.getByRole("treeitem", { level: 2 }).first().waitFor();
    return opened;
}

const news = (/** @type {import("playwright-core").Page} */ page) =>
    page.getByRole("region", { name: "Notifications" });

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
    await seen(page, /No sessions yet/);
    await news(page).getByRole("button", { name: "Undo" }).last().click();
    await page.getByRole("treeitem", { level: 2 }).first().waitFor();
    assert.equal((await full.core.call("session_counts")).inbox, before);
    assert.deepEqual(errors, []);
});

test("a session is dragged onto a status, and statuses change their order by the keyboard", async (context) => {
    const { page } = await open(context);
    const { session } = full.world.first;
    const entry = (/** @type {string} */ name) =>
        page.getByRole("group", { name: "Statuses" }).getByRole("link", { name: new RegExp(`^${name}`) });
    await page.locator(`[data-session="${session}"]`).dragTo(entry("In Progress"));
    assert.ok(await until(async () => (await row(session)).status === "in-progress", 10_000));
    const order = async () =>
        (await full.core.call("organise_show")).statuses.map((/** @type {{ id: string }} */ one) => one.id).join(" ");
    // Two presses in a row, before the page shows the first one; and the focus stays for the third.
    await entry("Needs Review").focus();
    await page.keyboard.press("Alt+ArrowUp");
    await page.keyboard.press("Alt+ArrowUp");
    assert.ok(
        await until(async () => (await order()).startsWith("needs-review todo in-progress"), 10_000),
        await order(),
    );
    const shows = (/** @type {RegExp} */ pattern) =>
        page.waitForFunction(
            ([source]) =>
                new RegExp(source).test(document.querySelector("[role=group][aria-label=Statuses]")?.textContent ?? ""),
            [pattern.source],
        );
    await shows(/Needs Review.*Todo.*In Progress/);
    await page.keyboard.press("Alt+ArrowDown");
    await shows(/Todo.*Needs Review.*In Progress/);
    await page.keyboard.press("Alt+ArrowDown");
    assert.ok(
        await until(async () => (await order()).startsWith("todo in-progress needs-review"), 10_000),
        await order(),
    );
});

test("statuses, views and labels are dragged to the place that is pointed at, up and down, in the sidebar and in the settings", async (context) => {
    const { page, errors } = await open(context);
    const { core } = full;
    // The sidebar shows these two once, above the views.
    for (const id of ["needs-you", "running"]) await core.call("view_edit", { edit: "remove", id });
    const kinds = { Statuses: ["statuses", "label"], Views: ["views", "name"], Labels: ["labels", "name"] };
    for (const name of ["One", "Two", "Three", "Four"])
        await core.call("view_edit", { edit: "add", name, expression: "isFlagged" });
    // Nothing moves under the pointer any more.
    await page.getByRole("group", { name: "Views" }).getByRole("link", { name: /^Four/ }).waitFor();
    for (const [title, [list, name]] of Object.entries(kinds)) {
        /** @returns {Promise<{ [name: string]: string }[]>} */
        const read = async () => (await core.call("organise_show"))[list];
        const all = await read();
        assert.ok(all.length >= 4, `${title}: ${all.length} of them`);
        const names = new Map(all.map((each) => [each.id, each[name]]));
        for (const place of ["sidebar", "settings"]) {
            if (place === "settings") {
                await go(page, "/settings/organisation");
                await page.getByRole("list", { name: "Views", exact: true }).waitFor();
            }
            const entry = (/** @type {string} */ id) =>
                place === "sidebar"
                    ? page
                          .getByRole("group", { name: title })
                          .getByRole("link", { name: new RegExp(`^${names.get(id)}( |$)`) })
                    : page.getByRole("list", { name: title, exact: true }).locator(`[data-edit="${id}"]`);
            // By the part of the row that it is let go on: the middle is the row's own place, the edges are beside it.
            for (const [from, onto, part, to] of /** @type {const} */ ([
                [3, 1, 0.5, 1],
                [0, 2, 0.5, 2],
                [3, 0, 0.1, 0],
                [0, 2, 0.9, 2],
                [3, 1, 0.9, 2],
                [0, 3, 0.1, 2],
            ])) {
                const before = (await read()).map((each) => each.id);
                const [moved, target] = [before[from], before[onto]];
                const after = before.filter((id) => id !== moved);
                after.splice(to, 0, moved);
                const height = (await entry(target).boundingBox())?.height ?? 0;
                await entry(moved).dragTo(entry(target), {
                    sourcePosition: { x: 60, y: 8 },
                    targetPosition: { x: 60, y: height * part },
                });
                const moves = await until(
                    async () => (await read()).map((each) => each.id).join() === after.join(),
                    5_000,
                );
                assert.ok(
                    moves,
                    `${title} in the ${place}: ${moved} onto ${part} of ${target}: ${(await read()).map((each) => each.id).join()}, not ${after.join()}`,
                );
                // The page shows it before the next one is dragged.
                const rows = await Promise.all(after.map((id) => entry(id).elementHandle()));
                await page.waitForFunction(
                    (all) =>
                        all.every(
                            (row, at) =>
                                at === 0 ||
                                (row !== null &&
                                    all[at - 1]?.compareDocumentPosition(row) === Node.DOCUMENT_POSITION_FOLLOWING),
                        ),
                    rows,
                );
            }
        }
        await go(page, "/view/inbox");
    }
    assert.deepEqual(errors, []);
});

test("a list is grouped, folded, and filtered", async (context) => {
    const { page } = await open(context);
    await page.getByRole("button", { name: "Sort and group the list" }).click();
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
    await seen(page, /filter is not valid/);
    await page.getByRole("searchbox").fill("is:flagged");
    assert.ok(await until(async () => (await rows()) === 1, 10_000));
});

test("what was said is found, and the hit leads to its message", async (context) => {
    const { page, errors } = await open(context);
    await page.keyboard.press("Control+Shift+f");
    const line = page.getByRole("combobox", { name: "Search all sessions" });
    await line.fill("going concern");
    const hits = page.getByRole("list", { name: "Search results" });
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
    await page
        .getByRole("option", { name: /isFlagged/ })
        .first()
        .waitFor();
    await page.keyboard.press("Tab");
    assert.match(await field.inputValue(), /^isFlagged/);
    await seen(page, /Shows \d+ sessions? now/);
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page
        .getByRole("group", { name: "Views" })
        .getByRole("link", { name: /Flagged ones/ })
        .click();
    await page.getByRole("heading", { name: "Flagged ones" }).waitFor();
    await page.getByRole("treeitem", { level: 2 }).first().waitFor();
    assert.deepEqual(errors, []);
});

test("a label's rule is tried on a message before it is saved", async (context) => {
    const { page, errors } = await open(context);
    await go(page, "/settings/organisation?open=label:due");
    const text = page.getByLabel("Try the rules on a message");
    await text.fill("The memo is due on 2026-12-24.");
    await seen(page, /Adds due::2026-12-24/);
    await page.getByLabel("Pattern").fill("(");
    await page.getByRole("alert").filter({ hasText: /./ }).first().waitFor();
    assert.deepEqual(errors, []);
});
