// `npm run shots`: takes a picture of every screen in the real window, at three sizes, light and dark, and of a conversation in a
// browser, into target/shots; the README's go to .images. `npm run shots -- --only <name>` takes some (`chat` the conversation, which
// needs no window where AGENTNATIVE_BIN names the program), `--sizes 1280x800` at some sizes.

import { copyFileSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { RELEASE_DESKTOP, RELEASE_PROGRAM, build, buildUi } from "./build.mjs";
import { ROOT, ask, which } from "./process.mjs";

const SHOTS = join(ROOT, "target", "shots");
const IMAGES = join(ROOT, ".images");
/** The README's pictures, by the name of a screen. */
const README = /** @type {Record<string, string>} */ ({
    "pause-1-1280x800-light": "pause.png",
    "paragraph-1280x800-light": "document.png",
    "document-1280x800-dark": "dark.png",
    "inbox-1280x800-dark": "inbox.png",
    "chat-explore": "chat-explore.png",
    "chat-plan": "chat-plan.png",
    "chat-approval": "chat-approval.png",
    "chat-result": "chat-result.png",
});

const args = process.argv.slice(2);
const option = (/** @type {string} */ name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const only = option("--only");
const sizes = (option("--sizes") ?? "1280x800,1600x1000,900x700").split(",");
const modes = /** @type {const} */ (["light", "dark"]);

const needsWindow = only !== "chat" || process.env.AGENTNATIVE_BIN === undefined;
if (process.env.AGENTNATIVE_DESKTOP_BIN === undefined && needsWindow) {
    const built = (await buildUi()) || (await build("window", "release"));
    if (built !== 0) process.exit(built);
    process.env.AGENTNATIVE_DESKTOP_BIN = RELEASE_DESKTOP;
    process.env.AGENTNATIVE_BIN = RELEASE_PROGRAM;
}
const { AGENT, Place, until } = await import("../tests/lib.mjs");
const { SCREENS } = await import("../tests/screens.mjs");
const { fill } = await import("../tests/world.mjs");
const { takeConversation } = await import("./conversation-shots.mjs");

const wanted = SCREENS.filter(({ name }) => only === undefined || name.includes(only));
if (only === undefined) rmSync(SHOTS, { recursive: true, force: true });
mkdirSync(SHOTS, { recursive: true });
const failed = [...(await take("empty")), ...(await take("full"))];
if (only === undefined || only === "chat") {
    try {
        for (const name of await takeConversation(SHOTS)) console.log(join("target", "shots", `${name}.png`));
    } catch (error) {
        failed.push(`the conversation: ${String(error).split("\n")[0]}`);
    }
}
for (const line of failed) console.log(`not taken: ${line}`);
if (only === undefined || only === "chat") compress();
process.exitCode = failed.length === 0 ? 0 : 1;

/**
 * Takes the pictures of one data directory.
 * @param {"empty" | "full"} which
 * @returns {Promise<string[]>} those that could not be taken, and why
 */
async function take(which) {
    const screens = wanted.filter(({ needs }) => (needs === "empty") === (which === "empty"));
    if (screens.length === 0) return [];
    const { App } = await import("../tests/window/app.mjs");
    const { Desktop } = await import("../tests/window/desktop.mjs");
    const failed = [];
    const place = new Place();
    try {
        /** @type {any} */
        const world = which === "full" ? await fill(place) : undefined;
        for (const size of sizes) {
            const desktop = await Desktop.start(place, size);
            const app = new App(place, desktop);
            const [width, height] = size.split("x").map(Number);
            try {
                mkdirSync(place.data, { recursive: true });
                writeFileSync(
                    join(place.data, "window.json"),
                    JSON.stringify({ x: 0, y: 0, width, height, maximized: false, dark: false }),
                );
                // Slow enough that a picture of a running answer can be taken.
                const page = await app.start({ env: { AGENTNATIVE_OFFLINE_PACE: "150" } });
                const core = await app.core();
                for (const mode of modes) {
                    await core.call("settings_update", { mode });
                    await page.until(mode, () =>
                        page.run(
                            (/** @type {string} */ asked) => document.documentElement.dataset.mode === asked,
                            mode,
                        ),
                    );
                    for (const screen of screens) {
                        const name = `${screen.name}-${size}-${mode}`;
                        try {
                            // The list beside every session is the inbox.
                            if (which === "full") await page.go("/view/inbox");
                            const path =
                                screen.needs === "running" ? `/session/${await writing(core)}` : screen.path(world);
                            await page.go(path);
                            if (width >= 1000) await page.text(screen.shows, 8_000);
                            // A part of the answer is there.
                            if (screen.needs === "running") await page.text(/so far|Draft/, 8_000);
                            for (const step of screen.steps ?? []) {
                                if (step.click !== undefined)
                                    await page.click(step.click[0], step.click[1], { ms: 5_000 });
                                if (step.press !== undefined) await page.press(step.press);
                                if (step.write !== undefined)
                                    await page.write(typeof step.write === "string" ? step.write : step.write(world));
                            }
                            if (screen.then !== undefined) await page.text(screen.then, 8_000);
                            await page.later(
                                "() => Promise.all([document.fonts.ready, new Promise((done) => setTimeout(done, 400))]).then(() => true)",
                            );
                            writeFileSync(join(SHOTS, `${name}.png`), await page.picture());
                            console.log(join("target", "shots", `${name}.png`));
                        } catch (error) {
                            failed.push(`${name}: ${String(error).split("\n")[0]}`);
                        }
                        await page.press("Escape");
                    }
                }
                await app.quit();
            } finally {
                desktop.end();
            }
        }
    } finally {
        await place.end();
    }
    return failed;
}

/**
 * A run that writes its answer now; those before it are put away.
 * @param {import("../tests/core.mjs").Core} core
 * @returns {Promise<string>} its session
 */
async function writing(core) {
    const request = "When does doubt about going concern change the opinion?";
    const { sessions } = await core.call("session_list", { view: "inbox", text: request });
    const before = sessions.map((/** @type {any} */ row) => row.session);
    if (before.length > 0) await core.call("session_update", { sessions: before, patch: { deleted: true } });
    const run = await core.call("run_start", { agent: AGENT, request, attend: { replies: [], unattended: true } });
    const { session } = await core.begun(run);
    const writes = async () =>
        (await core.run(run)).stages.some(
            (/** @type {any} */ stage) => stage.name === "synthesize" && stage.phase === "running",
        );
    await until(writes, 60_000);
    return session;
}

/** Puts the README's pictures into the repository, with fewer colours. */
function compress() {
    const convert = ["magick", "convert"].find((program) => which(program) !== undefined);
    mkdirSync(IMAGES, { recursive: true });
    for (const [shot, name] of Object.entries(README)) {
        if (only !== undefined && !shot.startsWith(only)) continue;
        const [from, to] = [join(SHOTS, `${shot}.png`), join(IMAGES, name)];
        if (statSync(from, { throwIfNoEntry: false }) === undefined) {
            console.log(`${name} stays as it was: there is no ${shot}.png`);
            continue;
        }
        const smaller =
            convert !== undefined &&
            ask(convert, [
                from,
                "-strip",
                "-dither",
                "None",
                "-colors",
                "128",
                "-define",
                "png:compression-level=9",
                `PNG8:${to}`,
            ]).ok;
        if (!smaller) copyFileSync(from, to);
        console.log(
            `${join(".images", name)}${smaller ? "" : " (as large as it was taken: ImageMagick is not installed)"}`,
        );
    }
}
