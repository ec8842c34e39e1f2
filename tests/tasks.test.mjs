// Coding tasks from the terminal, in a real repository: from a failing check to a merge that is taken back, and a worktree that is
// removed only when nothing is lost.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Place, jsonLines } from "./lib.mjs";

/**
 * A repository of a person: a function with a defect, and a check that finds it.
 * @param {Place} place
 */
function repository(place) {
    const folder = join(place.work, "project");
    /** @param {string[]} words */
    const git = (...words) => {
        const ran = spawnSync("git", words, { cwd: folder, env: place.environment(), encoding: "utf8" });
        assert.equal(ran.status, 0, `git ${words.join(" ")}: ${ran.stderr}`);
        return ran.stdout.trim();
    };
    /** @type {(path: string, text: string) => void} */
    const write = (path, text) => writeFileSync(join(folder, path), text);
    mkdirSync(join(folder, ".agentnative"), { recursive: true });
    git("init", "--quiet", "--initial-branch=main");
    git("config", "user.name", "Eva");
    git("config", "user.email", "eva@example.com");
    write("sum.sh", "echo $(($1 - $2))\n");
    write(".gitignore", ".env\n");
    write(".worktreeinclude", ".env\n");
    const checks = [{ name: "sum", command: 'test "$(sh sum.sh 2 3)" = 5 || { echo "not 5"; exit 1; }' }];
    write(".agentnative/checks.json", JSON.stringify({ setup: { command: "test -f .env" }, checks }));
    git("add", "--all");
    git("commit", "--quiet", "-m", "first");
    write(".env", "A=1\n");
    return { folder, git, write, read: (/** @type {string} */ path) => readFileSync(join(folder, path), "utf8") };
}

test("a task goes from a failing check over comments to a merge, which is taken back", async (context) => {
    const place = Place.for(context);
    const { folder, git, write, read } = repository(place);
    const at = { cwd: folder };
    // Nobody is there to accept the project's commands, so nothing begins.
    const refused = await place.run(["task", "create", "Fix the sum"], at);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /set-up: test -f \.env[\s\S]*--yes/);
    const id = (await place.do(["task", "create", "Fix the sum", "--yes"], at)).stdout.trim();
    assert.equal(id, "fix-the-sum");
    const view = JSON.parse((await place.do(["task", "show", id, "--json"])).stdout);
    assert.deepEqual([view.approved, view.task.attempts[0].setup.exit_code], [true, 0]);
    const worktree = (await place.do(["task", "worktree", id])).stdout.trim();
    assert.equal(readFileSync(join(worktree, ".env"), "utf8"), "A=1\n");

    const failed = await place.run(["task", "check", id]);
    assert.equal(failed.code, 1);
    assert.match(failed.stdout, /sum: exit code 1 [\s\S]*not 5/);
    writeFileSync(join(worktree, "sum.sh"), "# the sum of two numbers\necho $(($1 + $2))\n");
    const unchecked = await place.run(["task", "merge", id]);
    assert.notEqual(unchecked.code, 0);
    assert.match(unchecked.stderr, /files have changed since its checks ran/);
    await place.do(["task", "save", id, "--label", "first turn"]);

    await place.do(["task", "comment", id, "sum.sh:2", "Quote the arguments."]);
    writeFileSync(join(worktree, "sum.sh"), "#!/bin/sh\n# the sum of two numbers\necho $(($1 + $2))\n");
    assert.equal(
        (await place.do(["task", "comments", id, "--message"])).stdout,
        "A comment on your changes:\n\n1. sum.sh, line 3:\n   > echo $(($1 + $2))\n   Quote the arguments.\n",
    );
    const last = JSON.parse((await place.do(["task", "diff", id, "--since", "last", "--json"])).stdout);
    assert.deepEqual([last.files.length, last.additions, last.deletions], [1, 1, 0]);
    const shown = (await place.do(["task", "diff", id])).stdout;
    assert.match(shown, /sum\.sh {2}\(modified, \+3 -1\)[\s\S]*-echo \$\(\(\$1 - \$2\)\)\n\+#!\/bin\/sh/);

    await place.do(["task", "check", id]);
    write(".gitignore", ".env\nmine\n");
    const merged = await place.do(["task", "merge", id, "--squash", "-m", "Add, not subtract"]);
    assert.match(merged.stdout, /its checks passed on exactly these files\n.*removed/);
    assert.equal(git("log", "-1", "--format=%s %an"), "Add, not subtract Eva");
    assert.equal(read(".gitignore"), ".env\nmine\n");
    assert.equal(existsSync(worktree), false);
    await place.do(["task", "undo", id]);
    assert.equal(git("log", "-1", "--format=%s"), "first");
    assert.equal(read(".gitignore"), ".env\nmine\n");
    assert.match(readFileSync(join(worktree, "sum.sh"), "utf8"), /\$1 \+ \$2/);
});

test("a worktree whose work is nowhere else stays, unless it is saved first", async (context) => {
    const place = Place.for(context);
    const { folder, git } = repository(place);
    const id = (await place.do(["task", "create", "Try", "--attempts", "2", "--yes"], { cwd: folder })).stdout.trim();
    const [first, second] = ["1", "2"].map((number) => join(place.data, "worktrees", id, number));
    writeFileSync(join(first, "new.txt"), "work\n");
    const several = await place.run(["task", "discard", id]);
    assert.match(several.stderr, /several open attempts/);
    const refused = await place.run(["task", "discard", id, "-a", "1"]);
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /untracked files: new\.txt[\s\S]*--force/);
    await place.do(["task", "discard", id, "-a", "1", "--force"]);
    await place.do(["task", "discard", id, "-a", "2"]);
    assert.deepEqual([existsSync(first), existsSync(second)], [false, false]);
    assert.equal(git("branch", "--format=%(refname:short)"), "main");
    // The last one first, then the one before.
    await place.do(["task", "undo", id]);
    await place.do(["task", "undo", id]);
    assert.equal(readFileSync(join(first, "new.txt"), "utf8"), "work\n");
    const [listed] = jsonLines((await place.do(["task", "list", "--json"])).stdout);
    assert.deepEqual([listed.id, listed.attempts.map((/** @type {any} */ one) => one.state)], [id, ["open", "open"]]);
});
