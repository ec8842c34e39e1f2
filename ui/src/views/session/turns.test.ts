import { expect, it } from "vitest";

import type { RunState } from "@/backend";

import { inOrder, learned } from "./turns";

const run = (id: string, seq: number) => ({ run: id, seq }) as RunState;

it("keeps older runs when the newest page moves on, and newer knowledge of each", () => {
    let known = learned(new Map(), [run("run-2", 5), run("run-3", 1)]);
    known = learned(known, [run("run-1", 9)]);
    known = learned(known, [run("run-3", 4), run("run-4", 1), run("run-2", 3)]);
    expect(inOrder(known).map((each) => `${each.run} ${each.seq}`)).toEqual(["run-1 9", "run-2 5", "run-3 4", "run-4 1"]);
});
