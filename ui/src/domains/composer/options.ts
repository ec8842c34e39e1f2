// What a new question can be given along: agent, depth, knowledge base, connection.

import { useState } from "react";

import { useQuery, type AgentRow, type BaseRow, type ConnectionRow } from "@/backend";
import { lacks } from "@/domains/connection";

/** A connection and a model of it; without one the connection's own. */
export interface Choice {
    connection: string;
    model: string | null;
}

export interface Options {
    agents: AgentRow[];
    /** Undefined: none are known yet, or a conversation without one was chosen. */
    agent: AgentRow | undefined;
    /** Whether a text begins a conversation; else a run of an agent with stages. */
    chat: boolean;
    bases: BaseRow[];
    /** Empty for the agent's own. */
    depth: string;
    base: string;
    connections: ConnectionRow[];
    /** The person's, else the session's; undefined: as the agent and the settings have it. */
    choice: Choice | undefined;
    /** The most it may cost, in dollars, as typed. */
    budget: string;
    enterSends: boolean;
    /** Empty for a conversation without an agent. */
    setAgent: (slug: string) => void;
    setDepth: (depth: string) => void;
    setBase: (base: string) => void;
    setChoice: (choice: Choice | undefined) => void;
    setBudget: (budget: string) => void;
}

/** `asked`: empty for a conversation without an agent; `fixed`: the agent of a follow-up; `own`: what the session's next run goes over; `keep`: where a choice is kept besides. */
export function useOptions(
    asked?: string,
    fixed?: string,
    own?: Choice,
    keep?: (choice: Choice | undefined) => void,
): Options {
    const { data: settings } = useQuery("settings_show", null);
    const { data: agents = [] } = useQuery("agent_list", null);
    const { data: bases = [] } = useQuery("base_list", null);
    const { data: connections = [] } = useQuery("connection_list", null);
    const [chosen, setChosen] = useState<string | undefined>(asked === "" ? "" : undefined);
    const [depth, setDepth] = useState<string | undefined>();
    const [base, setBase] = useState("");
    const [picked, setPicked] = useState<{ choice: Choice | undefined } | undefined>();
    const [budget, setBudget] = useState("");
    const able = agents.filter((each) => each.problems.length === 0);
    const find = (slug: string | undefined) =>
        slug === undefined || slug === "" ? undefined : able.find((each) => each.slug === slug);
    const named =
        find(fixed) ?? (chosen === "" ? undefined : (find(chosen) ?? find(asked) ?? find(settings?.defaultAgent)));
    // Nothing was chosen: a conversation, where there is a model to talk to. The engine that asks none only runs agents.
    const talks =
        chosen === "" ||
        (named === undefined &&
            settings !== undefined &&
            connections.some((row) => row.provider !== "offline" && lacks(row) === undefined));
    const agent = named ?? (talks ? undefined : (able.find((each) => each.stages > 0) ?? able[0]));
    const wanted = depth ?? settings?.defaultDepth ?? "";
    return {
        agents,
        agent,
        chat: talks || agent?.stages === 0,
        bases,
        depth: agent?.depths.includes(wanted) === true ? wanted : "",
        base: bases.some((each) => each.name === base) ? base : "",
        connections,
        choice: known(connections, picked === undefined ? own : picked.choice),
        budget,
        enterSends: settings?.enterSends ?? true,
        setAgent: setChosen,
        setDepth,
        setBase,
        setChoice: (choice) => {
            setPicked({ choice });
            keep?.(choice);
        },
        setBudget,
    };
}

/** A choice whose connection is there; one that was removed meanwhile counts for nothing. */
function known(connections: readonly ConnectionRow[], choice: Choice | undefined): Choice | undefined {
    // Nothing is known yet: what is sent now goes where the session went.
    if (choice === undefined || connections.length === 0) return choice;
    const row = connections.find((each) => each.slug === choice.connection);
    if (row === undefined) return undefined;
    // The offline engine is one thing, whatever its model is called.
    return row.provider === "offline" && choice.model !== null ? { connection: row.slug, model: null } : choice;
}

/** What a depth means, from the words that agents use for it. */
export function depthHint(depth: string): string | undefined {
    const HINTS: { readonly [depth: string]: string } = {
        quick: "Few searches, no web. For a quick overview.",
        standard: "Balanced breadth.",
        deep: "Most searches, follows cross-references. Slowest.",
    };
    return HINTS[depth];
}
