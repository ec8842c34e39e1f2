// A repository with a defect, a task about it, and what a scripted model says to mend it.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { Place, jsonLines } from "./lib.mjs";

const HANDOFF = { summary: "s", key_decisions: [], files_modified: [], open_questions: [] };
export const DESCRIPTION =
    "The script sum.sh subtracts its second argument from the first one. It has to add both and print the result, " +
    "and the check of the project has to pass without being changed.";

/** @param {object} data */
export const gate = (data) => ({
    calls: [{ name: "stage_gate", arguments: { complete: true, data: { ...data, handoff: HANDOFF } } }],
});
export const PLAN = gate({
    summary: "Add instead.",
    steps: [{ change: "sum.sh adds", files: ["sum.sh"] }],
    tests: ["the check"],
});
export const DONE = gate({ summary: "The script adds its arguments now.", left_out: [] });
/** @type {(before: string, after: string) => object} */
export const edit = (before, after) => ({
    calls: [
        { name: "read", arguments: { path: "sum.sh" } },
        { name: "edit", arguments: { path: "sum.sh", old: before, new: after } },
    ],
});

/** The report of a run whose events were printed as JSON. */
export const report = (/** @type {{ stdout: string }} */ { stdout }) =>
    readFileSync(jsonLines(stdout).at(-1).document, "utf8");

/**
 * Makes a repository of a person.
 * @param {Place} place
 * @param {(folder: string) => void} [fill] writes its files; without it they are those of a script with a defect
 */
export function repository(place, fill = broken) {
    const folder = join(place.work, "project");
    mkdirSync(folder, { recursive: true });
    /** @param {string[]} words */
    const git = (...words) => {
        const ran = spawnSync("git", words, { cwd: folder, env: place.environment(), encoding: "utf8" });
        assert.equal(ran.status, 0, `git ${words.join(" ")}: ${ran.stderr}`);
        return ran.stdout.trim();
    };
    git("init", "--quiet", "--initial-branch=main");
    git("config", "user.name", "Eva");
    git("config", "user.email", "eva@example.com");
    fill(folder);
    git("add", "--all");
    git("commit", "--quiet", "-m", "first");
    const input = join(place.work, "task.json");
    writeFileSync(input, JSON.stringify({ title: "Fix the sum", description: DESCRIPTION, project: folder }));
    return { folder, git, input };
}

/**
 * Says which commands decide about a task in a repository.
 * @param {string} folder
 * @param {{ name: string, command: string }[]} checks
 */
export function declare(folder, checks) {
    mkdirSync(join(folder, ".agentnative"), { recursive: true });
    writeFileSync(join(folder, ".agentnative", "checks.json"), JSON.stringify({ checks }));
}

/** @param {string} folder */
function broken(folder) {
    writeFileSync(join(folder, "sum.sh"), "echo $(($1 - $2))\n");
    declare(folder, [{ name: "sum", command: 'test "$(sh sum.sh 2 3)" = 5 || { echo "not 5"; exit 1; }' }]);
}

/**
 * A repository with a defect that its check finds, a task about it, and a model that says what is given.
 * @param {import("node:test").TestContext} context
 * @param {object[]} answers
 * @param {object} [task]
 * @param {(folder: string) => void} [fill]
 */
export function project(context, answers, task = {}, fill = broken) {
    const place = Place.for(context);
    const { folder, git, input } = repository(place, fill);
    writeFileSync(input, JSON.stringify({ ...JSON.parse(readFileSync(input, "utf8")), ...task }));
    const script = join(place.work, "script.json");
    /** What the model says from now on, each time the program starts. */
    const say = (/** @type {object[]} */ said) => writeFileSync(script, JSON.stringify({ answers: said }));
    say(answers);
    const env = { AGENTNATIVE_SCRIPT: script };
    /** @param {string[]} more */
    const run = (...more) =>
        place.run(["run", "code-task", "--input", input, "--connection", "scripted", "--json", ...more], { env });
    const view = async (task = "fix-the-sum") => JSON.parse((await place.do(["task", "show", task, "--json"])).stdout);
    return { place, folder, git, run, view, env, say };
}

/** @param {any} said */
const blocks = ({ calls }) => ({
    content: calls.map((/** @type {any} */ { name, arguments: input }) => ({ type: "tool_use", name, input })),
});

/**
 * What a model on the Messages wire says to mend the script: by what stands in the conversation, so that a run that goes on asks only
 * what it has not asked yet.
 * @param {any} request
 */
export function mender({ messages }) {
    const read = JSON.stringify(messages);
    if (!read.includes("stage: Implement")) return blocks(PLAN);
    return blocks(/Replaced 1 place|does not stand/.test(read) ? DONE : edit("-", "+"));
}

/**
 * A model on the Messages wire that says one thing after the other.
 * @param {object[]} answers
 */
export function inOrder(answers) {
    return (/** @type {any} */ _request, /** @type {number} */ turn) =>
        turn <= answers.length
            ? blocks(answers[turn - 1])
            : { status: 400, type: "invalid_request_error", message: "no answer left" };
}
