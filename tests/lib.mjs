// What the whole-program tests share: a place of their own on the disk, the built program, and its processes.

import { spawn } from "node:child_process";
import {
    existsSync,
    mkdirSync,
    mkdtempSync,
    readFileSync,
    readdirSync,
    readlinkSync,
    rmSync,
    statSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** The question that most tests ask. */
export const QUESTION = "When must the auditor assess going concern?";
/** The agent that ships with a knowledge base. */
export const AGENT = "isa-deep-research";

/** The program under test: AGENTNATIVE_BIN, else the newer of the release and the debug build. */
export const PROGRAM = program();

function program() {
    const named = process.env.AGENTNATIVE_BIN;
    if (named !== undefined && named !== "") return named;
    const built = ["release", "debug"]
        .map((profile) => join(ROOT, "target", profile, "agentnative"))
        .filter((path) => existsSync(path));
    const newest = built.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];
    if (newest === undefined)
        throw new Error("there is no built program: run `cargo build -p cli` first, or name one in AGENTNATIVE_BIN");
    return newest;
}

/**
 * @param {string} name a program
 * @returns {string | undefined} its path
 */
export function which(name) {
    return (process.env.PATH ?? "")
        .split(delimiter)
        .map((folder) => join(folder, name))
        .find((path) => existsSync(path));
}

/** @param {number} ms */
export function pause(ms) {
    return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Asks again until the answer is true.
 * @param {() => boolean | Promise<boolean>} ask
 * @param {number} ms the longest wait
 * @returns {Promise<boolean>} whether it became true
 */
export async function until(ask, ms) {
    const end = performance.now() + ms;
    for (;;) {
        if (await ask()) return true;
        if (performance.now() > end) return false;
        await pause(10);
    }
}

/**
 * A folder for one test: a data directory, a home, a working directory and a folder for temporary files, all below one root
 * whose name stands in the environment of everything that is started there.
 */
export class Place {
    root = mkdtempSync(join(tmpdir(), "agentnative-whole-"));
    data = join(this.root, "data");
    user = join(this.root, "user");
    work = join(this.root, "work");
    temp = join(this.root, "temp");

    constructor() {
        for (const folder of [this.user, this.work, this.temp]) mkdirSync(folder);
    }

    /**
     * With the test's end the place and its processes are gone.
     * @param {import("node:test").TestContext} context
     */
    static for(context) {
        const place = new Place();
        context.after(() => place.end());
        return place;
    }

    /**
     * A profile of missions of its own, without a pause but those that it names.
     * @param {string} slug
     * @param {object} rest
     */
    profile(slug, rest) {
        const folder = join(this.data, "workspaces", "default", "agents", slug);
        mkdirSync(folder, { recursive: true });
        const profile = { slug, name: slug, description: "For a test.", pauses: [], ...rest };
        writeFileSync(join(folder, "mission.json"), JSON.stringify(profile));
    }

    /** @returns {NodeJS.ProcessEnv} nothing of ours but the search path */
    environment() {
        return {
            PATH: process.env.PATH,
            LANG: "C.UTF-8",
            HOME: this.user,
            TMPDIR: this.temp,
            AGENTNATIVE_HOME: this.data,
            // A web search is set up, and nobody answers it: no test asks a service on the network.
            BRAVE_API_KEY: "no-key",
            AGENTNATIVE_BRAVE_URL: "http://127.0.0.1:9",
        };
    }

    /** Kills what is left of this place's processes and removes its files. */
    async end() {
        for (const { pid } of this.processes()) {
            try {
                process.kill(pid, "SIGKILL");
            } catch {
                // Gone by itself.
            }
        }
        await until(() => this.processes().length === 0, 3_000);
        rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
    }

    /**
     * The living processes that were started here, at any depth.
     * @returns {{ pid: number, command: string }[]}
     */
    processes() {
        const found = [];
        for (const name of readdirSync("/proc")) {
            const pid = Number(name);
            if (!Number.isInteger(pid) || pid === process.pid) continue;
            try {
                const command = readFileSync(`/proc/${name}/cmdline`, "latin1");
                const marked =
                    command.includes(this.root) || readFileSync(`/proc/${name}/environ`, "latin1").includes(this.root);
                const state = /^State:\s+(\w)/m.exec(readFileSync(`/proc/${name}/status`, "latin1"))?.[1];
                if (marked && state !== "Z" && state !== "X")
                    found.push({ pid, command: command.replaceAll("\0", " ").trim() });
            } catch {
                // It ended while we looked, or belongs to somebody else.
            }
        }
        return found;
    }

    /**
     * Starts the program.
     * @param {string[]} args
     * @param {StartOptions} [options]
     */
    start(args, options = {}) {
        return new Started(this, args, options);
    }

    /**
     * Runs the program to its end.
     * @param {string[]} args
     * @param {StartOptions} [options]
     */
    run(args, options = {}) {
        return new Started(this, args, options).ended;
    }

    /**
     * Runs the program, which must end with 0.
     * @param {string[]} args
     * @param {StartOptions} [options]
     */
    async do(args, options = {}) {
        const ended = await this.run(args, options);
        if (ended.code !== 0)
            throw new Error(`agentnative ${args.join(" ")}: exit ${ended.code ?? ended.signal}\n${ended.stderr}`);
        return ended;
    }

    /**
     * Asks the primer a question, unattended.
     * @param {string[]} [more]
     * @param {StartOptions} [options]
     * @returns {Promise<Document & Ended>}
     */
    async research(more = [], options = {}) {
        const ended = await this.do(["run", AGENT, "--yes", QUESTION, ...more], options);
        return { ...ended, ...document(ended) };
    }

    /**
     * A run's log.
     * @param {string} [run] default: the newest
     * @returns {Promise<any[]>}
     */
    async events(run) {
        return jsonLines((await this.do(["show", "--events", ...(run === undefined ? [] : [run])])).stdout);
    }

    /**
     * A run's state.
     * @param {string} [run] default: the newest
     * @returns {Promise<any>}
     */
    async state(run) {
        return JSON.parse((await this.do(["show", "--json", ...(run === undefined ? [] : [run])])).stdout);
    }

    /**
     * Carries out commands of the api one after another, in a server of this place that ends again.
     * @param {[string, object][]} commands with their parameters
     * @param {StartOptions} [options]
     * @returns {Promise<any[]>} their answers
     */
    async through(commands, options = {}) {
        const server = this.start(["serve", "--json"], { seconds: 120, ...options });
        await server.saw(/\}\n/);
        const { url, token } = JSON.parse(server.stdout);
        const answers = [];
        try {
            for (const [command, params] of commands) {
                const answer = await fetch(new URL("/api", url), {
                    method: "POST",
                    headers: { authorization: `Bearer ${token}` },
                    body: JSON.stringify({ command, params }),
                });
                const body = await answer.json();
                if (!answer.ok) throw new Error(`${command}: ${JSON.stringify(body)}`);
                answers.push(body.ok);
            }
        } finally {
            server.kill("SIGTERM");
            await server.ended;
        }
        return answers;
    }

    /** @returns {Promise<any[]>} the runs, newest first */
    async runs() {
        return JSON.parse((await this.do(["runs", "--json"])).stdout).runs;
    }
}

/** @type {Promise<{ markdown: string, html: string, outputs: any }> | undefined} */
let undisturbed;

/**
 * What a run of the question gives where nothing happens to it, and the outputs of its stages: worked out once by a file of tests.
 */
export function whole() {
    undisturbed ??= (async () => {
        const place = new Place();
        try {
            const { markdown, html } = await place.research(["--connection", "offline"]);
            return { markdown, html, outputs: JSON.parse((await place.do(["show", "--outputs"])).stdout) };
        } finally {
            await place.end();
        }
    })();
    return undisturbed;
}

/**
 * @typedef {object} StartOptions
 * @property {Record<string, string>} [env] more variables
 * @property {string | Buffer} [input] standard input; without it there is none
 * @property {boolean} [open] leave standard input open for `say`
 * @property {string} [cwd]
 * @property {number} [seconds] the longest it may take; default 60
 * @property {boolean} [terminal] run it in a terminal, whose keyboard `say` is; all it shows is `stdout`
 * @property {string[]} [through] a program that starts it, such as a tracer, with its arguments
 */

/**
 * @typedef {object} Ended
 * @property {number | null} code
 * @property {NodeJS.Signals | null} signal
 * @property {string} stdout
 * @property {string} stderr
 * @property {number} ms
 * @property {boolean} late whether the deadline ended it
 */

/** A program that was started. */
export class Started {
    stdout = "";
    stderr = "";
    /** Whole lines of standard output so far. */
    lines = 0;
    late = false;

    /**
     * @param {Place} place
     * @param {string[]} args
     * @param {StartOptions} options
     */
    constructor(place, args, options) {
        const plain = [...(options.through ?? []), PROGRAM, ...args];
        const line =
            options.terminal === true
                ? [
                      "script",
                      "--quiet",
                      "--return",
                      "--flush",
                      "--command",
                      `exec ${plain.map(quoted).join(" ")}`,
                      "/dev/null",
                  ]
                : plain;
        const begin = performance.now();
        this.child = spawn(line[0], line.slice(1), {
            cwd: options.cwd ?? place.work,
            env: { ...place.environment(), ...options.env },
            stdio: ["pipe", "pipe", "pipe"],
        });
        const deadline = setTimeout(
            () => {
                this.late = true;
                this.child.kill("SIGKILL");
            },
            (options.seconds ?? 60) * 1_000,
        );
        // A program that does not read its input closes the pipe.
        this.child.stdin.on("error", () => undefined);
        if (options.input !== undefined) this.child.stdin.end(options.input);
        else if (options.open !== true) this.child.stdin.end();
        this.child.stdout.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
            this.stdout += text;
            for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.lines += 1;
        });
        this.child.stderr.setEncoding("utf8").on("data", (/** @type {string} */ text) => (this.stderr += text));
        /** @type {Ended | undefined} */
        this.end = undefined;
        /** @type {Promise<Ended>} */
        this.ended = new Promise((resolve, reject) => {
            this.child.on("error", reject);
            this.child.on("close", (code, signal) => {
                clearTimeout(deadline);
                const { stdout, stderr, late } = this;
                this.end = { code, signal, stdout, stderr, ms: performance.now() - begin, late };
                resolve(this.end);
            });
        });
    }

    /** @param {string} text */
    say(text) {
        this.child.stdin.write(text);
    }

    /** @param {NodeJS.Signals} signal */
    kill(signal) {
        return this.child.kill(signal);
    }

    /**
     * Waits until standard output has so many whole lines.
     * @param {number} lines
     * @param {number} [ms]
     */
    async printed(lines, ms = 60_000) {
        await until(() => this.end !== undefined || this.lines >= lines, ms);
        if (this.lines < lines) throw new Error(`${this.lines} lines of ${lines}\n${this.stderr.slice(-2_000)}`);
    }

    /**
     * Waits for a text on one of its streams.
     * @param {RegExp} pattern
     * @param {number} [ms]
     */
    async saw(pattern, ms = 60_000) {
        const found = await until(
            () => this.end !== undefined || pattern.test(this.stdout) || pattern.test(this.stderr),
            ms,
        );
        if (!found || !(pattern.test(this.stdout) || pattern.test(this.stderr))) {
            throw new Error(
                `never saw ${String(pattern)}\n--- out\n${this.stdout.slice(-2_000)}\n--- err\n${this.stderr.slice(-2_000)}`,
            );
        }
    }
}

/** @param {string} word for a shell */
function quoted(word) {
    return `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * @typedef {object} Document
 * @property {string} path
 * @property {string} markdown
 * @property {string} html
 */

/**
 * The document whose path is the last line of the output.
 * @param {{ stdout: string }} ended
 * @returns {Document}
 */
export function document({ stdout }) {
    const path = stdout.trimEnd().split("\n").at(-1) ?? "";
    return { path, markdown: readFileSync(path, "utf8"), html: readFileSync(path.replace(/\.md$/, ".html"), "utf8") };
}

/**
 * @param {string} text
 * @returns {any[]}
 */
export function jsonLines(text) {
    return text
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line));
}

/**
 * The files below a folder with their sizes and times, to see whether anything was written.
 * @param {string} folder
 * @returns {string[]}
 */
export function snapshot(folder) {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
        .map((entry) => {
            const path = join(entry.parentPath, entry.name);
            if (entry.isSymbolicLink()) return `${path} -> ${readlinkSync(path)}`;
            const { size, mtimeMs } = statSync(path);
            return entry.isDirectory() ? `${path}/` : `${path} ${size} ${mtimeMs}`;
        })
        .sort();
}

/**
 * Calls of a log by what became of them. Throws where a finished call was repeated.
 * @param {any[]} events
 */
export function calls(events) {
    const name = (/** @type {any} */ { key }) => `${key.stage}#${key.attempt}.${key.wave}.${key.item}`;
    /** @type {Map<string, { kind: string, completed: number, unknown: number }>} */
    const found = new Map();
    const of = (/** @type {any} */ event) => {
        const known = found.get(name(event)) ?? {
            kind: event.type.startsWith("model") ? "model" : "tool",
            completed: 0,
            unknown: 0,
        };
        found.set(name(event), known);
        return known;
    };
    events.forEach((event, index) => {
        if (event.seq !== index + 1) throw new Error(`event ${index + 1} has number ${event.seq}`);
        switch (event.type) {
            case "model_call_requested":
            case "tool_call_requested":
                if (of(event).completed > 0)
                    throw new Error(`call ${name(event)} was requested after it had completed (event ${event.seq})`);
                break;
            case "model_call_completed":
            case "tool_call_completed":
                of(event).completed += 1;
                if (of(event).completed > 1)
                    throw new Error(`call ${name(event)} completed twice (event ${event.seq})`);
                break;
            case "outcome_unknown":
                of(event).unknown += 1;
                break;
            default:
        }
    });
    return found;
}
