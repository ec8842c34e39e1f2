// The agent `code-task` over real repositories and a scripted model: from a description to a change whose checks pass, in a worktree of
// its own; a check that fails and is mended; permission that is asked for once and refused where nobody is there; a gate; a crash.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { Seat } from "../.scripts/seat.mjs";
import { jsonLines } from "./lib.mjs";
import { DONE, PLAN, declare, edit, gate, mender, project, report } from "./task-project.mjs";

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

test("in Auto the model changes nothing but the worktree: no branch, no commit, no file of the checkout", async (context) => {
    const common = '"$(git rev-parse --git-common-dir)"';
    const commands = [
        `git -C ${common}/.. checkout -q -b evil`,
        "git commit --allow-empty -qm evil",
        "git branch evil",
        `git --git-dir=${common} update-ref refs/heads/main HEAD~0 && git --git-dir=${common} symbolic-ref HEAD refs/heads/evil`,
        `echo evil > ${common}/../sum.sh; echo evil > ${common}/hooks/post-commit`,
        `rm -rf ${common}/../check.sh ${common}/refs`,
        "echo 'gitdir: /tmp' > .git; rm -f .git; mv .git kept",
        `python3 -c 'import os; os.chdir(".."); print(os.getcwd()); open("evil", "w")'`,
    ];
    const evil = { calls: commands.map((command) => ({ name: "shell", arguments: { command } })) };
    const { place, folder, git, run, view } = project(context, [PLAN, evil, edit("-", "+"), DONE]);
    const before = git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/main");
    const head = readFileSync(join(folder, ".git", "HEAD"), "utf8");
    const ended = await run("--depth", "L1", "--yes", "--mode", "allow-all");
    assert.equal(ended.code, 0, ended.stderr + ended.stdout);
    assert.equal((await view()).attempts[0].verdict, "passed");
    assert.equal(git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/main"), before);
    assert.equal(readFileSync(join(folder, ".git", "HEAD"), "utf8"), head);
    assert.equal(git("status", "--porcelain"), "");
    assert.doesNotMatch(git("log", "--all", "--format=%s"), /evil/);
    assert.doesNotMatch(git("branch", "--list"), /evil/);
    assert.equal(existsSync(join(folder, ".git", "hooks", "post-commit")), false);
    assert.equal(existsSync(join(place.data, "worktrees", "evil")), false);
    await place.do(["task", "merge", "fix-the-sum"]);
    assert.equal(readFileSync(join(folder, "sum.sh"), "utf8"), "echo $(($1 + $2))\n");
});

test("a check that never passes stops at the gate, and what is accepted there is certified with limitations", async (context) => {
    const { place, run } = project(context, [PLAN, DONE, DONE, DONE]);
    const ended = await run("--depth", "L1", "--yes", "--mode", "allow-all");
    // Nobody was there to accept it, so a script sees that it is not done.
    assert.equal(ended.code, 1, ended.stderr + ended.stdout);
    assert.deepEqual(jsonLines(ended.stdout).at(-1).unmet, ["Verdict"]);
    const events = await place.events();
    assert.ok(events.some(({ type, kind }) => type === "pause_requested" && kind === "gate"));
    assert.match(report(ended), /its checks failed[\s\S]*certified with limitations/);
});

test("killed at any moment, a task goes on where it was: the same report, one edit, one worktree", async (context) => {
    /** @type {string | undefined} */
    let whole;
    let lines = 0;
    for (const part of [1, 0.35, 0.65, 0.9]) {
        const { place, folder, view } = project(context, []);
        const seat = await Seat.start({ folder: join(place.work, "seat"), answer: mender });
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
        await started.printed(Math.floor(part * lines));
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

test("comments on changed lines go to the agent as one message, in the same attempt, and another attempt is a run of its own", async (context) => {
    const { place, run, view, say, env } = project(context, [PLAN, edit("-", "+"), DONE]);
    const first = await run("--depth", "L1", "--yes", "--mode", "allow-all");
    assert.equal(first.code, 0, first.stderr + first.stdout);
    const [{ session }] = await place.runs();
    await place.do(["task", "comment", "fix-the-sum", "sum.sh:1", "Say what it does in a line above."]);

    say([edit("echo", "# adds two numbers\necho"), gate({ summary: "Said above.", left_out: [] })]);
    const more = ["--connection", "scripted", "--depth", "L1", "--yes", "--json"];
    const round = await place.run(["task", "run", "fix-the-sum", "-a", "1", ...more], { env });
    assert.equal(round.code, 0, round.stderr + round.stdout);
    let task = await view();
    const [attempt] = task.task.attempts;
    assert.deepEqual(
        [attempt.runs.length, attempt.runs[1].session, attempt.comments[0].state, task.attempts[0].verdict],
        [2, session, "sent", "passed"],
    );
    assert.match(
        readFileSync(join(attempt.folder, "sum.sh"), "utf8"),
        /^# adds two numbers\necho \$\(\(\$1 \+ \$2\)\)\n$/,
    );
    const told = (await place.events()).find(
        ({ type, key }) => type === "child_run_started" && key.stage === "implement",
    );
    assert.match(
        (await place.do(["show", told.child])).stdout,
        /COMMENTS[\s\S]*sum\.sh, line 1[\s\S]*Say what it does/,
    );

    say([PLAN, edit("-", "+"), DONE]);
    const again = await place.run(["task", "run", "fix-the-sum", ...more, "--mode", "allow-all"], { env });
    assert.equal(again.code, 0, again.stderr + again.stdout);
    task = await view();
    assert.deepEqual(
        task.task.attempts.map((/** @type {any} */ one) => [one.number, one.label, one.runs.length, one.state]),
        [
            [1, "L1", 2, "open"],
            [2, "scripted", 1, "open"],
        ],
    );
    assert.notEqual(task.task.attempts[1].runs[0].session, session);
    const shown = (await place.do(["task", "show", "fix-the-sum"])).stdout;
    assert.equal(shown.match(/^ {3}run {6}\S+ \[completed\]$/gm)?.length, 3, shown);
    // A run that waits has the attempt for itself.
    say([PLAN]);
    const paused = await place.run(["task", "run", "fix-the-sum", ...more.slice(0, 4), "--mode", "allow-all"], { env });
    assert.equal(paused.code, 3, paused.stderr);
    const busy = await place.run(["task", "run", "fix-the-sum", "-a", "3", ...more], { env });
    assert.match(busy.stdout + busy.stderr, /is paused on attempt 3/);
    await place.do(["task", "discard", "fix-the-sum", "-a", "3"]);
    await place.do(["task", "choose", "fix-the-sum", "-a", "2", "--force"]);
    await place.do(["task", "merge", "fix-the-sum"]);
    const ended = await place.run(["task", "run", "fix-the-sum", "-a", "1", ...more], { env });
    assert.notEqual(ended.code, 0);
    assert.match(ended.stdout + ended.stderr, /attempt 1 of fix-the-sum is discarded/);
});

test("an attempt that a person began is given to an agent only with permission", async (context) => {
    const { place, folder, say, view, env } = project(context, []);
    await place.do(["task", "create", "By hand", "--yes"], { cwd: folder });
    const more = ["task", "run", "by-hand", "-a", "1", "--connection", "scripted", "--depth", "L1"];
    say([edit("-", "+"), DONE]);
    const alone = await place.run([...more, "--yes", "--json"], { env });
    assert.equal(alone.code, 1, alone.stdout);
    assert.match(alone.stdout + alone.stderr, /did not allow it/);
    const asked = await place.run(more, { env });
    assert.equal(asked.code, 3, asked.stderr);
    assert.equal((await place.state()).pauses[0].kind, "permission");
    const allowed = await place.run([...more, "--yes", "--mode", "allow-all", "--json"], { env });
    assert.equal(allowed.code, 0, allowed.stderr + allowed.stdout);
    assert.equal((await view("by-hand")).attempts[0].verdict, "passed");
});

test("a defect in a real package is found by its own tests and mended", async (context) => {
    const source = dirname(createRequire(import.meta.url).resolve("fast-json-stable-stringify/package.json"));
    const line = "        seen.splice(seenIndex, 1);\n";
    const after = "        return '{' + out + '}';";
    const { place, folder, git, run, view } = project(
        context,
        [
            PLAN,
            { calls: [{ name: "read", arguments: { path: "index.js" } }] },
            { calls: [{ name: "edit", arguments: { path: "index.js", old: after, new: line + after } }] },
            gate({ summary: "An object that was left is no longer taken for one that holds itself.", left_out: [] }),
        ],
        { title: "Repeated values" },
        (folder) => {
            cpSync(source, folder, { recursive: true });
            const code = readFileSync(join(folder, "index.js"), "utf8");
            assert.ok(code.includes(line + after));
            writeFileSync(join(folder, "index.js"), code.replace(line, ""));
            // Its tests are written for a runner that is not installed: this one stands in for it.
            mkdirSync(join(folder, "node_modules", "tape"), { recursive: true });
            writeFileSync(
                join(folder, "node_modules", "tape", "index.js"),
                `const assert = require("node:assert");
const { test } = require("node:test");
module.exports = (name, run) =>
    test(name, () => run({ ...assert, plan() {}, end() {}, equal: assert.strictEqual, notOk: (value) => assert.ok(!value) }));
`,
            );
            writeFileSync(join(folder, ".gitignore"), "node_modules\n");
            writeFileSync(join(folder, ".worktreeinclude"), "node_modules\n");
            declare(folder, [{ name: "tests", command: "node --test test/" }]);
        },
    );
    const before = spawnSync("node", ["--test", "test/"], { cwd: folder, env: place.environment(), encoding: "utf8" });
    assert.notEqual(before.status, 0, before.stdout);
    const ended = await run("--depth", "L1", "--yes", "--mode", "allow-all");
    assert.equal(ended.code, 0, ended.stderr + ended.stdout);
    const task = await view("repeated-values");
    assert.equal(task.attempts[0].verdict, "passed");
    const [check] = task.task.attempts[0].checks.at(-1).results;
    assert.deepEqual([check.exit_code, /# fail 0|fail 0/.test(check.output)], [0, true], check.output);
    assert.equal(git("status", "--porcelain"), "");
});
