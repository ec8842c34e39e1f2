import { expect, it } from "vitest";

import type { RunState, TurnView } from "@/backend";

import { inOrder, learned, withEarlier, withNewest, type Entry } from "./turns";

const run = (id: string, seq: number): Entry => ({ id, run: { run: id, seq } as RunState });
const turn = (id: string, seq = 1): Entry => ({ id, turn: { head: { run: id, seq } } as TurnView });
const known = (...entries: Entry[]) => learned(new Map(), entries);

it("keeps older runs when the newest page moves on, and newer knowledge of each", () => {
    let entries = known(run("run-2", 5), run("run-3", 1));
    entries = learned(entries, [run("run-1", 9)]);
    entries = learned(entries, [run("run-3", 4), run("run-4", 1), run("run-2", 3)]);
    const order = ["run-1", "run-2", "run-3", "run-4"];
    const shown = inOrder({ entries, order, replaced: new Set() });
    expect(shown.map(({ id, run: state }) => `${id} ${state?.seq}`)).toEqual([
        "run-1 9",
        "run-2 5",
        "run-3 4",
        "run-4 1",
    ]);
});

it("shows what the core gives in its order, whatever the ids are, and nothing that was replaced", () => {
    const entries = known(turn("run-9"), turn("run-1"), turn("run-5"), turn("run-3"));
    const order = ["run-9", "run-1", "run-5", "run-3", "run-unread"];
    expect(inOrder({ entries, order, replaced: new Set(["run-1"]) }).map(({ id }) => id)).toEqual([
        "run-9",
        "run-5",
        "run-3",
    ]);
});

it("takes the newest page in where it belongs", () => {
    expect(withNewest([], ["a", "b"])).toEqual(["a", "b"]);
    expect(withNewest(["a", "b", "c"], ["c", "d"])).toEqual(["a", "b", "c", "d"]);
    // What was replaced in between goes; what began while the page was read stays.
    expect(withNewest(["a", "b", "c", "d", "e"], ["b", "d"])).toEqual(["a", "b", "d", "e"]);
    expect(withNewest(["a"], [])).toEqual(["a"]);
    expect(withNewest(["a", "b"], ["y", "z"])).toBeUndefined();
});

it("takes an older page in before what is known", () => {
    expect(withEarlier(["c", "d"], ["a", "b", "c"])).toEqual(["a", "b", "c", "d"]);
});
