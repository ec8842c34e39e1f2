import { expect, it } from "vitest";

import type { RunState, TurnView } from "@/backend";

import { inOrder, learned, withNewest, type Entry } from "./turns";

const run = (id: string, seq: number): Entry => ({ id, run: { run: id, seq } as RunState });
const turn = (id: string, seq: number, previous = `run-${Number(id.slice(4)) - 1}`): Entry => ({
    id,
    turn: { head: { run: id, seq, previous } } as TurnView,
});
const words = (known: ReadonlyMap<string, Entry>) =>
    inOrder(known).map((each) => `${each.id} ${each.run?.seq ?? each.turn?.head.seq}`);

it("keeps older runs when the newest page moves on, and newer knowledge of each", () => {
    let known = learned(new Map(), [run("run-2", 5), run("run-3", 1)]);
    known = learned(known, [run("run-1", 9)]);
    known = learned(known, [run("run-3", 4), run("run-4", 1), run("run-2", 3)]);
    expect(words(known)).toEqual(["run-1 9", "run-2 5", "run-3 4", "run-4 1"]);
});

it("merges runs and turns by the time when they began", () => {
    expect(words(withNewest(new Map(), [run("run-2", 1), turn("run-3", 1), turn("run-1", 1)]))).toEqual([
        "run-1 1",
        "run-2 1",
        "run-3 1",
    ]);
});

it("drops turns that the newest page leaves out, but none that is older or newer than the page", () => {
    const known = learned(new Map(), [turn("run-1", 1), turn("run-4", 1), turn("run-5", 1), turn("run-9", 1, "run-6")]);
    expect(words(withNewest(known, [turn("run-3", 1), turn("run-6", 1, "run-3")]))).toEqual([
        "run-1 1",
        "run-3 1",
        "run-6 1",
        "run-9 1",
    ]);
});

it("leaves out what the newest turn does not lead back to, as far as is loaded", () => {
    const known = learned(new Map(), [
        turn("run-2", 1),
        run("run-3", 1),
        turn("run-4", 1),
        turn("run-5", 1),
        turn("run-6", 1, "run-4"),
    ]);
    expect(words(known)).toEqual(["run-2 1", "run-3 1", "run-4 1", "run-6 1"]);
    expect(words(learned(known, [turn("run-7", 1, "run-1")]))).toEqual(["run-3 1", "run-7 1"]);
});
