import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { Failure, type Organisation, type SessionQuery, type SessionRow } from "@/backend";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { ConfirmHost, Toasts, TooltipProvider } from "@/shared";

import { undoLatest } from "./actions";
import { SessionList } from "./SessionList";

let core: MockTransport;
const row = (session: string, part: Partial<SessionRow> = {}): SessionRow => ({
    session,
    title: `Title ${session}`,
    createdAt: 0,
    updatedAt: 1_000,
    runs: 1,
    latest: { run: "r", agent: "a", kind: "run", status: "paused", line: "Clarity 64%: 2 questions" },
    flagged: false,
    unread: false,
    archived: false,
    deleted: false,
    hasDraft: false,
    connection: "",
    model: "",
    connectionGone: false,
    workspace: "default",
    status: "todo",
    labels: [],
    preview: "",
    messages: 1,
    mode: "ask",
    stale: 0,
    ...part,
});
const status = (id: string, label: string, shortcut: string) => ({
    id,
    label,
    category: "open" as const,
    icon: null,
    color: null,
    shortcut,
    fixed: false,
    sessions: 0,
});
const ORGANISATION: Organisation = {
    statuses: [status("todo", "Todo", "1"), status("done", "Done", "2")],
    defaultStatus: "todo",
    labels: [
        { id: "bug", name: "Bug", color: null, valueType: null, autoRules: [], children: [], sessions: 0 },
        {
            id: "priority",
            name: "Priority",
            color: null,
            valueType: "number",
            autoRules: [],
            children: [],
            sessions: 0,
        },
    ],
    views: [],
    problems: [],
};

beforeEach(() => {
    forget();
    localStorage.clear();
    location.hash = "#/view/inbox";
    core = mockTransport();
    core.answers = {
        session_groups: [
            { key: "today", sessions: 2 },
            { key: "older", sessions: 1 },
        ],
        session_list: ({ group }: SessionQuery) =>
            group?.key === "today"
                ? { sessions: [row("a"), row("b")], next: null }
                : group?.key === "older"
                  ? { sessions: [row("c", { status: "done" })], next: null }
                  : { sessions: [], next: null },
        session_counts: { inbox: 3, running: 0, needsYou: 3, done: 0, flagged: 0, archived: 0, trash: 0 },
        organise_show: ORGANISATION,
        session_update: null,
        session_purge: 1,
    };
    // The list draws what is in sight: here all of it is.
    vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(600);
    vi.spyOn(Element.prototype, "clientWidth", "get").mockReturnValue(300);
});

async function show(view = "inbox") {
    render(
        <TooltipProvider>
            <SessionList view={view} />
            <ConfirmHost />
            <Toasts />
        </TooltipProvider>,
    );
    // Groups, then their first pages.
    for (let round = 0; round < 8; round += 1) await act(async () => {});
    return userEvent.setup();
}
const list = () => screen.getByRole("tree");
const updates = () => core.asked.filter((each) => each.name === "session_update").map((each) => each.params);
const titles = () =>
    screen.queryAllByRole("treeitem").map((item) => item.textContent?.match(/Title \w|Today|Earlier/)?.[0]);

it("stands under headings with their counts", async () => {
    await show();

    expect(titles()).toEqual(["Today", "Title a", "Title b", "Earlier", "Title c"]);
    expect(screen.getByRole("treeitem", { name: /^Today/ }).getAttribute("aria-expanded")).toBe("true");
});

describe("the keyboard alone", () => {
    it("moves, opens and flags", async () => {
        const user = await show();
        list().focus();
        await user.keyboard("jf");
        expect(updates()).toEqual([{ sessions: ["b"], patch: { flagged: true } }]);
        await user.keyboard("k{Enter}");
        expect(location.hash).toBe("#/session/a");
        await user.keyboard("jo");
        expect(location.hash).toBe("#/session/b");
    });

    it("skips headings, and stops at one that is folded", async () => {
        const user = await show();
        list().focus();
        await user.keyboard("jj");
        expect(document.activeElement?.getAttribute("aria-activedescendant")).toMatch(/-c$/);
        await user.keyboard("{ArrowLeft}");
        expect(titles()).toEqual(["Today", "Title a", "Title b", "Earlier"]);
        await user.keyboard("{ArrowRight}");
        expect(titles()).toContain("Title c");
    });

    it("sets a status from its menu, and by its key", async () => {
        const user = await show();
        list().focus();
        await user.keyboard("s");
        await user.keyboard("don{Enter}");
        await user.keyboard("2");
        expect(updates()).toEqual([
            { sessions: ["a"], patch: { status: "done" } },
            { sessions: ["a"], patch: { status: "done" } },
        ]);
        expect(document.activeElement).toBe(list());
    });

    it("gives labels, one with its value", async () => {
        const user = await show();
        list().focus();
        await user.keyboard("l");
        await user.keyboard("bug{Enter}");
        expect(updates()).toEqual([{ sessions: ["a"], patch: { addLabels: ["bug"] } }]);
        await user.clear(screen.getByRole("combobox", { name: "Labels" }));
        await user.keyboard("prio{Enter}");
        await user.keyboard("3{Enter}");
        expect(updates()[1]).toEqual({ sessions: ["a"], patch: { addLabels: ["priority::3"] } });
    });

    it("does to all that are picked what the key says", async () => {
        const user = await show();
        list().focus();
        await user.keyboard("xjx");
        expect(screen.getByText("2 selected")).toBeTruthy();
        await user.keyboard("#");
        expect(updates()).toEqual([{ sessions: ["a", "b"], patch: { deleted: true } }]);
    });

    it("picks a range with Shift, and all with Ctrl+A", async () => {
        const user = await show();
        list().focus();
        await user.keyboard("{Shift>}{ArrowDown}{ArrowDown}{/Shift}");
        expect(screen.getByText("3 selected")).toBeTruthy();
        await user.keyboard("{Shift>}{ArrowUp}{/Shift}");
        expect(screen.getByText("2 selected")).toBeTruthy();
        await user.keyboard("{Control>}a{/Control}");
        expect(screen.getByText("3 selected")).toBeTruthy();
        await user.keyboard("{Escape}");
        expect(screen.queryByText(/selected/)).toBeNull();
    });
});

describe("the way back", () => {
    it("follows an archive", async () => {
        const user = await show();
        list().focus();
        await user.keyboard("e");
        expect(updates()).toEqual([{ sessions: ["a"], patch: { archived: true } }]);
        await user.click(screen.getAllByRole("button", { name: "Undo" }).pop() as HTMLElement);
        expect(updates()[1]).toEqual({ sessions: ["a"], patch: { archived: false } });
    });

    it("gives each session its own former status, also by Ctrl+Z", async () => {
        const user = await show();
        list().focus();
        await user.keyboard("{Control>}a{/Control}1");
        expect(updates()).toEqual([{ sessions: ["a", "b", "c"], patch: { status: "todo" } }]);
        list().focus();
        await user.keyboard("{Control>}z{/Control}");
        expect(updates()[1]).toEqual({ sessions: ["c"], patch: { status: "done" } });
    });

    it("leaves Ctrl+Z to a field that is typed in", async () => {
        const user = await show();
        list().focus();
        await user.keyboard("e");
        await user.keyboard("\\");
        await user.keyboard("x{Control>}z{/Control}");
        expect(document.activeElement?.tagName).toBe("INPUT");
        expect(updates()).toHaveLength(1);
    });
});

it("asks before it deletes for good in the trash", async () => {
    const user = await show("trash");
    list().focus();
    await user.keyboard("#");
    expect(core.asked.some((each) => each.name === "session_purge")).toBe(false);
    await user.click(screen.getByRole("button", { name: "Delete permanently" }));
    expect(core.asked.find((each) => each.name === "session_purge")?.params).toEqual({ sessions: ["a"] });
});

it("marks a session whose answer rests on text that has changed", async () => {
    core.answers = {
        ...core.answers,
        session_groups: [{ key: "today", sessions: 2 }],
        session_list: () => ({ sessions: [row("a", { stale: 2 }), row("b")], next: null }),
    };
    await show();
    expect(await screen.findByTitle("2 statements of the answer rest on text that has changed since")).toBeDefined();
    expect(screen.getAllByText("Sources have changed.")).toHaveLength(1);
});

it("says why a list is empty", async () => {
    core.answers.session_groups = [];
    await show("flagged");
    expect(screen.getByText("No flagged sessions")).toBeTruthy();
});

it("says what is wrong with a filter", async () => {
    core.answers.session_groups = [];
    core.answers.session_list = {
        sessions: [],
        next: null,
        mistakes: [{ at: { start: 0, end: 5 }, message: "there is no status `x`", hint: null }],
    };
    const user = await show();
    await user.type(screen.getByRole("searchbox"), "status:x");
    await screen.findByText(/there is no status/, undefined, { timeout: 20_000 });
});

it("groups by what the person chose, and remembers it", async () => {
    const user = await show();
    await user.click(screen.getByRole("button", { name: "Sort and group the list" }));
    core.answers.session_groups = [{ key: "todo", sessions: 3 }];
    await user.click(screen.getByRole("menuitemcheckbox", { name: "Status" }));
    expect(core.asked.filter((each) => each.name === "session_groups").pop()?.params).toMatchObject({ by: "status" });
    expect(localStorage.getItem("group inbox")).toBe('"status"');
});

it("sorts by what the person chose, and remembers it", async () => {
    const user = await show();
    await user.click(screen.getByRole("button", { name: "Sort and group the list" }));
    await user.click(screen.getByRole("menuitemcheckbox", { name: "Title" }));
    expect(core.asked.filter((each) => each.name === "session_list").pop()?.params).toMatchObject({ sort: "title" });
    expect(localStorage.getItem("sort inbox")).toBe('"title"');
});

it("keeps a new title that could not be stored, to try again", async () => {
    core.answers.session_update = () => {
        throw new Failure({ code: "storage", message: "the disk is full", retryable: true });
    };
    const user = await show();
    await user.pointer({ keys: "[MouseRight]", target: screen.getByText("Title b") });
    await user.click(await screen.findByRole("menuitem", { name: /^Rename/ }));
    const field = await screen.findByRole<HTMLInputElement>("textbox", { name: "Title" });
    await user.clear(field);
    await user.type(field, "Leases{Enter}");
    expect(updates()).toHaveLength(1);
    expect(field.value).toBe("Leases");
    core.answers.session_update = null;
    await user.click(screen.getByRole("button", { name: "Rename" }));
    await waitFor(() => expect(screen.queryByRole("textbox", { name: "Title" })).toBeNull());
    expect(updates()).toHaveLength(2);
});

it("renames, duplicates and moves from a row's menu", async () => {
    core.answers.workspace_list = [
        { id: "default", name: "Default", current: true },
        { id: "audit", name: "Audit", current: false },
    ];
    core.answers.session_duplicate = "copy";
    core.answers.session_move = null;
    const user = await show();
    const choose = async (name: RegExp) => {
        await user.pointer({ keys: "[MouseRight]", target: screen.getByText("Title b") });
        await user.click(await screen.findByRole("menuitem", { name }));
    };
    await choose(/^Rename/);
    const field = await screen.findByRole("textbox", { name: "Title" });
    await user.clear(field);
    await user.type(field, "Leases{Enter}");
    expect(updates()).toEqual([{ sessions: ["b"], patch: { title: "Leases" } }]);
    await waitFor(() => expect(screen.queryByRole("textbox", { name: "Title" })).toBeNull());
    await choose(/^Move to workspace/);
    act(() => screen.getByRole("menuitem", { name: "Audit" }).focus());
    await user.keyboard("{Enter}");
    expect(core.asked.find((each) => each.name === "session_move")?.params).toEqual({
        sessions: ["b"],
        workspace: "audit",
    });
    await choose(/^Duplicate/);
    expect(core.asked.find((each) => each.name === "session_duplicate")?.params).toEqual({ session: "b" });
    expect(location.hash).toBe("#/session/copy");
});

it("has the model title a session, and takes it back", async () => {
    core.answers.session_title = "Leases under IFRS 16";
    const user = await show();
    await user.pointer({ keys: "[MouseRight]", target: screen.getByText("Title b") });
    await user.click(await screen.findByRole("menuitem", { name: /^Title by the model/ }));
    expect(core.asked.find((each) => each.name === "session_title")?.params).toEqual({ session: "b" });
    await screen.findByText("Titled “Leases under IFRS 16”.");
    act(() => void undoLatest());
    expect(updates()).toEqual([{ sessions: ["b"], patch: { title: "Title b" } }]);
});

it("leaves the keyboard where a session went away", async () => {
    const user = await show();
    list().focus();
    await user.keyboard("j");
    core.answers.session_list = ({ group }: SessionQuery) =>
        group?.key === "today" ? { sessions: [row("a")], next: null } : { sessions: [row("c")], next: null };
    core.answers.session_groups = [
        { key: "today", sessions: 1 },
        { key: "older", sessions: 1 },
    ];
    await user.keyboard("e");
    await screen.findByText("Title c");
    await waitFor(() => expect(screen.queryByText("Title b")).toBeNull());
    await user.keyboard("o");
    expect(location.hash).toBe("#/session/c");
});

it("opens nothing when something is chosen in a row's menu", async () => {
    const user = await show();
    await user.pointer({ keys: "[MouseRight]", target: screen.getByText("Title b") });
    await user.click(await screen.findByRole("menuitem", { name: /^Flag/ }));
    expect(updates()).toEqual([{ sessions: ["b"], patch: { flagged: true } }]);
    expect(location.hash).toBe("#/view/inbox");
});

it("picks with the mouse: one with Ctrl, a range with Shift", async () => {
    const user = await show();
    await user.keyboard("{Control>}");
    await user.click(screen.getByText("Title a"));
    await user.keyboard("{/Control}{Shift>}");
    await user.click(screen.getByText("Title c"));
    await user.keyboard("{/Shift}");
    expect(screen.getByText("3 selected")).toBeTruthy();
    expect(location.hash).toBe("#/view/inbox");
});
