// Ingests as they go on: what was listed, and what was told since.

import { useMemo, useSyncExternalStore } from "react";

import { onEvents, useQuery, useWindowWorkspace, type JobState } from "@/backend";

let told: ReadonlyMap<string, JobState> = new Map();
const listeners = new Set<() => void>();

onEvents((events) => {
    const jobs = events.flatMap((event) => (event.event === "job" ? [event.value] : []));
    // A new line to the core may be to a new core, whose jobs are others.
    const lagged = events.some((event) => event.event === "lagged");
    if (jobs.length === 0 && !lagged) return;
    const next = new Map(lagged ? [] : told);
    for (const job of jobs) next.set(job.job, job);
    told = next;
    listeners.forEach((listener) => listener());
});

/** Listed jobs with what was told of them since; what has ended does not go on again. The newest first. */
export function merge(listed: readonly JobState[], since: ReadonlyMap<string, JobState>): JobState[] {
    const all = new Map(listed.map((job) => [job.job, job]));
    for (const [id, job] of since) {
        const known = all.get(id);
        if (known === undefined || known.status === "running") all.set(id, job);
    }
    return [...all.values()].sort((a, b) => b.startedAt - a.startedAt);
}

/** Whether a job is of a workspace; one of a program that does not say is of every one. */
export function isJobOf(job: JobState, slug: string | undefined): boolean {
    return job.workspace === undefined || job.workspace === slug;
}

/** The jobs of this window's workspace. */
export function useJobs(): JobState[] {
    const { slug } = useWindowWorkspace();
    const listed = useQuery("job_list", null).data;
    const since = useSyncExternalStore(
        (listener) => {
            listeners.add(listener);
            return () => listeners.delete(listener);
        },
        () => told,
    );
    return useMemo(() => merge(listed ?? [], since).filter((job) => isJobOf(job, slug)), [listed, since, slug]);
}
