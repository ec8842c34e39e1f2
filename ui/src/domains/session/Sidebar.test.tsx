import { act, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";

import type { LabelRow, Organisation } from "@/backend";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { TooltipProvider } from "@/shared";

import { SidebarLists } from "./SidebarLists";

let core: MockTransport;
const label = (id: string, children: LabelRow[] = []): LabelRow => ({
    id,
    name: id,
    color: null,
    valueType: null,
    autoRules: [],
    children,
    sessions: 2,
});
const status = (id: string, category: "open" | "closed") => ({
    id,
    label: id,
    category,
    icon: null,
    color: null,
    shortcut: null,
    fixed: true,
    sessions: 4,
});
const organisation: Organisation = {
    statuses: [status("todo", "open"), status("done", "closed")],
    defaultStatus: "todo",
    labels: [label("work", [label("coding", [label("bug")])]), label("home")],
    views: [
        {
            id: "broken",
            name: "Broken",
            description: null,
            color: null,
            expression: "x",
            groupBy: null,
            sort: [],
            sessions: null,
            mistakes: [{ at: { start: 0, end: 1 }, message: "there is no field `x`" }],
            faults: [],
        },
    ],
    problems: [],
};

beforeEach(() => {
    forget();
    localStorage.clear();
    core = mockTransport();
    core.answers = { organise_show: organisation, status_edit: organisation, label_edit: organisation };
});

async function show() {
    render(
        <TooltipProvider>
            <SidebarLists here="status:todo" />
        </TooltipProvider>,
    );
    await act(async () => {});
    return userEvent.setup();
}

it("lists views, statuses and labels with their counts, and says which view is wrong", async () => {
    await show();
    expect(screen.getByRole("link", { name: /^todo\s*4\s*sessions/ }).getAttribute("aria-current")).toBe("page");
    const done = screen.getByRole("link", { name: /^done\s*4\s*sessions/ });
    expect(done.getAttribute("href")).toBe("#/view/status%3Adone");
    expect(screen.getByRole("link", { name: /^Broken\s*wrong/ })).toBeTruthy();
});

it("counts a closed status anew when a session changes, and shows no zero", async () => {
    await show();
    const closed = { ...status("done", "closed"), sessions: 0 };
    core.answers.organise_show = { ...organisation, statuses: [status("todo", "open"), closed] };
    act(() => core.tell({ event: "changed", value: ["sessions"] }));
    expect(await screen.findByRole("link", { name: "done" })).toBeTruthy();
});

it("folds labels with the arrows, and remembers it", async () => {
    const user = await show();
    screen.getByRole("link", { name: /^work/ }).focus();
    await user.keyboard("{ArrowLeft}");
    expect(screen.queryByRole("link", { name: /^coding/ })).toBeNull();
    expect(screen.queryByRole("link", { name: /^bug/ })).toBeNull();
    expect(localStorage.getItem("sidebar-labels")).toBe('["work"]');
    await user.keyboard("{ArrowRight}");
    expect(screen.getByRole("link", { name: /^bug/ })).toBeTruthy();
});

it("changes orders with the keyboard, labels among their neighbours", async () => {
    const user = await show();
    screen.getByRole("link", { name: /^done/ }).focus();
    await user.keyboard("{Alt>}{ArrowUp}{/Alt}");
    screen.getByRole("link", { name: /^home/ }).focus();
    await user.keyboard("{Alt>}{ArrowUp}{/Alt}");
    screen.getByRole("link", { name: /^bug/ }).focus();
    await user.keyboard("{Alt>}{ArrowUp}{/Alt}");
    expect(core.asked.filter((each) => each.name.endsWith("_edit"))).toEqual([
        { name: "status_edit", params: { edit: "move", id: "done", place: 0 } },
        { name: "label_edit", params: { edit: "move", id: "home", place: 0 } },
    ]);
});

it("leads to the editor by the plus sign", async () => {
    const user = await show();
    await user.click(within(screen.getByRole("group", { name: "Labels" })).getByRole("button", { name: "Add label" }));
    expect(location.hash).toBe("#/settings/organisation?add=label");
});
