import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";

import { Failure, type Settings } from "@/backend";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { Toasts, TooltipProvider, useShortcut } from "@/shared";

import { AppliedSettings } from "./AppliedSettings";
import { ShortcutNotes, joined } from "./knownShortcuts";
import { SettingsPage } from "./SettingsPage";
import { ShortcutSettings } from "./ShortcutSettings";
import { changeSettings, forgetSettings } from "./useSettings";

let core: MockTransport;
let kept: Settings;

beforeEach(() => {
    forget();
    forgetSettings();
    kept = {
        mode: "light",
        theme: "paper",
        zoom: 1,
        notifications: true,
        closeToTray: false,
        defaultAgent: "",
        defaultDepth: "",
        defaultConnection: "",
        agentConnections: {},
        enterSends: true,
        pauseFollowUps: false,
        modelTitles: false,
        welcomed: true,
        workspace: "default",
        backup: { every: "off", folder: "", keep: 7, bases: false },
        retention: { archiveDoneDays: 0, trashArchivedDays: 0, emptyTrashDays: 7, keepFlagged: true, keepLabels: [] },
        limits: { all: { run: 5, day: 20, month: 100 }, asked: false },
    };
    core = mockTransport();
    core.answers = {
        settings_show: () => kept,
        settings_update: (patch: unknown) => (kept = { ...kept, ...(patch as Partial<Settings>) }),
        agent_list: [],
        theme_list: { own: [], workspace: null, workspaceBase: null },
        connection_list: [
            {
                slug: "offline",
                name: "Offline",
                description: "On this machine.",
                provider: "offline",
                address: "",
                credential: "not_needed",
                defaultModel: null,
                models: ["extractive"],
                default: true,
                builtIn: true,
                flatRate: false,
                tested: null,
                problem: null,
            },
        ],
    };
});

async function show(section: string) {
    render(
        <TooltipProvider>
            <AppliedSettings />
            <SettingsPage section={section} />
            <Toasts />
        </TooltipProvider>,
    );
    await act(async () => {});
    return userEvent.setup();
}

test("a theme holds at once, on the whole window", async () => {
    const user = await show("appearance");
    await user.click(screen.getByRole("radio", { name: "Slate" }));
    expect(document.documentElement.dataset.theme).toBe("slate");
    expect(core.asked.filter(({ name }) => name === "settings_update").map(({ params }) => params)).toEqual([
        { theme: "slate" },
    ]);
});

test("a setting that can't be kept goes back, and the person is told why", async () => {
    core.answers.settings_update = () => {
        throw new Failure({
            code: "storage",
            message: "The disk is full.",
            retryable: true,
            action: "Free some space.",
        });
    };
    const user = await show("appearance");
    await user.click(screen.getByRole("radio", { name: "Dark" }));
    expect(await screen.findByText(/The disk is full/)).toBeTruthy();
    expect(screen.getByRole("radio", { name: "Light" })).toHaveProperty("ariaChecked", "true");
    expect(document.documentElement.dataset.mode).toBe("light");
});

test("of two changes at once none undoes the other", async () => {
    // As a core does that reads, changes and writes for each of them at the same time.
    core.answers.settings_update = async (patch: unknown) => {
        const before = kept;
        await new Promise((resolve) => setTimeout(resolve, "welcomed" in (patch as object) ? 60 : 20));
        return (kept = { ...before, ...(patch as Partial<Settings>) });
    };
    kept.welcomed = false;
    const user = await show("appearance");
    const welcomed = changeSettings({ welcomed: true });
    await user.click(screen.getByRole("radio", { name: "Slate" }));
    await act(async () => {
        await welcomed;
    });
    await waitFor(() => expect(kept).toMatchObject({ welcomed: true, theme: "slate" }));
    expect(document.documentElement.dataset.theme).toBe("slate");
});

test("an answer that comes late does not undo what another window changed since", async () => {
    let answer = () => {};
    core.answers.settings_update = (patch: unknown) => {
        const carriedOut = (kept = { ...kept, ...(patch as Partial<Settings>) });
        return new Promise((resolve) => (answer = () => resolve(carriedOut)));
    };
    const user = await show("appearance");
    await user.click(screen.getByRole("radio", { name: "Slate" }));
    kept = { ...kept, zoom: 1.2 };
    core.tell({ event: "changed", value: ["settings"] });
    expect(await screen.findByText("120 %")).toBeTruthy();
    const reads = () => core.asked.filter(({ name }) => name === "settings_show").length;
    const before = reads();
    await act(async () => answer());
    await waitFor(() => expect(reads()).toBeGreaterThan(before));
    expect(await screen.findByText("120 %")).toBeTruthy();
    expect(document.documentElement.dataset.theme).toBe("slate");
});

test("connections and credentials have parts of their own", async () => {
    await show("connections");
    expect(await screen.findByText("Offline")).toBeTruthy();
    expect(screen.getByRole("link", { name: "Credentials" }).getAttribute("href")).toBe("#/settings/credentials");
});

test("titles by the model are switched on in Writing", async () => {
    const user = await show("writing");
    await user.click(screen.getByRole("switch", { name: "Titles by the model" }));
    expect(kept.modelTitles).toBe(true);
});

test("the focus goes back to the shortcut that was to be changed, and not away from where it went", async () => {
    function Page() {
        useShortcut("quiet", "q", "Be quiet", () => {}, { group: "Test" });
        return (
            <>
                <ShortcutNotes />
                <ShortcutSettings />
            </>
        );
    }
    render(<Page />, { wrapper: TooltipProvider });
    const change = () => screen.getByRole("button", { name: /^Change the shortcut of “Be quiet”/ });
    const user = userEvent.setup();
    await screen.findByText("Be quiet");
    await user.click(change());
    await user.keyboard("{Escape}");
    await waitFor(() => expect(document.activeElement).toBe(change()));
    await user.keyboard("{Enter}");
    await user.click(screen.getByRole("searchbox"));
    await waitFor(() => expect(screen.queryByText("Press keys…")).toBeNull());
    expect(document.activeElement).toBe(screen.getByRole("searchbox"));
});

test("shortcuts that were seen stay known, the newest words first", () => {
    const old = [{ id: "a", keys: "j", label: "Next", group: "List" }];
    const next = joined(old, [
        { id: "b", keys: "Ctrl+B", label: "Sidebar", group: "Window" },
        { id: "c", keys: "", label: "Only a command", group: "Window" },
    ]);
    expect(next.map(({ id }) => id)).toEqual(["b", "a"]);
    expect(joined(next, [{ id: "b", keys: "Ctrl+B", label: "Sidebar", group: "Window" }])).toBe(next);
});
