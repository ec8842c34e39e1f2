// The order of a stage strip: which stages stand side by side, which on top of each other, and what a repair spans.

import type { RunState, StagePhase, StageRow } from "@/backend";
import { formatDuration } from "@/shared";

import { stageStatus } from "./labels";

/** Stages by the column they stand in: one after all it waits for. Stages of one column may run at once. */
export function columnsOf(stages: readonly StageRow[]): StageRow[][] {
    const level = new Map<string, number>();
    const rows = new Map(stages.map((stage) => [String(stage.id), stage]));
    const levelOf = (stage: StageRow, above: readonly string[]): number => {
        const id = String(stage.id);
        const known = level.get(id);
        if (known !== undefined) return known;
        const before = stage.dependsOn
            .map(String)
            .filter((each) => !above.includes(each))
            .map((each) => rows.get(each))
            .filter((row) => row !== undefined);
        const found = before.length === 0 ? 0 : 1 + Math.max(...before.map((row) => levelOf(row, [...above, id])));
        level.set(id, found);
        return found;
    };
    // Without any edge the order of the list is the order of work.
    const chained = stages.length > 1 && stages.every((stage) => stage.dependsOn.length === 0);
    const columns: StageRow[][] = [];
    stages.forEach((stage, index) => {
        const at = chained ? index : levelOf(stage, []);
        (columns[at] ??= []).push(stage);
    });
    return columns.filter((column) => column !== undefined && column.length > 0);
}

/** The stages as they are seen: what nobody drives stands still, whatever the log says it was doing. */
export function seenStages(run: Pick<RunState, "stages" | "status">): { stages: StageRow[]; rest: string } {
    const rest = run.status === "paused" ? "waiting for you" : "stopped";
    if (run.status === "running") return { stages: run.stages, rest: "waiting for you" };
    return {
        stages: run.stages.map((stage) => (stage.phase === "running" ? { ...stage, phase: "paused" } : stage)),
        rest,
    };
}

/** A repair: the columns from where it begins anew to where it is checked, and which it is. */
export interface RepairArc {
    from: number;
    to: number;
    iteration: number;
    most: number;
}

export function repairOf(columns: readonly StageRow[][]): RepairArc | undefined {
    const inUnit = columns.map((column) => column.filter((stage) => stage.maxIterations > 0));
    const iteration = Math.max(0, ...inUnit.flat().map((stage) => stage.iteration));
    const places = inUnit.flatMap((column, index) => (column.length > 0 ? [index] : []));
    const [first] = places;
    const last = places[places.length - 1];
    if (iteration === 0 || first === undefined || last === undefined) return undefined;
    return { from: first, to: last, iteration, most: Math.max(...inUnit.flat().map((stage) => stage.maxIterations)) };
}

/** Which stage the arrow keys lead to. Left and right change the column, up and down the row. */
export function neighbour(columns: readonly StageRow[][], id: string, key: string): StageRow | undefined {
    const column = columns.findIndex((each) => each.some((stage) => String(stage.id) === id));
    const row = columns[column]?.findIndex((stage) => String(stage.id) === id) ?? -1;
    if (column < 0 || row < 0) return undefined;
    const inColumn = (index: number) => {
        const target = columns[index];
        return target?.[Math.min(row, target.length - 1)];
    };
    switch (key) {
        case "ArrowLeft":
            return inColumn(column - 1);
        case "ArrowRight":
            return inColumn(column + 1);
        case "ArrowUp":
            return columns[column]?.[row - 1];
        case "ArrowDown":
            return columns[column]?.[row + 1];
        case "Home":
            return columns[0]?.[0];
        case "End":
            return columns[columns.length - 1]?.[0];
        default:
            return undefined;
    }
}

/** What has to be said aloud when the second state follows the first; empty when nothing has. */
export function announcement(before: RunState | undefined, after: RunState): string {
    if (before === undefined || before.run !== after.run) return "";
    const said: string[] = [];
    for (const stage of after.stages) {
        const old = before.stages.find((each) => each.id === stage.id);
        if (old === undefined || old.phase === stage.phase) continue;
        const word = stageStatus(stage.phase).word.toLowerCase();
        said.push(
            stage.phase === "completed" && stage.activeMs > 0
                ? `${stage.title} done after ${formatDuration(stage.activeMs)}`
                : `${stage.title}: ${word}`,
        );
    }
    if (before.status !== after.status && after.status === "completed") said.push("The answer is ready");
    if (before.status !== after.status && after.status === "failed") said.push("The run failed");
    return said.length === 0 ? "" : `${said.join(". ")}.`;
}

/** How long a stage has worked until `now`. What counts while it runs is the clock on the wall. */
export function stageElapsed(stage: StageRow, now: number): number {
    if (stage.phase === "running" && stage.startedAt !== null) return Math.max(stage.activeMs, now - stage.startedAt);
    return stage.activeMs;
}

/** The part of the work that stages belong to, and where it stands as a whole. */
export interface StageGroup {
    title: string;
    stages: StageRow[];
    phase: StagePhase;
}

/** The stages by the part of the work that they belong to, in order; nothing where they name none. */
export function groupsOf(stages: readonly StageRow[]): StageGroup[] | undefined {
    if (stages.every((stage) => (stage.group ?? "") === "")) return undefined;
    const groups = new Map<string, StageRow[]>();
    let last = "";
    for (const stage of stages) {
        last = (stage.group ?? "") === "" ? last : (stage.group ?? "");
        groups.set(last, [...(groups.get(last) ?? []), stage]);
    }
    return [...groups].map(([title, own]) => ({
        title,
        stages: own,
        phase: phaseOf(own),
    }));
}

/** What needs somebody, and what is under way. */
const NEEDED: readonly StagePhase[] = ["failed", "paused", "running"];

/** What needs somebody comes first; some that have ended among others are work under way. */
function phaseOf(stages: readonly StageRow[]): StagePhase {
    const has = (phase: StagePhase) => stages.some((stage) => stage.phase === phase);
    const first = NEEDED.find(has);
    if (first !== undefined) return first;
    if (!has("pending")) return has("completed") ? "completed" : "skipped";
    return has("completed") ? "running" : "pending";
}

/** The part that is shown: the one that was chosen, else the one of the open stage, else the one where the work stands. */
export function groupShown(
    groups: readonly StageGroup[],
    chosen: string | undefined,
    open: string | undefined,
): StageGroup | undefined {
    const of = (test: (stage: StageRow) => boolean) => groups.find((group) => group.stages.some(test));
    return (
        groups.find((group) => group.title === chosen) ??
        (open === undefined ? undefined : of((stage) => String(stage.id) === open)) ??
        of((stage) => NEEDED.includes(stage.phase)) ??
        groups.findLast((group) => group.phase !== "pending") ??
        groups[0]
    );
}
