// Building the program, and where it ends up.

import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

import { ROOT, environment } from "./process.mjs";

const PROGRAM = process.platform === "win32" ? "agentnative.exe" : "agentnative";

/** The program in the checkout: scripts of others start it from here. */
export const RELEASE_PROGRAM = join(ROOT, "target", "release", PROGRAM);

/**
 * A build server may keep compiled dependencies between checkouts, in a folder that it made for that.
 * @returns {string | undefined}
 */
export function cache() {
    if (process.env.CI !== "true" || process.env.CARGO_TARGET_DIR) return undefined;
    const folder = process.env.AGENTNATIVE_CI_CACHE ?? join(homedir(), ".cache", "agentnative-target");
    return existsSync(folder) ? folder : undefined;
}

/** @returns {NodeJS.ProcessEnv} the environment for cargo */
export function cargoEnvironment() {
    const folder = cache();
    return folder === undefined ? environment() : { ...environment(), CARGO_TARGET_DIR: folder };
}

/** Puts the program where the checkout has it, wherever cargo was told to build. */
export function placeProgram() {
    const folder = cache() ?? process.env.CARGO_TARGET_DIR;
    if (folder === undefined) return;
    const built = join(folder, "release", PROGRAM);
    if (!existsSync(built) || built === RELEASE_PROGRAM) return;
    mkdirSync(dirname(RELEASE_PROGRAM), { recursive: true });
    const fresh = `${RELEASE_PROGRAM}.${process.pid}`;
    copyFileSync(built, fresh);
    renameSync(fresh, RELEASE_PROGRAM);
}

/**
 * Builds the program. Prints to stderr, and only when there is something to build.
 * @returns {Promise<number>} cargo's exit code
 */
export function build() {
    const colour = process.stderr.isTTY ? "always" : "never";
    const env = { CARGO_TERM_COLOR: colour, ...cargoEnvironment(), CARGO_TERM_PROGRESS_WHEN: "never" };
    const child = spawn("cargo", ["build", "--release", "-p", "cli"], { cwd: ROOT, env, stdio: ["ignore", 2, "pipe"] });
    let speaks = false;
    let rest = "";
    const tell = (/** @type {string} */ line) => {
        speaks ||= !line.includes("Finished");
        if (speaks) process.stderr.write(line);
    };
    child.stderr?.setEncoding("utf8");
    child.stderr?.on("data", (text) => {
        const lines = (rest + text).split(/(?<=\n)/);
        rest = lines.at(-1)?.endsWith("\n") ? "" : (lines.pop() ?? "");
        lines.forEach(tell);
    });
    return new Promise((resolve, reject) => {
        child.once("error", reject);
        child.once("close", (code) => {
            if (rest) tell(rest);
            if (code === 0) placeProgram();
            resolve(code ?? 1);
        });
    });
}
