// The runs that work on an attempt, and where each stands.

import type { TaskRunState } from "@/backend";
import { runStatus } from "@/domains/run";
import { hrefOf } from "@/routes";
import { Section, StateMark } from "@/shared";
import { isThere } from "./labels";

/** What a run does or waits for, in words. */
export function doing({ status, stage, waitsFor }: TaskRunState): string {
    if (isThere(waitsFor)) return `Waits for you: ${waitsFor}`;
    return isThere(stage) ? stage : runStatus(status).word;
}

export function Runs({ runs }: { runs: readonly TaskRunState[] }) {
    if (runs.length === 0) return null;
    return (
        <Section title="Runs">
            <ul aria-label="Runs" className="flex flex-col">
                {runs.map((run, index) => {
                    const { state, word } = runStatus(run.status);
                    return (
                        <li
                            key={run.run}
                            className="flex min-w-0 items-center gap-2 border-b border-hairline py-1.5 last:border-b-0"
                        >
                            <StateMark state={state} word={word} show="icon" size={14} />
                            <a
                                href={hrefOf({ page: "run", run: run.run })}
                                className="text-ui text-accent hover:underline"
                            >
                                Run {index + 1}
                            </a>
                            <span className="min-w-0 flex-1 truncate text-small text-ink-2">{doing(run)}</span>
                            <a
                                href={hrefOf({ page: "session", session: run.session, run: run.run })}
                                className="shrink-0 text-small text-accent hover:underline"
                            >
                                Session
                            </a>
                        </li>
                    );
                })}
            </ul>
        </Section>
    );
}
