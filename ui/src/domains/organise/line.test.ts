import { describe, expect, it } from "vitest";

import { cutAt, taken } from "./line";

const mark = (start: number, end: number, tone: "mistake" | "note" = "mistake") => ({ at: { start, end }, tone });
const drawn = (text: string, ...marks: ReturnType<typeof mark>[]) =>
    cutAt(text, marks)
        .map((piece) => (piece.tone === undefined ? piece.text : `[${piece.text}]`))
        .join("");

describe("the pieces of a line", () => {
    it("mark what is wrong where it stands", () => {
        expect(drawn("foo == 1", mark(0, 3))).toBe("[foo] == 1");
        expect(drawn("foo == bar", mark(7, 10), mark(0, 3, "note"))).toBe("[foo] == [bar]");
    });

    it("show a missing end at the last letter", () => {
        expect(drawn("not (", mark(5, 5))).toBe("not [(]");
        expect(drawn("a", mark(9, 12))).toBe("a");
    });

    it("give back the whole text whatever the marks are", () => {
        for (const marks of [[mark(0, 99)], [mark(3, 1)], [mark(1, 4), mark(2, 6)], [mark(0, 0)], [mark(-3, 2)]]) {
            expect(
                cutAt("a b 😀 c", marks)
                    .map((piece) => piece.text)
                    .join(""),
            ).toBe("a b 😀 c");
        }
        expect(cutAt("", [mark(0, 0)])).toEqual([]);
    });
});

it("puts a completion in place of what was begun", () => {
    expect(taken("hasU and x", { start: 0, end: 4 }, "hasUnread")).toEqual({ text: "hasUnread and x", caret: 9 });
    expect(taken("a", { start: 5, end: 9 }, "b")).toEqual({ text: "ab", caret: 2 });
});
