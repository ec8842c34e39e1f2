import { useRef, useState } from "react";

import { call, send, toProblem, type Problem } from "@/backend";
import { go } from "@/routes";

export interface Start {
    /** What is being started, and since when. */
    under: { question: string; since: number } | undefined;
    problem: Problem | undefined;
    start: (agent: string, question: string) => Promise<void>;
    /** Gives up on it; a run that begins all the same is ended. */
    stop: () => void;
}

/** Starts a run and shows its session. */
export function useStart(): Start {
    const [under, setUnder] = useState<Start["under"]>();
    const [problem, setProblem] = useState<Problem | undefined>();
    const turn = useRef(0);
    const start = async (agent: string, question: string) => {
        turn.current += 1;
        const own = turn.current;
        setUnder({ question, since: Date.now() });
        setProblem(undefined);
        try {
            const run = await send("run_start", { agent, request: question });
            if (own !== turn.current) return void (await send("run_cancel", { run: { id: run } }));
            const { session } = await call("run_show", { run: { id: run } });
            go({ page: "session", session, run });
        } catch (thrown) {
            if (own === turn.current) setProblem(toProblem(thrown));
        } finally {
            if (own === turn.current) setUnder(undefined);
        }
    };
    const stop = () => {
        turn.current += 1;
        setUnder(undefined);
    };
    return { under, problem, start, stop };
}
