// `npm run bench`: builds the program and the benches, runs them. Options go to the benches: --json, --only <name>,
// --folder <folder>. AGENTNATIVE_CORPORA names a folder of larger corpora to search.

import { dirname, join } from "node:path";

import { cargoEnvironment } from "./build.mjs";
import { ROOT, run } from "./process.mjs";

/** @type {NodeJS.ProcessEnv} */
const env = { ...cargoEnvironment(), CARGO_TERM_PROGRESS_WHEN: "never" };
const quiet = process.stderr.isTTY ? [] : ["--quiet"];
const built = await run("cargo", ["build", "--locked", "--release", "-p", "cli", "-p", "bench", ...quiet], { env, toStderr: true });
if (built !== 0) process.exit(built);
const folder = join(env.CARGO_TARGET_DIR ?? join(ROOT, "target"), "release");
const program = join(folder, process.platform === "win32" ? "bench.exe" : "bench");
process.exit(await run(program, process.argv.slice(2), { cwd: dirname(ROOT) === ROOT ? ROOT : process.cwd() }));
