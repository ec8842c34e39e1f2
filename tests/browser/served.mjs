// `agentnative serve` and a browser in front of it.

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";

import { Core } from "../core.mjs";
import { until, which } from "../lib.mjs";

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** @returns {Promise<import("playwright-core").Browser>} */
export function launch() {
    const executablePath = ["chromium", "chromium-browser", "google-chrome"]
        .map(which)
        .find((path) => path !== undefined);
    if (executablePath === undefined) throw new Error("there is no Chromium: install the package chromium");
    const args = [
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
    ];
    return chromium.launch({ executablePath, args });
}

/** A program that serves the window to browsers. */
export class Served {
    /**
     * @param {import("../lib.mjs").Place} place
     * @param {import("../lib.mjs").Started} program
     * @param {{ url: string, token: string, port: number }} card
     */
    constructor(place, program, card) {
        this.place = place;
        this.program = program;
        this.url = card.url;
        this.token = card.token;
        this.port = card.port;
        /** The page's address without the token. */
        this.page = `http://127.0.0.1:${card.port}/`;
    }

    /**
     * @param {import("../lib.mjs").Place} place
     * @param {{ env?: Record<string, string>, port?: number }} [options]
     */
    static async start(place, { env = {}, port = 0 } = {}) {
        const ui = join(ROOT, "target", "ui");
        const args = [
            "serve",
            "--json",
            "--port",
            String(port),
            ...(existsSync(join(ui, "index.html")) ? ["--ui", ui] : []),
        ];
        const program = place.start(args, { env, seconds: 600 });
        await until(() => program.stdout.includes("\n") || program.end !== undefined, 20_000);
        if (!program.stdout.includes("\n")) throw new Error(`serve did not start: ${program.stderr}`);
        return new Served(place, program, JSON.parse(program.stdout.split("\n")[0]));
    }

    /** The core behind it. */
    core() {
        return Core.of(this.place.data);
    }

    /** Ends it without a warning. */
    async kill() {
        this.program.kill("SIGKILL");
        await this.program.ended;
    }

    /** Ends it. */
    async end() {
        this.program.kill("SIGTERM");
        await this.program.ended;
    }
}

/**
 * A page that has been given the token, in a browser's profile of its own, with the errors on it.
 * @param {import("node:test").TestContext} context at whose end it is closed
 * @param {import("playwright-core").Browser} browser
 * @param {Served} served
 * @param {import("playwright-core").BrowserContextOptions} [options]
 */
export async function openPage(context, browser, served, options) {
    const room = await browser.newContext({
        viewport: { width: 1280, height: 800 },
        reducedMotion: "reduce",
        ...options,
    });
    context.after(() => room.close());
    const page = await room.newPage();
    /** @type {string[]} */
    const errors = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (message) => {
        if (message.type() === "error") errors.push(message.text());
    });
    await page.goto(served.url);
    await seen(page, /\S/);
    return { page, errors };
}

/**
 * Opens an address inside of the page, as a link in it does.
 * @param {import("playwright-core").Page} page
 * @param {string} path
 */
export async function go(page, path) {
    await page.evaluate((/** @type {string} */ to) => {
        location.hash = to;
    }, path);
}

/**
 * Shows a screen.
 * @param {import("playwright-core").Page} page
 * @param {import("../screens.mjs").Screen} screen
 * @param {import("../world.mjs").World} world
 */
export async function show(page, screen, world) {
    await go(page, screen.path(world));
    await seen(page, screen.shows);
    for (const step of screen.steps ?? []) {
        if (step.click !== undefined)
            await page
                .getByRole(/** @type {any} */ (step.click[0]), { name: step.click[1] })
                .first()
                .click();
        if (step.press !== undefined) await page.keyboard.press(step.press.replace("Ctrl", "Control"));
        if (step.write !== undefined)
            await page.keyboard.type(typeof step.write === "string" ? step.write : step.write(world));
    }
    if (screen.then !== undefined) await seen(page, screen.then);
    // Fonts and what is loaded when needed.
    await page.evaluate(() => document.fonts.ready);
    await page
        .waitForFunction(() => document.querySelector("[aria-busy=true]") === null, undefined, { timeout: 5_000 })
        .catch(() => undefined);
}

/** How often a page is looked at, in milliseconds: reading all of its words at every frame is work for it. */
const LOOK_MS = 50;

/**
 * Waits for a text on the page.
 * @param {import("playwright-core").Page} page
 * @param {RegExp} pattern
 * @param {number} [timeout]
 */
export async function seen(page, pattern, timeout = 20_000) {
    await page.waitForFunction(
        ([source, flags]) => new RegExp(source, flags).test(document.body.innerText),
        [pattern.source, pattern.flags],
        { timeout, polling: LOOK_MS },
    );
}

/** The rules of axe that read colours. What the others look at is the same in every colour scheme. */
const COLOURS = ["color-contrast", "link-in-text-block"];
/** What keeps somebody from using a page. */
const GRAVE = ["serious", "critical"];

/**
 * Findings of axe that keep somebody from using the page.
 * @param {import("playwright-core").Page} page
 * @param {string[]} [rules] default: all that can find such
 * @returns {Promise<string[]>}
 */
export async function findings(page, rules) {
    // The page's own policy allows no script from elsewhere: this one comes from the tools of the browser.
    if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
    await still(page);
    return page.evaluate(async ([rules, grave]) => {
        const { axe } = /** @type {any} */ (window);
        // A rule's own impact is that of all that it finds; one without has those of its checks.
        /** @type {{ id: string, impact?: string }[]} */
        const all = axe._audit.rules;
        const off = all.filter(({ impact }) => typeof impact === "string" && !grave.includes(impact));
        const { violations } = await axe.run(document, {
            resultTypes: ["violations"],
            // Style sheets are needed by no rule that is on.
            preload: { assets: ["media"] },
            ...(rules === undefined
                ? { rules: Object.fromEntries(off.map(({ id }) => [id, { enabled: false }])) }
                : { runOnly: { type: "rule", values: rules } }),
        });
        return violations
            .filter((/** @type {any} */ one) => grave.includes(one.impact))
            .map(
                (/** @type {any} */ one) =>
                    `${one.id}: ${one.help} (${one.nodes.length}): ${one.nodes
                        .slice(0, 3)
                        .map(
                            (/** @type {any} */ node) =>
                                `${node.target.join(" ")} ${node.any
                                    .map((/** @type {any} */ check) => check.message)
                                    .join("; ")
                                    .slice(0, 200)}`,
                        )
                        .join(" | ")}`,
            );
    }, /** @type {const} */ ([rules, GRAVE]));
}

/**
 * Findings of axe on a light page, and those on its colours where it is dark.
 * @param {import("playwright-core").Page} page
 * @param {string} [name] of its pictures
 * @returns {Promise<string[]>}
 */
export async function findingsInBoth(page, name) {
    const found = [];
    for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
        await page.emulateMedia({ colorScheme });
        found.push(...(await findings(page, colorScheme === "dark" ? COLOURS : undefined)));
        if (name !== undefined) await picture(page, `${name}-${colorScheme}`);
    }
    await page.emulateMedia({ colorScheme: "light" });
    return found;
}

/**
 * Waits until the page has drawn what it was told last, and no colour or place is on its way to another: the first frame of a transition
 * shows what was before.
 * @param {import("playwright-core").Page} page
 */
export async function still(page) {
    await page.evaluate(async () => {
        const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
        // Spinners turn for ever: they are animations, and no transitions.
        const moves = () => document.getAnimations().some((one) => one instanceof CSSTransition);
        const end = performance.now() + 3_000;
        for (let calm = 0; calm < 2 && performance.now() < end; calm = moves() ? 0 : calm + 1) await frame();
    });
}

/**
 * Keeps a picture of the page, where a folder for pictures is named.
 * @param {import("playwright-core").Page} page
 * @param {string} name
 * @param {import("playwright-core").PageScreenshotOptions} [options]
 */
export async function picture(page, name, options) {
    const shots = process.env.AGENTNATIVE_SHOTS;
    if (shots !== undefined) await page.screenshot({ ...options, path: join(shots, `${name}.png`) });
}
