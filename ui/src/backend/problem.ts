import type { Problem } from "./generated";

/** A `Problem` that can be thrown. */
export class Failure extends Error {
    override readonly name = "Failure";

    constructor(readonly problem: Problem) {
        super(problem.message);
    }
}

function isProblem(value: unknown): value is Problem {
    return (
        typeof value === "object" &&
        value !== null &&
        "code" in value &&
        "message" in value &&
        typeof value.message === "string"
    );
}

/** Whatever was thrown, in the words of the closed list. */
export function toProblem(thrown: unknown): Problem {
    if (thrown instanceof Failure) return thrown.problem;
    if (isProblem(thrown)) return thrown;
    const message =
        thrown instanceof Error ? thrown.message : typeof thrown === "string" ? thrown : JSON.stringify(thrown);
    return { code: "internal", message, retryable: false };
}
