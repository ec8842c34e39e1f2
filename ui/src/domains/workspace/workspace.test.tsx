import { act, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";

import type { ConfigProblemRow, WorkspaceRow } from "@/backend";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { forgetWorkspace, pinWorkspace, windowWorkspace } from "@/backend/workspace";
import { ConfirmHost, Toasts, TooltipProvider } from "@/shared";

import { ProblemsBar, WorkspaceCommands, WorkspaceSwitcher } from ".";

const NONE = { connection: null, model: null, mode: null, sources: null, folder: null, effort: null };
const row = (id: string, name: string, part: Partial<WorkspaceRow> = {}): WorkspaceRow => ({
    id,
    name,
    folder: `/home/eva/${id}`,
    elsewhere: false,
    there: true,
    current: false,
    sessions: 0,
    defaults: NONE,
    setup: { mode: "ask", folders: [], sources: [], agent: "", whenBusy: "queue" },
    problems: 0,
    ...part,
});
const ROWS = [row("default", "Default", { current: true, sessions: 3 }), row("lab", "Laboratory", { sessions: 2 })];
const problem = (part: Partial<ConfigProblemRow> = {}): ConfigProblemRow => ({
    workspace: "default",
    part: "labels",
    file: "/home/eva/.an/workspaces/default/labels/config.json",
    line: 3,
    message: "expected JSON, found expected value (column 11)",
    remedy: null,
    kept: true,
    ...part,
});

let core: MockTransport;

beforeEach(() => {
    sessionStorage.clear();
    forgetWorkspace();
    forget();
    location.hash = "#/agents";
    core = mockTransport();
    core.answers = {
        workspace_list: ROWS,
        settings_update: {},
        connection_list: [],
        source_list: [],
        workspace_update: ROWS[1],
        workspace_create: row("shop", "Shop"),
        workspace_remove: { trash: "lab-1", moved: 2 },
        workspace_restore: ROWS[1],
    };
});

async function show(
    what = (
        <>
            <WorkspaceCommands />
            <WorkspaceSwitcher />
        </>
    ),
) {
    render(
        <TooltipProvider>
            {what}
            <ConfirmHost />
            <Toasts />
        </TooltipProvider>,
    );
    await act(async () => {});
    return userEvent.setup();
}
const asked = (name: string) => core.asked.filter((each) => each.name === name).map((each) => each.params);

describe("the switcher", () => {
    it("keeps the window in the workspace that it began with, whatever other windows choose", async () => {
        await show();
        expect(screen.getByRole("button", { name: "Workspace: Default" })).toBeDefined();
        expect(windowWorkspace()).toBe("default");
        core.answers.workspace_list = [
            { ...ROWS[0], current: false },
            { ...ROWS[1], current: true },
        ];
        const before = asked("workspace_list").length;
        core.tell({ event: "changed", value: ["workspaces"] });
        await waitFor(() => expect(asked("workspace_list").length).toBe(before + 1));
        await act(async () => {});
        expect(windowWorkspace()).toBe("default");
    });

    it("shows another one by its entry and by its keys, from the list's beginning", async () => {
        const user = await show();
        await user.click(screen.getByRole("button", { name: "Workspace: Default" }));
        await user.click(await screen.findByRole("menuitemcheckbox", { name: /Laboratory/ }));
        expect(windowWorkspace()).toBe("lab");
        expect(location.hash).toBe("#/view/inbox");
        expect(asked("settings_update")).toEqual([{ workspace: "lab" }]);
        await user.keyboard("{Control>}{Alt>}1{/Alt}{/Control}");
        expect(windowWorkspace()).toBe("default");
    });

    it("leaves a workspace that is gone", async () => {
        pinWorkspace("gone");
        await show();
        expect(windowWorkspace()).toBe("default");
        expect(await screen.findByText(/The workspace gone no longer exists/)).toBeDefined();
    });

    it("creates one, sets what new sessions begin with, and asks before one goes", async () => {
        const user = await show();
        await user.click(screen.getByRole("button", { name: "Workspace: Default" }));
        await user.click(await screen.findByRole("menuitem", { name: "Manage workspaces…" }));
        const dialog = await screen.findByRole("dialog", { name: "Workspaces" });
        await user.type(within(dialog).getByRole("textbox", { name: "New workspace" }), "Shop{Enter}");
        expect(asked("workspace_create")).toEqual([{ name: "Shop" }]);
        await user.click(within(dialog).getByRole("button", { name: "Laboratory" }));
        const form = within(dialog).getByRole("form", { name: "Laboratory" });
        await user.type(within(form).getByRole("textbox", { name: "Working folder" }), "~/lab");
        await user.click(within(form).getByRole("button", { name: "Save" }));
        expect(asked("workspace_update")).toEqual([
            { workspace: "lab", name: null, defaults: { ...NONE, folder: "~/lab" } },
        ]);
        await user.click(within(form).getByRole("button", { name: "Remove…" }));
        const question = await screen.findByRole("alertdialog");
        expect(question.textContent).toContain("2 sessions move to Default.");
        await user.click(within(question).getByRole("button", { name: "Remove" }));
        expect(asked("workspace_remove")).toEqual([{ workspace: "lab", moveTo: "default" }]);
        await user.click(await screen.findByRole("button", { name: "Undo" }));
        expect(asked("workspace_restore")).toEqual([{ trash: "lab-1" }]);
    });
});

describe("the bar of broken files", () => {
    it("names file, line and reason, and says what is in use", async () => {
        pinWorkspace("default");
        core.answers.config_problems = [problem(), problem({ workspace: "lab", file: "/x/labels/config.json" })];
        await show(<ProblemsBar />);
        const bar = screen.getByRole("region", { name: "Invalid files" });
        expect(bar.textContent).toContain(
            "labels/config.json, line 3: expected JSON, found expected value (column 11). The last valid version stays in use.",
        );
    });

    it("is hidden until something else is wrong", async () => {
        pinWorkspace("default");
        core.answers.config_problems = [problem()];
        const user = await show(<ProblemsBar />);
        await user.click(screen.getByRole("button", { name: "Hide" }));
        expect(screen.queryByRole("region", { name: "Invalid files" })).toBeNull();
        core.answers.config_problems = [problem({ line: 4 }), problem({ part: "views" })];
        core.tell({ event: "changed", value: ["problems"] });
        await user.click(await screen.findByRole("button", { name: "Show all" }));
        expect(screen.getAllByRole("listitem")).toHaveLength(2);
    });

    it("is not there while nothing is wrong", async () => {
        core.answers.config_problems = [];
        await show(<ProblemsBar />);
        expect(screen.queryByRole("region", { name: "Invalid files" })).toBeNull();
    });
});
