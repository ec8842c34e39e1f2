import { expect, it } from "vitest";

import { UNSEEN, turnAt } from "./scroll";

it("knows which turn stands at a height, also among turns that were never drawn", () => {
    const ids = ["a", "b", "c"];
    const heights = new Map([["a", 100]]);
    expect([0, 99, 100, 100 + UNSEEN, 10_000].map((top) => turnAt(ids, heights, top))).toEqual([
        "a",
        "a",
        "b",
        "c",
        "c",
    ]);
    expect(turnAt([], heights, 0)).toBeUndefined();
});
