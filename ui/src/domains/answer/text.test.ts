// @vitest-environment jsdom

import { describe, expect, it } from "vitest";

import { pieces } from "@/shared/pieces";
import { linkEarlier, linkReferences, PageText, referencesOf } from "./text";
import { isSound, verificationLine } from "./labels";

describe("quotes in a paragraph", () => {
    it("cut the text where they stand, whatever their order", () => {
        const cut = pieces("one two three", [
            { start: 8, end: 99 },
            { start: 0, end: 3 },
        ]);
        expect(cut).toEqual([
            { text: "one", marked: true },
            { text: " two ", marked: false },
            { text: "three", marked: true },
        ]);
    });

    it("may overlap and touch", () => {
        expect(
            pieces("abcdef", [
                { start: 1, end: 3 },
                { start: 2, end: 4 },
                { start: 4, end: 5 },
            ]),
        ).toEqual([
            { text: "a", marked: false },
            { text: "bcde", marked: true },
            { text: "f", marked: false },
        ]);
        expect(pieces("abc", [])).toEqual([{ text: "abc", marked: false }]);
    });
});

describe("a sentence on the page", () => {
    const page = (html: string) => {
        const root = document.createElement("div");
        root.innerHTML = html;
        return new PageText(root);
    };

    it("is found across elements, links and typographic signs", () => {
        const found = page("<p>First. The auditor’s <em>risk</em> is <a href='#cite-1'>ISA 315.12</a> high.</p>").find(
            "The auditor's risk is [ISA 315.12](#cite-1) high.",
        );
        expect(found?.toString()).toBe("The auditor’s risk is ISA 315.12 high");
    });

    it("is not found where it does not stand", () => {
        expect(page("<p>Other words.</p>").find("Nobody says so.")).toBeUndefined();
        expect(page("<p>x</p>").find("...")).toBeUndefined();
    });
});

describe("references", () => {
    it("lead from the line of the earlier answer to its run, and from no other", () => {
        const line = "- Earlier answer: [What [1] is it?](agentnative://run/run-01ab) (A, 28 November 2026)";
        expect(linkEarlier(`[x](agentnative://run/run-9)\n${line}`)).toBe(
            "[x](agentnative://run/run-9)\n- Earlier answer: [What [1] is it?](#run-run-01ab) (A, 28 November 2026)",
        );
        expect(linkEarlier("- Earlier answer: [x](agentnative://new)")).toContain("agentnative://new");
    });

    const text =
        "As said [W1] and [P2], also [W9].\n\n```\n[W1]\n```\n\n- [W1] [Board](https://b.example) - New\n- [P2] Scope - What is in\n";

    it("are read from the document's lists", () => {
        expect([...referencesOf(text).values()]).toEqual([
            { label: "W1", kind: "web", line: "[Board](https://b.example) - New" },
            { label: "P2", kind: "prior", line: "Scope - What is in" },
        ]);
    });

    it("become links where they are known, outside of code and of their list", () => {
        const linked = linkReferences(text, referencesOf(text));
        expect(linked).toContain("As said [\\[W1\\]](#ref-W1) and [\\[P2\\]](#ref-P2), also [W9].");
        expect(linked).toContain("```\n[W1]\n```");
        expect(linked).toContain("- [W1] [Board]");
    });
});

describe("what checking found", () => {
    it("is said in one line", () => {
        expect(verificationLine({ verified: 42, total: 42, unsupported: 3 })).toBe(
            "42 of 42 citations verified, 3 statements unsupported",
        );
        expect(verificationLine({ verified: 1, total: 1, unsupported: 0 })).toBe("1 of 1 citation verified");
        expect(isSound({ verified: 1, total: 1, unsupported: 0 })).toBe(true);
        expect(isSound({ verified: 0, total: 0, unsupported: 0 })).toBe(false);
    });
});
