// Starting programs: with a deadline, without a shell, their output watched where somebody counts it.

import { spawn, spawnSync } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Where cargo lives on a machine whose shell was not restarted after rustup's installation. */
const CARGO_BIN = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "bin");

/** @returns {NodeJS.ProcessEnv} the environment for everything that is started from here */
export function environment() {
    const path = process.env.PATH ?? "";
    const folders = path.split(delimiter);
    return { ...process.env, PATH: folders.includes(CARGO_BIN) ? path : `${path}${delimiter}${CARGO_BIN}` };
}

/**
 * @param {string} program
 * @returns {string | undefined} its path
 */
export function which(program) {
    for (const folder of (environment().PATH ?? "").split(delimiter)) {
        for (const ending of process.platform === "win32" ? [".exe", ".cmd"] : [""]) {
            const path = join(folder, program + ending);
            try {
                accessSync(path, constants.X_OK);
                if (statSync(path).isFile()) return path;
            } catch {
                // Not here.
            }
        }
    }
    return undefined;
}

/**
 * Runs a short program and gives what it printed.
 * @param {string} program
 * @param {string[]} args
 * @param {{ input?: string, cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {{ ok: boolean, stdout: string, stderr: string }}
 */
export function ask(program, args, options = {}) {
    const { status, stdout, stderr, error } = spawnSync(program, args, {
        cwd: options.cwd ?? ROOT,
        env: options.env ?? environment(),
        encoding: "utf8",
        input: options.input ?? "",
        timeout: 120_000,
        maxBuffer: 64 << 20,
    });
    return { ok: status === 0, stdout: stdout ?? "", stderr: error ? String(error) : (stderr ?? "") };
}

/**
 * Runs a program to its end, its output going where ours goes.
 * @param {string} program
 * @param {string[]} args
 * @param {{
 *   cwd?: string,
 *   env?: NodeJS.ProcessEnv,
 *   minutes?: number,
 *   toStderr?: boolean,
 *   onLine?: (line: string) => void,
 *   heading?: string,
 * }} [options] `toStderr`: both of its streams go to our stderr; `onLine`: told every line of its output;
 *   `heading`: its output is printed below this line when it ends, both streams together
 * @returns {Promise<number>} its exit code; 128 + n where a signal ended it; 124 where the deadline did
 */
export function run(program, args, options = {}) {
    const { onLine, toStderr = false, minutes, heading } = options;
    const kept = heading === undefined ? undefined : [heading];
    const child = spawn(program, args, {
        cwd: options.cwd ?? ROOT,
        env: options.env ?? environment(),
        stdio: ["ignore", onLine || kept ? "pipe" : toStderr ? 2 : "inherit", kept ? "pipe" : "inherit"],
        // A group of its own, so that a deadline ends what the program started too.
        detached: minutes !== undefined && process.platform !== "win32",
    });
    const print = (/** @type {string} */ text) => (toStderr ? process.stderr : process.stdout).write(text);
    if (child.stdout) {
        let rest = "";
        child.stdout.setEncoding("utf8");
        child.stdout.on("data", (text) => {
            if (kept) kept.push(text);
            else print(text);
            const lines = (rest + text).split("\n");
            rest = lines.pop() ?? "";
            if (onLine) lines.forEach(onLine);
        });
    }
    if (kept) child.stderr?.setEncoding("utf8").on("data", (text) => kept.push(text));
    return new Promise((resolve, reject) => {
        let late = false;
        const end = (/** @type {NodeJS.Signals} */ signal) => {
            if (child.pid === undefined) return;
            try {
                process.kill(minutes !== undefined && process.platform !== "win32" ? -child.pid : child.pid, signal);
            } catch {
                // It has ended already.
            }
        };
        const timer =
            minutes === undefined
                ? undefined
                : setTimeout(() => {
                      late = true;
                      process.stderr.write(`\n${program} did not finish within ${minutes} minutes: ended\n`);
                      end("SIGKILL");
                  }, minutes * 60_000);
        // Ctrl-C reaches only our own group: a child in another one has to be told.
        const interrupted = () => {
            end("SIGTERM");
            process.exit(130);
        };
        if (minutes !== undefined) process.once("SIGINT", interrupted).once("SIGTERM", interrupted);
        const over = () => {
            clearTimeout(timer);
            process.removeListener("SIGINT", interrupted).removeListener("SIGTERM", interrupted);
        };
        child.once("error", (error) => {
            over();
            reject(error);
        });
        child.once("close", (code, signal) => {
            over();
            if (kept) print(kept.join(""));
            resolve(late ? 124 : (code ?? exitCodeOf(signal)));
        });
    });
}

/**
 * @param {NodeJS.Signals | null} signal
 * @returns {number}
 */
function exitCodeOf(signal) {
    const numbers = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGABRT: 6, SIGKILL: 9, SIGSEGV: 11, SIGPIPE: 13, SIGTERM: 15 };
    return 128 + (numbers[/** @type {keyof typeof numbers} */ (signal)] ?? 0);
}

/**
 * Hands the terminal to a program: its streams are ours, its exit code becomes ours.
 * @param {string} program
 * @param {string[]} args
 * @param {string} cwd
 * @returns {Promise<number>}
 */
export function become(program, args, cwd) {
    const child = spawn(program, args, { cwd, env: environment(), stdio: "inherit" });
    // Ctrl-C reaches the program by itself (same group); it decides whether that ends it.
    const ignore = () => {};
    const pass = () => child.kill("SIGTERM");
    process.on("SIGINT", ignore).on("SIGTERM", pass).on("SIGHUP", pass);
    return new Promise((resolve, reject) => {
        child.once("error", reject);
        child.once("exit", (code, signal) => resolve(code ?? exitCodeOf(signal)));
    });
}
