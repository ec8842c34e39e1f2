import { describe, expect, it } from "vitest";

import { compareCells, parseSeparated, parseTable } from "./rows";

describe("tables that come as text", () => {
    it("reads quoted cells with separators, quotes and line ends in them", () => {
        expect(parseSeparated('a,b\r\n"x, ""y""","two\nlines"\r\n', ",")).toEqual({
            columns: ["a", "b"],
            rows: [['x, "y"', "two\nlines"]],
        });
    });

    it("is none where a quote never ends or there are no rows", () => {
        expect(parseSeparated('a,b\n"open', ",")).toBeUndefined();
        expect(parseSeparated("a,b", ",")).toBeUndefined();
        expect(parseSeparated("", ",")).toBeUndefined();
    });

    it("reads arrays of objects, of arrays, and columns with labels", () => {
        expect(parseTable('[{"a":1,"b":null},{"a":"x","c":[2]}]')).toEqual({
            columns: ["a", "b", "c"],
            rows: [
                ["1", "", ""],
                ["x", "", "[2]"],
            ],
        });
        expect(parseTable('[["a","b"],[1,2]]')).toEqual({ columns: ["a", "b"], rows: [["1", "2"]] });
        expect(parseTable('{"columns":[{"key":"a","label":"Amount"}],"rows":[{"a":5}]}')).toEqual({
            columns: ["Amount"],
            rows: [["5"]],
        });
    });

    it("leaves other JSON alone", () => {
        for (const text of ["{", "5", "[1,2]", "[]", '{"rows":[]}', '[{"a":1},2]'])
            expect(parseTable(text)).toBeUndefined();
    });

    it("orders numbers by size and words as read", () => {
        expect(["10", "9", "1,005.10"].sort(compareCells)).toEqual(["9", "10", "1,005.10"]);
        expect(["b10", "b9", "a"].sort(compareCells)).toEqual(["a", "b9", "b10"]);
    });
});
