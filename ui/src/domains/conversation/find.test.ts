import { expect, it } from "vitest";

import type { MissionView } from "@/backend";

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
