import { expect, test } from "vitest";

import { pieces } from "./pieces";

test("struck words stand between the text's own, with blanks around, and marks stay where they were", () => {
    const found = pieces("It shall tell all.", [{ start: 3, end: 13 }], [{ at: 9, text: "not" }]);
    expect(found).toEqual([
        { text: "It ", marked: false },
        { text: "shall ", marked: true },
        { text: "not ", marked: false, struck: true },
        { text: "tell", marked: true },
        { text: " all.", marked: false },
    ]);
    expect(pieces("tell", [], [{ at: 4, text: "all" }]).map(({ text }) => text)).toEqual(["tell", " all"]);
    expect(pieces("ab", [], [])).toEqual([{ text: "ab", marked: false }]);
});
