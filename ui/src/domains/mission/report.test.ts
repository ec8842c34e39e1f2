import { expect, it } from "vitest";

import { readReport } from "./report";

it("parts footnotes from the text and finds the claim that each rests on", () => {
    const { markdown, notes } = readReport(
        "One.[^1] Two.[^2]\n\n```\n[^1]: code\n```\n\n[^1]: 4.1: “a” [c12]\n[^2]: A note.\n",
    );
    expect(markdown).toBe("One.[1](#note-1) Two.[2](#note-2)\n\n```\n[^1]: code\n```");
    expect(notes).toEqual([
        { label: "1", text: "4.1: “a”", claim: "c12" },
        { label: "2", text: "A note." },
    ]);
});
