import { describe, expect, it } from "vitest";

import { diffLines, diffWords, parseUnified, withContext } from "./diff";

const words = (before: string, after: string) =>
    diffLines(before, after).map((line) => `${{ same: " ", added: "+", removed: "-" }[line.kind]}${line.text}`);

describe("what changed between two texts", () => {
    it("keeps what both have and numbers the lines of both sides", () => {
        expect(diffLines("a\nb\nc\n", "a\nx\nc\n")).toEqual([
            { kind: "same", text: "a", before: 1, after: 1 },
            { kind: "removed", text: "b", before: 2 },
            { kind: "added", text: "x", after: 2 },
            { kind: "same", text: "c", before: 3, after: 3 },
        ]);
    });

    it("is everything where one side is empty", () => {
        expect(words("", "a\nb")).toEqual(["+a", "+b"]);
        expect(words("a\nb", "")).toEqual(["-a", "-b"]);
        expect(words("", "")).toEqual([]);
    });

    it("finds the shortest way", () => {
        expect(words("a\nb\nc\na\nb\nb\na", "c\nb\na\nb\na\nc").filter((line) => !line.startsWith(" "))).toHaveLength(
            5,
        );
    });

    it("gives back both texts, whatever they are", () => {
        let seed = 7;
        const random = (most: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % most;
        for (let round = 0; round < 200; round += 1) {
            const [before, after] = [0, 0].map(() =>
                Array.from({ length: random(12) }, () => "abc"[random(3)]).join("\n"),
            ) as [string, string];
            const lines = diffLines(before, after);
            expect(
                lines
                    .filter((line) => line.kind !== "added")
                    .map((line) => line.text)
                    .join("\n"),
            ).toBe(before);
            expect(
                lines
                    .filter((line) => line.kind !== "removed")
                    .map((line) => line.text)
                    .join("\n"),
            ).toBe(after);
        }
    });

    it("shows texts without anything in common as replaced, however long they are", () => {
        const long = (word: string) => Array.from({ length: 5_000 }, (_, index) => `${word}${index}`).join("\n");
        expect(diffLines(long("a"), long("b"))).toHaveLength(10_000);
    });

    it("counts what lies far from every change", () => {
        const before = Array.from({ length: 20 }, (_, index) => String(index)).join("\n");
        expect(
            withContext(diffLines(before, before.replace("10", "x")), 1).map((piece) =>
                piece.kind === "gap" ? `~${piece.lines}` : piece.kind,
            ),
        ).toEqual(["~9", "same", "removed", "added", "same", "~8"]);
    });
});

it("reads a unified diff", () => {
    const { files, pieces } = parseUnified(
        "diff --git a/x.rs b/x.rs\nindex 1..2\n--- a/x.rs\n+++ b/x.rs\n@@ -3,2 +3,2 @@\n same\n-old\n+new\n",
    );
    expect(files).toEqual(["x.rs"]);
    expect(pieces).toEqual([
        { kind: "same", text: "same", before: 3, after: 3 },
        { kind: "removed", text: "old", before: 4 },
        { kind: "added", text: "new", after: 4 },
    ]);
});

it("shows what changed, word by word, and loses nothing", () => {
    const [before, after] = ["How should an auditor respond?", "How should a group auditor respond?"];
    const parts = diffWords(before, after);
    expect(
        parts
            .filter((part) => part.kind !== "added")
            .map((part) => part.text)
            .join(""),
    ).toBe(before);
    expect(
        parts
            .filter((part) => part.kind !== "removed")
            .map((part) => part.text)
            .join(""),
    ).toBe(after);
    expect(
        parts
            .filter((part) => part.kind === "same")
            .map((part) => part.text)
            .join(""),
    ).toContain("auditor respond?");
});

it("says what is new in a long text, and nothing of what stayed", () => {
    const long = Array.from({ length: 2_000 }, (_, index) => `word${index}`).join(" ");
    const changed = diffWords(long, long.replace("word700", "another")).filter((part) => part.kind !== "same");
    expect(changed).toEqual([
        { kind: "removed", text: "word700" },
        { kind: "added", text: "another" },
    ]);
});
