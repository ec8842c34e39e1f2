// A W3C WebDriver client, as much of it as the tests of the window need, and what they look for in a page.

import { spawn } from "node:child_process";
import { createServer } from "node:net";

import { pause } from "../lib.mjs";
import { PAGE } from "./page.mjs";

/** The key under which an element's reference stands (W3C WebDriver, section 12). */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

/** Keys with a name (W3C WebDriver, section 17.4.2). */
const KEYS = /** @type {Record<string, string>} */ ({
    Enter: "\uE007",
    Tab: "\uE004",
    Escape: "\uE00C",
    Backspace: "\uE003",
    Delete: "\uE017",
    Space: " ",
    Shift: "\uE008",
    Ctrl: "\uE009",
    Alt: "\uE00A",
    Left: "\uE012",
    Up: "\uE013",
    Right: "\uE014",
    Down: "\uE015",
    Home: "\uE011",
    End: "\uE010",
    PageUp: "\uE00E",
    PageDown: "\uE00F",
    F2: "\uE032",
});

/** What the driver answered instead of a value. */
export class DriverError extends Error {
    /**
     * @param {string} kind the error's name in the standard
     * @param {string} message
     */
    constructor(kind, message) {
        super(`${kind}: ${message}`);
        this.kind = kind;
    }
}

/** @returns {Promise<number>} a port that nobody uses now */
export function freePort() {
    return new Promise((resolve, reject) => {
        const server = createServer();
        server.once("error", reject);
        server.listen(0, "127.0.0.1", () => {
            const address = server.address();
            server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
        });
    });
}

/**
 * @typedef {object} Wanted
 * @property {string} role an ARIA role
 * @property {string | RegExp} [name] its accessible name: the whole of it as text, or a pattern
 * @property {boolean} [disabled] also while it can't be used
 */

/** A session with a program whose window WebKitWebDriver steers. */
export class Driver {
    /**
     * @param {import("node:child_process").ChildProcess} child
     * @param {string} address
     * @param {string} session
     */
    constructor(child, address, session) {
        this.child = child;
        this.address = address;
        this.session = session;
    }

    /**
     * Starts the driver, which starts the program.
     * @param {{ binary: string, args?: string[], env: NodeJS.ProcessEnv, cwd: string, log: (text: string) => void }} options
     */
    static async start({ binary, args = [], env, cwd, log }) {
        const port = await freePort();
        const child = spawn("WebKitWebDriver", [`--port=${port}`, "--host=127.0.0.1"], {
            env,
            cwd,
            stdio: ["ignore", "pipe", "pipe"],
        });
        child.stdout.setEncoding("utf8").on("data", log);
        child.stderr.setEncoding("utf8").on("data", log);
        const address = `http://127.0.0.1:${port}`;
        const end = performance.now() + 15_000;
        for (;;) {
            try {
                await request(address, "GET", "/status");
                break;
            } catch (error) {
                if (child.exitCode !== null || performance.now() > end)
                    throw new Error("WebKitWebDriver did not start", { cause: error });
                await pause(20);
            }
        }
        const capabilities = { alwaysMatch: { "webkitgtk:browserOptions": { binary, args } } };
        try {
            const { sessionId } = await request(address, "POST", "/session", { capabilities });
            return new Driver(child, address, sessionId);
        } catch (error) {
            child.kill("SIGKILL");
            throw error;
        }
    }

    /**
     * @param {string} method
     * @param {string} path below the session
     * @param {object} [body]
     * @returns {Promise<any>}
     */
    ask(method, path, body) {
        return request(this.address, method, `/session/${this.session}${path}`, body);
    }

    /** Ends the session and with it the program, then the driver. */
    async end() {
        await this.ask("DELETE", "").catch(() => undefined);
        this.drop();
    }

    /** Ends the driver and leaves the program alone. */
    drop() {
        this.child.kill("SIGKILL");
    }

    /**
     * Calls a function in the page. It is sent as text: it sees its arguments and the page, nothing else.
     * @param {Function | string} what
     * @param {...any} args
     * @returns {Promise<any>}
     */
    run(what, ...args) {
        return this.ask("POST", "/execute/sync", { script: `return (${String(what)}).apply(null, arguments)`, args });
    }

    /** The same for a function that gives a promise. */
    async later(/** @type {Function | string} */ what, /** @type {any[]} */ ...args) {
        const script = `const done = arguments[arguments.length - 1]; Promise.resolve((${String(what)}).apply(null, [].slice.call(arguments, 0, -1))).then((value) => done({ value }), (error) => done({ error: String(error) }))`;
        const { value, error } = await this.ask("POST", "/execute/async", { script, args });
        if (error !== undefined) throw new Error(error);
        return value;
    }

    /**
     * Asks the page again until the answer is neither false nor nothing.
     * @param {string} what for a person, when it never comes
     * @param {() => Promise<any>} ask
     * @param {number} [ms]
     * @returns {Promise<any>}
     */
    async until(what, ask, ms = 15_000) {
        const end = performance.now() + ms;
        /** @type {unknown} */
        let last;
        for (;;) {
            try {
                const answer = await ask();
                if (answer !== undefined && answer !== null && answer !== false) return answer;
            } catch (error) {
                // The page may be drawing itself anew.
                if (!(error instanceof DriverError)) throw error;
                last = error;
            }
            if (performance.now() > end)
                throw new Error(`never came: ${what}\n${await this.outline()}`, { cause: last });
            await pause(50);
        }
    }

    /** What a person sees now, in words: for messages of tests that fail. */
    async outline() {
        try {
            return await this.run(`() => { ${PAGE}; return outline(); }`);
        } catch (error) {
            return `the page does not answer: ${String(error)}`;
        }
    }

    /**
     * The first visible element of a role and name.
     * @param {string} role
     * @param {string | RegExp} [name]
     * @param {{ ms?: number, within?: Element, disabled?: boolean }} [options]
     */
    async find(role, name, { ms, within, disabled = false } = {}) {
        const wanted = written({ role, name, disabled });
        const found = await this.until(
            `${role} ${String(name ?? "")}`,
            () =>
                this.run(
                    `(wanted, root) => { ${PAGE}; return all(wanted, root ?? document)[0]; }`,
                    wanted,
                    within?.reference ?? null,
                ),
            ms,
        );
        return new Element(this, found);
    }

    /**
     * All of them, now.
     * @param {string} role
     * @param {string | RegExp} [name]
     * @returns {Promise<Element[]>}
     */
    async all(role, name) {
        const found = await this.run(
            `(wanted) => { ${PAGE}; return all(wanted, document); }`,
            written({ role, name, disabled: true }),
        );
        return found.map((/** @type {any} */ one) => new Element(this, one));
    }

    /** Whether there is one now. */
    async has(/** @type {string} */ role, /** @type {string | RegExp | undefined} */ name) {
        return (await this.all(role, name)).length > 0;
    }

    /** Waits until there is none. */
    async gone(
        /** @type {string} */ role,
        /** @type {string | RegExp | undefined} */ name,
        /** @type {number | undefined} */ ms = undefined,
    ) {
        await this.until(`the end of ${role} ${String(name ?? "")}`, async () => !(await this.has(role, name)), ms);
    }

    /** Finds and clicks, again where the page was redrawn in between. */
    async click(
        /** @type {string} */ role,
        /** @type {string | RegExp | undefined} */ name,
        /** @type {{ ms?: number, within?: Element }} */ options = {},
    ) {
        const end = performance.now() + 10_000;
        for (;;) {
            const element = await this.find(role, name, options);
            try {
                await element.click();
                return;
            } catch (error) {
                if (!(error instanceof DriverError) || performance.now() > end) throw error;
                await pause(50);
            }
        }
    }

    /** Waits until the page's visible text matches; gives the match. */
    text(/** @type {RegExp} */ pattern, /** @type {number | undefined} */ ms = undefined) {
        return this.until(
            `text ${String(pattern)}`,
            async () => pattern.exec(await this.run(() => document.body.innerText)),
            ms,
        );
    }

    /** The visible text now. */
    shown() {
        return this.run(() => document.body.innerText);
    }

    /** The page's address in its fragment. */
    path() {
        return this.run(() => location.hash);
    }

    /** Opens an address of the page, as a link in it does. */
    async go(/** @type {string} */ path) {
        await this.run((/** @type {string} */ to) => void (location.hash = to), path);
    }

    /** Presses keys one after another; `Ctrl+K` presses them together. */
    async press(/** @type {string[]} */ ...keys) {
        const actions = keys.flatMap((key) => {
            const parts = key.length > 1 ? key.split("+").map((part) => KEYS[part] ?? part.toLowerCase()) : [key];
            return [
                ...parts.map((value) => ({ type: "keyDown", value })),
                ...[...parts].reverse().map((value) => ({ type: "keyUp", value })),
            ];
        });
        await this.ask("POST", "/actions", { actions: [{ type: "key", id: "keyboard", actions }] });
    }

    /** Types into whatever has the focus. */
    async write(/** @type {string} */ text) {
        const actions = [...text].flatMap((letter) => {
            const value = letter === "\n" ? KEYS.Enter : letter;
            return [
                { type: "keyDown", value },
                { type: "keyUp", value },
            ];
        });
        await this.ask("POST", "/actions", { actions: [{ type: "key", id: "keyboard", actions }] });
    }

    /** What has the focus: its role and name. */
    focused() {
        return this.run(
            `() => { ${PAGE}; const at = document.activeElement; return at === null ? null : { role: roleOf(at), name: nameOf(at) }; }`,
        );
    }

    /** @returns {Promise<Buffer>} a picture of the page, PNG */
    async picture() {
        return Buffer.from(await this.ask("GET", "/screenshot"), "base64");
    }

    /** Loads the page again. */
    reload() {
        return this.ask("POST", "/refresh", {});
    }
}

/** An element of the page. */
export class Element {
    /**
     * @param {Driver} driver
     * @param {any} reference
     */
    constructor(driver, reference) {
        this.driver = driver;
        this.reference = reference;
    }

    /** @returns {Promise<any>} */
    #ask(/** @type {string} */ method, /** @type {string} */ path, /** @type {object | undefined} */ body = undefined) {
        return this.driver.ask(method, `/element/${this.reference[ELEMENT]}${path}`, body);
    }

    click() {
        return this.#ask("POST", "/click", {});
    }

    /** Types into it. */
    type(/** @type {string} */ text) {
        return this.#ask("POST", "/value", { text });
    }

    /** Empties it. */
    clear() {
        return this.#ask("POST", "/clear", {});
    }

    /** @returns {Promise<string>} its visible text */
    text() {
        return this.driver.run((/** @type {HTMLElement} */ at) => at.innerText, this.reference);
    }

    /** @returns {Promise<string>} what was typed into it */
    value() {
        return this.driver.run((/** @type {any} */ at) => at.value ?? at.innerText, this.reference);
    }

    /** @returns {Promise<string | null>} */
    attribute(/** @type {string} */ name) {
        return this.driver.run(
            (/** @type {HTMLElement} */ at, /** @type {string} */ key) => at.getAttribute(key),
            this.reference,
            name,
        );
    }

    /** @returns {Promise<string>} */
    name() {
        return this.driver.run(`(at) => { ${PAGE}; return nameOf(at); }`, this.reference);
    }

    focus() {
        return this.driver.run((/** @type {HTMLElement} */ at) => at.focus(), this.reference);
    }
}

/** @param {Wanted} wanted as it goes into the page */
function written({ role, name, disabled }) {
    const pattern = name instanceof RegExp ? { source: name.source, flags: name.flags } : undefined;
    return {
        role,
        disabled: disabled === true,
        text: typeof name === "string" ? name : null,
        pattern: pattern ?? null,
    };
}

/**
 * @param {string} address
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<any>}
 */
async function request(address, method, path, body) {
    const answer = await fetch(address + path, {
        method,
        headers: { "content-type": "application/json" },
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: AbortSignal.timeout(60_000),
    });
    const { value } = /** @type {{ value: any }} */ (await answer.json());
    if (!answer.ok) throw new DriverError(value.error, value.message);
    return value;
}
