// A conversation in the window, over `agentnative serve` and a wire-compatible model: asked, allowed, denied, edited, found again.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { Place, until } from "../lib.mjs";
import { Mock } from "../mock.mjs";
import { Served, findings, go, launch, openPage, seen } from "./served.mjs";

const USAGE = { input_tokens: 900, output_tokens: 20 };

/** @param {string} name @param {object} args */
const calls = (name, args) => ({
    content: "I change it now.",
    toolCalls: [{ name, arguments: JSON.stringify(args) }],
    usage: USAGE,
});
/** @param {string} content */
const says = (content) => ({ content, usage: USAGE });

/** Longer than the window is high. */
const PLAN = `# Sum the cents\n\n${Array.from({ length: 40 }, (_, step) => `${step + 1}. Look at row ${step + 1}.`).join("\n")}\n`;
/** Longer than the window is wide. */
const COMMAND = `cat notes.txt | sort > ${"sorted-by-the-day-on-which-it-was-booked-".repeat(4)}notes.txt`;

/** @type {import("playwright-core").Browser} */
let browser;
/** @type {Place} */
let place;
/** @type {Served} */
let served;
/** @type {string} */
let folder;
/** @type {(() => void)[]} */
const ends = [];

before(async () => {
    browser = await launch();
    place = new Place();
    folder = join(place.work, "folder");
    mkdirSync(folder);
    writeFileSync(join(folder, "notes.txt"), "Sum the cents.\n");
    const context = /** @type {any} */ ({ after: (/** @type {() => void} */ end) => ends.push(end) });
    const mock = await Mock.for(context, place, [
        {
            match: { userMessage: "Write the total", hasToolResult: false },
            response: calls("write", { path: "total.txt", content: "42\n" }),
        },
        {
            match: { userMessage: "Write the total", hasToolResult: true },
            response: says("The total is **42**.\n\n```csv\nAccount,Amount\n1200,42\n```\n"),
        },
        {
            match: { userMessage: "Write a secret", hasToolResult: false },
            response: calls("write", { path: "other.txt", content: "no\n" }),
        },
        { match: { userMessage: "Write a secret", hasToolResult: true }, response: says("I left it alone.") },
        {
            match: { userMessage: "Make a plan", hasToolResult: false },
            response: calls("plan", { title: "Sum the cents", text: PLAN }),
        },
        {
            match: { userMessage: "The plan is accepted", sequenceIndex: 0 },
            response: calls("shell", { command: COMMAND, description: "Sum the cents" }),
        },
        { match: { userMessage: "The plan is accepted", sequenceIndex: 1 }, response: says("The sum is 42.") },
        {
            match: { userMessage: "Draw it" },
            response: says("```mermaid\nflowchart LR\n  A[Payment] --> B[Invoice]\n```\n"),
        },
        { match: {}, response: says("Understood.") },
    ]);
    const added = await place.run(
        [
            "connect",
            "add",
            "mock",
            "--provider",
            "anthropic",
            "--base-url",
            mock.address,
            "--model",
            "claude-sonnet-5-5",
            "--key-env",
            "MOCK_KEY",
        ],
        { env: { MOCK_KEY: "sk-test-0123456789" } },
    );
    assert.equal(added.code, 0, added.stderr + added.stdout);
    await place.run(["connect", "default", "mock"]);
    served = await Served.start(place, { env: { MOCK_KEY: "sk-test-0123456789" } });
});

after(async () => {
    await browser?.close();
    await place?.end();
    for (const end of ends) end();
});

/**
 * @param {import("node:test").TestContext} context
 * @param {import("playwright-core").BrowserContextOptions} [options]
 */
async function open(context, options) {
    const opened = await openPage(context, browser, served, options);
    opened.page.setDefaultTimeout(15_000);
    return opened;
}

const field = (/** @type {import("playwright-core").Page} */ page) => page.locator("textarea[data-composer]");

/** Begins a conversation in the folder. */
async function begin(/** @type {import("playwright-core").Page} */ page, /** @type {string} */ message) {
    await go(page, "/new");
    await page.getByRole("button", { name: /^Mode: Ask to edit/ }).waitFor();
    await page.getByRole("button", { name: /^Working folders/ }).click();
    await page.getByRole("textbox", { name: "Folder path" }).fill(folder);
    await page.keyboard.press("Enter");
    // The core looks at it first: a message that is sent before has no folder.
    await page.getByRole("button", { name: /^Remove .*\/folder$/ }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Working folders" }).waitFor({ state: "hidden" });
    await field(page).fill(message);
    await field(page).press("Enter");
    await page.waitForURL(/#\/session\//);
}

/**
 * A key that answers a question counts half a second after the question was shown: it is pressed until it had its effect.
 *
 * @param {import("playwright-core").Page} page @param {string} key @param {import("playwright-core").Locator} effect
 */
async function pressed(page, key, effect) {
    const seen = await until(async () => {
        if (await effect.first().isVisible()) return true;
        await page.keyboard.press(key);
        return effect
            .first()
            .waitFor({ timeout: 700 })
            .then(() => true)
            .catch(() => false);
    }, 20_000);
    assert.ok(seen, `${key} is answered`);
}

test("a change is shown before it is made, allowed by a key, and told about", async (context) => {
    const { page, errors } = await open(context);
    await begin(page, "Write the total");
    const card = page.locator("[data-approval]");
    await card.waitFor();
    assert.equal(existsSync(join(folder, "total.txt")), false);
    assert.match(await card.innerText(), /total\.txt/);
    assert.match(await card.innerText(), /42/);
    assert.deepEqual(await findings(page), []);
    // Whoever sent a message goes on writing: letters are words there, a key with Alt decides.
    await page.keyboard.type("yes");
    assert.equal(await field(page).inputValue(), "yes");
    assert.equal(existsSync(join(folder, "total.txt")), false);
    await pressed(page, "Alt+y", page.locator("[data-answer]"));
    assert.equal(readFileSync(join(folder, "total.txt"), "utf8"), "42\n");
    await seen(page, /The total is 42/);
    await page.getByRole("figure", { name: "Table" }).waitFor();
    await page.getByText(/^Worked/).click();
    await page.locator("summary", { hasText: "total.txt" }).first().click();
    await page.getByRole("figure", { name: /^Change of .*total\.txt/ }).waitFor();
    assert.deepEqual(await findings(page), []);
    assert.deepEqual(errors, []);
});

test("what is not allowed is told to the model with the reason, and stays in sight", async (context) => {
    const { page, errors } = await open(context, { colorScheme: "dark" });
    await begin(page, "Write a secret");
    await page.locator("[data-approval]").waitFor();
    const reason = page.locator("[data-approval]").getByRole("textbox");
    await pressed(page, "Alt+n", reason);
    await reason.fill("Not in this folder");
    await reason.press("Enter");
    await page.locator("[data-answer]").waitFor();
    assert.equal(existsSync(join(folder, "other.txt")), false);
    await seen(page, /Denied/);
    assert.deepEqual(await findings(page), []);
    assert.deepEqual(errors, []);
});

test("a message is edited and sent again, branched, and its words are found", async (context) => {
    const { page, errors } = await open(context);
    await go(page, "/new");
    await page.getByRole("button", { name: /^Mode: Ask to edit/ }).waitFor();
    await field(page).fill("Say something first");
    await field(page).press("Enter");
    await page.locator("[data-answer]").waitFor();
    await page.getByRole("button", { name: "Message actions" }).click();
    await page.getByRole("menuitem", { name: "Edit and resend" }).click();
    await page.getByRole("textbox", { name: "Message" }).fill("Say something else");
    await page.keyboard.press("Control+Enter");
    await seen(page, /Say something else[^]*Understood/);
    await page.waitForFunction(() => document.querySelectorAll("[data-turn]").length === 1);
    assert.doesNotMatch(
        await page.getByRole("region", { name: "Questions and answers" }).innerText(),
        /Say something first/,
    );
    const original = page.url();
    await page
        .locator("[data-answer]")
        .getByRole("button", { name: /^Branch/ })
        .click();
    await page.waitForURL((url) => url.href !== original && url.hash.startsWith("#/session/"));
    await page.locator("[data-answer]").waitFor();
    const find = page.getByLabel("Find in the session", { exact: true });
    // What is opened while the page is still the one before goes with it.
    const found = await until(async () => {
        if (!(await find.isVisible())) await page.keyboard.press("Control+f");
        await find.fill("understood", { timeout: 1_000 }).catch(() => undefined);
        return /1 of 1/.test(await page.locator("body").innerText());
    }, 20_000);
    assert.ok(found, "the words are found once");
    await page.keyboard.press("Escape");
    assert.deepEqual(errors, []);
});

/** How far the upper edge of an element lies below that of the conversation. */
async function below(/** @type {import("playwright-core").Page} */ page, /** @type {string} */ selector) {
    const [outer, inner] = await Promise.all([
        page.getByRole("region", { name: "Questions and answers" }).boundingBox(),
        page.locator(selector).boundingBox(),
    ]);
    assert.ok(outer !== null && inner !== null, selector);
    return inner.y - outer.y;
}

test("a plan is read from its beginning, accepted by a key, and its command is asked about whole", async (context) => {
    const { page, errors } = await open(context);
    await begin(page, "Make a plan");
    await page.locator("[data-plan]").waitFor();
    await seen(page, /Plan needs approval/);
    assert.ok((await below(page, "[data-plan]")) >= 0);
    await page.locator("[data-plan] h3").click();
    assert.equal(await page.evaluate(() => document.activeElement?.hasAttribute("data-plan")), true);
    assert.ok(await page.getByRole("button", { name: "Accept and compact" }).isVisible());
    assert.deepEqual(await findings(page), []);
    await page.keyboard.press("y");
    await page.locator("[data-approval]").waitFor();
    await seen(page, /Carry out the plan: Sum the cents/);
    const card = page.locator("[data-approval]");
    assert.equal((await card.locator("pre").innerText()).trim(), COMMAND);
    // Nothing stands over the command, and nothing of it is cut off.
    const covered = await card.locator("pre").evaluate((pre) => {
        const code = pre.querySelector("code")?.getBoundingClientRect();
        const bar = pre.previousElementSibling?.getBoundingClientRect();
        return (
            code === undefined || bar === undefined || code.top < bar.bottom || pre.scrollWidth > pre.clientWidth + 1
        );
    });
    assert.equal(covered, false);
    assert.ok((await below(page, "[data-approval]")) >= 0);
    assert.equal(await page.evaluate(() => document.activeElement?.hasAttribute("data-approval")), true);
    await pressed(page, "y", page.getByText(/The sum is 42/));
    assert.deepEqual(await findings(page), []);
    assert.deepEqual(errors, []);
});

test("a diagram is drawn in the page's colours, also where motion is reduced", async (context) => {
    const { page } = await open(context);
    await go(page, "/new");
    await page.getByRole("button", { name: /^Mode: Ask to edit/ }).waitFor();
    await field(page).fill("Draw it");
    await field(page).press("Enter");
    const picture = page.getByRole("img", { name: /^Diagram/ });
    await picture.waitFor();
    const source = decodeURIComponent((await picture.getAttribute("src")) ?? "");
    const colours = await page.evaluate(() =>
        ["--ink", "--sunken"].map((token) => getComputedStyle(document.documentElement).getPropertyValue(token)),
    );
    for (const colour of colours) {
        const light = /#[0-9a-f]{6}/.exec(colour)?.[0] ?? "none";
        assert.ok(source.includes(light), `${light} of ${colours.join(", ")}`);
    }
});

for (const [width, height] of [
    [900, 700],
    [640, 700],
]) {
    test(`a conversation fits a window of ${width} x ${height}`, async (context) => {
        const { page } = await open(context, { viewport: { width, height } });
        await begin(page, "Write a secret");
        await page.locator("[data-approval]").waitFor();
        const wide = await page.evaluate(() => {
            const root = document.scrollingElement ?? document.documentElement;
            const out = [...document.querySelectorAll("main *")].filter((at) => {
                const box = at.getBoundingClientRect();
                if (box.width === 0 || box.right <= innerWidth + 1) return false;
                for (let up = at.parentElement; up !== null; up = up.parentElement)
                    if (getComputedStyle(up).overflowX !== "visible") return false;
                return true;
            });
            return { page: root.scrollWidth, out: out.slice(0, 5).map((at) => at.outerHTML.slice(0, 120)) };
        });
        assert.ok(wide.page <= width, `${wide.page} wide`);
        assert.deepEqual(wide.out, []);
        await page.getByRole("button", { name: "Stop" }).first().click();
        await seen(page, /You stopped this turn/);
    });
}
