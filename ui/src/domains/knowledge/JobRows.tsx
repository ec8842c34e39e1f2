import { useState } from "react";

import { useCommand, useQuery, type BaseRow, type JobKind, type JobState } from "@/backend";
import { hrefOf } from "@/routes";
import { Button, Duration, ErrorCard, Fold, ProgressBar, StateMark, count, cx, useElapsed, type State } from "@/shared";

import { AskBase } from "./AskBase";
import { useJobs } from "./jobs";
import { progressOf } from "./labels";

const STATES: Record<JobState["status"], State> = {
    running: "running",
    done: "done",
    cancelled: "skipped",
    failed: "failed",
};
const WORDS: Record<JobState["status"], string> = {
    running: "Running",
    done: "Ready",
    cancelled: "Stopped",
    failed: "Failed",
};
const STORING: readonly JobKind[] = ["ingest", "download"];

export interface JobRowsProps {
    /** Of one base or model. */
    of?: string;
    /** Without a look at files: that is told where it is asked for. */
    kinds?: readonly JobKind[];
    /** Whether what is done is told too: where it was begun. */
    done?: boolean;
    className?: string;
}

/** Jobs of this process: those under way, and those of which there is something to say. */
export function JobRows({ of, kinds = STORING, done = false, className = "mb-5" }: JobRowsProps) {
    const jobs = useJobs();
    const bases = useQuery("base_list", null).data;
    const [closed, setClosed] = useState<readonly string[]>([]);
    const shown = jobs.filter(
        (job) =>
            kinds.includes(job.kind) &&
            (of === undefined || job.subject === of) &&
            (done || worthTelling(job, bases)) &&
            !closed.includes(job.job),
    );
    if (shown.length === 0) return null;
    return (
        <div className={cx("space-y-3", className)}>
            {shown.slice(0, of === undefined ? 5 : 1).map((job) => (
                <JobCard
                    key={job.job}
                    job={job}
                    linked={bases?.some((base) => base.name === job.subject) === true}
                    onClose={() => setClosed([...closed, job.job])}
                />
            ))}
        </div>
    );
}

/** What goes on, what failed, and what could not be read into a base that is still there. */
function worthTelling(job: JobState, bases: readonly BaseRow[] | undefined): boolean {
    if (job.status === "running" || job.status === "failed") return true;
    return job.warnings.length > 0 && (bases ?? []).some((base) => base.name === job.subject);
}

/** One job: what it is doing, in words, and how to stop it; then what came of it. */
function JobCard({ job, linked, onClose }: { job: JobState; linked: boolean; onClose: () => void }) {
    const cancel = useCommand("job_cancel");
    const elapsed = useElapsed(job.status === "running" ? job.startedAt : undefined);
    const download = job.kind === "download";
    if (job.status === "failed") {
        return (
            <ErrorCard
                title={download ? `Download of “${job.subject}” failed` : `Ingest into “${job.subject}” failed`}
                kept={
                    download
                        ? "The partial download is kept; retrying resumes it. The earlier version stays in use."
                        : "The earlier content of the knowledge base is kept and stays in use."
                }
                advice={
                    job.problem?.action ??
                    (download ? undefined : "Fix the problems listed here, then ingest the files again.")
                }
                details={job.warnings.join("\n")}
                actions={
                    <Button size="small" onClick={onClose}>
                        Close
                    </Button>
                }
            >
                {job.problem?.message}
            </ErrorCard>
        );
    }
    return (
        <section
            aria-label={`${download ? "Download" : "Ingest"} of ${job.subject}`}
            className="rounded-card border border-hairline bg-surface px-4 py-3"
        >
            <div className="flex items-center gap-3">
                <StateMark state={STATES[job.status]} word={WORDS[job.status]} />
                {linked ? (
                    <a
                        href={hrefOf({ page: "base", base: job.subject })}
                        className="min-w-0 truncate font-medium hover:underline"
                    >
                        {job.subject}
                    </a>
                ) : (
                    <span className="min-w-0 truncate font-medium">{job.subject}</span>
                )}
                <span className="ml-auto flex shrink-0 items-center gap-2 text-small text-ink-3">
                    {job.status === "done" && linked && <AskBase base={job.subject} size="small" />}
                    {job.status !== "running" && (
                        <Button size="small" variant="quiet" onClick={onClose}>
                            Close
                        </Button>
                    )}
                    {job.status === "running" && (
                        <>
                            <Duration ms={elapsed} />
                            <Button
                                size="small"
                                disabled={cancel.pending}
                                onClick={() => void cancel.run({ job: job.job })}
                            >
                                Stop
                            </Button>
                        </>
                    )}
                </span>
            </div>
            {job.status === "running" && <ProgressBar className="mt-2" label={job.text} {...progressOf(job)} />}
            {job.status === "done" && job.text !== "" && <p className="mt-1 text-ui text-ink-2">{job.text}.</p>}
            {job.status === "cancelled" && (
                <p className="mt-1 text-ui text-ink-2">
                    {download
                        ? "The partial download is kept; nothing else was changed."
                        : "The earlier content of the knowledge base is unchanged."}
                </p>
            )}
            {cancel.problem !== undefined && (
                <p role="alert" className="mt-1 text-small text-failed">
                    The job could not be stopped: {cancel.problem.message}
                </p>
            )}
            {job.warnings.length > 0 && (
                <Fold
                    label={<span className="text-needs">{count(job.warnings.length, "reading problem")}</span>}
                    className="mt-2"
                >
                    <ul className="mt-1 max-h-60 list-disc space-y-1 overflow-y-auto pl-8 text-small text-ink-2">
                        {job.warnings.map((warning, index) => (
                            <li key={index} className="break-words">
                                {warning}
                            </li>
                        ))}
                    </ul>
                </Fold>
            )}
        </section>
    );
}
