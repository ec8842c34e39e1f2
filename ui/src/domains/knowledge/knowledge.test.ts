import { describe, expect, test } from "vitest";

import {
    citationProblem,
    exampleCitation,
    nameFrom,
    namesTheWork,
    nameProblem,
    pathsIn,
    pathsProblem,
    stemOf,
} from "./name";
import type { JobState } from "@/backend";
import { merge } from "./jobs";
import { pieces } from "@/shared/pieces";
import { excerpt } from "./pieces";

describe("a base's name", () => {
    test.each(["isa", "isa-2025", "policies_v2", "law.de", "7"])("%s can be used", (name) =>
        expect(nameProblem(name)).toBeUndefined(),
    );

    test.each([
        ["", "Enter a name."],
        ["ISA", "Lower-case letters only."],
        ["my base", "No spaces: use a hyphen."],
        ["-isa", "A name starts with a letter or a digit."],
        [".hidden", "A name starts with a letter or a digit."],
        ["isa/200", "“/” is not allowed in a name: use lower-case letters, digits, hyphens, dots and underscores."],
        ["a".repeat(65), "At most 64 characters; this has 65."],
    ])("%s can't, and it says why", (name, why) => expect(nameProblem(name)).toBe(why));

    test.each([
        ["Audit Standards (2025)", "audit-standards-2025"],
        ["Prüfungs—Handbuch", "prufungs-handbuch"],
        ["...", ""],
        ["x".repeat(63) + " y", "x".repeat(63)],
    ])("is made from %s", (text, name) => {
        expect(nameFrom(text)).toBe(name);
        if (name !== "") expect(nameProblem(name)).toBeUndefined();
    });
});

describe("paths", () => {
    test("are taken line by line, without quotes and addresses, each once", () => {
        expect(pathsIn('/a/b\n\n "/c d/e.md" \nfile:///a/f%20g.txt\r\n/a/b')).toEqual([
            "/a/b",
            "/c d/e.md",
            "/a/f g.txt",
        ]);
    });

    test("need to be whole", () => {
        expect(pathsProblem([])).toBe("Enter at least one file or folder.");
        expect(pathsProblem(["docs"])).toContain("absolute path");
        expect(pathsProblem(["/docs", "C:\\docs", "~/docs"])).toBeUndefined();
    });

    test.each([
        ["/home/eva/Audit Manual/", "Audit Manual"],
        ["/home/eva/isa-200.md.gz", "isa-200"],
        ["C:\\texts\\law.TXT", "law"],
        ["/srv/v1.2", "v1.2"],
    ])("%s may be called %s", (path, stem) => expect(stemOf(path)).toBe(stem));
});

test("a citation form has a place for the number", () => {
    expect(citationProblem("(ISA id)")).toContain("{id}");
    expect(citationProblem("")).toBeUndefined();
    expect(exampleCitation("(ISA {id})")).toBe("(ISA 4.12)");
    expect(exampleCitation("")).toBe("(4.12)");
    expect(["(ISA {id})", "({id})", ""].map(namesTheWork)).toEqual([true, false, false]);
});

describe("marks in a text", () => {
    const joined = (text: string, ranges: { start: number; end: number }[]) =>
        pieces(text, ranges)
            .map(({ text, marked }) => (marked ? `[${text}]` : text))
            .join("");

    test("cut it without losing a letter", () => {
        expect(
            joined("the risk of fraud", [
                { start: 12, end: 17 },
                { start: 4, end: 8 },
            ]),
        ).toBe("the [risk] of [fraud]");
    });

    test("that overlap or touch are one", () => {
        expect(
            joined("abcdef", [
                { start: 0, end: 3 },
                { start: 2, end: 4 },
                { start: 4, end: 5 },
            ]),
        ).toBe("[abcde]f");
    });

    test("outside of the text are left out", () => {
        expect(
            joined("abc", [
                { start: 2, end: 9 },
                { start: 7, end: 8 },
                { start: 1, end: 1 },
            ]),
        ).toBe("ab[c]");
    });

    test("stay on their words in an excerpt", () => {
        const text = `${"word ".repeat(100)}materiality ${"word ".repeat(100)}`;
        const start = text.indexOf("materiality");
        const part = excerpt(text, [{ start, end: start + 11 }], 120);
        expect(part.text.length).toBeLessThanOrEqual(120);
        expect(part.ranges.map((range) => part.text.slice(range.start, range.end))).toEqual(["materiality"]);
        expect([part.before, part.after]).toEqual([true, true]);
    });

    test("a short text is its own excerpt", () => {
        expect(excerpt("short", [], 100)).toEqual({ text: "short", ranges: [], before: false, after: false });
    });
});

describe("jobs", () => {
    const job = (job: string, startedAt: number, status: "running" | "done", done = 0): JobState => ({
        job,
        kind: "ingest",
        subject: "b",
        status,
        text: "",
        done,
        total: 9,
        warnings: [],
        problem: null,
        startedAt,
    });

    test("that were told of go on, what has ended stays ended, and the newest stands first", () => {
        const listed = [job("a", 1, "running"), job("b", 2, "done", 9)];
        const since = new Map([
            ["a", job("a", 1, "running", 4)],
            ["b", job("b", 2, "running", 5)],
            ["c", job("c", 3, "running")],
        ]);
        expect(merge(listed, since).map(({ job, status, done }) => [job, status, done])).toEqual([
            ["c", "running", 0],
            ["b", "done", 9],
            ["a", "running", 4],
        ]);
    });
});
