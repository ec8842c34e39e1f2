// A desktop that nobody sees: a display, a session bus, and something in place of a panel and a notification daemon.

import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { ask } from "../../.scripts/process.mjs";
import { until } from "../lib.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
/** The system's own Python has the bindings of D-Bus, whatever stands first in the path. */
const PYTHON = "/usr/bin/python3";

/**
 * Starts Xvfb on a display that it chooses itself.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} size such as 1280x800
 * @returns {Promise<{ child: import("node:child_process").ChildProcess, display: string }>}
 */
async function display(env, size) {
    const args = ["-displayfd", "3", "-screen", "0", `${size}x24`, "-nolisten", "tcp", "-dpi", "96"];
    const child = spawn("Xvfb", args, { env, stdio: ["ignore", "ignore", "ignore", "pipe"] });
    let number = "";
    child.stdio[3]?.on("data", (text) => (number += String(text)));
    const ready = await until(() => child.exitCode !== null || number.includes("\n"), 10_000);
    if (!ready || !number.includes("\n")) throw new Error("Xvfb did not start");
    return { child, display: `:${number.trim()}` };
}

/**
 * Starts a session bus.
 * @param {NodeJS.ProcessEnv} env
 */
async function bus(env) {
    const child = spawn("dbus-daemon", ["--session", "--nofork", "--print-address=1"], {
        env,
        stdio: ["ignore", "pipe", "ignore"],
    });
    let address = "";
    child.stdout.setEncoding("utf8").on("data", (text) => (address += String(text)));
    if (!(await until(() => address.includes("\n"), 10_000))) throw new Error("dbus-daemon did not start");
    return { child, address: address.trim() };
}

/** A display, a bus, a panel and notifications; gone with the test's end. */
export class Desktop {
    /** @type {any[]} what happened on the bus: icons and notifications, oldest first */
    heard = [];
    /** @type {((answer: any) => void)[]} */
    #asked = [];
    #rest = "";
    /** @type {import("node:child_process").ChildProcess[]} */
    #children = [];
    /** @type {NodeJS.ProcessEnv} */
    env = {};

    /**
     * @param {import("../lib.mjs").Place} place
     * @param {string} [size]
     */
    static async start(place, size = "1280x800") {
        const desktop = new Desktop();
        const env = place.environment();
        const screen = await display(env, size);
        const session = await bus(env);
        desktop.env = {
            ...env,
            DISPLAY: screen.display,
            DBUS_SESSION_BUS_ADDRESS: session.address,
            GDK_BACKEND: "x11",
            NO_AT_BRIDGE: "1",
            XDG_RUNTIME_DIR: place.temp,
            // No settings daemon, and no portal that a bus would start.
            GSETTINGS_BACKEND: "memory",
            GTK_USE_PORTAL: "0",
        };
        const panel = spawn(PYTHON, [join(HERE, "desktop.py")], {
            env: desktop.env,
            stdio: ["pipe", "pipe", "inherit"],
        });
        panel.stdout.setEncoding("utf8").on("data", (text) => desktop.#read(String(text)));
        desktop.panel = panel;
        desktop.#children = [panel, session.child, screen.child];
        if (!(await until(() => desktop.heard.some((one) => one.event === "ready"), 10_000)))
            throw new Error("nothing stands in for a panel");
        return desktop;
    }

    /** @type {import("node:child_process").ChildProcessByStdio<import("node:stream").Writable, import("node:stream").Readable, null> | undefined} */
    panel;

    #read(/** @type {string} */ text) {
        const lines = (this.#rest + text).split("\n");
        this.#rest = lines.pop() ?? "";
        for (const line of lines) {
            const told = JSON.parse(line);
            if ("answer" in told) this.#asked.shift()?.(told.answer);
            else this.heard.push(told);
        }
    }

    /**
     * @param {object} command see desktop.py
     * @returns {Promise<any>}
     */
    tell(command) {
        this.panel?.stdin.write(`${JSON.stringify(command)}\n`);
        return new Promise((resolve) => this.#asked.push(resolve));
    }

    /** Notifications so far, newest last. */
    get notifications() {
        return this.heard.filter((one) => one.event === "notify");
    }

    /** The tray's icon as it was last drawn. */
    get tray() {
        return this.heard.filter((one) => one.event === "tray" || one.event === "untray").at(-1);
    }

    /** @returns {string} what xdotool prints */
    xdotool(/** @type {string[]} */ ...args) {
        const { ok, stdout, stderr } = ask("xdotool", args, { env: this.env });
        if (!ok && stderr !== "") throw new Error(`xdotool ${args.join(" ")}: ${stderr}`);
        return stdout.trim();
    }

    /** The id of our window. */
    async window() {
        let found = "";
        await until(
            () =>
                (found = this.xdotool("search", "--onlyvisible", "--class", "agentnative-desktop").split("\n")[0]) !==
                "",
            15_000,
        );
        if (found === "") throw new Error("there is no window");
        return found;
    }

    /** The window that has the keyboard. */
    focus() {
        return this.xdotool("getwindowfocus", "-f");
    }

    /** Takes the keyboard away from every window: the person looks elsewhere. */
    lookAway() {
        const root = this.xdotool("search", "--maxdepth", "0", ".*").split("\n")[0];
        this.xdotool("windowfocus", root);
    }

    /** Asks a window to close, as a click on its cross does. */
    async close(/** @type {string} */ window) {
        const child = spawn(PYTHON, [join(HERE, "close.py"), window], {
            env: this.env,
            stdio: ["ignore", "ignore", "inherit"],
        });
        const code = await new Promise((resolve) => child.once("close", resolve));
        if (code !== 0) throw new Error(`close.py: exit ${String(code)}`);
    }

    end() {
        this.panel?.stdin.end();
        for (const child of this.#children) child.kill("SIGKILL");
    }
}
