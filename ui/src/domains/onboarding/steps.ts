// Starting a run from a question that somebody only clicked.

import type { AgentRow } from "@/backend";

export interface Example {
    agent: AgentRow;
    question: string;
}

/** Agents that can answer at once: nothing is wrong with them, they know which base to read, and need nothing but a question. */
export function readyAgents(agents: readonly AgentRow[], preferred: string): AgentRow[] {
    return agents
        .filter((agent) => agent.problems.length === 0 && (!agent.needsCorpus || agent.defaultCorpus !== null))
        .filter((agent) => (agent.inputSchema ?? null) === null)
        .sort((a, b) => rank(a, preferred) - rank(b, preferred));
}

function rank(agent: AgentRow, preferred: string): number {
    if (agent.slug === preferred) return 0;
    return agent.examples.length > 0 ? (agent.shipped ? 1 : 2) : 3;
}

/** At most `most` questions that show what the first of the agents can do. */
export function examplesOf(agents: readonly AgentRow[], most: number): Example[] {
    const agent = agents.find((each) => each.examples.length > 0);
    return agent === undefined ? [] : agent.examples.slice(0, most).map((question) => ({ agent, question }));
}

/** "one pause", "two pauses": how often the user is asked. */
export function pausesInWords(pauses: number): string {
    const words = ["no pause", "one pause", "two pauses", "three pauses", "four pauses"];
    return words[pauses] ?? `${pauses} pauses`;
}
