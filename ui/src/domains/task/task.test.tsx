import { act, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";

import type { Attempt, CodingTask, TaskView } from "@/backend";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { ConfirmHost, Toasts, TooltipProvider } from "@/shared";

import { TaskBoard, TaskPage } from ".";
import { groupOf } from "./labels";

const attempt = (over: Partial<Attempt> = {}): Attempt => ({
    number: 1,
    label: "",
    branch: "agentnative/fix",
    folder: "/home/eva/worktrees/fix/1",
    state: "open",
    included: { copied: [], skipped: [] },
    setup: null,
    savepoints: [],
    checks: [],
    comments: [],
    kept: null,
    merged: null,
    ...over,
});
const checked = (exit_code: number): Attempt["checks"] => [
    {
        tree: "t",
        head: "h",
        at: 1,
        results: [
            { name: "tests", command: "npm test", exit_code, timed_out: false, output: "2 failed", at: 1, ms: 5 },
        ],
    },
];
const task = (attempts: Attempt[], over: Partial<CodingTask> = {}): CodingTask => ({
    id: "fix",
    title: "Fix the parser",
    repository: "/home/eva/project",
    common: "/home/eva/project/.git",
    base: "main",
    base_commit: "0123456789abcdef",
    target: "main",
    created: Date.UTC(2026, 1, 1),
    commands: { checks: [{ name: "tests", command: "npm test", timeoutSeconds: 600 }] },
    attempts,
    chosen: null,
    undo: [],
    ...over,
});
const view = (one: CodingTask, verdict: TaskView["attempts"][number]["verdict"] = "failed"): TaskView => ({
    task: one,
    approved: true,
    attempts: one.attempts.map(({ number }) => ({
        number,
        folder_there: true,
        stat: { files: 1, additions: 2, deletions: 1 },
        uncommitted: 1,
        verdict,
    })),
});

let core: MockTransport;
beforeEach(() => {
    forget();
    core = mockTransport();
    core.answers = {
        task_list: { tasks: [], unreadable: [] },
        task_show: view(task([attempt({ checks: checked(1) })])),
        task_comments: { comments: [], message: "" },
        task_diff: {
            from: "a",
            to: "b",
            additions: 2,
            deletions: 1,
            files: [
                {
                    path: "src/parser.ts",
                    change: "modified",
                    kind: "text",
                    additions: 2,
                    deletions: 1,
                    hunks: [
                        {
                            old_start: 7,
                            new_start: 7,
                            lines: [
                                { kind: "context", old: 7, new: 7, text: "function parse() {" },
                                { kind: "removed", old: 8, text: "    return 1;" },
                                { kind: "added", new: 8, text: "    return 2;" },
                            ],
                        },
                    ],
                },
            ],
        },
    };
});

async function show(page: React.ReactNode) {
    await act(async () => {
        render(
            <TooltipProvider>
                {page}
                <ConfirmHost />
                <Toasts />
            </TooltipProvider>,
        );
        await Promise.resolve();
    });
}

test("a task is listed under what it waits for", async () => {
    const failed = attempt({ checks: checked(1) });
    expect(groupOf(task([attempt()]))).toBe("open");
    expect(groupOf(task([failed]))).toBe("checks");
    expect(groupOf(task([failed, attempt({ number: 2, checks: checked(0) })]))).toBe("choice");
    expect(groupOf(task([attempt({ state: "discarded" }), attempt({ state: "merged" })]))).toBe("merged");
    core.answers.task_list = { tasks: [task([failed])], unreadable: [] };
    await show(<TaskBoard />);
    const row = within(await screen.findByRole("list", { name: "Checks failed" })).getByRole("link");
    expect(row.getAttribute("href")).toBe("#/task/fix");
});

test("without tasks it is said how one begins", async () => {
    await show(<TaskBoard />);
    expect(await screen.findByText(/agentnative task create/)).toBeTruthy();
});

test("a comment is written on a line and names it as the diff does", async () => {
    const user = userEvent.setup();
    core.answers.task_comment = { number: 1, anchor: {}, text: "Why?", state: "open", at: 1 };
    await show(<TaskPage task="fix" />);
    await user.click(await screen.findByRole("button", { name: "Comment on removed line 8" }));
    await user.type(screen.getByRole("textbox", { name: "Comment on line 8" }), "Why?{Control>}{Enter}{/Control}");
    expect(core.asked.find(({ name }) => name === "task_comment")?.params).toEqual({
        task: "fix",
        attempt: 1,
        path: "src/parser.ts",
        side: "old",
        line: 8,
        text: "Why?",
    });
});

test("what may not be removed stays, and is discarded only after it was saved", async () => {
    const user = userEvent.setup();
    core.answers.task_end = () => {
        // eslint-disable-next-line @typescript-eslint/only-throw-error
        throw { code: "conflict", message: "main does not have all of its changes", retryable: false };
    };
    await show(<TaskPage task="fix" />);
    await user.click(await screen.findByRole("button", { name: "Discard" }));
    expect(await screen.findByText(/main does not have all of its changes/i)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Save for undo, then discard" }));
    const endings = core.asked.filter(({ name }) => name === "task_end").map(({ params }) => params);
    expect(endings).toEqual([
        { attempt: { task: "fix", attempt: 1 }, ending: "discard" },
        { attempt: { task: "fix", attempt: 1 }, ending: "discard_saved" },
    ]);
});

test("a merge whose checks have not passed asks first", async () => {
    const user = userEvent.setup();
    await show(<TaskPage task="fix" />);
    await user.click(await screen.findByRole("button", { name: "Merge into main" }));
    expect(core.asked.some(({ name }) => name === "task_merge")).toBe(false);
    expect((await screen.findByRole("alertdialog")).textContent).toContain("Checks failed");
});
