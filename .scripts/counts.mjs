// How many tests passed and failed, read off what the test programs print.

/** Colours of a terminal. */
// eslint-disable-next-line no-control-regex
const COLOUR = /\u001b\[[0-9;]*m/g;

/**
 * Adds up what one step's tests tell of themselves.
 */
export class Counts {
    passed = 0;
    failed = 0;
    ignored = 0;

    /** @param {string} line a line of `cargo test`, of Vitest, or of Node's `spec` reporter */
    read(line) {
        const text = line.replace(COLOUR, "");
        const cargo = /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;/.exec(text);
        if (cargo !== null) {
            this.passed += Number(cargo[1]);
            this.failed += Number(cargo[2]);
            this.ignored += Number(cargo[3]);
            return;
        }
        if (/^\s*Tests {2}.*\(\d+\)$/.test(text)) {
            const count = (/** @type {string} */ word) => Number(new RegExp(`(\\d+) ${word}`).exec(text)?.[1] ?? 0);
            this.passed += count("passed");
            this.failed += count("failed");
            this.ignored += count("skipped") + count("todo");
            return;
        }
        const node = /^ℹ (pass|fail|cancelled|skipped|todo) (\d+)$/.exec(text);
        if (node === null) return;
        const number = Number(node[2]);
        if (node[1] === "pass") this.passed += number;
        else if (node[1] === "fail" || node[1] === "cancelled") this.failed += number;
        else this.ignored += number;
    }
}
