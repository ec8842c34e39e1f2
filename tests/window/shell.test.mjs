// What only a window can do: links, a second start, the tray, notifications, closing.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { AGENT, QUESTION, until } from "../lib.mjs";
import { App } from "./app.mjs";
import { PAUSE, started } from "./steps.mjs";

test("a second start brings the first window to the front and ends well", async (context) => {
    const app = await App.for(context);
    const page = await app.start();
    const window = await app.desktop.window();
    const first = app.pid();
    app.desktop.lookAway();
    assert.equal(await app.second(), 0);
    assert.ok(await until(() => app.desktop.focus() === window, 5_000), "the first window has the keyboard");
    assert.equal(app.pid(), first);
    assert.equal(await page.path(), "#/welcome", "it stays where it was");
});

test("a link leads to a session, whether the program runs or not", async (context) => {
    const app = await App.for(context);
    await app.start();
    const session = (await started(await app.core(), "paused")).session;
    await app.close();

    const cold = await app.start({ args: [`agentnative://session/${session}`] });
    await cold.until("the session", async () => (await cold.path()) === `#/session/${session}`);
    await cold.find("heading", PAUSE.first);

    assert.equal(await app.second(["agentnative://settings/appearance"]), 0);
    await cold.until("the settings", async () => (await cold.path()) === "#/settings/appearance");
    assert.equal(await app.second([`craftagents://allSessions/session/${session}`]), 0);
    await cold.find("heading", PAUSE.first);
    assert.equal(await app.second(["agentnative://session/261121-not-there"]), 0);
    await cold.text(/This session no longer exists/);
});

/** Everything that a link must leave as it is. */
const state = async (/** @type {import("../core.mjs").Core} */ core) => ({
    runs: await core.runs(),
    sessions: await core.call("session_list", { view: "inbox" }),
    deleted: await core.call("session_counts"),
    settings: await core.call("settings_show"),
    bases: (await core.call("base_list")).map((/** @type {any} */ base) => base.name),
});

test("a hostile link changes nothing and starts nothing", async (context) => {
    const app = await App.for(context);
    const page = await app.start();
    const core = await app.core();
    const { session, run } = await started(core, "paused");
    await page.go("/settings/about");
    await page.until("the page", async () => (await page.path()) === "#/settings/about");
    // Leaving the introduction says so, if it was shown at all before the page went elsewhere.
    await core.call("settings_update", { welcomed: true });
    const before = await state(core);
    for (const link of [
        `agentnative://delete-session/${session}`,
        `agentnative://action/delete-session/${session}`,
        `craftagents://action/delete-session/${session}`,
        `craftagents://action/set-mode/${session}?mode=allow-all`,
        `agentnative://run/${run}?answer=cancel&do=cancel`,
        "agentnative://settings/unknown?notifications=false",
        "agentnative://settings/../../etc/passwd",
        `agentnative://session/${encodeURIComponent("../../x")}`,
        "agentnative://session/%3Cimg%20src=x%20onerror=document.title='owned'%3E",
        `agentnative://session/${"a".repeat(10_000)}`,
        "agentnative://session/a%00b",
        "javascript:document.title='owned'",
        "data:text/html,<script>document.title='owned'</script>",
        "file:///etc/passwd",
        "https://example.org/",
        "agentnative://new?input=safe%E2%80%AEtxet",
        "--inspect",
        "--remote-debugging-port=1",
    ]) {
        assert.equal(await app.second([link]), 0, link);
    }
    assert.equal(
        await app.second(["agentnative://settings/appearance", "agentnative://new?input=two"]),
        0,
        "two links at once are none",
    );
    const shown = await page.path();
    assert.ok(["#/settings/about", `#/run/${run}`].includes(shown), `it shows ${shown}`);
    assert.deepEqual(await state(core), before);
    assert.notEqual(await page.run(() => document.title), "owned");
});

test("a link to a new question only fills it in", async (context) => {
    const app = await App.for(context);
    const page = await app.start();
    const core = await app.core();
    assert.equal(
        await app.second([
            `agentnative://new?agent=${AGENT}&input=${encodeURIComponent("Cancel every run & send this?")}&send=true`,
        ]),
        0,
    );
    const field = await page.find("textbox", /Ask a question/);
    await page.until("the text", async () => (await field.value()) === "Cancel every run & send this?");
    assert.deepEqual(await core.runs(), []);
});

test("a pause is told by a notification and by the tray, and a click on it leads there", async (context) => {
    const app = await App.for(context);
    const page = await app.start();
    const { desktop } = app;
    assert.ok(await until(() => desktop.tray !== undefined, 10_000), "there is an icon");
    const idle = await desktop.tell({ command: "tray" });
    desktop.lookAway();
    await page.until("a window in the background", () => page.run(() => !document.hasFocus()));
    const core = await app.core();
    const { session, run } = await started(core, "paused");
    assert.ok(await until(() => desktop.notifications.length === 1, 10_000), "one notification");
    const told = desktop.notifications[0];
    assert.equal(told.summary, "A run waits for you");
    assert.match(told.body, /going concern/);
    assert.ok(
        await until(async () => (await desktop.tell({ command: "tray" })).label === "1", 10_000),
        "the icon counts it",
    );
    assert.notEqual((await desktop.tell({ command: "tray" })).sha256, idle.sha256);
    // The menu is drawn after the icon.
    /** @type {string[]} */
    let labels = [];
    await until(async () => {
        const entries = await desktop.tell({ command: "menu" });
        labels = entries.map((/** @type {any} */ entry) => entry.label).filter(Boolean);
        return labels.includes("1 needs you");
    }, 10_000);
    assert.deepEqual(labels, [
        "Open AgentNative",
        "1 needs you",
        "Waiting for you",
        QUESTION,
        "Pause notifications",
        "Quit",
    ]);

    await desktop.tell({ command: "click", id: told.id, action: "default" });
    await page.until("the session", async () => (await page.path()) === `#/session/${session}`);
    await page.find("heading", PAUSE.first);
    assert.ok(await until(async () => desktop.focus() === (await desktop.window()), 5_000), "the window is in front");

    // Who looks at the window needs no notification.
    await core.call("run_answer", { run, pause: null, reply: { choice: "search" } });
    await page.find("heading", PAUSE.second);
    assert.ok(await until(async () => (await desktop.tell({ command: "tray" })).label === "1", 10_000));
    assert.equal(desktop.notifications.length, 1);
    await core.call("run_answer", { run, pause: null, reply: { choice: "proceed" } });
    assert.ok(await until(async () => (await core.run(run)).status === "completed", 30_000), "the run ends");
    assert.ok(
        await until(async () => (await desktop.tell({ command: "tray" })).sha256 === idle.sha256, 10_000),
        "the icon is idle again",
    );
});

test("notifications can be paused in the tray, and the settings show it", async (context) => {
    const app = await App.for(context);
    const page = await app.start();
    const { desktop } = app;
    assert.ok(await until(() => desktop.tray !== undefined, 10_000), "there is an icon");
    const core = await app.core();
    assert.equal(await desktop.tell({ command: "choose", label: "Pause notifications" }), true);
    assert.ok(
        await until(async () => (await core.call("settings_show")).notifications === false, 5_000),
        "the setting changed",
    );
    await page.go("/settings/notifications");
    const box = await page.find("switch", /^Notify when a run needs you/);
    await page.until("the switch to be off", async () => (await box.attribute("aria-checked")) === "false");
    desktop.lookAway();
    await page.until("a window in the background", () => page.run(() => !document.hasFocus()));
    await started(core, "paused");
    assert.ok(await until(async () => (await desktop.tell({ command: "tray" })).label === "1", 10_000));
    assert.deepEqual(desktop.notifications, []);
});

test("windows of workspaces are open again after a restart, and closed ones are not", async (context) => {
    const app = await App.for(context);
    const file = join(app.place.data, "window.json");
    const bounds = { x: 40, y: 30, width: 700, height: 500, maximized: false };
    await app.place.do(["workspace", "create", "The Lab"]);
    // One that is open, and one of a workspace that is gone.
    writeFileSync(file, JSON.stringify({ ...bounds, dark: false, workspaces: { "the-lab": bounds, gone: bounds } }));
    const windows = () =>
        app.desktop
            .xdotool("search", "--onlyvisible", "--class", "agentnative-desktop")
            .split("\n")
            .filter((id) => id !== "");
    const kept = () => Object.keys(JSON.parse(readFileSync(file, "utf8")).workspaces ?? {});
    for (let start = 0; start < 2; start += 1) {
        await app.start();
        assert.ok(await until(() => windows().length === 2, 10_000), `start ${String(start)}: ${windows().join(", ")}`);
        await app.quit();
        assert.deepEqual(kept(), ["the-lab"]);
    }
    await app.start();
    assert.ok(await until(() => windows().length === 2, 10_000));
    // The first window is made first.
    await app.desktop.close(String(Math.max(...windows().map(Number))));
    assert.ok(await until(() => windows().length === 1, 10_000));
    await app.quit();
    assert.deepEqual(kept(), []);
});

test("the tray ends the program", async (context) => {
    const app = await App.for(context);
    await app.start();
    assert.ok(await until(() => app.desktop.tray !== undefined, 10_000), "there is an icon");
    assert.equal(await app.desktop.tell({ command: "choose", label: "Quit" }), true);
    await app.ended();
});
