import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, test, vi } from "vitest";

import type { SearchHit, SessionRow } from "@/backend";
import { mockTransport } from "@/backend/mock-transport";
import { forget } from "@/backend/query";
import { CommandPalette, TooltipProvider, useShortcut, useShortcuts, type Shortcut } from "@/shared";

import { Palette } from "./Palette";
import { WindowCommands } from "./WindowCommands";
import { commandItems, paletteItems } from "./items";

const shortcut = (id: string, keys: string, label: string, group = "Window"): Shortcut => ({ id, keys, label, group });
const session = (id: string, title: string): SessionRow => ({
    session: id,
    title,
    createdAt: 0,
    updatedAt: 0,
    runs: 1,
    latest: null,
    flagged: false,
    unread: false,
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
const hit = (kind: SearchHit["kind"], id: string, title: string): SearchHit => ({ kind, id, title, line: title });

const options = () => screen.getAllByRole("option").map((option) => option.textContent);

describe("the palette's items", () => {
    test("name a command once, with its keys where it has some", () => {
        const items = commandItems([
            shortcut("place-inbox", "", "Inbox", "Go"),
            shortcut("go-inbox", "g then i", "Inbox", "Go"),
            shortcut("new-question", "Ctrl+N", "New question"),
            shortcut("new", "c", "New question", "Go"),
        ]);
        expect(items.map(({ label, shortcut, group }) => [label, shortcut, group])).toEqual([
            ["New question", "Ctrl+N", "Commands"],
            ["Inbox", "g then i", "Go to"],
        ]);
    });

    test("leave the palette's own command out", () => {
        expect(commandItems([shortcut("palette", "Ctrl+K", "Commands and search")])).toEqual([]);
    });

    test("name a session once though it is recent and was found", () => {
        const items = paletteItems(
            [],
            [session("s1", "Going concern")],
            [hit("session", "s1", "Going concern"), hit("agent", "isa", "ISA")],
            "going",
        );
        expect(items.map(({ id, group }) => [id, group])).toEqual([
            ["session-s1", "Recent sessions"],
            ["agent-isa", "Agents"],
            ["search-everything", "Search"],
        ]);
    });
});

test("what was probably meant is offered above the search for what was typed", () => {
    const items = paletteItems([], [], [], "materialty ", [], "materiality ");
    expect(items.map(({ label }) => label)).toEqual([
        "Did you mean “materiality”?",
        "Search everything for “materialty”",
    ]);
    items[0]?.onSelect();
    expect(location.hash).toBe("#/search?q=materiality");
    expect(paletteItems([], [], [], "same", [], "same ")).toHaveLength(1);
});

describe("ranking", () => {
    const show = (query: string, hits: SearchHit[] = []) => {
        const items = paletteItems(
            [
                shortcut("mode", "Ctrl+Shift+A", "Toggle light and dark", "Look"),
                shortcut("settings", "Ctrl+,", "Settings"),
                shortcut("place-settings-data", "", "Settings: Data", "Go"),
                shortcut("zoom-in", "Ctrl+=", "Zoom in", "Look"),
            ],
            [],
            hits,
            query,
        );
        return render(<CommandPalette open onOpenChange={() => {}} items={items} />);
    };

    test("puts a command that begins with what was typed first", async () => {
        show("sett", [hit("session", "s1", "An audit that was settled")]);
        await userEvent.keyboard("sett");
        expect(options()[0]).toContain("Settings");
    });

    test("offers the search over everything behind all that fits", async () => {
        show("sett");
        await userEvent.keyboard("sett");
        expect(options().pop()).toBe("Search everything for “sett”");
    });

    test("finds a command by letters strewn about, and by its group", async () => {
        show("");
        await userEvent.keyboard("tgd");
        expect(options()[0]).toContain("Toggle light and dark");
        await userEvent.clear(screen.getByRole("combobox"));
        await userEvent.keyboard("look");
        expect(options().map((text) => text?.replace(/Ctrl.*/, ""))).toEqual(["Toggle light and dark", "Zoom in"]);
    });

    test("keeps what the search found though its title lacks the letters", async () => {
        show("fraud", [hit("session", "s1", "ISA 240")]);
        await userEvent.keyboard("fraud");
        expect(options()).toEqual([expect.stringContaining("ISA 240"), "Search everything for “fraud”"]);
    });
});

test("a command is carried out from the palette as by its keys", async () => {
    const done = vi.fn();
    function Page() {
        useShortcut("archive", "Ctrl+Shift+E", "Archive", () => void done(), { group: "Session" });
        return <CommandPalette open onOpenChange={() => {}} items={commandItems(useShortcuts())} />;
    }
    render(<Page />);
    await userEvent.keyboard("arch{Enter}");
    expect(done).toHaveBeenCalledOnce();
});

test("leads to every part of the program that the sidebar lists", () => {
    forget();
    const core = mockTransport();
    core.answers = { organise_show: { statuses: [], labels: [], views: [], problems: [] } };
    function Page() {
        return <CommandPalette open onOpenChange={() => {}} items={commandItems(useShortcuts())} />;
    }
    render(
        <TooltipProvider>
            <WindowCommands />
            <Page />
        </TooltipProvider>,
    );
    for (const part of [
        "Agents",
        "Knowledge",
        "Sources",
        "Skills",
        "Missions",
        "Tasks",
        "Automations",
        "Usage",
        "Help",
    ])
        expect(options()).toContain(part);
});

test("no letter is lost when something else takes the focus from the palette", async () => {
    render(<CommandPalette open onOpenChange={() => {}} items={[]} />);
    const field = screen.getByRole<HTMLInputElement>("combobox");
    field.blur();
    expect(document.activeElement).toBe(document.body);
    await userEvent.keyboard("settings");
    expect(field.value).toBe("settings");
});

test("days of a filter are the person's days", async () => {
    forget();
    const zone = vi.spyOn(Date.prototype, "getTimezoneOffset").mockReturnValue(-540);
    const core = mockTransport();
    core.answers = {
        session_list: { sessions: [], next: null },
        search: [],
        content_search: { sessions: [], mistakes: [], completions: [], more: false },
    };
    render(<Palette />, { wrapper: TooltipProvider });
    const user = userEvent.setup();
    await user.keyboard("{Control>}k{/Control}");
    await user.type(await screen.findByRole("combobox"), "after:2026-11-28");
    await waitFor(() =>
        expect(core.asked.filter(({ name }) => name === "content_search").at(-1)?.params).toMatchObject({
            line: "after:2026-11-28",
            offsetMinutes: 540,
        }),
    );
    zone.mockRestore();
});
