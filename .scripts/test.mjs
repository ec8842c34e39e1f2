// npm test: every step in order, the first failure ends it. `npm test -- --list` names the steps,
// `npm test -- --only <step>,<step>` runs some, `npm test -- --from <step>` the rest.

import { Counts } from "./counts.mjs";
import { STEPS } from "./steps.mjs";

const chosen = choose(process.argv.slice(2));
if (chosen !== undefined) process.exitCode = await runAll(chosen);

/**
 * @param {string[]} args
 * @returns {import("./steps.mjs").Step[] | undefined} undefined when there is nothing to run
 */
function choose(args) {
    const names = STEPS.map((step) => step.name);
    const refuse = (/** @type {string} */ why) => {
        console.error(`${why}; steps are ${names.join(", ")}`);
        process.exitCode = 2;
        return undefined;
    };
    if (args.length === 0) return STEPS;
    if (args[0] === "--list") {
        for (const { name, what } of STEPS) console.log(`${name.padEnd(14)} ${what}`);
        return undefined;
    }
    if ((args[0] !== "--only" && args[0] !== "--from") || args.length !== 2)
        return refuse(`unknown arguments: ${args.join(" ")}`);
    const wanted = args[1].split(",");
    const unknown = wanted.find((name) => !names.includes(name));
    if (unknown !== undefined) return refuse(`no step ${unknown}`);
    if (args[0] === "--only") return STEPS.filter((step) => step.name === "setup" || wanted.includes(step.name));
    return [STEPS[0], ...STEPS.slice(Math.max(1, names.indexOf(wanted[0])))];
}

/**
 * @param {import("./steps.mjs").Step[]} steps
 * @returns {Promise<number>} the exit code
 */
async function runAll(steps) {
    /** @type {{ name: string, seconds: number, note: string }[]} */
    const rows = [];
    const total = { passed: 0, failed: 0 };
    let failed;
    for (const step of steps) {
        console.log(`\n=== ${step.name}: ${step.what}`);
        const counts = new Counts();
        const begin = performance.now();
        let passed = false;
        try {
            passed = await step.run((line) => counts.read(line));
        } catch (error) {
            console.log(error);
        }
        const seconds = (performance.now() - begin) / 1_000;
        const tests = counts.passed + counts.failed + counts.ignored;
        const ignored = counts.ignored === 0 ? "" : `, ${counts.ignored} ignored`;
        const note =
            tests === 0 ? (passed ? "ok" : "FAILED") : `${counts.passed} passed, ${counts.failed} failed${ignored}`;
        rows.push({ name: step.name, seconds, note });
        total.passed += counts.passed;
        total.failed += counts.failed;
        console.log(`=== ${step.name}: ${passed ? "ok" : "FAILED"} in ${seconds.toFixed(1)} s`);
        if (!passed) {
            failed = step;
            // A step that fails without a failing test (the compiler, a check) is one failure of its own.
            if (counts.failed === 0) total.failed += 1;
            break;
        }
    }
    const sum = rows.reduce((all, row) => all + row.seconds, 0);
    console.log("\nstep            seconds  result");
    for (const row of [...rows, { name: "total", seconds: sum, note: "" }]) {
        console.log(`${row.name.padEnd(14)} ${row.seconds.toFixed(1).padStart(8)}  ${row.note}`.trimEnd());
    }
    if (failed !== undefined)
        console.log(`\nfailed at step "${failed.name}"; again with: npm test -- --only ${failed.name}`);
    console.log(`\n${total.passed} passed, ${total.failed} failed`);
    return failed === undefined ? 0 : 1;
}
