// Where a text goes that is typed under a session: it depends on what its newest run does. Pure.

import type { RunState } from "@/backend";

export type Destination =
    /** A run of its own: in a new session, or in the one on the page. */
    | { to: "question"; session?: string }
    /** A run that builds on a finished one. */
    | { to: "follow_up"; session: string; previous: string; agent: string }
    /** Queued for the next stage or pause of a run that goes on. */
    | { to: "guidance"; run: string }
    /** The answer to an open pause. */
    | { to: "pause"; run: string; pause: string };

/** `fresh`: the person chose "new question". */
export function destinationOf(run: RunState | undefined, fresh: boolean): Destination {
    if (run === undefined) return { to: "question" };
    // Only a stage's pause reads words; at the others every word would be a yes.
    const pause = run.pauses.find((form) => form.kind === "stage");
    if (run.status === "paused" && pause !== undefined) return { to: "pause", run: run.run, pause: pause.pause };
    if (run.status === "running" || run.status === "paused") return { to: "guidance", run: run.run };
    // A session that holds a finished run would make the new one its follow-up.
    if (run.status === "completed")
        return fresh || !run.followUp
            ? { to: "question" }
            : { to: "follow_up", session: run.session, previous: run.run, agent: run.agent };
    return fresh ? { to: "question" } : { to: "question", session: run.session };
}

/** Whether the person can choose between going on and beginning anew. */
export function hasSwitch(run: RunState | undefined): boolean {
    return run?.status === "completed" && run.followUp;
}

export interface Words {
    placeholder: string;
    send: string;
    /** What the text will be, said under it. */
    hint: string;
}

/** `given`: whether the run is given inputs, beside which a question may stay away. */
export function wordsOf(destination: Destination, given = false): Words {
    switch (destination.to) {
        case "question":
            if (given) return { placeholder: "Add a question (optional)", send: "Run", hint: "" };
            return destination.session === undefined
                ? { placeholder: "Ask a question", send: "Ask", hint: "" }
                : {
                      placeholder: "Ask a question in this session",
                      send: "Ask",
                      hint: "Starts a new run. The run above is not changed.",
                  };
        case "follow_up":
            return {
                placeholder: "Ask a follow-up question",
                send: "Ask",
                hint: "A follow-up uses the answer above and its sources.",
            };
        case "guidance":
            return { placeholder: "Add guidance", send: "Queue", hint: "Guidance is read at the next stage or pause." };
        case "pause":
            return {
                placeholder: "Answer in your own words, or ask “why?”",
                send: "Answer",
                hint: "Answers the question above. Asking back does not answer the pause.",
            };
    }
}

/** Whether a key struck in the text area sends. */
export function sends(
    event: { key: string; shiftKey: boolean; ctrlKey: boolean; metaKey: boolean; altKey: boolean },
    enterSends: boolean,
): boolean {
    if (event.key !== "Enter" || event.altKey) return false;
    if (event.ctrlKey || event.metaKey) return true;
    return enterSends && !event.shiftKey;
}
