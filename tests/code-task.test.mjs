// The agent `code-task` over real repositories and a scripted model: from a description to a change whose checks pass, in a worktree of
// its own; a check that fails and is mended; permission that is asked for once and refused where nobody is there; a gate; a crash.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Seat } from "../.scripts/seat.mjs";
import { Place, jsonLines } from "./lib.mjs";

const HANDOFF = { summary: "s", key_decisions: [], files_modified: [], open_questions: [] };
const DESCRIPTION =
    "The script sum.sh subtracts its second argument from the first one. It has to add both and print the result, " +
    "and the check of the project has to pass without being changed.";

/** @param {object} data */
const gate = (data) => ({
    calls: [{ name: "stage_gate", arguments: { complete: true, data: { ...data, handoff: HANDOFF } } }],
});
const PLAN = gate({
    summary: "Add instead.",
    steps: [{ change: "sum.sh adds", files: ["sum.sh"] }],
    tests: ["the check"],
});
const DONE = gate({ summary: "The script adds its arguments now.", left_out: [] });
/** @type {(before: string, after: string) => object} */
const edit = (before, after) => ({
    calls: [
        { name: "read", arguments: { path: "sum.sh" } },
        { name: "edit", arguments: { path: "sum.sh", old: before, new: after } },
    ],
});

/** The report of a run whose events were printed as JSON. */
const report = (/** @type {{ stdout: string }} */ { stdout }) =>
    readFileSync(jsonLines(stdout).at(-1).document, "utf8");

/**
 * A repository with a defect that its check finds, a task about it, and a model that says what is given.
 * @param {import("node:test").TestContext} context
 * @param {object[]} answers
 * @param {object} [task]
 */
function project(context, answers, task = {}) {
    const place = Place.for(context);
    const folder = join(place.work, "project");
    mkdirSync(join(folder, ".agentnative"), { recursive: true });
    /** @param {string[]} words */
    const git = (...words) => {
        const ran = spawnSync("git", words, { cwd: folder, env: place.environment(), encoding: "utf8" });
        assert.equal(ran.status, 0, `git ${words.join(" ")}: ${ran.stderr}`);
        return ran.stdout.trim();
    };
    git("init", "--quiet", "--initial-branch=main");
    git("config", "user.name", "Eva");
    git("config", "user.email", "eva@example.com");
    writeFileSync(join(folder, "sum.sh"), "echo $(($1 - $2))\n");
    const checks = [{ name: "sum", command: 'test "$(sh sum.sh 2 3)" = 5 || { echo "not 5"; exit 1; }' }];
    writeFileSync(join(folder, ".agentnative", "checks.json"), JSON.stringify({ checks }));
    git("add", "--all");
    git("commit", "--quiet", "-m", "first");
    const input = join(place.work, "task.json");
    writeFileSync(input, JSON.stringify({ title: "Fix the sum", description: DESCRIPTION, project: folder, ...task }));
    const script = join(place.work, "script.json");
    writeFileSync(script, JSON.stringify({ answers }));
    const env = { AGENTNATIVE_SCRIPT: script };
    /** @param {string[]} more */
    const run = (...more) =>
        place.run(["run", "code-task", "--input", input, "--connection", "scripted", "--json", ...more], { env });
    const view = async () => JSON.parse((await place.do(["task", "show", "fix-the-sum", "--json"])).stdout);
    return { place, folder, git, run, view, env };
}

test("a task is planned, carried out and checked in a worktree of its own, and the person's checkout stays as it was", async (context) => {
    const { place, folder, git, run, view } = project(context, [PLAN, edit("-", "+"), DONE]);
    const ended = await run("--depth", "L1", "--yes", "--mode", "allow-all");
    assert.equal(ended.code, 0, ended.stderr + ended.stdout);
    const task = await view();
    assert.deepEqual(
        [task.attempts[0].verdict, task.attempts[0].stat],
        ["passed", { files: 1, additions: 1, deletions: 1 }],
    );
    assert.equal(task.task.attempts[0].checks[0].results[0].exit_code, 0);
    assert.equal(readFileSync(join(folder, "sum.sh"), "utf8"), "echo $(($1 - $2))\n");
    assert.equal(git("status", "--porcelain"), "");
    const text = report(ended);
    assert.match(text, /# Fix the sum[\s\S]*its checks passed[\s\S]*adds its arguments now/);
    const state = await place.state();
    assert.deepEqual(
        state.stages
            .filter((/** @type {any} */ stage) => stage.phase === "skipped")
            .map((/** @type {any} */ stage) => stage.id),
        ["brainstorm", "design_review", "code_review", "verify"],
    );
    await place.do(["task", "merge", "fix-the-sum"]);
    assert.equal(readFileSync(join(folder, "sum.sh"), "utf8"), "echo $(($1 + $2))\n");
});

test("a change whose check fails is mended with what the check said", async (context) => {
    const { place, run, view } = project(context, [PLAN, edit("-", "*"), DONE, edit("*", "+"), DONE]);
    const ended = await run("--depth", "L1", "--yes", "--mode", "allow-all");
    assert.equal(ended.code, 0, ended.stderr + ended.stdout);
    const task = await view();
    assert.deepEqual(
        task.task.attempts[0].checks.map((/** @type {any} */ run) => run.results[0].exit_code),
        [1, 0],
    );
    const begun = (await place.events()).filter(
        ({ type, key }) => type === "child_run_started" && key.stage === "implement",
    );
    const mended = (await place.do(["show", begun[1].child])).stdout;
    assert.match(mended, /The check sum[\s\S]*not 5/);
});

test("where nobody is there, what needs permission is refused, and nothing is made", async (context) => {
    const { place, folder, run } = project(context, [PLAN]);
    const ended = await run("--depth", "L1", "--yes");
    assert.equal(ended.code, 1, ended.stdout);
    assert.match(ended.stdout + ended.stderr, /did not allow it/);
    assert.equal(existsSync(join(place.data, "worktrees")), false);
    assert.equal(spawnSync("git", ["branch", "--list"], { cwd: folder, encoding: "utf8" }).stdout.trim(), "* main");
});

test("permission for the worktree and the project's commands is asked for once, and shown whole", async (context) => {
    const { place, run, env } = project(context, [PLAN, DONE]);
    const paused = await run("--depth", "L1");
    assert.equal(paused.code, 3, paused.stderr);
    const state = await place.state();
    assert.equal(state.pauses[0].kind, "permission");
    assert.match(state.pauses[0].markdown, /git worktree add[\s\S]*sum: test/);
    const answers = join(place.work, "answers.json");
    writeFileSync(answers, JSON.stringify([{ choice: "allow" }]));
    await place.run(["resume", "--last", "--answers", answers], { env });
    const events = await place.events();
    assert.deepEqual(
        events.filter(({ type }) => type === "call_needs_permission").map(({ key }) => key.stage),
        ["worktree"],
    );
    assert.ok(events.some(({ type, key }) => type === "tool_call_completed" && key.stage === "worktree"));
});

test("a small task goes straight to implementing", async (context) => {
    const { place, run, view } = project(context, [edit("-", "+"), DONE], { description: "sum.sh must add." });
    const ended = await run("--depth", "L1", "--yes", "--mode", "allow-all");
    assert.equal(ended.code, 0, ended.stderr + ended.stdout);
    assert.equal((await view()).attempts[0].verdict, "passed");
    const plan = (await place.state()).stages.find((/** @type {any} */ stage) => stage.id === "plan");
    assert.equal(plan.phase, "skipped");
});

test("a check that never passes stops at the gate, and what is accepted there is certified with limitations", async (context) => {
    const { place, run } = project(context, [PLAN, DONE, DONE, DONE]);
    const ended = await run("--depth", "L1", "--yes", "--mode", "allow-all");
    assert.equal(ended.code, 0, ended.stderr + ended.stdout);
    const events = await place.events();
    assert.ok(events.some(({ type, kind }) => type === "pause_requested" && kind === "gate"));
    assert.match(report(ended), /its checks failed[\s\S]*certified with limitations/);
});

test("killed at any moment, a task goes on where it was: the same report, one edit, one worktree", async (context) => {
    const blocks = (/** @type {any} */ { calls }) => ({
        content: calls.map((/** @type {any} */ { name, arguments: input }) => ({ type: "tool_use", name, input })),
    });
    // By what stands in the conversation: a run that goes on asks only what it has not asked yet.
    const answer = (/** @type {any} */ { messages }) => {
        const read = JSON.stringify(messages);
        if (!read.includes("stage: Implement")) return blocks(PLAN);
        return blocks(/Replaced 1 place|does not stand/.test(read) ? DONE : edit("-", "+"));
    };
    /** @type {string | undefined} */
    let whole;
    let lines = 0;
    for (const part of [1, 0.15, 0.35, 0.5, 0.65, 0.8, 0.9]) {
        const { place, folder, view } = project(context, []);
        const seat = await Seat.start({ folder: join(place.work, "seat"), answer });
        context.after(() => seat.stop());
        const add = ["connect", "add", "seat", "--provider", "anthropic", "--base-url", seat.address];
        await place.do([...add, "--model", seat.model, "--no-key", "--no-test"]);
        const args = ["run", "code-task", "--input", join(place.work, "task.json"), "--connection", "seat", "--json"];
        args.push("--depth", "L1", "--yes", "--mode", "allow-all");
        if (whole === undefined) {
            const ended = await place.do(args);
            whole = report(ended);
            lines = jsonLines(ended.stdout).length;
            continue;
        }
        const started = place.start(args);
        await started.saw(new RegExp(`(?:[^\\n]*\\n){${Math.floor(part * lines)}}`));
        started.kill("SIGKILL");
        await started.ended;
        const resumed = await place.run(["resume", "--last", "--yes", "--json"]);
        // 4: it had ended already.
        if (resumed.code !== 4) {
            assert.equal(resumed.code, 0, resumed.stderr + resumed.stdout);
            assert.equal(report(resumed), whole, `killed after ${part} of the events`);
        }
        const task = await view();
        assert.deepEqual([task.task.attempts.length, task.attempts[0].verdict], [1, "passed"]);
        const made = spawnSync("git", ["worktree", "list"], { cwd: folder, encoding: "utf8" }).stdout.trim();
        assert.equal(made.split("\n").length, 2, made);
    }
});
