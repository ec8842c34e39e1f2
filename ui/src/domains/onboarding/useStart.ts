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
            const session = await sessionOf(run);
            // The run goes on by itself: where its session can't be read, its own page says why.
            go(session === undefined ? { page: "run", run } : { page: "session", session, run });
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

/** How often, and after how many milliseconds each time, a run is looked for whose first event is still being stored. */
const LOOKS = 30;
const LOOK_MS = 100;

async function sessionOf(run: string): Promise<string | undefined> {
    for (let look = 0; look < LOOKS; look += 1) {
        try {
            return (await call("run_show", { run: { id: run } })).session;
        } catch (thrown) {
            if (toProblem(thrown).code !== "not_found") return undefined;
            await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
        }
    }
    return undefined;
}
