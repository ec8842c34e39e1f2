import { expect, it } from "vitest";

import type { MissionView, RunState } from "@/backend";

import { hitsIn } from "./Find";
import type { Entry } from "./turns";

const mission = (objective: string, request: string): Entry => ({
    id: "run-m",
    mission: { objective, request } as MissionView,
});

it("finds a mission by its heading: what it is after, or what was asked until that is known", () => {
    expect(hitsIn([mission("", "What is materiality? Format: a table")], "table")).toHaveLength(1);
    expect(hitsIn([mission("What is materiality?", "What is materiality? Format: a table")], "table")).toEqual([]);
    expect(hitsIn([mission("What is materiality?", "")], "Materiality")).toHaveLength(1);
});

it("finds what a run wrote, and says that it is folded away", () => {
    const run = { id: "run-1", run: { request: "What is materiality?" } as RunState };
    const documents = new Map([["run-1", "Materiality\nPlanning materiality is set first."]]);
    const hits = hitsIn([run], "materiality", documents);
    expect(hits.map((hit) => hit.nth)).toEqual([0, 1, 2]);
    expect(hits.every((hit) => hit.folded)).toBe(true);
    expect(hitsIn([run], "materiality")).toHaveLength(1);
});
