// The checkpoints of a run, newest first: what made each, when, the digest of the log up to there, and how to go on from it.

import { useState } from "react";

import { useCommand, type CheckpointRow, type CheckpointCause, type RunState } from "@/backend";
import { go, hrefOf } from "@/routes";
import { Button, ErrorCard, RelativeTime, count } from "@/shared";

/** How many are shown at first. */
const SHOWN = 12;

const TRIGGERS: Record<CheckpointCause, string> = {
    run_started: "Run started",
    stage_started: "Stage started",
    item_complete: "Part complete",
    words_written: "Words written",
    stage_complete: "Stage complete",
    stage_skipped: "Stage skipped",
    check_passed: "Check passed",
    check_failed: "Check not passed",
    repair_started: "Repair started",
    repair_ended: "Repairs used up",
    error: "Error",
    paused: "Waiting for you",
    decided: "You decided",
    suspended: "Stopped",
    continued: "Continued",
    run_complete: "Run complete",
    run_failed: "Run ended",
};

/** What happened at a checkpoint. */
function checkpointWord({ trigger, title, item, words }: CheckpointRow): string {
    const written = typeof words === "number" ? count(words, "word") : undefined;
    const place = [title, item, written].filter((part) => part !== undefined && part !== null).join(", ");
    return place === "" ? TRIGGERS[trigger] : `${TRIGGERS[trigger]}: ${place}`;
}

type Props = {
    run: Pick<RunState, "run" | "session" | "status">;
    checkpoints: readonly CheckpointRow[];
    stateFile?: string | null | undefined;
};

export function Checkpoints({ run, checkpoints, stateFile }: Props) {
    const [all, setAll] = useState(false);
    const shown = checkpoints.toReversed().slice(0, all ? checkpoints.length : SHOWN);
    if (checkpoints.length === 0) return <p className="text-ui text-ink-2">No checkpoint yet.</p>;
    return (
        <div className="flex flex-col items-start gap-2">
            {stateFile !== undefined && stateFile !== null && (
                <p className="text-small text-ink-2">
                    State in <code>{stateFile}</code>
                </p>
            )}
            <ol aria-label={count(checkpoints.length, "checkpoint")} className="flex w-full flex-col">
                {shown.map((checkpoint) => (
                    <li
                        key={checkpoint.seq}
                        className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-hairline py-1.5 last:border-b-0"
                    >
                        <span className="min-w-0 flex-1 basis-60 text-ui break-words">
                            {checkpointWord(checkpoint)}
                        </span>
                        <code className="text-small text-ink-3" title={`Event ${checkpoint.seq}: ${checkpoint.digest}`}>
                            {checkpoint.digest.slice(0, 12)}
                        </code>
                        <RelativeTime at={checkpoint.at} className="text-small text-ink-2" />
                        <ResumeFrom run={run} checkpoint={checkpoint} />
                    </li>
                ))}
            </ol>
            {!all && checkpoints.length > SHOWN && (
                <Button onClick={() => setAll(true)}>{`Show all ${checkpoints.length}`}</Button>
            )}
        </div>
    );
}

/** What goes on from a checkpoint: the run itself from its newest, a new run from the beginning of a stage. */
function ResumeFrom({ run, checkpoint }: { run: Props["run"]; checkpoint: CheckpointRow }) {
    const resuming = useCommand("run_resume");
    const starting = useCommand("run_start");
    const { resume } = checkpoint;
    if (resume === undefined || resume === null) return null;
    if (resume.how === "run" && (run.status === "paused" || run.status === "waiting"))
        return (
            <a
                className="text-small text-accent hover:underline"
                href={hrefOf({ page: "session", session: run.session, run: run.run })}
            >
                Answer to go on
            </a>
        );
    const again = async (stage: string) => {
        const { value } = await starting.run({ base: { run: run.run, edits: {}, from: stage } });
        if (value !== undefined) go({ page: "run", run: value });
    };
    const problem = resuming.problem ?? starting.problem;
    return (
        <>
            <Button
                disabled={resuming.pending || starting.pending}
                onClick={() =>
                    void (resume.how === "run" ? resuming.run({ run: { id: run.run } }) : again(String(resume.stage)))
                }
                title={
                    resume.how === "run"
                        ? "Continues this run. Finished work is not repeated."
                        : "Starts a new run that reuses the earlier stages and repeats this stage and those after it."
                }
            >
                {resume.how === "run" ? "Resume from here" : "Rerun from here"}
            </Button>
            {problem !== undefined && (
                <ErrorCard
                    title="Could not resume from here."
                    advice={problem.action ?? undefined}
                    details={problem.message}
                />
            )}
        </>
    );
}
