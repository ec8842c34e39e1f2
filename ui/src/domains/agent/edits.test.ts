import { expect, test } from "vitest";

import { backOf, editsOf, promptName } from "./edits";

const FILES = [
    { name: "AGENT.md", text: "one" },
    { name: "prompts/a.md", text: "two" },
];

test("only files that differ are edits, and a new one has nothing before it", () => {
    const typed = { "AGENT.md": "one", "prompts/a.md": "2", "prompts/b.md": "" };
    const edits = editsOf(FILES, typed);
    expect(edits).toEqual([
        { name: "prompts/a.md", text: "2", before: "two" },
        { name: "prompts/b.md", text: "", before: null },
    ]);
    expect(backOf(edits)).toEqual([{ name: "prompts/a.md", text: "two", before: "2" }]);
});

test("a prompt's name leads nowhere else", () => {
    expect(promptName(" plan ")).toBe("prompts/plan.md");
    expect(promptName("prompts/plan.md")).toBe("prompts/plan.md");
    for (const bad of ["", "../x", "a/b", ".hidden"]) expect(promptName(bad)).toBeUndefined();
});
