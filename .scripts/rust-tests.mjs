// The tests of the workspace. `cargo test` runs one test program after another, and a program whose last test is long
// leaves the other cores idle; here several run at once, in the places and with the variables that cargo gives them.

import { readFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

import { run } from "./process.mjs";
import { runPrograms } from "./test-programs.mjs";

/** The programs that take longest, longest first: started last, one of them would run alone at the end. */
const LONGEST = ["app/it", "engine/it", "store/it", "tools/it", "pipeline/simulator", "citations/it"];

/** Where the records of one run go, for the runner that cargo starts in place of each test program. */
const RECORDS = "AGENTNATIVE_TEST_RECORDS";

/**
 * Compiles the tests and lists their programs. Cargo itself says how it would start each: its runner is a script that writes that down.
 * @param {string[]} args of `cargo`, as in `["test", "--workspace", "--tests"]`
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<import("./test-programs.mjs").TestProgram[] | undefined>} undefined where something does not compile
 */
async function programs(args, env) {
    const folder = mkdtempSync(join(tmpdir(), "agentnative-tests-"));
    try {
        const records = join(folder, "records.jsonl");
        const recorder = fileURLToPath(new URL("record-test.mjs", import.meta.url));
        const runner = `target.'cfg(all())'.runner=${JSON.stringify([process.execPath, recorder])}`;
        const [command, ...rest] = args;
        const code = await run("cargo", [command, "--config", runner, "--quiet", ...rest], {
            env: { ...env, [RECORDS]: records },
            minutes: 35,
        });
        if (code !== 0) return undefined;
        return readFileSync(records, "utf8")
            .split("\n")
            .filter((line) => line !== "")
            .map((line) => programOf(JSON.parse(line)));
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}

/**
 * @param {{ command: string[], folder: string, env: NodeJS.ProcessEnv }} record
 * @returns {import("./test-programs.mjs").TestProgram}
 */
function programOf({ command: [program, ...args], folder, env }) {
    delete env[RECORDS];
    const asked = args.filter((arg) => arg !== "--quiet"); // That is for cargo's own lines.
    const target = basename(program).replace(/-[0-9a-f]{16}(\.exe)?$/, "");
    return { name: `${basename(folder)}/${target}`, program, args: asked, folder, env };
}

/**
 * @param {string[]} args of `cargo`
 * @param {NodeJS.ProcessEnv} env
 * @param {(line: string) => void} told every line of the tests' output
 * @returns {Promise<boolean>} whether everything compiled and passed
 */
export async function runTests(args, env, told) {
    const all = await programs(args, env);
    if (all === undefined) return false;
    if (all.length === 0) console.log("cargo started no test program");
    return all.length > 0 && (await runPrograms(all, told, { longest: LONGEST }));
}
