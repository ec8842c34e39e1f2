import { describe, expect, it } from "vitest";

import type { SessionRow } from "@/backend";

import { groupOf, grouped, merged, viewOf } from "./views";

const at = (year: number, month: number, day: number, hour = 12) => new Date(year, month - 1, day, hour).getTime();
const row = (session: string, updatedAt: number) => ({ session, updatedAt }) as SessionRow;

describe("the list of sessions", () => {
    it("stands under the days of the person's clock", () => {
        // 2026-11-19 is a Thursday.
        const now = at(2026, 11, 19, 9);
        expect(groupOf(at(2026, 11, 19, 0), now)).toBe("Today");
        expect(groupOf(at(2026, 11, 18, 23), now)).toBe("Yesterday");
        expect(groupOf(at(2026, 11, 16, 0), now)).toBe("This week");
        expect(groupOf(at(2026, 11, 15, 23), now)).toBe("Earlier");
    });

    it("has one heading a group, the newest first", () => {
        const now = at(2026, 11, 19, 9);
        const items = grouped([row("a", now), row("b", now - 1_000), row("c", at(2026, 11, 18))], now);
        expect(items.map((item) => (item.kind === "heading" ? item.text : item.key))).toEqual(["Today", "a", "b", "Yesterday", "c"]);
    });

    it("shows each session once when pages overlap", () => {
        const pages = [[row("a", 5), row("b", 4)], [row("b", 2), row("c", 3)]];
        expect(merged(pages).map((each) => `${each.session} ${each.updatedAt}`)).toEqual(["a 5", "b 4", "c 3"]);
    });

    it("falls back to the inbox for a view that does not exist", () => {
        expect(viewOf("nonsense").view).toBe("inbox");
        expect(viewOf("needs_you").count).toBe("needsYou");
    });
});
