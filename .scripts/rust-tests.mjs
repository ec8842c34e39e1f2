// The tests of the workspace. `cargo test` runs one test program after another, and a program whose last test is long
// leaves the other cores idle; here several run at once, in the places and with the variables that cargo gives them.

import { readFileSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { ROOT, run } from "./process.mjs";

/**
 * @typedef {object} TestProgram what cargo would have started
 * @property {string} name as in `engine/it`: the folder of its package and its target
 * @property {string} program
 * @property {string[]} args
 * @property {string} folder in which it runs
 * @property {NodeJS.ProcessEnv} env
 */

/** The programs that take longest, longest first: started last, one of them would run alone at the end. */
const LONGEST = ["app/it", "engine/it", "store/it", "tools/it", "pipeline/simulator", "citations/it"];

/** Where the records of one run go, for the runner that cargo starts in place of each test program. */
const RECORDS = "AGENTNATIVE_TEST_RECORDS";

/** Minutes until a test program counts as hanging. */
const MAX_MINUTES = 15;

/**
 * Compiles the tests and lists their programs. Cargo itself says how it would start each: its runner is a script that writes that down.
 * @param {string[]} args of `cargo`, as in `["test", "--workspace", "--tests"]`
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<TestProgram[] | undefined>} undefined where something does not compile
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
 * @returns {TestProgram}
 */
function programOf({ command: [program, ...args], folder, env }) {
    delete env[RECORDS];
    const asked = args.filter((arg) => arg !== "--quiet"); // That is for cargo's own lines.
    const target = basename(program).replace(/-[0-9a-f]{16}(\.exe)?$/, "");
    return { name: `${basename(folder)}/${target}`, program, args: asked, folder, env };
}

/**
 * Runs test programs, as many at once as there are cores. The output of each is printed when it ends.
 * @param {TestProgram[]} all
 * @param {(line: string) => void} told every line of their output
 * @returns {Promise<boolean>} whether all of them passed
 */
export async function runPrograms(all, told) {
    const rank = (/** @type {TestProgram} */ { name }) => {
        const at = LONGEST.indexOf(name);
        return at === -1 ? LONGEST.length : at;
    };
    const waiting = [...all].sort((one, other) => rank(one) - rank(other));
    /** @type {string[]} */
    const failed = [];
    const work = async () => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
            const { name, program, args, folder, env } = next;
            const heading = `\n     Running ${name} (${relative(ROOT, program)})\n`;
            const code = await run(program, args, {
                cwd: folder,
                env,
                minutes: MAX_MINUTES,
                heading,
                onLine: told,
            });
            if (code !== 0) failed.push(`${name} (exit code ${code})`);
        }
    };
    await Promise.all(Array.from({ length: availableParallelism() }, work));
    if (failed.length > 0) console.log(`\ntest programs that failed: ${failed.join(", ")}`);
    return failed.length === 0;
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
    return all.length > 0 && (await runPrograms(all, told));
}
