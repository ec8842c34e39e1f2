// The desktop program under test, in a desktop of its own.

import { spawn } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { Place, until } from "../lib.mjs";
import { Core } from "../core.mjs";
import { Desktop } from "./desktop.mjs";
import { Driver } from "./webdriver.mjs";

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The program under test: AGENTNATIVE_DESKTOP_BIN, else the newer of the release and the debug build. */
export const DESKTOP_PROGRAM = program();

function program() {
    const named = process.env.AGENTNATIVE_DESKTOP_BIN;
    if (named !== undefined && named !== "") return named;
    const built = ["release", "debug"]
        .map((profile) => join(ROOT, "target", profile, "agentnative-desktop"))
        .filter((path) => existsSync(path));
    const newest = built.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];
    if (newest === undefined)
        throw new Error(
            "there is no built desktop program: run `cargo build -p agentnative-desktop` first, or name one in AGENTNATIVE_DESKTOP_BIN",
        );
    return newest;
}

/** @param {number} pid */
function parentOf(pid) {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

/** Tells the program that its window is steered. */
const STEERED = { TAURI_AUTOMATION: "true", TAURI_WEBVIEW_AUTOMATION: "true" };

/** A place with a desktop, where the program is started, ended, killed and started again. */
export class App {
    /** What the program and its driver wrote. */
    output = "";
    /** @type {Driver | undefined} */
    #page;
    /** @type {Core | undefined} */
    #core;

    /**
     * @param {Place} place
     * @param {Desktop} desktop
     */
    constructor(place, desktop) {
        this.place = place;
        this.desktop = desktop;
    }

    /**
     * @param {import("node:test").TestContext} context
     * @param {{ size?: string }} [options]
     */
    static async for(context, { size } = {}) {
        const place = new Place();
        const desktop = await Desktop.start(place, size).catch(async (error) => {
            await place.end();
            throw error;
        });
        const app = new App(place, desktop);
        context.after(async () => {
            await app.#forget();
            desktop.end();
            await place.end();
        });
        return app;
    }

    /** The page in the window. */
    get page() {
        if (this.#page === undefined) throw new Error("the program was not started");
        return this.#page;
    }

    /**
     * Starts the program and waits for its page.
     * @param {{ args?: string[], env?: Record<string, string> }} [options]
     */
    async start({ args = [], env = {} } = {}) {
        await this.#forget();
        this.#page = await Driver.start({
            binary: DESKTOP_PROGRAM,
            args,
            env: { ...this.desktop.env, ...STEERED, ...env },
            cwd: this.place.work,
            log: (text) => (this.output += text),
        });
        const page = this.#page;
        await page.until("a page", () =>
            page.run(() => document.readyState === "complete" && document.body.innerText.trim() !== ""),
        );
        return page;
    }

    /** The core of the program, as a second process speaks to it. */
    async core() {
        if (this.#core === undefined || this.#core.closed) this.#core = await Core.of(this.place.data);
        return this.#core;
    }

    /** The program's process. */
    pid() {
        const own = this.place.processes().filter(({ command }) => command.split(" ")[0] === DESKTOP_PROGRAM);
        const pids = new Set(own.map(({ pid }) => pid));
        return own.map(({ pid }) => pid).find((pid) => !pids.has(parentOf(pid)));
    }

    /** Ends the program without a warning, as a power cut would. */
    async kill() {
        const pid = this.pid();
        if (pid === undefined) throw new Error("there is nothing to kill");
        process.kill(pid, "SIGKILL");
        await this.ended();
        await this.#forget();
    }

    /** Waits until the program is gone. */
    async ended(ms = 15_000) {
        if (!(await until(() => this.pid() === undefined, ms)))
            throw new Error(`the program did not end\n${this.output.slice(-2_000)}`);
    }

    /** Closes the window as a click on its cross does, and waits until the program has ended. */
    async close() {
        await this.desktop.close(await this.desktop.window());
        await this.ended();
        await this.#forget();
    }

    /** Ends the program without asking the window. */
    async quit() {
        const pid = this.pid();
        if (pid !== undefined) process.kill(pid, "SIGTERM");
        await this.ended();
        await this.#forget();
    }

    /**
     * Starts the program once more beside the running one, as a click on a link or in the menu does.
     * @param {string[]} args
     * @param {Record<string, string>} [env]
     * @returns {Promise<number | string | null>} its exit code, or the signal that ended it
     */
    second(args = [], env = {}) {
        const child = spawn(DESKTOP_PROGRAM, args, {
            cwd: this.place.work,
            env: { ...this.desktop.env, ...env },
            stdio: ["ignore", "pipe", "pipe"],
        });
        const log = (/** @type {unknown} */ text) => (this.output += String(text));
        child.stdout.on("data", log);
        child.stderr.on("data", log);
        const late = setTimeout(() => child.kill("SIGKILL"), 20_000);
        return new Promise((resolve, reject) => {
            child.once("error", reject);
            child.once("close", (code, signal) => {
                clearTimeout(late);
                resolve(code ?? signal);
            });
        });
    }

    async #forget() {
        this.#core?.end();
        this.#core = undefined;
        // Ending a session that is gone would wait for its answer.
        if (this.#page !== undefined && this.pid() !== undefined) await this.#page.end();
        this.#page?.drop();
        this.#page = undefined;
    }
}
