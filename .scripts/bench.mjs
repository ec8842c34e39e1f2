// `npm run bench`: builds the programs and the benches, runs them. Options go to the benches: --json, --only <name>,
// --folder <folder>. AGENTNATIVE_CORPORA names a folder of larger corpora to search.

import { dirname, join } from "node:path";

import { RELEASE_DESKTOP, RELEASE_PROGRAM, buildUi, cargoEnvironment, placeProgram } from "./build.mjs";
import { ROOT, run } from "./process.mjs";

const args = process.argv.slice(2);
const only = args.includes("--only") ? args[args.indexOf("--only") + 1] : undefined;
/** The window is measured where it can be opened: it needs a display that nobody sees and what drives it. */
const window = process.platform === "linux" && (only === undefined || only.startsWith("window") || !only.includes("."));
/** @type {NodeJS.ProcessEnv} */
const env = { ...cargoEnvironment(), CARGO_TERM_PROGRESS_WHEN: "never" };
const quiet = process.stderr.isTTY ? [] : ["--quiet"];
const cargo = (/** @type {string[]} */ what) =>
    run("cargo", ["build", "--locked", "--release", ...what, ...quiet], { env, toStderr: true });

const built =
    (window ? await buildUi() : 0) ||
    (await cargo(["-p", "cli", "-p", "bench", ...(window ? ["-p", "agentnative-desktop"] : [])]));
if (built !== 0) process.exit(built);
const bare = window ? await cargo(["-p", "agentnative-desktop", "--example", "bare"]) : 0;
if (bare !== 0) process.exit(bare);
placeProgram();
const folder = join(env.CARGO_TARGET_DIR ?? join(ROOT, "target"), "release");
const program = join(folder, process.platform === "win32" ? "bench.exe" : "bench");
const code =
    only?.startsWith("window") === true
        ? 0
        : await run(program, ["--sse-baseline", join(ROOT, ".scripts", "bench-sse.mjs"), ...args], {
              cwd: dirname(ROOT) === ROOT ? ROOT : process.cwd(),
          });
if (!window || code !== 0) process.exit(code);
process.env.CARGO_TARGET_DIR = env.CARGO_TARGET_DIR ?? join(ROOT, "target");
process.env.AGENTNATIVE_BIN ??= RELEASE_PROGRAM;
process.env.AGENTNATIVE_DESKTOP_BIN ??= RELEASE_DESKTOP;
const { benchWindow } = await import("./bench-window.mjs");
process.exit((await benchWindow({ json: args.includes("--json"), only })) ? 0 : 1);
