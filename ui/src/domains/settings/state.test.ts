import { expect, test } from "vitest";

import type { Settings } from "@/backend";

import { UNREAD, otherMode, settle, shown, zoomed, type SettingsEvent } from "./state";

const KEPT: Settings = {
    mode: "system",
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
    welcomed: false,
    backup: { every: "off", folder: "", keep: 7, bases: false },
    retention: { archiveDoneDays: 0, trashArchivedDays: 0, emptyTrashDays: 7, keepFlagged: true, keepLabels: [] },
    limits: { all: { run: 5, day: 20, month: 100 }, asked: false },
    workspace: "default",
};
const after = (...events: SettingsEvent[]) => events.reduce(settle, settle(UNREAD, { do: "read", settings: KEPT }));

test("a choice holds at once", () => {
    expect(shown(after({ do: "choose", id: 1, patch: { theme: "slate" } }))).toEqual({ ...KEPT, theme: "slate" });
});

test("a choice that could not be kept falls away", () => {
    expect(shown(after({ do: "choose", id: 1, patch: { theme: "slate" } }, { do: "revert", id: 1 }))).toEqual(KEPT);
});

test("a failed choice takes no later one with it", () => {
    const state = after(
        { do: "choose", id: 1, patch: { theme: "slate" } },
        { do: "choose", id: 2, patch: { zoom: 1.2 } },
        { do: "revert", id: 1 },
    );
    expect(shown(state)).toEqual({ ...KEPT, zoom: 1.2 });
});

test("a later choice of the same thing outlives the earlier one's confirmation", () => {
    const state = after(
        { do: "choose", id: 1, patch: { theme: "slate" } },
        { do: "choose", id: 2, patch: { theme: "sepia" } },
        { do: "keep", id: 1, settings: { ...KEPT, theme: "slate" } },
    );
    expect(shown(state)?.theme).toBe("sepia");
    expect(shown(settle(state, { do: "revert", id: 2 }))?.theme).toBe("slate");
});

test("what another window changed does not undo a choice on its way", () => {
    const state = after(
        { do: "choose", id: 1, patch: { theme: "slate" } },
        { do: "read", settings: { ...KEPT, enterSends: false } },
    );
    expect(shown(state)).toEqual({ ...KEPT, theme: "slate", enterSends: false });
});

test("what a patch leaves alone stays", () => {
    expect(shown(after({ do: "choose", id: 1, patch: { theme: null, closeToTray: true } }))).toEqual({
        ...KEPT,
        closeToTray: true,
    });
});

test("nothing is shown before anything was read", () => {
    expect(shown(settle(UNREAD, { do: "choose", id: 1, patch: { theme: "slate" } }))).toBeUndefined();
});

test("zoom goes by tenths and stops at its ends", () => {
    expect(zoomed(1, 1)).toBe(1.1);
    expect(zoomed(0.94, -1)).toBe(0.8);
    expect(zoomed(1.6, 1)).toBe(1.6);
    expect(zoomed(0.7, -1)).toBe(0.7);
});

test("light and dark swap, and system counts as what the desktop has", () => {
    expect(otherMode("light", true)).toBe("dark");
    expect(otherMode("dark", false)).toBe("light");
    expect(otherMode("system", true)).toBe("light");
    expect(otherMode("system", false)).toBe("dark");
});
