import { describe, expect, it } from "vitest";

import type { Form } from "@/backend";

import {
    act,
    begin,
    editOf,
    faultsOf,
    fromDraft,
    isChanged,
    primaryOf,
    replyOf,
    toDraft,
    type Answering,
} from "./reply";
import { planForm } from "./fixtures";
import { decided, headed, nextLine, singular, titleOf } from "./labels";

const form = planForm();
const list = form.lists?.[0];
if (list === undefined) throw new Error("the fixture has a list");

const queries = (state: Answering) => (state.lists["sub_queries"] ?? []).map((item) => item.values["query"]);

describe("a list too long to be sent again", () => {
    const facts = Array.from({ length: 2_000 }, (_, at) => ({ fact: `${at}: ${"x".repeat(150)}`, sources: [at] }));
    const columns = [{ field: "fact", required: true, kind: "text" as const, options: [] }];
    const sheet: Form = {
        ...form,
        output: { facts, note: "n" },
        lists: [{ field: "facts", minItems: 0, maxItems: 20_000, columns }],
    };
    const reworded = (state: Answering, id: string, value: string) =>
        act(state, { do: "edit", list: "facts", id, column: "fact", value });

    it("goes back in pieces: what was changed, with what else a row holds, and the places of the rest", () => {
        let state = reworded(begin(sheet), "7", "seven");
        state = act(state, { do: "remove", list: "facts", id: "8" });
        state = act(state, { do: "add", list: "facts", values: { fact: "new" } });
        state = act(state, { do: "move", list: "facts", id: "1999", to: 0 });
        expect(replyOf(sheet, state, "search").edit).toBeUndefined();
        expect(replyOf(sheet, state, "search").lists).toEqual({
            facts: [
                { piece: "kept", first: 1999, count: 1 },
                { piece: "kept", first: 0, count: 7 },
                { piece: "row", row: { fact: "seven", sources: [7] } },
                { piece: "kept", first: 9, count: 1990 },
                { piece: "row", row: { fact: "new" } },
            ],
        });
        expect(replyOf(sheet, reworded(state, "7", "seven"), "amend").lists).toBeUndefined();
        expect(replyOf(sheet, begin(sheet), "search").lists).toBeUndefined();
    });

    it("has a short draft that brings everything back", () => {
        const state = act(reworded(begin(sheet), "7", "seven"), { do: "remove", list: "facts", id: "8" });
        const draft = toDraft(sheet, state);
        expect(draft.length).toBeLessThan(1_000);
        expect(fromDraft(sheet, draft)).toEqual(state);
        expect(toDraft(sheet, begin(sheet))).toBe("");
    });
});

describe("editing a list", () => {
    it("rewords, adds, removes and moves items", () => {
        let state = begin(form);
        state = act(state, { do: "edit", list: "sub_queries", id: "0", column: "query", value: "what is materiality" });
        state = act(state, { do: "add", list: "sub_queries" });
        state = act(state, { do: "edit", list: "sub_queries", id: "new-0", column: "query", value: "in groups" });
        state = act(state, { do: "move", list: "sub_queries", id: "new-0", to: 0 });
        state = act(state, { do: "remove", list: "sub_queries", id: "1" });
        expect(queries(state)).toEqual(["in groups", "what is materiality"]);
    });

    it("keeps a move inside of the list", () => {
        const state = act(begin(form), { do: "move", list: "sub_queries", id: "0", to: 99 });
        expect(queries(state)).toEqual(["performance materiality", "materiality"]);
    });

    it("puts back what was removed, once", () => {
        const [first] = begin(form).lists["sub_queries"] ?? [];
        if (first === undefined) throw new Error("the fixture has an item");
        let state = act(begin(form), { do: "remove", list: "sub_queries", id: "0" });
        state = act(state, { do: "insert", list: "sub_queries", item: first, at: 0 });
        state = act(state, { do: "insert", list: "sub_queries", item: first, at: 0 });
        expect(queries(state)).toEqual(["materiality", "performance materiality"]);
    });

    it("counts as unchanged when everything is as it was", () => {
        let state = act(begin(form), { do: "edit", list: "sub_queries", id: "0", column: "query", value: "other" });
        expect(isChanged(form, list, state)).toBe(true);
        state = act(state, { do: "edit", list: "sub_queries", id: "0", column: "query", value: "materiality" });
        expect(isChanged(form, list, state)).toBe(false);
        expect(editOf(form, state)).toBeUndefined();
    });

    it("sends the whole output back, with lists read from commas and unknown fields kept", () => {
        const state = act(begin(form), {
            do: "edit",
            list: "sub_queries",
            id: "0",
            column: "target_standards",
            value: "ISA 320, ISA 600 ,,",
        });
        expect(editOf(form, state)).toEqual({
            clarity_score: 0.64,
            sub_queries: [
                { query: "materiality", role: "core", target_standards: ["ISA 320", "ISA 600"], weight: 2 },
                { query: "performance materiality", role: "support" },
            ],
        });
    });
});

describe("what can be sent", () => {
    it("refuses a required text that is empty, and a list that is too short", () => {
        let state = act(begin(form), { do: "edit", list: "sub_queries", id: "0", column: "query", value: "  " });
        expect(Object.keys(faultsOf(form, state, "search"))).toEqual(["sub_queries.0.query"]);
        state = act(act(state, { do: "remove", list: "sub_queries", id: "0" }), {
            do: "remove",
            list: "sub_queries",
            id: "1",
        });
        expect(faultsOf(form, state, "search")).toHaveProperty("sub_queries");
    });

    it("lets a run be cancelled whatever the fields hold", () => {
        const state = act(begin(form), { do: "edit", list: "sub_queries", id: "0", column: "query", value: "" });
        expect(faultsOf(form, state, "cancel")).toEqual({});
        expect(replyOf(form, state, "cancel")).toEqual({ choice: "cancel" });
    });

    it("wants words for an amendment and leaves edits out of it", () => {
        let state = act(begin(form), { do: "edit", list: "sub_queries", id: "0", column: "query", value: "other" });
        expect(faultsOf(form, state, "amend")).toHaveProperty("remark");
        state = act(state, { do: "remark", text: " banks only " });
        expect(faultsOf(form, state, "amend")).toEqual({});
        expect(replyOf(form, state, "amend")).toEqual({ choice: "amend", text: "banks only" });
    });

    it("sends answers by question, and only those that say something", () => {
        let state = act(begin(form), { do: "answer", question: "Which year?", text: "2026" });
        state = act(state, { do: "answer", question: "Listed?", text: "  " });
        expect(replyOf(form, state, "search")).toEqual({ choice: "search", answers: { "Which year?": "2026" } });
    });

    it("sends a depth only when it differs", () => {
        expect(replyOf(form, begin(form), "search")).toEqual({ choice: "search" });
        expect(replyOf(form, act(begin(form), { do: "depth", depth: "deep" }), "search")).toEqual({
            choice: "search",
            depth: "deep",
        });
    });

    it("lets free text speak for itself when no button was pressed", () => {
        expect(replyOf(form, act(begin(form), { do: "remark", text: "why?" }), undefined)).toEqual({ text: "why?" });
    });

    it("raises a limit of the settings alone, to twice as much by default", () => {
        const limit = { span: "day" as const, of: "2026-11-28", limit: 6_000_000_000, spent: 5_900_000_000 };
        const reached: Form = { ...form, kind: "budget", lists: [], questions: [], limit };
        const state = begin(reached, { cost: 500_000_000, tokens: 1_000 });
        expect(replyOf(reached, state, "raise").text).toBe("$12");
    });

    it("names a new budget in words, twice the old one by default", () => {
        const budget: Form = { ...form, kind: "budget", lists: [], questions: [] };
        const state = begin(budget, { cost: 500_000_000, tokens: 1_000, activeMs: 60_000 });
        expect(replyOf(budget, state, "raise").text).toBe("$1 2000 tokens 2 min");
        expect(faultsOf(budget, act(state, { do: "amount", name: "tokens", value: "many" }), "raise")).toHaveProperty(
            "tokens",
        );
    });

    it.each([
        ["2,50", "$2.5"],
        ["1,000", "$1000"],
        ["$3", "$3"],
    ])("reads the sum %s as it is meant", (value, text) => {
        const budget: Form = { ...form, kind: "budget", lists: [], questions: [] };
        const state = act(begin(budget, { cost: 500_000_000 }), { do: "amount", name: "usd", value });
        expect(replyOf(budget, state, "raise").text).toBe(text);
        expect(faultsOf(budget, state, "raise")).toEqual({});
    });

    it("takes the first choice that goes on for Enter", () => {
        expect(primaryOf(form)).toBe("search");
        expect(
            primaryOf({ ...form, choices: form.choices.filter((choice) => choice.action === "cancel") }),
        ).toBeUndefined();
    });
});

describe("drafts", () => {
    it("keep nothing while nothing was changed", () => {
        expect(toDraft(form, begin(form))).toBe("");
    });

    it("bring back everything that was typed", () => {
        let state = act(begin(form), { do: "edit", list: "sub_queries", id: "1", column: "role", value: "core" });
        state = act(act(state, { do: "answer", question: "Which year?", text: "2026" }), {
            do: "depth",
            depth: "deep",
        });
        expect(fromDraft(form, toDraft(form, state))).toEqual(state);
    });

    it("are ignored when they are of another form or no JSON", () => {
        expect(fromDraft(form, "{")).toBeUndefined();
        expect(fromDraft(form, '{"lists":{"other":[]}}')).toBeUndefined();
        expect(fromDraft(form, '"text"')).toBeUndefined();
    });
});

describe("words", () => {
    it("name one of a list", () => {
        expect(singular("5 queries planned (deep depth)")).toBe("Query");
        expect(singular("sub_queries")).toBe("Query");
        expect(singular("Pages")).toBe("Page");
        expect(singular("Plan")).toBe("Item");
        expect(titleOf("target_standards")).toBe("Where to look");
        expect(titleOf("depth_mode")).toBe("Depth mode");
    });

    it("say what was decided, by whom and with what", () => {
        const decision = { choice: "search", action: { do: "proceed" as const }, answers: { "Which year?": "2026" } };
        expect(decided({ form, decision, label: "Proceed, with a web search", at: 0, edited: true })).toBe(
            "Proceed, with a web search by you, plan edited, 1 question answered",
        );
        expect(
            decided({
                form,
                decision: { ...decision, answers: {}, unattended: true },
                label: "",
                at: 0,
                edited: false,
            }),
        ).toBe("search automatically, as configured");
        expect(
            decided({
                form,
                decision: { ...decision, answers: {}, unattended: true, because: "the automation “Night” says no" },
                label: "Proceed",
                at: 0,
                edited: false,
            }),
        ).toBe("Proceed automatically: the automation “Night” says no");
        expect(
            decided({
                form,
                decision: { ...decision, answers: {}, unattended: true, followUp: true },
                label: "Proceed",
                at: 0,
                edited: false,
            }),
        ).toBe("Proceed by itself, because this is a follow-up");
    });

    it("take the heading from the message where a form has none", () => {
        const plain = {
            ...form,
            heading: "",
            title: "Retrieve",
            markdown: "**Budget reached** - Retrieve\n\nThe next call could cost more.",
        };
        expect(headed(plain)).toEqual({ heading: "Budget reached: Retrieve", body: "The next call could cost more." });
        expect(headed({ ...plain, markdown: "Just words." })).toEqual({ heading: "Retrieve", body: "Just words." });
    });

    it("warn that an amendment drops edits", () => {
        const amend = form.choices.find((choice) => choice.id === "amend");
        if (amend === undefined) throw new Error("the fixture can be amended");
        expect(nextLine(amend, { edited: true, words: true })).toContain("your edits are not used");
    });
});
