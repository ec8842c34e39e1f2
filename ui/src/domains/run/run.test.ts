import { describe, expect, it } from "vitest";

import type { RunState, StageRow, TurnHead } from "@/backend";

import { announcement, columnsOf, groupShown, groupsOf, neighbour, repairOf, seenStages, stageElapsed } from "./strip";
import { spansOf } from "./Timeline";
import {
    callStatus,
    childStatus,
    forecastWord,
    formatMoney,
    formatTokens,
    shortTokens,
    spentOf,
    spentWord,
    tokensOf,
    tokensWord,
} from "./labels";

const stage = (id: string, over: Partial<StageRow> = {}): StageRow => ({
    id,
    name: id,
    title: id.toUpperCase(),
    kind: "tools",
    dependsOn: [],
    phase: "pending",
    attempt: 0,
    iteration: 0,
    maxIterations: 0,
    startedAt: null,
    endedAt: null,
    activeMs: 0,
    done: 0,
    total: 0,
    summary: "",
    scores: {},
    usage: { input: 0, output: 0 },
    cost: 0,
    warnings: [],
    ...over,
});
const ids = (columns: StageRow[][]) => columns.map((column) => column.map((each) => each.id));

describe("the stage strip", () => {
    it("stacks what may run at once and puts a stage after all it waits for", () => {
        const stages = [
            stage("a"),
            stage("b", { dependsOn: ["a"] }),
            stage("c", { dependsOn: ["a"] }),
            stage("d", { dependsOn: ["b", "c"] }),
        ];
        expect(ids(columnsOf(stages))).toEqual([["a"], ["b", "c"], ["d"]]);
    });

    it("takes the list's order where no stage names another, and survives a circle", () => {
        expect(ids(columnsOf([stage("a"), stage("b")]))).toEqual([["a"], ["b"]]);
        expect(
            ids(columnsOf([stage("a", { dependsOn: ["b"] }), stage("b", { dependsOn: ["a"] })])).flat(),
        ).toHaveLength(2);
    });

    it("shows many stages by the parts of the work, and opens the part where the work stands", () => {
        const stages = [
            stage("a", { group: "Plan", phase: "completed" }),
            stage("b", { group: "Write", phase: "completed" }),
            stage("c", { phase: "pending" }),
            stage("d", { group: "Check", phase: "pending" }),
        ];
        const groups = groupsOf(stages) ?? [];
        expect(groups.map(({ title, phase, stages: own }) => [title, phase, own.length])).toEqual([
            ["Plan", "completed", 1],
            ["Write", "running", 2],
            ["Check", "pending", 1],
        ]);
        expect(groupShown(groups, undefined, undefined)?.title).toBe("Write");
        expect(groupShown(groups, undefined, "a")?.title).toBe("Plan");
        expect(groupShown(groups, "Check", "a")?.title).toBe("Check");
        const failed = groupsOf([...stages, stage("e", { group: "Check", phase: "failed" })]) ?? [];
        expect(groupShown(failed, undefined, undefined)?.phase).toBe("failed");
        expect(groupsOf([stage("a")])).toBeUndefined();
    });

    it("shows which repair goes on and what it spans", () => {
        const stages = [
            stage("a"),
            stage("b", { dependsOn: ["a"], maxIterations: 2, iteration: 2 }),
            stage("c", { dependsOn: ["b"], maxIterations: 2, iteration: 1 }),
            stage("d", { dependsOn: ["c"] }),
        ];
        expect(repairOf(columnsOf(stages))).toEqual({ from: 1, to: 2, iteration: 2, most: 2 });
        expect(repairOf(columnsOf([stage("a", { maxIterations: 2 })]))).toBeUndefined();
    });

    it("leads the arrow keys along columns and rows", () => {
        const columns = columnsOf([
            stage("a"),
            stage("b", { dependsOn: ["a"] }),
            stage("c", { dependsOn: ["a"] }),
            stage("d", { dependsOn: ["b", "c"] }),
        ]);
        expect(neighbour(columns, "a", "ArrowRight")?.id).toBe("b");
        expect(neighbour(columns, "b", "ArrowDown")?.id).toBe("c");
        expect(neighbour(columns, "c", "ArrowRight")?.id).toBe("d");
        expect(neighbour(columns, "d", "ArrowRight")).toBeUndefined();
        expect(neighbour(columns, "a", "End")?.id).toBe("d");
        expect(neighbour(columns, "a", "x")).toBeUndefined();
    });

    it("counts the clock on the wall while a stage runs, and its work afterwards", () => {
        expect(stageElapsed(stage("a", { phase: "running", startedAt: 1_000, activeMs: 500 }), 4_000)).toBe(3_000);
        expect(stageElapsed(stage("a", { phase: "completed", startedAt: 1_000, activeMs: 500 }), 9_000)).toBe(500);
    });

    it("lets nothing tick in a run that nobody drives", () => {
        const stages = [stage("a", { phase: "completed" }), stage("b", { phase: "running" })];
        expect(seenStages({ status: "suspended", stages }).stages.map((each) => each.phase)).toEqual([
            "completed",
            "paused",
        ]);
        expect(seenStages({ status: "suspended", stages }).rest).toBe("stopped");
        expect(seenStages({ status: "running", stages }).stages).toBe(stages);
    });

    it("says aloud what changed, and nothing else", () => {
        const run = (over: Partial<RunState>) =>
            ({ run: "r", status: "running", stages: [stage("a", { phase: "running" })], ...over }) as RunState;
        const before = run({});
        expect(announcement(undefined, before)).toBe("");
        expect(announcement(before, run({ seq: 2 }))).toBe("");
        expect(announcement(before, run({ stages: [stage("a", { phase: "completed", activeMs: 4_000 })] }))).toBe(
            "A done after 4.0 s.",
        );
        expect(announcement(before, run({ status: "failed", stages: [stage("a", { phase: "failed" })] }))).toBe(
            "A: failed. The run failed.",
        );
    });
});

describe("the timeline", () => {
    it("puts each stage on the scale of the whole run", () => {
        const stages = [
            stage("a", { startedAt: 1_000, endedAt: 2_000 }),
            stage("b", { startedAt: 3_000, endedAt: null }),
            stage("c"),
        ];
        const { spans, total } = spansOf({ createdAt: 1_000, stages } as RunState, 5_000);
        expect(total).toBe(4_000);
        expect(spans.map(({ from, width, ms }) => [from, width, ms])).toEqual([
            [0, 0.25, 1_000],
            [0.5, 0.5, 2_000],
            [undefined, undefined, 0],
        ]);
    });
});

describe("a call", () => {
    it("that waits for an answer or for permission waits for you", () => {
        expect(callStatus("waiting")).toEqual({ state: "needs-you", word: "Waiting for you" });
        expect(childStatus("waiting").word).toBe("Waiting for you");
    });

    it("that a run carries out stands like a stage", () => {
        expect([childStatus("planned").word, childStatus("paused").word, childStatus("completed").word]).toEqual([
            "Pending",
            "Waiting for you",
            "Done",
        ]);
    });
});

describe("sums", () => {
    it("keep figures that say something", () => {
        expect(formatMoney(0)).toBe("$0.00");
        expect(formatMoney(4_200_000)).toBe("$0.0042");
        expect(formatMoney(12_340_000)).toBe("$0.0123");
        expect(formatMoney(1_274_000_000)).toBe("$1.27");
        expect(formatMoney(10)).toBe("< $0.0001");
    });

    it("are short where only the size counts", () => {
        expect([412, 1_000, 4_250, 84_700, 999_400, 1_240_000].map(shortTokens)).toEqual([
            "412",
            "1k",
            "4.3k",
            "85k",
            "999k",
            "1.2M",
        ]);
    });

    it("tell what was billed, and never mix in what a flat rate paid for", () => {
        expect(spentWord({ cost: 120_000_000, equivalent: 900_000_000 })).toBe("$0.12");
        expect(spentWord({ cost: 0, equivalent: 900_000_000 })).toBe("subscription, worth $0.90");
        expect(spentWord({ cost: 0, unpriced: true })).toBe("no price known");
        expect(spentWord({ cost: 120_000_000, unpriced: true })).toBe("$0.12 + unpriced");
        expect(spentWord({ cost: 0 })).toBe("$0.00");
        expect(spentOf([{ cost: 1 }, { cost: 2, equivalent: 5, unpriced: true }])).toEqual({
            cost: 3,
            equivalent: 5,
            unpriced: true,
        });
    });

    it("count every token once", () => {
        expect(formatTokens(tokensOf({ input: 1_000, output: 200, thinking: 50, cacheRead: 3, cacheWrite: 1 }))).toBe(
            "1,204 tokens",
        );
    });
});

describe("tokens", () => {
    const usage = { input: 900, output: 100 };

    it("are those of a model, and none where the offline engine answered", () => {
        const run = { stages: [], connection: "offline", usage } as unknown as RunState;
        expect(tokensWord(run)).toBe("1,000 tokens");
        expect(tokensWord({ ...run, noModel: true })).toBe("no model");
        const turn = { connection: "acme", usage } as unknown as TurnHead;
        expect(tokensWord(turn, { input: 1, output: 0 })).toBe("1 token");
        expect(tokensWord({ ...turn, connection: "offline" })).toBe("no model");
    });
});

describe("a forecast", () => {
    const range = (likely: number) => ({ low: likely / 2, likely, high: likely * 2 });
    const run = (over: Partial<RunState>) =>
        ({
            status: "completed",
            cost: 150_000_000,
            usage: { input: 900, output: 100 },
            forecast: { cost: range(100_000_000), tokens: range(400), runs: 3 },
            ...over,
        }) as RunState;

    it("stands beside what a finished run used, in money where there is any, else in tokens", () => {
        expect(forecastWord(run({}))).toBe(
            "Forecast: likely $0.10, $0.05 to $0.20 (from 3 earlier runs). Used $0.15, within it.",
        );
        expect(forecastWord(run({ cost: 0 }))).toMatch(/Used 1,?000 tokens, outside of it\.$/);
        expect(forecastWord(run({ status: "running" }))).toBeUndefined();
        expect(forecastWord(run({ forecast: undefined }))).toBeUndefined();
        expect(forecastWord(run({ stages: [], noModel: true }))).toBeUndefined();
    });
});
