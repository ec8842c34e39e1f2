import { describe, expect, it } from "vitest";

import { contextOf } from "./CostMeter";
import { jsonOf, receivedOf, sentOf } from "./exchange";

describe("what was sent", () => {
    it("is its line, its headers and its body as JSON", () => {
        expect(
            sentOf({
                method: "POST",
                url: "https://api.example/v1",
                headers: { "x-api-key": "(secret)" },
                body: '{"a":1}',
            }),
        ).toEqual({ line: "POST https://api.example/v1", headers: [["x-api-key", "(secret)"]], body: { a: 1 } });
        expect(sentOf({ headers: [["a", "b"], { name: "c", value: "d" }, 7], body: "no json" })).toEqual({
            line: "",
            headers: [
                ["a", "b"],
                ["c", "d"],
            ],
            body: "no json",
        });
    });

    it("is the body alone where no more was kept, and nothing where none was", () => {
        expect(sentOf({ model: "m" })).toEqual({ line: "", headers: [], body: { model: "m" } });
        expect([sentOf(null), sentOf(undefined)]).toEqual([undefined, undefined]);
    });
});

describe("what was received", () => {
    it("is thinking, text and parts, and whatever came besides", () => {
        expect(
            receivedOf({
                thinking: "t",
                redactedThinking: 2,
                text: "x",
                parts: [1],
                stop: "end_turn",
                usage: { input: 1 },
            }),
        ).toEqual({
            thinking: "t",
            hidden: 2,
            text: "x",
            parts: [1],
            stop: "end_turn",
            rest: { usage: { input: 1 } },
        });
        expect(receivedOf("plain")).toEqual({
            thinking: "",
            hidden: 0,
            text: "plain",
            parts: [],
            stop: "",
            rest: undefined,
        });
        expect(receivedOf(null)).toBeUndefined();
    });
});

it("shows an answer as a tree only where it is one whole", () => {
    expect(['{"a":[1]}', " [1]", '{"a":', "7", '"x"', "prose {"].map(jsonOf)).toEqual([
        { a: [1] },
        [1],
        undefined,
        undefined,
        undefined,
        undefined,
    ]);
});

describe("a context", () => {
    it("is what was read, cached or not, and what was written", () => {
        expect(contextOf({ input: 30_000, output: 10_000, cacheRead: 60_000 }, 200_000)).toEqual({
            used: 100_000,
            window: 200_000,
            share: 0.5,
        });
        expect(contextOf({ input: 9, output: 9 }, 10)?.share).toBe(1);
    });

    it("is not told where the window is not known or nothing was asked", () => {
        expect([contextOf({ input: 1, output: 1 }, 0), contextOf({ input: 0, output: 0 }, 10)]).toEqual([
            undefined,
            undefined,
        ]);
    });
});
