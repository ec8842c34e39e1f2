// What recomputing a stored run or turn gave, in words.

import type { Replay } from "@/backend";
import { count } from "@/shared";

/** One line: whether it came out the same, and how much was compared. */
export function replayLine(replay: Replay): string {
    const compared = `${count(replay.events, "event")}, ${count(replay.recomputed, "step")} recomputed`;
    const documents = replay.documents === 0 ? "" : `, ${count(replay.documents, "document")} the same`;
    if (replay.identical) return `Identical: ${compared}${documents}.`;
    const different = (replay.differences ?? []).length + (replay.more ?? 0);
    return `Different in ${count(different, "place")}: ${compared}${documents}.`;
}
