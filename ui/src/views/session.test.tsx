import { act, render, screen, within, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";

import { Failure, type DocumentText, type RunState, type SessionRow } from "@/backend";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { toolStep, turnHead, turnView } from "@/backend/turn-fixtures";
import { pausedRun } from "@/domains/pause/fixtures";
import { ConfirmHost, TooltipProvider } from "@/shared";

import SessionView from "./SessionView";

let core: MockTransport;
let count = 0;
let run: RunState;
const row = (id: string): SessionRow => ({
    session: id,
    title: "Materiality",
    createdAt: 1,
    updatedAt: 2,
    runs: 1,
    latest: null,
    flagged: false,
    unread: true,
    archived: false,
    deleted: false,
    hasDraft: false,
    stale: 0,
    connection: "",
    model: "",
    connectionGone: false,
    workspace: "",
    status: "todo",
    labels: [],
    preview: "",
    messages: 1,
    mode: "ask",
});
const answer: DocumentText = {
    title: "Materiality",
    markdown: "# Materiality\n\nIt is set in planning.\n",
    html: "",
    citations: [],
    verified: 0,
    total: 0,
    unsupported: [],
    sentences: [],
    sentenceCounts: [],
    axes: [],
    statements: [],
    headline: null,
    path: null,
    main: null,
};

// What jsdom lacks.
Range.prototype.getBoundingClientRect ??= () => new DOMRect();

beforeEach(() => {
    forget();
    count += 1;
    run = { ...pausedRun(), run: `run-${count}`, session: `s${count}` };
    location.hash = `#/session/s${count}`;
    core = mockTransport();
    core.answers = {
        session_show: () => ({
            session: row(run.session),
            runs: [run],
            turns: [],
            missions: [],
            order: [run.run],
            replaced: [],
            chat: {
                setup: { mode: "ask", folders: [], sources: [], agent: "", whenBusy: "queue" },
                queue: [],
                shells: [],
            },
            earlier: null,
        }),
        run_show: () => run,
        run_document: answer,
        run_answer: { result: "still_open", message: "Nothing was decided." },
        draft_show: null,
        draft_save: null,
        settings_show: { enterSends: true, defaultAgent: "", defaultDepth: "" },
        agent_list: [],
        base_list: [],
        connection_list: [],
        session_update: null,
    };
});

async function show() {
    render(
        <TooltipProvider>
            <SessionView />
            <ConfirmHost />
        </TooltipProvider>,
    );
    await screen.findByRole("heading", { name: "Research plan" });
    return userEvent.setup();
}

// A whole page is drawn; a machine with few cores takes its time.
const options = { timeout: 20_000 };

it("shows the question, its stages and what it waits for, and counts as read", options, async () => {
    await show();
    expect(screen.getByRole("heading", { name: run.request })).toBeTruthy();
    expect(
        within(screen.getByRole("list", { name: "Stages" }))
            .getAllByRole("button")
            .map((each) => each.textContent),
    ).toEqual(["Analyzewaiting for you", "RetrievePending"]);
    expect(
        core.asked.some(
            (each) => each.name === "session_update" && JSON.stringify(each.params).includes('"unread":false'),
        ),
    ).toBe(true);
});

it("counts as read once it is seen, where it was opened in a hidden window", options, async () => {
    const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true);
    await show();
    const updates = () => core.asked.filter((each) => each.name === "session_update").length;
    expect(updates()).toBe(0);
    hidden.mockReturnValue(false);
    act(() => void document.dispatchEvent(new Event("visibilitychange")));
    expect(updates()).toBe(1);
    act(() => void document.dispatchEvent(new Event("visibilitychange")));
    expect(updates()).toBe(1);
    hidden.mockRestore();
});

it("takes words from the composer to the pause, and shows there what stays open", options, async () => {
    const user = await show();
    await user.click(screen.getByPlaceholderText(/Answer in your own words/));
    await user.keyboard("why?{Enter}");
    const card = screen.getByRole("region", { name: "Research plan" });
    expect(within(card).getByText("Nothing was decided.")).toBeTruthy();
});

it("shows the document as soon as the run has told that it is done", options, async () => {
    await show();
    run = {
        ...run,
        seq: run.seq + 5,
        status: "completed",
        pauses: [],
        document: { title: "Materiality", verified: 0, total: 0, unsupported: 0, warnings: [], headline: null },
    };
    act(() =>
        core.tell({
            event: "run",
            value: { run: run.run, seq: run.seq, kind: "done", exit: "completed", problem: null },
        }),
    );
    await waitFor(() => expect(screen.getByText("It is set in planning.")).toBeTruthy());
    expect(screen.queryByRole("heading", { name: "Research plan" })).toBeNull();
    expect(screen.getByPlaceholderText("Ask a follow-up question")).toBeTruthy();
});

it("gives the focus to the title after renaming, and keeps a title that was refused", options, async () => {
    const user = await show();
    await user.click(screen.getByRole("button", { name: "Materiality" }));
    await user.keyboard("{Escape}");
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Materiality" }));
    core.answers.session_update = () => {
        throw new Failure({ code: "storage", message: "the disk is full", retryable: true });
    };
    await user.keyboard("{Enter}");
    await user.clear(screen.getByRole("textbox", { name: "Title" }));
    await user.keyboard("New title{Enter}");
    await waitFor(() => expect(screen.getByRole("textbox", { name: "Title" })).toHaveProperty("value", "New title"));
});

it("offers nothing for a session in the trash that has no effect there", options, async () => {
    const answer = core.answers.session_show as () => { session: SessionRow };
    core.answers.session_show = () => ({ ...answer(), session: { ...row(run.session), deleted: true } });
    const user = await show();
    await user.click(screen.getByRole("button", { name: "More session actions" }));
    expect(await screen.findByRole("menuitem", { name: /^Rename/ })).toBeTruthy();
    expect(screen.queryByRole("menuitem", { name: /^(Archive|Delete|Labels)/ })).toBeNull();
});

it("renames in place", options, async () => {
    const user = await show();
    await user.click(screen.getByRole("button", { name: "Materiality" }));
    await user.clear(screen.getByRole("textbox", { name: "Title" }));
    await user.type(screen.getByRole("textbox", { name: "Title" }), "New title{Enter}");
    expect(core.asked.filter((each) => each.name === "session_update").map((each) => each.params)).toContainEqual({
        sessions: [run.session],
        patch: { title: "New title" },
    });
});

async function converse() {
    const session = run.session;
    const turn = (id: string, previous: string | null, text: string, answer: string | null, over = {}) =>
        turnView({ run: id, session, previous, answer, ...over }, [toolStep({ intent: "ledger.csv" })], text);
    let turns = [
        turn("run-a1", null, "What is owed?", "Nothing is owed."),
        turn("run-a2", "run-a1", "And to whom?", "To nobody: nothing is owed."),
    ];
    core.answers.session_show = () => ({
        session: row(session),
        runs: [],
        turns,
        missions: [],
        order: turns.map((turn) => turn.head.run),
        replaced: [],
        chat: { setup: { mode: "ask", folders: [], sources: [], agent: "", whenBusy: "queue" }, queue: [], shells: [] },
        earlier: null,
    });
    core.answers.connection_list = [
        {
            slug: "acme",
            name: "Acme",
            provider: "anthropic",
            credential: "stored",
            defaultModel: "big-1",
            models: ["big-1"],
            problem: null,
            default: true,
            builtIn: false,
        },
    ];
    core.answers.source_list = [];
    core.answers.mention_complete = [];
    core.answers.turn_send = { session, turn: "run-a3", run: null, queued: null, steered: null, notes: [] };
    render(
        <TooltipProvider>
            <SessionView />
            <ConfirmHost />
        </TooltipProvider>,
    );
    await screen.findByText("Nothing is owed.");
    return { user: userEvent.setup(), session, turn, now: (next: typeof turns) => (turns = next) };
}

it("shows a conversation with what each turn did, and takes the next message", options, async () => {
    const { user, session } = await converse();
    expect(screen.getAllByText(/^Worked 1 m 12 s, 1 step$/)).toHaveLength(2);
    await user.type(screen.getByPlaceholderText("Reply"), "Thanks{Enter}");
    expect(core.asked.filter((each) => each.name === "turn_send").map((each) => each.params)).toEqual([
        { session, message: { text: "Thanks", mentions: [], attachments: [] } },
    ]);
});

it("shows a turn as soon as it has begun, and drops what it replaces", options, async () => {
    const { session } = await converse();
    const head = turnHead({
        run: "run-a3",
        session,
        previous: "run-a1",
        status: "running",
        doing: "Waiting for the model",
        seq: 1,
    });
    act(() =>
        core.tell({
            event: "turn",
            value: {
                run: "run-a3",
                session,
                seq: 1,
                kind: {
                    kind: "changed",
                    head,
                    steps: [],
                    message: { text: "To whom, then?" },
                    replaced: ["run-a2"],
                },
            },
        }),
    );
    expect(await screen.findAllByText("To whom, then?")).toBeTruthy();
    expect(screen.queryByText("To nobody: nothing is owed.")).toBeNull();
    expect(screen.getByText("Nothing is owed.")).toBeTruthy();
    expect(screen.getAllByRole("button", { name: "Stop" })).toHaveLength(2);
});

it("finds words, counts them, and goes through them by keyboard", options, async () => {
    const { user } = await converse();
    await user.keyboard("{Control>}f{/Control}");
    await user.type(await screen.findByRole("searchbox", { name: "Find in the session" }), "OWED");
    expect(await screen.findByText("1 of 3")).toBeTruthy();
    await user.keyboard("{Enter}");
    expect(screen.getByText("2 of 3")).toBeTruthy();
    await user.keyboard("{Shift>}{Enter}{Enter}{/Shift}");
    expect(screen.getByText("3 of 3")).toBeTruthy();
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("searchbox", { name: "Find in the session" })).toBeNull();
});

it("gives the session a status and a label from its head", options, async () => {
    core.answers.organise_show = {
        statuses: [
            {
                id: "todo",
                label: "Todo",
                category: "open",
                icon: null,
                color: null,
                shortcut: "1",
                fixed: true,
                sessions: 1,
            },
            {
                id: "done",
                label: "Done",
                category: "closed",
                icon: null,
                color: null,
                shortcut: "2",
                fixed: true,
                sessions: 0,
            },
        ],
        defaultStatus: "todo",
        labels: [{ id: "bug", name: "Bug", color: null, valueType: null, autoRules: [], children: [], sessions: 0 }],
        views: [],
        problems: [],
    };
    const user = await show();
    await user.click(await screen.findByRole("button", { name: "Status: Todo" }));
    await user.click(screen.getByRole("option", { name: /^Done/ }));
    (document.activeElement as HTMLElement).blur();
    await user.keyboard("l");
    await user.click(screen.getByRole("option", { name: /^Bug/ }));
    expect(
        core.asked
            .filter((each) => each.name === "session_update" && !("unread" in (each.params as { patch: object }).patch))
            .map((each) => each.params),
    ).toEqual([
        { sessions: [run.session], patch: { status: "done" } },
        { sessions: [run.session], patch: { addLabels: ["bug"] } },
    ]);
});
