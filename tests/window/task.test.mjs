// A coding task in the real window, from its description to the merge: permission, plan, a comment on a changed line that goes to the
// agent, another round, and the person's checkout changed at the end alone.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Seat } from "../../.scripts/seat.mjs";
import { DESCRIPTION, DONE, PLAN, edit, gate, inOrder, repository } from "../task-project.mjs";
import { App } from "./app.mjs";

const ANSWERS = [
    PLAN,
    edit("-", "+"),
    DONE,
    edit("echo", "# adds two numbers\necho"),
    gate({ summary: "It says what it does.", left_out: [] }),
];

test("a task is begun, planned, carried out, commented on, gone on with and merged, all by buttons", async (context) => {
    const app = await App.for(context);
    const { place } = app;
    const { folder, git } = repository(place);
    const seat = await Seat.start({ folder: join(place.work, "seat"), answer: inOrder(ANSWERS) });
    context.after(() => seat.stop());
    const add = ["connect", "add", "seat", "--provider", "anthropic", "--base-url", seat.address];
    await place.do([...add, "--model", seat.model, "--no-key", "--no-test"]);
    await place.do(["connect", "default", "seat"]);

    const page = await app.start();
    await page.go("/tasks");
    await page.click("button", /^New task$/);
    for (const [role, name, text] of /** @type {const} */ ([
        ["textbox", /^Title/, "Fix the sum"],
        ["textbox", /^Description/, DESCRIPTION],
        ["combobox", /^Project/, folder],
    ])) {
        const field = await page.find(role, name);
        await field.click();
        await page.write(text);
    }
    await page.press("Ctrl+Enter");
    await page.find("heading", /^Permission needed/);
    await page.text(/git worktree add/);
    await page.click("button", /^Allow once$/);
    await page.find("heading", /Plan/);
    await page.click("button", /^Proceed/);
    await page.text(/Allow this\?/);
    await page.click("button", /^Changes of all files in .+ and below, in this session/);
    await page.text(/its checks passed/, 40_000);

    await page.go("/task/fix-the-sum");
    await page.text(/Checks passed/);
    await page.click("button", /^Comment on line 1$/);
    const comment = await page.find("textbox", /^Comment on line 1/);
    await comment.click();
    await page.write("Say what it does in a line above.");
    await page.click("button", /^Comment$/);
    await page.click("button", /^Send 1 comment to the agent$/);
    await page.find("dialog", /^Send 1 comment/);
    await page.click("button", /^Start$/);
    await page.click("button", /^Open the task$/);
    await page.until("the second round", async () => {
        const { attempts } = (await (await app.core()).call("task_show", { task: "fix-the-sum" })).task;
        return attempts[0].checks.length === 2;
    });
    await page.text(/adds two numbers/);
    await page.text(/Run 2/);
    // Until the page has read the second round, it says that the changes are not checked, and asks before it merges.
    await page.text(/Checks passed/);
    await page.click("button", /^Merge into main$/);
    await page.text(/Merged into main/);
    assert.equal(readFileSync(join(folder, "sum.sh"), "utf8"), "# adds two numbers\necho $(($1 + $2))\n");
    assert.equal(git("status", "--porcelain"), "");
});
