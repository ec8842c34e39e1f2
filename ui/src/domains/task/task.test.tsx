import { act, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";

import type { Attempt, CodingTask, TaskRunState, TaskView } from "@/backend";
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
        task_runs: [],
        connection_list: [],
        agent_list: [],
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

test("a task whose run asks, or goes on, is listed under that, with its stage", async () => {
    const run = { task: "fix", attempt: 1, run: "run-1", session: "s", stage: "Plan" };
    const state: TaskRunState = { ...run, status: "running" };
    const paused: TaskRunState = { ...state, status: "paused", waitsFor: "Permission needed" };
    const failed = task([attempt({ checks: checked(1) })]);
    expect(groupOf(failed, [state])).toBe("working");
    expect(groupOf(failed, [paused])).toBe("answer");
    expect(groupOf(failed, [{ ...state, status: "completed" }])).toBe("checks");
    core.answers.task_list = { tasks: [failed], unreadable: [] };
    core.answers.task_runs = [paused];
    await show(<TaskBoard />);
    const row = within(await screen.findByRole("list", { name: "Waiting for your answer" })).getByRole("link");
    expect(row.textContent).toContain("Waits for you: Permission needed");
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

const commented = {
    number: 1,
    anchor: { path: "src/parser.ts", side: "new", line: 8, text: "return 2;", before: [], after: [] },
    text: "Why two?",
    state: "open",
    at: 1,
    place: { placement: "same", path: "src/parser.ts", line: 8 },
};
const inputs = { title: "Fix the parser", task: "fix", attempt: 1 };

test("open comments go to the agent with a run in the attempt’s session", async () => {
    const user = userEvent.setup();
    core.answers.task_comments = { comments: [commented], message: "A comment" };
    core.answers.task_start = { agent: "code-task", inputs, session: "s" };
    core.answers.run_start = "run-2";
    await show(<TaskPage task="fix" />);
    await user.click(await screen.findByRole("button", { name: "Send 1 comment to the agent" }));
    await user.click(await screen.findByRole("button", { name: "Start" }));
    const asked = (name: string) => core.asked.find((one) => one.name === name)?.params;
    expect(asked("task_start")).toEqual({ task: "fix", attempt: 1 });
    expect(asked("run_start")).toMatchObject({ agent: "code-task", session: "s", inputs, connection: null });
    expect(location.hash).toBe("#/run/run-2");
});

test("another attempt begins on the chosen connection; nothing starts while a run works on this one", async () => {
    const user = userEvent.setup();
    const row = { slug: "gateway", name: "Gateway", credential: "stored", problem: null };
    core.answers.connection_list = [row];
    core.answers.task_runs = [
        { task: "fix", attempt: 1, run: "run-1", session: "s", status: "running", stage: "Plan" },
    ];
    core.answers.task_start = { agent: "code-task", inputs: { title: "Fix the parser", task: "fix" }, session: null };
    core.answers.run_start = "run-3";
    await show(<TaskPage task="fix" />);
    expect((await screen.findByRole<HTMLButtonElement>("button", { name: "Go on with an agent" })).disabled).toBe(true);
    expect(screen.getByRole("link", { name: "Run 1" }).getAttribute("href")).toBe("#/run/run-1");
    await user.click(screen.getByRole("button", { name: "Start another attempt" }));
    await user.click(await screen.findByRole("combobox", { name: "Connection" }));
    await user.click(await screen.findByRole("option", { name: "Gateway" }));
    await user.click(screen.getByRole("button", { name: "Start" }));
    expect(core.asked.find(({ name }) => name === "run_start")?.params).toMatchObject({
        connection: "gateway",
        inputs: { task: "fix", label: "gateway" },
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
