import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";

import type { SessionRow } from "@/backend";
import { forget } from "@/backend/query";
import { setStage, type Stage } from "@/backend/stage";
import { ConfirmHost, Toasts, TooltipProvider } from "@/shared";

import { SessionList } from "./SessionList";

let stage: Stage;
const row = (session: string): SessionRow => ({ session, title: `Title ${session}`, createdAt: 0, updatedAt: 1_000, runs: 1, latest: { run: "r", agent: "a", kind: "run", status: "paused", line: "Clarity 64%: 2 questions" }, flagged: false, unread: false, archived: false, deleted: false, hasDraft: false, connection: "", model: "", connectionGone: false });

beforeEach(() => {
    forget();
    location.hash = "#/view/inbox";
    stage = setStage();
    stage.answers = { session_list: { sessions: [row("a"), row("b"), row("c")], next: null }, session_counts: { inbox: 3, running: 0, needsYou: 3, done: 0, flagged: 0, archived: 0, trash: 0 }, session_update: null, session_purge: 1 };
    // The list draws what is in sight: here all of it is.
    vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(600);
    vi.spyOn(HTMLElement.prototype, "offsetWidth", "get").mockReturnValue(300);
});

async function show(view = "inbox") {
    render(
        <TooltipProvider>
            <SessionList view={view} />
            <ConfirmHost />
            <Toasts />
        </TooltipProvider>,
    );
    await act(async () => {});
    return userEvent.setup();
}
const updates = () => stage.asked.filter((each) => each.name === "session_update").map((each) => each.params);

it("is worked with the keyboard alone", async () => {
    const user = await show();
    screen.getByRole("listbox").focus();
    await user.keyboard("js");
    expect(updates()).toEqual([{ sessions: ["b"], patch: { flagged: true } }]);
    await user.keyboard("k{Enter}");
    expect(location.hash).toBe("#/session/a");
});

it("archives with a way back", async () => {
    const user = await show();
    screen.getByRole("listbox").focus();
    await user.keyboard("e");
    expect(updates()).toEqual([{ sessions: ["a"], patch: { archived: true } }]);
    await user.click(screen.getByRole("button", { name: "Undo" }));
    expect(updates()[1]).toEqual({ sessions: ["a"], patch: { archived: false } });
});

it("does to all that are picked what the key says", async () => {
    const user = await show();
    screen.getByRole("listbox").focus();
    await user.keyboard("xjx");
    expect(screen.getByText("2 selected")).toBeTruthy();
    await user.keyboard("#");
    expect(updates()).toEqual([{ sessions: ["a", "b"], patch: { deleted: true } }]);
});

it("asks before it deletes for good in the trash", async () => {
    const user = await show("trash");
    screen.getByRole("listbox").focus();
    await user.keyboard("#");
    expect(stage.asked.some((each) => each.name === "session_purge")).toBe(false);
    await user.click(screen.getByRole("button", { name: "Delete for good" }));
    expect(stage.asked.find((each) => each.name === "session_purge")?.params).toEqual({ sessions: ["a"] });
});

it("says why a view is empty", async () => {
    stage.answers.session_list = { sessions: [], next: null };
    await show("flagged");
    expect(screen.getByText("Nothing is flagged")).toBeTruthy();
});
