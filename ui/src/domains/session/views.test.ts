import { describe, expect, it } from "vitest";

import type { Organisation } from "@/backend";
import { organised } from "@/domains/organise";

import { groupWord, listName, listOf, viewOf } from "./views";

const data: Organisation = {
    statuses: [
        {
            id: "todo",
            label: "Todo",
            category: "open",
            icon: null,
            color: null,
            shortcut: "1",
            fixed: true,
            sessions: 0,
        },
    ],
    defaultStatus: "todo",
    labels: [
        {
            id: "work",
            name: "Work",
            color: null,
            valueType: null,
            autoRules: [],
            sessions: 0,
            children: [
                { id: "bug", name: "Bug", color: null, valueType: null, autoRules: [], sessions: 0, children: [] },
            ],
        },
    ],
    views: [
        {
            id: "stale",
            name: "Stale",
            description: "Long untouched",
            color: null,
            expression: "daysSince(lastUsedAt) > 14",
            groupBy: "status",
            sort: [],
            sessions: 2,
            mistakes: [],
            faults: [],
        },
        {
            id: "dear",
            name: "Dear",
            description: null,
            color: null,
            expression: "costUsd > 1",
            groupBy: null,
            sort: [{ field: "costUsd", direction: "desc" }],
            sessions: 2,
            mistakes: [],
            faults: [],
        },
    ],
    problems: [],
};
const organisation = organised(data);

describe("a list's name", () => {
    it("leads to the program's own view, and to the inbox when it means nothing", () => {
        expect(listOf("flagged", organisation).query).toEqual({ view: "flagged" });
        expect(listOf("nonsense", organisation).name).toBe("inbox");
        expect(viewOf("needs_you").count).toBe("needsYou");
    });

    it("leads to a status, a label or a view", () => {
        expect(listOf(listName("status", "todo"), organisation)).toMatchObject({
            label: "Todo",
            query: { view: "inbox", status: "todo" },
        });
        expect(listOf(listName("label", "bug"), organisation)).toMatchObject({
            label: "Bug",
            query: { view: "inbox", label: "bug" },
        });
        expect(listOf(listName("saved", "stale"), organisation)).toMatchObject({
            label: "Stale",
            query: { view: "inbox", saved: "stale" },
            groupBy: "status",
        });
    });

    it("says that a view is gone", () => {
        expect(listOf("saved:gone", organisation).empty.title).toBe("This view no longer exists");
    });
});

it("does not group a view that has an order of its own", () => {
    expect(listOf("saved:dear", organisation).groupBy).toBeUndefined();
});

it("names groups as people do", () => {
    const word = (by: Parameters<typeof groupWord>[0], key: string) =>
        groupWord(by, key, organisation, () => "Explore");
    expect([
        word("date", "week"),
        word("label", "bug"),
        word("label", ""),
        word("agent", ""),
        word("mode", "safe"),
        word("unread", "read"),
    ]).toEqual(["This week", "Bug", "No label", "No agent", "Explore", "Read"]);
});
