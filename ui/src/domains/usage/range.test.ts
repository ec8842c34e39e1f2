import { describe, expect, it } from "vitest";

import type { UsageSum } from "@/backend";

import { barsOf, ceilingOf, dayOf, dayWord, queryOf, rangeOf } from "./range";

const MIDNIGHT = new Date(2026, 2, 9).getTime();
const day = (key: string, over: Partial<UsageSum> = {}): UsageSum => ({
    key,
    title: key,
    calls: 1,
    failed: 0,
    usage: { input: 10, output: 1, cacheRead: 5 },
    cost: 100,
    equivalent: 0,
    unpriced: 0,
    ...over,
});

describe("a span of time", () => {
    it("begins at a midnight here, the present day being its last", () => {
        expect(new Date(queryOf("7", MIDNIGHT).from ?? 0)).toEqual(new Date(2026, 2, 3));
        expect(queryOf("all", MIDNIGHT)).not.toHaveProperty("from");
        expect(queryOf("all", MIDNIGHT).utcOffsetMinutes).toBe(-new Date(MIDNIGHT).getTimezoneOffset());
    });

    it("that an address makes up is the usual one", () => {
        expect([undefined, "7", "all", "12", "<b>"].map(rangeOf)).toEqual(["30", "7", "all", "30", "30"]);
    });

    it("has a bar for every day, those without usage too", () => {
        const { bars, step } = barsOf([day("2026-03-05"), day("2026-03-09")], "7", MIDNIGHT);
        expect(step).toBe("day");
        expect(bars.map(({ key, calls }) => [key, calls])).toEqual([
            ["2026-03-03", 0],
            ["2026-03-04", 0],
            ["2026-03-05", 1],
            ["2026-03-06", 0],
            ["2026-03-07", 0],
            ["2026-03-08", 0],
            ["2026-03-09", 1],
        ]);
    });

    it("is put together where it is long, and loses nothing", () => {
        const days = [day("2025-09-01"), day("2025-09-02"), day("2026-03-09")];
        const weeks = barsOf(days, "all", MIDNIGHT);
        expect(weeks.step).toBe("week");
        expect(weeks.bars.length).toBeLessThanOrEqual(92);
        expect(weeks.bars[weeks.bars.length - 1]).toMatchObject({ key: "2026-03-03", to: "2026-03-09" });
        const months = barsOf([day("2019-01-15"), ...days], "all", MIDNIGHT);
        expect(months.step).toBe("month");
        for (const { bars } of [weeks, months])
            expect(bars.reduce((all, bar) => all + bar.usage.input, 0)).toBe(
                10 * bars.reduce((all, bar) => all + bar.calls, 0),
            );
        expect(months.bars.reduce((all, bar) => all + bar.cost, 0)).toBe(400);
    });

    it("without any usage has no bars", () => {
        expect(barsOf([], "all", MIDNIGHT).bars).toEqual([]);
        expect(barsOf([], "7", MIDNIGHT).bars).toHaveLength(7);
    });
});

describe("an axis", () => {
    it("ends at a round number that nothing goes over", () => {
        expect([0, 0.004, 0.3, 1, 1.2, 4.9, 7, 99, 1_234_567].map(ceilingOf)).toEqual([
            1, 0.005, 0.5, 1, 2, 5, 10, 100, 2_000_000,
        ]);
    });

    it("names days shortly", () => {
        expect(dayOf(MIDNIGHT)).toBe("2026-03-09");
        expect([
            dayWord("2026-03-09"),
            dayWord("2026-03-03", "2026-03-09"),
            dayWord("2026-02-26", "2026-03-04"),
        ]).toEqual(["9 Mar", "3–9 Mar", "26 Feb – 4 Mar"]);
    });
});
