// Every screen over `agentnative serve`, light and dark: no serious finding of axe, nothing wider than a narrow window.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { AGENT, Place } from "../lib.mjs";
import { SCREENS } from "../screens.mjs";
import { fill } from "../world.mjs";
import { Served, findings, go, launch, openPage, seen, show } from "./served.mjs";

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

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    test(`every screen is usable by everybody, ${colorScheme}`, async (context) => {
        const rooms = {
            full: await openPage(context, browser, full.served, { colorScheme }),
            empty: await openPage(context, browser, empty.served, { colorScheme }),
        };
        for (const screen of SCREENS) {
            await context.test(screen.name, async () => {
                const { page, errors } = screen.needs === "empty" ? rooms.empty : rooms.full;
                const shown =
                    screen.needs === "running" ? { ...screen, path: () => `/session/${full.running}` } : screen;
                await show(page, shown, full.world);
                assert.deepEqual(await findings(page), []);
                assert.deepEqual(errors.splice(0), []);
                await page.keyboard.press("Escape");
            });
        }
    });
}

for (const [width, height] of [
    [900, 700],
    [640, 700],
    [390, 844],
]) {
    test(`nothing is wider than a window of ${width} x ${height}`, async (context) => {
        const rooms = {
            full: await openPage(context, browser, full.served, { viewport: { width, height } }),
            empty: await openPage(context, browser, empty.served, { viewport: { width, height } }),
        };
        for (const screen of SCREENS) {
            await context.test(screen.name, async () => {
                const { page } = screen.needs === "empty" ? rooms.empty : rooms.full;
                const shown =
                    screen.needs === "running" ? { ...screen, path: () => `/session/${full.running}` } : screen;
                // A narrow window hides the list: the page itself is looked at.
                await go(page, shown.path(full.world));
                await seen(
                    page,
                    ["inbox", "inbox-empty", "needs-you"].includes(shown.name) || shown.steps !== undefined
                        ? /\S/
                        : shown.shows,
                );
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
                assert.ok(wide.page <= width, `${wide.page} wide`);
                assert.deepEqual(wide.out, []);
            });
        }
    });
}
