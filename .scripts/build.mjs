// Building the programs and the user interface, and where they end up.

import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";

import { ROOT, environment, run } from "./process.mjs";

const ENDING = process.platform === "win32" ? ".exe" : "";

/** The command-line program in the checkout: scripts of others start it from here. */
export const RELEASE_PROGRAM = join(ROOT, "target", "release", `agentnative${ENDING}`);

/** The desktop program in the checkout. It finds the other one beside itself. */
export const RELEASE_DESKTOP = join(ROOT, "target", "release", `agentnative-desktop${ENDING}`);

/** The profile of programs that are built from source to be used: see the manifest. */
export const SOURCE = "source";

/** Both programs as `npm start` and `npm run research` build them. */
export const SOURCE_PROGRAM = join(ROOT, "target", SOURCE, basename(RELEASE_PROGRAM));
export const SOURCE_DESKTOP = join(ROOT, "target", SOURCE, basename(RELEASE_DESKTOP));

/** The profile of `npm test`: see the manifest. */
export const CHECKS = "checks";

/** Both programs as `npm test` builds and tries them. */
export const CHECKED_PROGRAM = join(ROOT, "target", CHECKS, basename(RELEASE_PROGRAM));
export const CHECKED_DESKTOP = join(ROOT, "target", CHECKS, basename(RELEASE_DESKTOP));

/** The user interface as it is built; the desktop program carries it, `agentnative serve` reads it from here. */
export const UI = join(ROOT, "target", "ui");

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

/** Puts the programs where the checkout has them, wherever cargo was told to build. */
export function placeProgram() {
    const folder = cache() ?? process.env.CARGO_TARGET_DIR;
    if (folder === undefined) return;
    for (const program of [
        RELEASE_PROGRAM,
        RELEASE_DESKTOP,
        SOURCE_PROGRAM,
        SOURCE_DESKTOP,
        CHECKED_PROGRAM,
        CHECKED_DESKTOP,
    ]) {
        const built = join(folder, basename(dirname(program)), basename(program));
        if (!existsSync(built) || built === program) continue;
        mkdirSync(dirname(program), { recursive: true });
        const fresh = `${program}.${process.pid}`;
        copyFileSync(built, fresh);
        renameSync(fresh, program);
    }
}

/**
 * Builds the user interface where something changed. Prints to stderr, and only when there is something to build.
 * @returns {Promise<number>} vite's exit code
 */
export async function buildUi() {
    const built = modified(join(UI, ".vite", "manifest.json"));
    const sources = [join(ROOT, "package-lock.json"), ...filesBelow(join(ROOT, "ui"))];
    if (built !== undefined && sources.every((file) => (modified(file) ?? 0) <= built)) return 0;
    console.error("Building the user interface …");
    const vite = join(ROOT, "node_modules", "vite", "bin", "vite.js");
    return run(process.execPath, [vite, "build", "--config", "ui/vite.config.ts", "--logLevel", "warn"], {
        toStderr: true,
        minutes: 10,
    });
}

/**
 * @param {string} file
 * @returns {number | undefined} when it was changed, in milliseconds since 1970
 */
function modified(file) {
    return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function filesBelow(folder) {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name));
}

/** Binaries of the programs. */
const BINARIES = { program: ["agentnative"], window: ["agentnative", "agentnative-desktop"] };

/**
 * Builds the command-line program, and the desktop program too where asked. Prints to stderr, and only when there is something to build.
 * The whole workspace decides on the features of dependencies, so that the second program compiles none of them again.
 * @param {keyof typeof BINARIES} [what]
 * @param {"release" | "source"} [profile]
 * @returns {Promise<number>} cargo's exit code
 */
export function build(what = "program", profile = SOURCE) {
    const colour = process.stderr.isTTY ? "always" : "never";
    const env = { CARGO_TERM_COLOR: colour, ...cargoEnvironment(), CARGO_TERM_PROGRESS_WHEN: "never" };
    const binaries = BINARIES[what].flatMap((name) => ["--bin", name]);
    const child = spawn("cargo", ["build", "--profile", profile, "--workspace", ...binaries], {
        cwd: ROOT,
        env,
        stdio: ["ignore", 2, "pipe"],
    });
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
