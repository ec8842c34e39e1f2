import { expect, it } from "vitest";

import { fuzzyScore } from "./fuzzy";
import { formatDuration, formatRelative } from "./time";

it.each([
    [0, "0 ms"],
    [42, "42 ms"],
    [812, "0.8 s"],
    [4_190, "4.1 s"],
    [12_800, "12 s"],
    [72_400, "1 m 12 s"],
    [3_661_000, "1 h 01 m"],
])("%d ms reads %s", (ms, words) => {
    expect(formatDuration(ms)).toBe(words);
});

it("tells how long ago, shortly", () => {
    const now = new Date(2026, 7, 21, 12).getTime();
    const ago = (ms: number) => formatRelative(now - ms, now);
    expect([
        ago(5_000),
        ago(180_000),
        ago(7_200_000),
        ago(30 * 3_600_000),
        ago(4 * 86_400_000),
        ago(60 * 86_400_000),
        ago(800 * 86_400_000),
    ]).toEqual([...["now", "3 m", "2 h", "yesterday", "4 d", "22 Jun", "12 Jun 2024"]]);
});

it("finds what was meant, the best first", () => {
    const best = (query: string, texts: string[]) =>
        texts
            .map((text) => [text, fuzzyScore(query, text)] as const)
            .filter((pair): pair is readonly [string, number] => pair[1] !== undefined)
            .sort((a, b) => b[1] - a[1])[0]?.[0];
    expect(best("arc", ["Search the archive", "Archive this session", "A really cold case"])).toBe(
        "Archive this session",
    );
    expect(best("ns", ["Answers", "New session"])).toBe("New session");
    expect(fuzzyScore("xyz", "Archive")).toBeUndefined();
});
