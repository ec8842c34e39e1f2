import { expect, test } from "vitest";

import { withoutTitle } from "./AgentPage";
import { depthRows } from "./depths";
import { fileName } from "./Problems";
import { sourceOf } from "./labels";

test("depths become a row a setting, with gaps where a depth does not set it", () => {
    expect(depthRows({ quick: { topK: 6 }, deep: { topK: 12, enableWebSearch: true } })).toEqual([
        { key: "topK", name: "Results per query", values: { quick: 6, deep: 12 } },
        { key: "enableWebSearch", name: "Web search", values: { quick: undefined, deep: true } },
    ]);
});

test("a setting that nobody named is written in words", () => {
    expect(depthRows({ quick: { maxOutputTokens: 1 } })[0]?.name).toBe("Max output tokens");
});

test("settings that are no object are no rows", () => {
    expect(depthRows(null)).toEqual([]);
    expect(depthRows({ quick: 3 })).toEqual([]);
});

test("an introduction loses the heading that the page shows anyway, and no other", () => {
    expect(withoutTitle("# ISA\n\nText", "ISA")).toBe("Text");
    expect(withoutTitle("# Other\n\nText", "ISA")).toBe("# Other\n\nText");
});

test("a file is named as it is found in the agent's folder", () => {
    expect(fileName("/home/eva/agents/a/config.json")).toBe("config.json");
    expect(fileName("/home/eva/agents/a/prompts/plan.md")).toBe("prompts/plan.md");
    expect(fileName("config.json")).toBe("config.json");
});

test("a tool names its source before the stroke", () => {
    expect(sourceOf("base/search")).toBe("base");
    expect(sourceOf("search")).toBeUndefined();
});
