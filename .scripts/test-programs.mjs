// Test programs side by side, the longest first.

import { availableParallelism } from "node:os";
import { relative } from "node:path";

import { ROOT, run } from "./process.mjs";

/**
 * @typedef {object} TestProgram
 * @property {string} name as in `engine/it`: the folder of its package and its target
 * @property {string} program
 * @property {string[]} args
 * @property {string} folder in which it runs
 * @property {NodeJS.ProcessEnv} env
 */

/** Minutes until a test program counts as hanging. */
const MAX_MINUTES = 15;

/**
 * Runs test programs, as many at once as there are cores if nothing else is said. The output of each is printed when it ends.
 * @param {TestProgram[]} all
 * @param {(line: string) => void} told every line of their output
 * @param {{ longest?: string[], atOnce?: number }} [options] the names of those that take longest, longest first: started last, one of
 *     them would run alone at the end
 * @returns {Promise<boolean>} whether all of them passed
 */
export async function runPrograms(all, told, { longest = [], atOnce = availableParallelism() } = {}) {
    const rank = (/** @type {TestProgram} */ { name }) => {
        const at = longest.indexOf(name);
        return at === -1 ? longest.length : at;
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
    await Promise.all(Array.from({ length: atOnce }, work));
    if (failed.length > 0) console.log(`\ntest programs that failed: ${failed.join(", ")}`);
    return failed.length === 0;
}
