// "Worked 1 m 12 s, 6 stages": what a run did, folded to one line. What went wrong stays in sight.

import { TriangleAlert } from "lucide-react";
import { useState } from "react";

import { skip, useQuery, type RunState, type StageRow } from "@/backend";
import { Duration, Fold, Skeleton, StateMark, count, formatDuration } from "@/shared";

import { CallLine } from "./lazy";
import { stageStatus } from "./labels";

export function WorkLine({ run, onOpen }: { run: RunState; onOpen: (stage: StageRow) => void }) {
    const [open, setOpen] = useState(false);
    const begun = run.stages.filter((stage) => stage.phase !== "pending");
    const wrong = run.stages.filter((stage) => stage.phase === "failed" || stage.warnings.length > 0);
    if (begun.length === 0) return null;
    const over = run.status !== "running";
    return (
        <div>
            <Fold
                open={open}
                onToggle={setOpen}
                label={
                    <span className="tabular">
                        {over ? "Worked" : "Working"} {formatDuration(run.activeMs)}, {count(begun.length, "stage")}
                        {run.answered.length > 0 && `, ${count(run.answered.length, "decision")}`}
                    </span>
                }
            >
                {open && (
                    <ol className="mt-1 mb-2 ml-[7px] border-l border-hairline pl-4">
                        {begun.map((stage) => (
                            <StageSteps
                                key={String(stage.id)}
                                run={run.run}
                                stage={stage}
                                onOpen={() => onOpen(stage)}
                            />
                        ))}
                    </ol>
                )}
            </Fold>
            {!open &&
                wrong.map((stage) => (
                    <p
                        key={String(stage.id)}
                        className="mt-0.5 flex items-start gap-1.5 pl-[18px] text-small text-ink-2"
                    >
                        {stage.phase === "failed" ? (
                            <StateMark state="failed" show="icon" size={14} className="mt-px" />
                        ) : (
                            <span className="mt-px shrink-0 text-needs">
                                <TriangleAlert size={14} strokeWidth={1.5} aria-hidden />
                                <span className="sr-only">Warning</span>
                            </span>
                        )}
                        <span className="min-w-0 whitespace-pre-line">
                            {stage.title}: {stage.warnings.length > 0 ? stage.warnings.join("\n") : stage.summary}
                        </span>
                    </p>
                ))}
        </div>
    );
}

function StageSteps({ run, stage, onOpen }: { run: string; stage: StageRow; onOpen: () => void }) {
    const skipped = stage.phase === "skipped";
    const { data, problem } = useQuery("run_stage", skipped ? skip : { run, stage: stage.id });
    const { state, word } = stageStatus(stage.phase);
    return (
        <li className="py-1">
            <div className="flex min-h-6 items-center gap-2">
                <StateMark state={state} word={word} show="icon" size={14} />
                <button
                    type="button"
                    onClick={onOpen}
                    className="min-w-0 truncate rounded-[4px] text-ui font-medium hover:underline"
                >
                    {stage.title}
                </button>
                <span className="min-w-0 flex-1 truncate text-small text-ink-2">{stage.summary}</span>
                {stage.activeMs > 0 && <Duration ms={stage.activeMs} className="text-small text-ink-3" />}
            </div>
            {problem !== undefined && <p className="pl-6 text-small text-failed">{problem.message}</p>}
            {!skipped && data === undefined && problem === undefined && (
                <Skeleton lines={1} className="ml-6 max-w-60" />
            )}
            {data !== undefined && data.calls.length > 0 && (
                <ol className="pl-5">
                    {data.calls.map((call) => (
                        <li key={call.key}>
                            <CallLine call={call} />
                        </li>
                    ))}
                </ol>
            )}
        </li>
    );
}
