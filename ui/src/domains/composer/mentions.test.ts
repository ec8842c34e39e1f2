import { describe, expect, it } from "vitest";

import type { Mention } from "@/backend";

import { complete, moved, typedNameAt, trimmed, skillAtStart } from "./mentions";

const at = (text: string) => typedNameAt(text, text.length);
const mention = (name: string, start: number): Mention => ({
    kind: "file",
    name,
    title: name,
    range: [start, start + name.length + 1],
});

describe("where a name is being typed", () => {
    it("is after a sigil at the beginning, after white space and after a bracket", () => {
        expect(at("@")).toEqual({ sigil: "@", start: 0, query: "" });
        expect(at("look at @src/po")).toEqual({ sigil: "@", start: 8, query: "src/po" });
        expect(at("(see #urg")).toEqual({ sigil: "#", start: 5, query: "urg" });
        expect(at("first\n/rev")).toEqual({ sigil: "/", start: 6, query: "rev" });
    });

    it("is not in an address of mail, a path, a fraction or after a space", () => {
        for (const text of ["eva@home", "and/or", "/home/eva", "1/2", "@done ", "", "c#"])
            expect(at(text)).toBeUndefined();
    });

    it("looks only at what stands before the caret", () => {
        expect(typedNameAt("@ab cd", 2)).toEqual({ sigil: "@", start: 0, query: "a" });
        expect(typedNameAt("@ab cd", 6)).toBeUndefined();
    });
});

describe("a name that is chosen", () => {
    it("replaces what was typed and moves the names after it", () => {
        const written = complete("see @p and @old", [mention("old", 11)], { sigil: "@", start: 4, query: "p" }, 6, {
            kind: "file",
            name: "src/post.rs",
            title: "post.rs",
            detail: "",
        });
        expect(written.text).toBe("see @src/post.rs and @old");
        expect(
            written.mentions.map((each) => written.text.slice(Number(each.range[0]), Number(each.range[1]))),
        ).toEqual(["@old", "@src/post.rs"]);
        expect(written.caret).toBe(17);
    });

    it("puts a space behind itself at the end", () => {
        expect(
            complete("@p", [], { sigil: "@", start: 0, query: "p" }, 2, {
                kind: "agent",
                name: "pat",
                title: "Pat",
                detail: "",
            }).text,
        ).toBe("@pat ");
    });
});

describe("names after an edit", () => {
    const text = "see @one and @two";
    const names = [mention("one", 4), mention("two", 13)];

    it("stay before it and move behind it", () => {
        const next = "see @one, or else @two";
        expect(
            moved(names, text, next).map((each) => next.slice(Number(each.range[0]), Number(each.range[1]))),
        ).toEqual(["@one", "@two"]);
    });

    it("are names no more where it went through them", () => {
        expect(moved(names, text, "see @oe and @two").map((each) => each.name)).toEqual(["two"]);
        expect(moved(names, text, "")).toEqual([]);
    });
});

it("cuts white space off and keeps the names in place", () => {
    const cut = trimmed("  @one  ", [mention("one", 2)]);
    expect(cut).toEqual({ text: "@one", mentions: [mention("one", 0)] });
});

it("a text that is filled in names the skill that it begins with", () => {
    expect(skillAtStart("/plan-first ")).toEqual([
        { kind: "skill", name: "plan-first", title: "plan-first", range: [0, 11] },
    ]);
    expect(skillAtStart("/usr/bin/env is a path")).toEqual([]);
    expect(skillAtStart("no /plan-first here")).toEqual([]);
});
