import { expect, it } from "vitest";

import { NOTHING, pick, type PickEvent } from "./selection";

const order = ["a", "b", "c", "d", "e"];
const after = (...events: PickEvent[]) => [...events.reduce(pick, NOTHING).picked].sort().join("");
const extend = (session: string, from?: string): PickEvent => ({ do: "extend", session, from, order });
const toggle = (session: string): PickEvent => ({ do: "toggle", session });

it("picks one after the other, and takes each back", () => {
    expect(after(toggle("a"), toggle("c"))).toBe("ac");
    expect(after(toggle("a"), toggle("c"), toggle("a"))).toBe("c");
});

it("picks a range from where the keyboard stood", () => {
    expect(after(extend("c", "b"))).toBe("bc");
    expect(after(extend("c", "b"), extend("d", "c"))).toBe("bcd");
});

it("gives back what a range reached too far", () => {
    expect(after(extend("c", "b"), extend("d", "c"), extend("c", "d"))).toBe("bc");
    expect(after(toggle("c"), extend("e"), extend("a"))).toBe("abc");
});

it("keeps what was picked before the range", () => {
    expect(after(toggle("a"), toggle("d"), extend("e"))).toBe("ade");
});

it("begins anew when the range's beginning is not there any more", () => {
    expect(after(toggle("gone"), extend("b"))).toBe("bgone");
});

it("picks all and nothing", () => {
    expect(after({ do: "all", order })).toBe("abcde");
    expect(after({ do: "all", order }, { do: "none" })).toBe("");
});
