import { useState } from "react";

import { useQuery, type RunRow } from "@/backend";
import { hrefOf } from "@/routes";
import { Button, AsyncBoundary, RelativeTime, Row, Rows, StateMark, type State } from "@/shared";

const FIRST = 8;
const MORE = 40;

const STATES: Record<string, { state: State; word: string }> = {
    running: { state: "running", word: "Running" },
    interrupted: { state: "needs-you", word: "Interrupted" },
    paused: { state: "needs-you", word: "Waiting for you" },
    suspended: { state: "idle", word: "Suspended" },
    completed: { state: "done", word: "Completed" },
    failed: { state: "failed", word: "Failed" },
    cancelled: { state: "skipped", word: "Cancelled" },
};

/** What this agent was asked, the newest first. */
export function AgentRuns({ slug }: { slug: string }) {
    const [limit, setLimit] = useState(FIRST);
    const runs = useQuery("run_list", { limit, agent: slug, status: null, before: null });
    return (
        <AsyncBoundary of={runs} what="the runs">
            {(page) =>
                page.runs.length === 0 ? (
                    <p className="text-ui text-ink-2">This agent has no runs yet.</p>
                ) : (
                    <>
                        <Rows label="Runs">
                            {page.runs.map((run) => (
                                <RunLine key={run.run} run={run} />
                            ))}
                        </Rows>
                        {page.next !== null && (
                            <Button
                                size="small"
                                variant="quiet"
                                className="mt-2"
                                onClick={() => setLimit(limit + MORE)}
                            >
                                Show older runs
                            </Button>
                        )}
                    </>
                )
            }
        </AsyncBoundary>
    );
}

function RunLine({ run }: { run: RunRow }) {
    const { state, word } = STATES[run.status] ?? { state: "idle" as const, word: run.status };
    return (
        <Row
            href={hrefOf({ page: "session", session: run.session, run: run.run })}
            icon={<StateMark state={state} word={word} show="icon" />}
            title={run.title}
            end={
                <>
                    <span className="sr-only">Last changed </span>
                    <RelativeTime at={run.updatedAt} />
                </>
            }
            line={<span className="text-small">{word}</span>}
        />
    );
}
