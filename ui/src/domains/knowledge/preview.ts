// Looking at files before they are stored: one look at a time, and only the newest counts.

import { useCallback, useEffect, useRef, useState } from "react";

import { call, send, toProblem, type IngestPreview, type IngestRequest, type JobState, type Problem } from "@/backend";

import { useJobs } from "./jobs";

export interface Previewing {
    /** The newest that was seen. */
    seen: IngestPreview | undefined;
    problem: Problem | undefined;
    /** When the present look began, in milliseconds since 1970. */
    since: number | undefined;
    /** What it is doing. */
    job: JobState | undefined;
    look: (request: IngestRequest) => void;
    /** Stops the present look; done when it has ended and the base is free. */
    cancel: () => Promise<void>;
}

/** The job that looks at the files of a base. */
export function previewJob(jobs: readonly JobState[], base: string): JobState | undefined {
    return jobs.find((job) => job.kind === "preview" && job.subject === base && job.status === "running");
}

export function usePreviewing(base: string): Previewing {
    const [state, setState] = useState<Pick<Previewing, "seen" | "problem" | "since">>({
        seen: undefined,
        problem: undefined,
        since: undefined,
    });
    const job = previewJob(useJobs(), base);
    const running = useRef<string | undefined>(undefined);
    useEffect(() => {
        running.current = job?.job;
    }, [job?.job]);
    const turn = useRef(0);
    /** The look that goes on; a base is looked at once at a time. */
    const before = useRef<Promise<void>>(Promise.resolve());

    /** How many looks the core is asked for. */
    const under = useRef(0);

    const stop = useCallback(async () => {
        if (under.current === 0) return;
        try {
            // It may have begun without being told of yet.
            const job = running.current ?? previewJob(await call("job_list", null), base)?.job;
            if (job !== undefined) await send("job_cancel", { job });
        } catch {
            // It ended by itself, or will.
        }
    }, [base]);
    const look = useCallback(
        (request: IngestRequest) => {
            turn.current += 1;
            const own = turn.current;
            setState((state) => ({ ...state, problem: undefined, since: Date.now() }));
            void stop();
            before.current = before.current.then(async () => {
                if (own !== turn.current) return;
                under.current += 1;
                try {
                    const seen = await call("base_preview", request);
                    if (own === turn.current) setState({ seen, problem: undefined, since: undefined });
                } catch (thrown) {
                    if (own === turn.current)
                        setState({ seen: undefined, problem: toProblem(thrown), since: undefined });
                } finally {
                    under.current -= 1;
                }
            });
        },
        [stop],
    );
    const cancel = useCallback(async () => {
        turn.current += 1;
        setState((state) => ({ ...state, since: undefined }));
        await stop();
        await before.current;
    }, [stop]);
    // Nobody waits any more.
    const latest = useRef(stop);
    useEffect(() => {
        latest.current = stop;
    }, [stop]);
    useEffect(
        () => () => {
            turn.current += 1;
            void latest.current();
        },
        [],
    );
    return { ...state, job, look, cancel };
}
