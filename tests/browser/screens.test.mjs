// Every screen over `agentnative serve`, light and dark: no serious finding of axe, nothing wider than a narrow window.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { AGENT, Place } from "../lib.mjs";
import { SCREENS } from "../screens.mjs";
import { fill } from "../world.mjs";
import { Served, findingsInBoth, go, launch, openPage, seen, show, still } from "./served.mjs";

/** @type {import("playwright-core").Browser} */
let browser;
/** @type {{ place: Place, served: Served, world: import("../world.mjs").World, running: string }} */
let full;
/** @type {{ place: Place, served: Served }} */
let empty;

/** @type {Place[]} */
const places = [];

before(async () => {
    const place = new Place();
    places.push(place);
    const [world, started] = await Promise.all([fill(place), launch()]);
    browser = started;
    const served = await Served.start(place, { env: { AGENTNATIVE_OFFLINE_PACE: "20" } });
    const core = await served.core();
    const run = await core.call("run_start", {
        agent: AGENT,
        request: "When does doubt about going concern change the opinion?",
    });
    full = { place, served, world, running: (await core.begun(run)).session };
    core.end();
    const second = new Place();
    places.push(second);
    empty = { place: second, served: await Served.start(second) };
});

after(async () => {
    await browser?.close();
    for (const place of places) await place.end();
});

/**
 * Both data directories in a browser's profile of their own, and each screen at its address in one of them.
 * @param {import("node:test").TestContext} context
 * @param {import("playwright-core").BrowserContextOptions} options
 */
async function rooms(context, options) {
    const opened = {
        full: await openPage(context, browser, full.served, options),
        empty: await openPage(context, browser, empty.served, options),
    };
    return SCREENS.map((screen) => ({
        ...opened[screen.needs === "empty" ? "empty" : "full"],
        screen: screen.needs === "running" ? { ...screen, path: () => `/session/${full.running}` } : screen,
    }));
}

test("every screen is usable by everybody, light and dark", async (context) => {
    for (const { page, errors, screen } of await rooms(context, { colorScheme: "light" })) {
        await context.test(screen.name, async () => {
            await show(page, screen, full.world);
            assert.deepEqual(await findingsInBoth(page), []);
            assert.deepEqual(errors.splice(0), []);
            await page.keyboard.press("Escape");
        });
    }
});

/** Narrow windows. Every other page is opened in the narrowest and given more room, the others the other way round. */
const SIZES = [
    { width: 390, height: 844 },
    { width: 640, height: 700 },
    { width: 900, height: 700 },
];

test(`nothing is wider than a window of ${SIZES.map(({ width }) => width).join(", ")}`, async (context) => {
    /** @type {Set<string>} */
    const looked = new Set();
    for (const { page, screen } of await rooms(context, { viewport: SIZES[0] })) {
        const address = `${screen.needs === "empty"} ${screen.path(full.world)}`;
        // What is reached by steps from an address is looked at there.
        if (looked.has(address)) continue;
        const sizes = looked.size % 2 === 0 ? SIZES : SIZES.toReversed();
        looked.add(address);
        await context.test(screen.name, async () => {
            await page.setViewportSize(sizes[0]);
            // A narrow window hides the list: the page itself is looked at.
            await go(page, screen.path(full.world));
            await seen(page, ["inbox", "inbox-empty", "needs-you"].includes(screen.name) ? /\S/ : screen.shows);
            for (const size of sizes) {
                await page.setViewportSize(size);
                await still(page);
                const wide = await page.evaluate(() => {
                    const root = document.scrollingElement ?? document.documentElement;
                    const out = [...document.querySelectorAll("main *")].filter((at) => {
                        const box = at.getBoundingClientRect();
                        if (box.width === 0 || box.right <= innerWidth + 1) return false;
                        // What scrolls by itself or is cut off on purpose is not in the way.
                        for (let up = at.parentElement; up !== null; up = up.parentElement)
                            if (getComputedStyle(up).overflowX !== "visible") return false;
                        return true;
                    });
                    // A page that scrolls down does not scroll sideways.
                    const pages = [...document.querySelectorAll("main *")].filter(
                        (at) =>
                            getComputedStyle(at).overflowY === "auto" &&
                            at.clientHeight > innerHeight / 2 &&
                            at.scrollWidth > at.clientWidth + 1,
                    );
                    out.push(...pages);
                    return { page: root.scrollWidth, out: out.slice(0, 5).map((at) => at.outerHTML.slice(0, 120)) };
                });
                assert.ok(wide.page <= size.width, `${wide.page} wide`);
                assert.deepEqual(wide.out, [], `at ${size.width}`);
            }
        });
    }
});
