// What a repair unit tried: each attempt with its scores, and which one stands.

import type { GateRow } from "@/backend";
import { StateMark } from "@/shared";

/** How a unit's repairs ended, in words; empty while they go on, and where the check passes. */
export function gateWord(gate: GateRow): string {
    if (gate.ended === null || gate.ended === undefined) return "";
    if (gate.certified) return "Accepted with limitations";
    switch (gate.onExhausted) {
        case "pause":
            return "Waits for your decision";
        case "fail":
            return "Not passed: the run fails here";
        case "best":
        case "certify":
            return "Not passed; the best attempt is used";
    }
}

/** Whether there is more to show than the stage's own scores. */
export function hasAttempts(gate: GateRow | null | undefined): gate is GateRow {
    return gate !== null && gate !== undefined && (gate.attempts.length > 1 || typeof gate.ended === "string");
}

/** A gate by its name, as "A1_to_A2" in its configuration. */
export function gateName(gate: GateRow): string {
    return gate.name === null || gate.name === undefined ? "Check" : `Gate ${gate.name.replace(/_/g, " ")}`;
}

/** How many attempts were made, of how many; those that you allow count as well. */
export function attemptsWord(gate: GateRow, maxIterations: number): string {
    return `${gate.attempts.length} of ${Math.max(maxIterations + 1, gate.attempts.length)}`;
}

export function GateAttempts({ gate, maxIterations }: { gate: GateRow; maxIterations: number }) {
    const word = gateWord(gate);
    return (
        <section aria-label={gateName(gate)} className="flex flex-col">
            <h3 className="flex flex-wrap items-baseline gap-x-2 text-ui font-medium">
                {gateName(gate)}
                <span className="tabular text-small font-normal text-ink-2">{attemptsWord(gate, maxIterations)}</span>
                {word !== "" && <span className="text-small font-normal text-ink-2">{word}</span>}
            </h3>
            <ol className="flex flex-col">
                {gate.attempts.map((attempt) => (
                    <li
                        key={attempt.iteration}
                        className="flex min-w-0 items-center gap-2 border-b border-hairline py-1.5 last:border-b-0"
                    >
                        <StateMark
                            state={attempt.passed ? "done" : "failed"}
                            word={attempt.passed ? "Passed" : "Not passed"}
                            show="icon"
                            size={14}
                        />
                        <span className="min-w-0 flex-1 truncate text-ui">
                            {attempt.iteration === 0 ? "First attempt" : `Repair ${attempt.iteration}`}
                            {attempt.stands && <span className="text-ink-2"> (stands)</span>}
                        </span>
                        <span className="shrink-0 text-small text-ink-2">
                            {Object.entries(attempt.scores)
                                .map(([axis, score]) => `${axis} ${Math.round(score * 100)} %`)
                                .join(", ")}
                        </span>
                    </li>
                ))}
            </ol>
        </section>
    );
}
