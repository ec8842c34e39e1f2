// What a run that repeats another took over, in words.

import type { ReuseRow, StageRow } from "@/backend";
import { count } from "@/shared";

import { formatMoney, formatTokens } from "./labels";

/** One line: how much was taken over, and what that saved. */
export function reuseLine(reuse: ReuseRow): string {
    const all = reuse.callsReused + reuse.callsMade;
    const saved =
        reuse.callsReused === 0 ? "" : `; ${formatMoney(reuse.costSaved)} and ${formatTokens(reuse.tokensSaved)} saved`;
    const edited = reuse.edited.length === 0 ? "" : ` Edited beforehand: ${reuse.edited.join(", ")}.`;
    return `Took over ${reuse.callsReused} of ${count(all, "call")} from an earlier run${saved}.${edited}`;
}

/** Whether something else can stand in place of what a stage gave. */
export function canBeEdited(stage: StageRow): boolean {
    return stage.kind !== "verify" && stage.kind !== "render" && stage.phase === "completed";
}
