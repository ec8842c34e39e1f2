// What a person decides about hosts and about how careful fetching is.

import { useCommand, type Problem, type WebDecision, type WebPolicy } from "@/backend";

export interface Deciding {
    /** Decides about hosts; gives whether that was done. */
    decide: (sources: string[], decision: WebDecision["decision"]) => Promise<boolean>;
    choose: (profile: WebPolicy["profile"]) => Promise<void>;
    pending: boolean;
    problem: Problem | undefined;
}

export function useDeciding(): Deciding {
    const choosing = useCommand("web_profile_set");
    const deciding = useCommand("web_decide");
    return {
        decide: async (sources, decision) => {
            choosing.clear();
            const { problem } = await deciding.run({ sources, decision });
            return problem === undefined;
        },
        choose: async (profile) => {
            deciding.clear();
            await choosing.run({ profile });
        },
        pending: choosing.pending || deciding.pending,
        problem: choosing.problem ?? deciding.problem,
    };
}
