import type { ReactNode } from "react";

import { Button } from "./Button";
import { ErrorCard } from "./notices";
import { problemText } from "./problem";
import { Skeleton } from "./progress";

export interface AsyncBoundaryProps<T> {
    /** Something that is read: what is known of it, and why it could not be read. */
    of: { data: T | undefined; problem: { message: string; action?: string | null } | undefined; reload: () => void };
    /** Its name in a sentence: "the agents". */
    what: string;
    /** In place of grey lines while nothing is known yet. */
    waiting?: ReactNode;
    children: (data: T) => ReactNode;
}

/** What was read, once it is there; until then its room, and where it can't be read, why. */
export function AsyncBoundary<T>({ of, what, waiting, children }: AsyncBoundaryProps<T>) {
    const { data, problem, reload } = of;
    if (data === undefined) {
        if (problem === undefined) return waiting ?? <Skeleton lines={4} className="max-w-xl" />;
        return (
            <ErrorCard
                title={`Could not load ${what}`}
                advice={problem.action ?? undefined}
                actions={<Button onClick={reload}>Try again</Button>}
                className="max-w-2xl"
            >
                {problem.message}
            </ErrorCard>
        );
    }
    return (
        <>
            {problem !== undefined && (
                <p role="alert" className="mb-3 text-small text-failed">
                    {problemText(problem, `Could not reload ${what}; earlier data is shown`)}
                </p>
            )}
            {children(data)}
        </>
    );
}
