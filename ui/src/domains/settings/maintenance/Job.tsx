import { useCommand, type JobState } from "@/backend";
import { useJobs } from "@/domains/knowledge";
import { Button, ErrorCard, Fold, ProgressBar, count } from "@/shared";

/** The newest job of a subject. */
export function useJobOf(subject: string): JobState | undefined {
    return useJobs().find((job) => job.subject === subject);
}

/** One job: how far it is and how to stop it, then what came of it. */
export function Job({ job, failed, findings }: { job: JobState | undefined; failed: string; findings: string }) {
    const cancel = useCommand("job_cancel");
    if (job === undefined) return null;
    if (job.status === "running") {
        return (
            <div className="mt-3 flex items-end gap-3">
                <ProgressBar
                    className="flex-1"
                    label={job.text}
                    value={job.total > 0 ? job.done / job.total : undefined}
                />
                <Button size="small" disabled={cancel.pending} onClick={() => void cancel.run({ job: job.job })}>
                    Stop
                </Button>
            </div>
        );
    }
    if (job.status === "failed") {
        return (
            <ErrorCard
                className="mt-3"
                title={failed}
                kept="Nothing was changed."
                advice={job.problem?.action ?? undefined}
            >
                {job.problem?.message}
            </ErrorCard>
        );
    }
    return (
        <div className="mt-3 text-ui text-ink-2">
            <p role="status">{job.text}</p>
            {job.warnings.length > 0 && (
                <Fold
                    label={<span className="text-needs">{count(job.warnings.length, findings)}</span>}
                    className="mt-1"
                >
                    <ul className="mt-1 max-h-60 list-disc space-y-1 overflow-y-auto pl-8 text-small">
                        {job.warnings.map((warning, index) => (
                            <li key={index} className="break-words">
                                {warning}
                            </li>
                        ))}
                    </ul>
                </Fold>
            )}
        </div>
    );
}
