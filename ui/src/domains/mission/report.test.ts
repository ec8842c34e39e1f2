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

it("leads from each statement of a report that an agent wrote to its claim", () => {
    const written = [
        "# The hall in Linz",
        "",
        "## Terms",
        "",
        "| Term | What holds |",
        "| --- | --- |",
        "| Rent | 1,000 euros a month[^c1][^c12] |",
        "",
        '[^c1]: rent.md, rent:rent/p1, page 2: "The rent of the hall in Linz is 1,000 euros a month." [c1]',
        "[^c12]: c12 letter.md",
        "",
    ].join("\n");
    const { markdown, notes } = readReport(written);
    expect(markdown).toContain("| Rent | 1,000 euros a month[c1](#note-c1)[c12](#note-c12) |");
    expect(notes).toEqual([
        {
            label: "c1",
            text: 'rent.md, rent:rent/p1, page 2: "The rent of the hall in Linz is 1,000 euros a month."',
            claim: "c1",
        },
        { label: "c12", text: "c12 letter.md", claim: "c12" },
    ]);
});
