import { describe, expect, test } from "vitest";

import type { AgentRow } from "@/backend";

import { examplesOf, pausesInWords, readyAgents } from "./steps";

const agent = (slug: string, more: Partial<AgentRow> = {}): AgentRow => ({
    slug,
    name: slug,
    description: "",
    stages: 1,
    defaultDepth: null,
    depths: [],
    defaultCorpus: null,
    needsCorpus: false,
    examples: [],
    shipped: true,
    problems: [],
    ...more,
});

describe("the first question", () => {
    test("goes to no agent that takes more than a question", () => {
        const given = agent("given", { inputSchema: { type: "object" } });
        expect(readyAgents([given, agent("plain", { inputSchema: null })], "given").map(({ slug }) => slug)).toEqual([
            "plain",
        ]);
    });

    test("goes to no agent that is broken or lacks a base", () => {
        const broken = agent("broken", { problems: [{ file: "config.json", place: "/slug", message: "wrong" }] });
        const baseless = agent("baseless", { needsCorpus: true });
        const ready = agent("ready", { needsCorpus: true, defaultCorpus: "primer" });
        expect(readyAgents([broken, baseless, ready], "").map(({ slug }) => slug)).toEqual(["ready"]);
    });

    test("goes to the person's own choice first, then to a shipped agent with examples", () => {
        const all = [
            agent("bare"),
            agent("own", { shipped: false, examples: ["a"] }),
            agent("shipped", { examples: ["b"] }),
            agent("chosen"),
        ];
        expect(readyAgents(all, "chosen").map(({ slug }) => slug)).toEqual(["chosen", "shipped", "own", "bare"]);
    });

    test("is offered from one agent, a few at most", () => {
        const all = [agent("bare"), agent("a", { examples: ["1", "2", "3", "4"] }), agent("b", { examples: ["5"] })];
        expect(examplesOf(all, 3).map(({ question }) => question)).toEqual(["1", "2", "3"]);
        expect(examplesOf([agent("bare")], 3)).toEqual([]);
    });
});

test("pauses are counted in words as far as words are short", () => {
    expect([0, 1, 2, 7].map(pausesInWords)).toEqual(["no pause", "one pause", "two pauses", "7 pauses"]);
});
