import { useState } from "react";

import { useCommand, useQuery, type BaseRow, type JobState } from "@/backend";
import { hrefOf } from "@/routes";
import { Button, Duration, ErrorCard, Fold, ProgressBar, StateMark, count, useElapsed, type State } from "@/shared";

import { useJobs } from "./jobs";

const STATES: Record<JobState["status"], State> = { running: "running", done: "done", cancelled: "skipped", failed: "failed" };
const WORDS: Record<JobState["status"], string> = { running: "Reading", done: "Ready", cancelled: "Stopped", failed: "Failed" };

/** Ingests of this process: those under way, and those of which there is something to say. */
export function JobRows({ base }: { base?: string }) {
    const jobs = useJobs();
    const bases = useQuery("base_list", null).data;
    const [closed, setClosed] = useState<readonly string[]>([]);
    const shown = jobs.filter((job) => job.kind === "ingest" && (base === undefined || job.subject === base) && worthTelling(job, bases) && !closed.includes(job.job));
    if (shown.length === 0) return null;
    return (
        <div className="mb-5 space-y-3">
            {shown.slice(0, 5).map((job) => (
                <JobCard key={job.job} job={job} onClose={() => setClosed([...closed, job.job])} />
            ))}
        </div>
    );
}

/** What goes on, what failed, and what could not be read into a base that is still there. */
function worthTelling(job: JobState, bases: readonly BaseRow[] | undefined): boolean {
    if (job.status === "running" || job.status === "failed") return true;
    return job.warnings.length > 0 && (bases ?? []).some((base) => base.name === job.subject);
}

/** One ingest: what it is doing, in words, and how to stop it; then what came of it. */
function JobCard({ job, onClose }: { job: JobState; onClose: () => void }) {
    const cancel = useCommand("job_cancel");
    const elapsed = useElapsed(job.status === "running" ? job.startedAt : undefined);
    if (job.status === "failed") {
        return (
            <ErrorCard
                title={`Reading files into “${job.subject}” failed`}
                kept="What the base held before is kept and still in use."
                advice={job.problem?.action ?? "Look at what is said here, mend it, and add the files again."}
                details={job.warnings.join("\n")}
                actions={<Button size="small" onClick={onClose}>Close</Button>}
            >
                {job.problem?.message}
            </ErrorCard>
        );
    }
    return (
        <section aria-label={`Ingest of ${job.subject}`} className="rounded-card border border-hairline bg-surface px-4 py-3">
            <div className="flex items-center gap-3">
                <StateMark state={STATES[job.status]} word={WORDS[job.status]} />
                <a href={hrefOf({ page: "base", base: job.subject })} className="min-w-0 truncate font-medium hover:underline">
                    {job.subject}
                </a>
                <span className="ml-auto flex items-center gap-2 text-small text-ink-3">
                    {job.status !== "running" && (
                        <Button size="small" variant="quiet" onClick={onClose}>
                            Close
                        </Button>
                    )}
                    {job.status === "running" && (
                        <>
                            <Duration ms={elapsed} />
                            <Button size="small" disabled={cancel.pending} onClick={() => void cancel.run({ job: job.job })}>
                                Stop
                            </Button>
                        </>
                    )}
                </span>
            </div>
            {job.status === "running" && (
                <ProgressBar className="mt-2" label={job.text} value={job.total === 0 ? undefined : job.done / job.total} text={job.total === 0 ? undefined : `${job.done.toLocaleString("en-GB")} of ${job.total.toLocaleString("en-GB")}`} />
            )}
            {job.status !== "running" && job.text !== "" && <p className="mt-1 text-ui text-ink-2">{job.text}</p>}
            {job.status === "cancelled" && <p className="mt-1 text-ui text-ink-2">What the base held before is as it was.</p>}
            {cancel.problem !== undefined && <p role="alert" className="mt-1 text-small text-failed">It could not be stopped: {cancel.problem.message}</p>}
            {job.warnings.length > 0 && (
                <Fold label={`${count(job.warnings.length, "thing")} could not be read as expected`} className="mt-2">
                    <ul className="mt-1 max-h-48 space-y-1 overflow-y-auto text-small text-ink-2">
                        {job.warnings.map((warning) => (
                            <li key={warning} className="break-words">{warning}</li>
                        ))}
                    </ul>
                </Fold>
            )}
        </section>
    );
}
