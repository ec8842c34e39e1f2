// What `npm test` does, in order. A step stands here once it does something real; cheap ones come first.

import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";

import { CHECKED_DESKTOP, CHECKED_PROGRAM, CHECKS, buildUi, cargoEnvironment, placeProgram } from "./build.mjs";
import { checkInvariants } from "./invariants.mjs";
import { manual } from "./manual.mjs";
import { checkPlatforms } from "./platforms.mjs";
import { ROOT, environment, run } from "./process.mjs";
import { runTests } from "./rust-tests.mjs";
import { setUp } from "./setup.mjs";
import { runPrograms } from "./test-programs.mjs";
import { measureUi } from "./ui-size.mjs";
import { findUnused } from "./unused-deps.mjs";

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string} what for a person
 * @property {(told: (line: string) => void) => boolean | Promise<boolean>} run whether it passed; told every line of tests' output
 */

/**
 * Our own crates are compiled by clippy's driver, which is the compiler with lints before it: checks, tests and programs share what is
 * compiled, where `cargo clippy` would check every dependency once more for itself.
 */
const LINTS = { RUSTC_WORKSPACE_WRAPPER: "clippy-driver", CLIPPY_ARGS: "-Dwarnings__CLIPPY_HACKERY__" };

const colour = process.stdout.isTTY ? "always" : "never";

/**
 * @param {string[]} args
 * @param {(line: string) => void} [onLine]
 */
async function cargo(args, onLine) {
    return (await run("cargo", args, { env: compilerEnvironment(), onLine, minutes: 35 })) === 0;
}

/** The same for everything that compiles, or it would be compiled again. */
function compilerEnvironment() {
    return { CARGO_TERM_COLOR: colour, ...cargoEnvironment(), ...manualForTests(), ...LINTS };
}

/**
 * @param {string} tool a program of an npm package
 * @param {string[]} args
 * @param {(line: string) => void} [onLine]
 */
async function npmTool(tool, args, onLine) {
    return (await run(process.execPath, [join(ROOT, "node_modules", tool), ...args], { minutes: 5, onLine })) === 0;
}

/**
 * Checks that use one core each, at once.
 * @param {Promise<boolean>[]} checks
 */
async function together(...checks) {
    return (await Promise.all(checks)).every(Boolean);
}

/**
 * Checks one after another, up to the first that fails.
 * @param {(() => Promise<boolean>)[]} checks
 */
async function inTurn(...checks) {
    for (const check of checks) if (!(await check())) return false;
    return true;
}

/** @param {string[]} problems */
function report(problems) {
    problems.forEach((problem) => console.log(problem));
    return problems.length === 0;
}

/** Where tests find a real manual; absent, they say that they were skipped. */
function manualForTests() {
    const folder = manual();
    return folder === undefined ? {} : { AGENTNATIVE_TEST_MANUAL: folder };
}

/** The files of tests that take longest, longest first. */
const LONGEST = [
    "tests/browser/screens.test.mjs",
    "tests/browser/sources.test.mjs",
    "tests/deal-memorandum.test.mjs",
    "tests/memorandum-remediation.test.mjs",
    "tests/memo-section.test.mjs",
    "tests/crash.test.mjs",
    "tests/faults.test.mjs",
    "tests/browser/missions.test.mjs",
    "tests/browser/inbox.test.mjs",
    "tests/window/runs.test.mjs",
    "tests/transfer.test.mjs",
    "tests/contract.test.mjs",
];

/**
 * @param {string} folder of tests
 * @param {(told: string) => void} told
 */
async function nodeTests(folder, told) {
    const files = readdirSync(join(ROOT, folder))
        .filter((name) => name.endsWith(".test.mjs"))
        .sort();
    if (files.length === 0) {
        console.log(`no test in ${folder}`);
        return false;
    }
    const env = {
        ...environment(),
        ...manualForTests(),
        AGENTNATIVE_BIN: CHECKED_PROGRAM,
        AGENTNATIVE_DESKTOP_BIN: CHECKED_DESKTOP,
    };
    const all = files.map((name) => ({
        name: `${folder}/${name}`,
        program: process.execPath,
        args: ["--test-reporter=spec", "--test-reporter-destination=stdout", join(folder, name)],
        folder: ROOT,
        env,
    }));
    // Terminals and browsers wait for processes and timers a part of their time, so one more of them than there are cores runs at once.
    // Real windows, each on a display of its own, draw with the processor.
    const atOnce = availableParallelism() + (folder === "tests/window" ? 0 : 1);
    return runPrograms(all, told, { longest: LONGEST, atOnce });
}

/**
 * Programs together with the tests: by themselves they would need other features of their dependencies, and these be compiled once more.
 */
const EVERYTHING = ["build", "--locked", "--profile", CHECKS, "--workspace", "--bins", "--tests"];

/** What prettier formats: `npm run fmt` writes it, `format` checks it. */
const FORMATTED = ["ui/src/**/*.{ts,tsx}", "ui/dev/**/*.{ts,tsx}", "ui/*.{ts,mjs}", ".scripts/*.mjs", "tests/**/*.mjs"];

/** @type {Step[]} */
export const STEPS = [
    {
        name: "setup",
        what: "everything that the checks need is on this machine",
        run: () => setUp({ purpose: "test", log: console.log }),
    },
    {
        name: "format",
        what: "cargo fmt --check, prettier --check",
        run: () =>
            together(
                cargo(["fmt", "--all", "--check", ...(process.stdout.isTTY ? [] : ["--", "--color", "never"])]),
                npmTool("prettier/bin/prettier.cjs", ["--check", "--log-level", "warn", ...FORMATTED]),
            ),
    },
    {
        name: "scripts",
        what: "eslint and tsc over the scripts and the whole-program tests",
        run: () =>
            together(
                npmTool("eslint/bin/eslint.js", [
                    "--config",
                    ".scripts/eslint.config.mjs",
                    "--max-warnings",
                    "0",
                    ".scripts",
                    "tests",
                ]),
                npmTool("typescript/bin/tsc", ["-p", ".scripts"]),
            ),
    },
    {
        name: "invariants",
        what: "the architecture's rules that a compiler does not check",
        run: () => report(checkInvariants(ROOT)),
    },
    {
        name: "dependencies",
        what: "no dependency that nothing uses",
        run: () => report(findUnused(ROOT)),
    },
    {
        name: "ui",
        what: "the window: types, eslint with its tiers, tests, build, size of the first screen",
        // Before everything that cargo does: the shell embeds what is built here.
        run: async (told) => {
            const checked =
                (await together(
                    npmTool("eslint/bin/eslint.js", [
                        "--config",
                        "ui/eslint.config.mjs",
                        "--max-warnings",
                        "0",
                        "ui/src",
                        "ui/dev",
                    ]),
                    // As long as eslint alone, all three of them.
                    inTurn(
                        () => npmTool("typescript/bin/tsc", ["-p", "ui"]),
                        () => npmTool("typescript/bin/tsc", ["-p", "ui/tsconfig.node.json"]),
                        () => npmTool("vite/bin/vite.js", ["build", "--config", "ui/vite.config.ts"]),
                    ),
                )) && (await npmTool("vitest/vitest.mjs", ["run", "--config", "ui/vitest.config.ts"], told));
            if (!checked) return false;
            const { rows, problems } = measureUi();
            for (const row of rows) console.log(`${row.view}: ${row.script.toFixed(1)} KB of JavaScript after gzip`);
            return report(problems);
        },
    },
    {
        name: "clippy",
        what: "everything compiles, without a warning of the compiler or of clippy",
        run: () => cargo([...EVERYTHING, "--lib", "--examples"]),
    },
    {
        name: "platforms",
        what: "the programs compile for Windows, the terminal's for macOS, where this machine has the tools and did it before",
        run: checkPlatforms,
    },
    {
        name: "rust",
        what: "the tests of the workspace",
        run: (told) =>
            // Without --lib and --bins, which would compile the tests of targets that have none.
            runTests(["test", "--locked", "--profile", CHECKS, "--workspace", "--tests"], compilerEnvironment(), told),
    },
    {
        name: "build",
        what: "the user interface and both programs",
        run: async () => {
            if ((await buildUi()) !== 0) return false;
            const built = await cargo(EVERYTHING);
            if (built) placeProgram();
            return built;
        },
    },
    {
        name: "whole-program",
        what: "the built program from outside, 60 real kills included",
        run: (told) => nodeTests("tests", told),
    },
    {
        name: "window",
        what: "the desktop program's real window, driven from outside",
        run: (told) => nodeTests("tests/window", told),
    },
    {
        name: "browser",
        what: "every page in a browser, over the loopback server",
        run: (told) => nodeTests("tests/browser", told),
    },
];
