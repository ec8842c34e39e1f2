import { expect, test } from "vitest";

import { plainText, sentence } from "./plainText";
import { tableOfText } from "./rows";

test.each([
    ["The payment of **Cedar** is `paid`.", "The payment of Cedar is paid."],
    ["## A heading", "A heading"],
    ["- [x](https://example.org/) and *so on*", "x and so on"],
    ["> 1. quoted", "quoted"],
    ["snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"],
    ["**never closed", "**never closed"],
    ["", ""],
])("a line of Markdown is read without its signs: %s", (line, read) => expect(plainText(line)).toBe(read));

test("a sentence begins with a capital letter, unless with a name", () => {
    expect(["example.org is gone", "my-server ended", "python3: it writes"].map(sentence)).toEqual([
        "example.org is gone",
        "my-server ended",
        "python3: it writes",
    ]);
    expect(sentence("it changes `a`")).toBe("It changes `a`");
    expect(sentence("")).toBe("");
});

test("a text is a table by its kind", () => {
    expect(tableOfText("csv", "a;b\n1;2\n")).toEqual({ columns: ["a", "b"], rows: [["1", "2"]] });
    expect(tableOfText("tsv", "a\tb\n1\t2")).toEqual({ columns: ["a", "b"], rows: [["1", "2"]] });
    expect(tableOfText("json", '[{"a": 1}]')).toEqual({ columns: ["a"], rows: [["1"]] });
    expect(tableOfText("json", '{"a": 1}')).toBeUndefined();
    expect(tableOfText("txt", "a,b\n1,2")).toBeUndefined();
});
