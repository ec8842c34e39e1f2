import { describe, expect, it } from "vitest";

import type { SessionPage, SessionRow } from "@/backend";

import { itemsOf, learn, pagesIn, rowsOf, trimmed, type Known, type ListItem } from "./groups";

const page = (sessions: string[], next: number | null): SessionPage => ({
    sessions: sessions.map((session) => ({ session }) as SessionRow),
    next,
});
const NONE: ReadonlySet<string> = new Set();
const words = (items: readonly ListItem[]) =>
    items.map((item) =>
        item.kind === "heading"
            ? `# ${item.group} ${item.count}`
            : item.kind === "more"
              ? `… ${item.ref.group} ${item.ref.page}`
              : item.row.session,
    );
const groups = [
    { key: "today", count: 3 },
    { key: "older", count: 1 },
];

describe("a list of groups", () => {
    it("stands for what was not read yet, and grows page by page", () => {
        let known: Known = new Map();
        expect(words(itemsOf(groups, known, NONE, true))).toEqual(["# today 3", "… today 0", "# older 1", "… older 0"]);
        known = learn(known, { group: "today", page: 0, cursor: null }, page(["a", "b"], 7));
        expect(words(itemsOf(groups, known, NONE, true))).toEqual([
            "# today 3",
            "a",
            "b",
            "… today 1",
            "# older 1",
            "… older 0",
        ]);
        known = learn(known, { group: "today", page: 1, cursor: 7 }, page(["c"], null));
        known = learn(known, { group: "older", page: 0, cursor: null }, page(["d"], null));
        expect(words(itemsOf(groups, known, NONE, true))).toEqual(["# today 3", "a", "b", "c", "# older 1", "d"]);
    });

    it("hides what is folded and leaves empty groups out", () => {
        const known = learn(new Map(), { group: "older", page: 0, cursor: null }, page(["d"], null));
        expect(words(itemsOf([...groups, { key: "none", count: 0 }], known, new Set(["today"]), true))).toEqual([
            "# today 3",
            "# older 1",
            "d",
        ]);
    });

    it("shows each session once, but in every group of a label that it has", () => {
        const known = learn(
            learn(new Map(), { group: "today", page: 0, cursor: null }, page(["a", "b"], null)),
            { group: "older", page: 0, cursor: null },
            page(["b"], null),
        );
        expect(words(itemsOf(groups, known, NONE, true))).toEqual(["# today 3", "a", "b", "# older 1"]);
        const twice = itemsOf(groups, known, NONE, false);
        expect(words(twice)).toEqual(["# today 3", "a", "b", "# older 1", "b"]);
        expect(new Set(twice.map((item) => item.key)).size).toBe(twice.length);
        expect(rowsOf(twice).map((row) => row.session)).toEqual(["a", "b"]);
    });

    it("asks for the pages in sight, from where they begin now", () => {
        let known: Known = learn(new Map(), { group: "today", page: 0, cursor: null }, page(["a", "b"], 7));
        known = learn(known, { group: "today", page: 1, cursor: 7 }, page(["c"], null));
        known = learn(known, { group: "today", page: 0, cursor: null }, page(["n", "a", "b"], 8));
        const items = itemsOf(groups, known, NONE, true);
        expect(pagesIn(items, known, 0, items.length)).toEqual([
            { group: "today", page: 0, cursor: null },
            { group: "today", page: 1, cursor: 8 },
            { group: "older", page: 0, cursor: null },
        ]);
        // The rows of the page behind stay until it is read again.
        expect(words(items)).toContain("c");
    });

    it("does not change when nothing new came", () => {
        const result = page(["a"], null);
        const known = learn(new Map(), { group: "today", page: 0, cursor: null }, result);
        expect(learn(known, { group: "today", page: 0, cursor: null }, result)).toBe(known);
    });

    it("forgets what is behind the pages in sight, and keeps what is above", () => {
        let known: Known = new Map();
        for (const [index, next] of [
            [0, 5],
            [1, 6],
            [2, null],
        ] as const)
            known = learn(
                known,
                { group: "today", page: index, cursor: index === 0 ? null : index + 4 },
                page([`t${index}`], next),
            );
        known = learn(known, { group: "older", page: 0, cursor: null }, page(["o"], null));
        const kept = trimmed(known, groups, [{ group: "today", page: 1, cursor: 5 }]);
        expect(words(itemsOf(groups, kept, NONE, true))).toEqual([
            "# today 3",
            "t0",
            "t1",
            "… today 2",
            "# older 1",
            "… older 0",
        ]);
    });

    it("lists without headings where nothing is grouped", () => {
        const known = learn(new Map(), { group: "", page: 0, cursor: null }, page(["a"], null));
        expect(words(itemsOf([{ key: "", count: undefined }], known, NONE, true))).toEqual(["a"]);
    });
});
