// Runs in the real window: pauses, kills, two at once, without a mouse.

import assert from "node:assert/strict";
import { test } from "node:test";

import { QUESTION, calls } from "../lib.mjs";
import { App } from "./app.mjs";
import { CHOICE, PAUSE, askQuestion, reached, started, tabTo, verifiedDocument } from "./steps.mjs";

/** Slow enough that a run can be met while it writes. */
const SLOW = { AGENTNATIVE_OFFLINE_PACE: "150" };

/** The log of the newest run, which must repeat nothing. */
async function log(/** @type {import("../core.mjs").Core} */ core) {
    const events = [];
    for (let after = 0; ;) {
        const page = (await core.call("run_show", { run: "last", events_after: after, outputs: false })).events;
        if (page === undefined || page.length === 0) break;
        events.push(...page);
        after = page.at(-1).seq;
    }
    calls(events);
    return events;
}

test("from the first window to a verified document, offline, by buttons", async (context) => {
    const app = await App.for(context);
    const page = await app.start();
    await page.until("the first page", async () => (await page.path()) === "#/welcome");
    for (const door of [/^Research a question now$/, /^Add your documents$/, /^Connect a model$/])
        await page.find("heading", door);
    const field = await page.find("textbox", /^Your own question/);
    await field.click();
    await page.write(QUESTION);
    await page.press("Enter");
    await page.find("heading", PAUSE.first);
    await page.click("button", CHOICE.search);
    await page.find("heading", PAUSE.second);
    // The card that was answered stays until the core has said so.
    await page.gone("button", CHOICE.search);
    await page.click("button", /^Proceed/);
    await verifiedDocument(page);
    const core = await app.core();
    const [run, ...others] = await core.runs();
    assert.equal(run.status, "completed");
    assert.deepEqual(others, []);
    const decided = (await log(core))
        .filter((event) => event.type === "resumed")
        .map(({ decision }) => decision.choice);
    assert.deepEqual(decided, ["search", "proceed"]);
    assert.equal((await core.call("settings_show")).welcomed, true);
    // The next start needs no introduction.
    await app.close();
    const again = await app.start();
    assert.notEqual(await again.path(), "#/welcome");
});

test("both pauses are answered in words, and a question back decides nothing", async (context) => {
    const app = await App.for(context);
    const page = await app.start();
    const core = await app.core();
    const { session } = await started(core, "paused");
    await page.go(`/session/${session}`);
    await page.find("heading", PAUSE.first);
    const field = await page.find("textbox", /^Answer in your own words/);
    await field.click();
    await page.write("Why does that matter?");
    await page.press("Enter");
    await page.text(
        /still open|decides nothing|does not answer the pause|Proceed, with a web search:|Searches the web to calibrate/i,
    );
    assert.equal((await core.run()).status, "paused");
    await page.until("an empty field", async () => (await field.value()) === "");
    await field.click();
    await page.write("yes, search the web");
    await page.press("Enter");
    await page.find("heading", PAUSE.second);
    const next = await page.find("textbox", /^Answer in your own words/);
    await page.until("an empty field", async () => (await next.value()) === "");
    await next.click();
    await page.write("go ahead");
    await page.press("Enter");
    await verifiedDocument(page);
    const said = (await log(core)).filter((event) => event.type === "resumed").map(({ decision }) => decision.choice);
    assert.deepEqual(said, ["search", "proceed"]);
});

test("killed while it waits: the pause and what was typed are there again, and the run goes on", async (context) => {
    const app = await App.for(context);
    let page = await app.start();
    let core = await app.core();
    const { session, seq } = await started(core, "paused");
    await page.go(`/session/${session}`);
    await page.find("heading", PAUSE.first);
    const remarks = await page.find("textbox", /^Remarks/);
    await remarks.click();
    await page.write("Group audits too.");
    await page.until("a draft", async () => /Group audits too/.test(JSON.stringify(await drafts(core, session))));
    await app.kill();

    page = await app.start({ args: [`agentnative://session/${session}`] });
    core = await app.core();
    assert.equal((await core.run()).seq, seq, "nothing was added, nothing is missing");
    await page.find("heading", PAUSE.first);
    const kept = await page.find("textbox", /^Remarks/);
    await page.until("what was typed", async () => (await kept.value()) === "Group audits too.");
    await page.click("button", CHOICE.skip);
    await verifiedDocument(page);
    await log(core);
});

/** The draft of a session's open pause. */
async function drafts(/** @type {import("../core.mjs").Core} */ core, /** @type {string} */ session) {
    const { runs } = await core.call("session_show", { session });
    return core.call("draft_show", { key: `${runs[0].run}/${runs[0].pauses[0].pause}` });
}

test("killed while it writes: the next start asks what to do about the call under way, and the run goes on", async (context) => {
    const app = await App.for(context);
    let page = await app.start({ env: SLOW });
    let core = await app.core();
    const { session, run } = await started(core, "paused");
    await page.go(`/session/${session}`);
    await page.click("button", CHOICE.skip);
    await page.until(
        "a running answer",
        async () =>
            (await core.run(run)).stages.some(
                (/** @type {any} */ stage) => stage.name === "synthesize" && stage.phase === "running",
            ),
        40_000,
    );
    await app.kill();

    page = await app.start({ args: [`agentnative://session/${session}`] });
    core = await app.core();
    assert.equal((await core.run(run)).status, "paused");
    // The call may have been paid for: whether it is issued again is the person's to say.
    await page.text(/Interrupted call/);
    await page.text(/The program ended while a model call was under way/);
    await page.click("button", /^Issue it again/);
    await verifiedDocument(page);
    assert.equal((await core.run(run)).status, "completed");
    await log(core);
});

test("closing the window while a run is under way stores it, and the next start goes on", async (context) => {
    const app = await App.for(context);
    let page = await app.start({ env: SLOW });
    let core = await app.core();
    const { session, run } = await started(core, "paused");
    await core.call("run_answer", { run, pause: null, reply: { choice: "skip_web" } });
    await page.go(`/session/${session}`);
    await page.until(
        "a running answer",
        async () =>
            (await core.run(run)).stages.some(
                (/** @type {any} */ stage) => stage.name === "synthesize" && stage.phase === "running",
            ),
        40_000,
    );
    await app.close();

    page = await app.start({ args: [`agentnative://session/${session}`] });
    core = await app.core();
    assert.equal((await core.run(run)).status, "suspended");
    await page.click("button", /^Resume/);
    await verifiedDocument(page);
    await log(core);
});

test("two sessions work at once, and each keeps its own", async (context) => {
    const app = await App.for(context);
    const page = await app.start({ env: { AGENTNATIVE_OFFLINE_PACE: "600" } });
    const core = await app.core();
    const questions = [QUESTION, "What must be documented about fraud risks?"];
    /** @type {string[]} */
    const sessions = [];
    for (const question of questions) {
        await page.go("/new");
        await askQuestion(page, question);
        await page.until(
            "its session",
            async () => /^#\/session\//.test(await page.path()) && !sessions.includes(await page.path()),
        );
        sessions.push(await page.path());
    }
    const both = await core.runs();
    assert.equal(both.length, 2);
    for (const { run } of both) {
        await reached(core, run, "paused");
        await core.call("run_answer", { run, pause: null, reply: { choice: "skip_web" } });
    }
    const states = await Promise.all(both.map(({ run }) => core.run(run)));
    assert.deepEqual(
        states.map(({ status }) => status),
        ["running", "running"],
        "at the same time",
    );
    for (const [index, address] of sessions.entries()) {
        await page.go(address.slice(1));
        await verifiedDocument(page);
        assert.ok((await page.shown()).includes(questions[index]));
        assert.ok(!(await (await page.find("main")).text()).includes(questions[1 - index]), "nothing of the other");
    }
});

test("a whole run without a mouse", async (context) => {
    const app = await App.for(context);
    const page = await app.start();
    await page.find("textbox", /^Your own question/);
    await tabTo(page, "textbox", /^Your own question/);
    await page.write(QUESTION);
    await page.press("Enter");
    await page.find("heading", PAUSE.first);
    // The pause comes to the person: Enter takes what it proposes.
    await tabTo(page, "button", CHOICE.skip);
    await page.press("Enter");
    await verifiedDocument(page);
    // A citation opens the paragraph, Escape closes it; before that it may put a tooltip away.
    await tabTo(page, "button", /, verified$/);
    await page.press("Enter");
    await page.until("the paragraph", async () => (await page.run(() => document.querySelectorAll("mark").length)) > 0);
    await page.until("the paragraph to go", async () => {
        await page.press("Escape");
        return (await page.run(() => document.querySelectorAll("mark").length)) === 0;
    });
    await page.press("Ctrl+K");
    await page.find("dialog");
    await page.write("settings");
    await page.press("Enter");
    await page.until("the settings", async () => /^#\/settings/.test(await page.path()));
});

test("the theme switches at once and stays", async (context) => {
    const app = await App.for(context);
    let page = await app.start();
    const paper = () => page.run(() => getComputedStyle(document.body).backgroundColor);
    await page.go("/settings/appearance");
    await page.click("radio", /^Light/);
    await page.until("light", async () => luminance(await paper()) > 200);
    await page.click("radio", /^Dark/);
    await page.until("dark", async () => luminance(await paper()) < 60);
    await page.until("the setting", async () => (await (await app.core()).call("settings_show")).mode === "dark");
    await app.close();
    page = await app.start();
    assert.ok(luminance(await paper()) < 60, "it starts dark");
});

/** @param {string} colour as computed */
function luminance(colour) {
    const [red, green, blue] = [...colour.matchAll(/[\d.]+/g)].map(Number);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
