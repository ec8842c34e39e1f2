import { expect, test } from "vitest";

import { argumentsOf, isOld, kindWord } from "./labels";

test("a tool's arguments are listed with their types in words", () => {
    const schema = {
        type: "object",
        required: ["query"],
        properties: {
            query: { type: "string", description: "What to look for." },
            limit: { type: ["integer", "null"] },
            ids: { type: "array", items: { type: "string" } },
            tier: { enum: ["standard", "guide"] },
            depth: { anyOf: [{ type: "integer" }, { type: "null" }] },
            any: true,
            cited: { type: "array", items: { $ref: "#/$defs/Citation" } },
        },
    };
    expect(argumentsOf(schema).map(({ name, type, required }) => `${name}: ${type}${required ? "!" : ""}`)).toEqual([
        "query: string!",
        "limit: integer",
        "ids: list of string",
        'tier: "standard" or "guide"',
        "depth: integer",
        "any: anything",
        "cited: list of Citation",
    ]);
});

test.each([null, true, {}, { properties: [] }])("a schema without properties has no arguments: %j", (schema) =>
    expect(argumentsOf(schema)).toEqual([]),
);

test("a source whose configuration can’t be read has no kind", () => expect(kindWord("")).toBe(""));

test("a secret is called old after half a year", () => {
    const now = Date.UTC(2026, 10, 23);
    expect([null, now, now - 181 * 86_400_000, now - 183 * 86_400_000].map((at) => isOld(at, now))).toEqual([
        false,
        false,
        false,
        true,
    ]);
});
