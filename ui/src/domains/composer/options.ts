// What a new question can be given along: agent, depth, knowledge base, connection.

import { useState } from "react";

import { useQuery, type AgentRow, type BaseRow, type ConnectionRow } from "@/backend";

export interface Options {
    agents: AgentRow[];
    agent: AgentRow | undefined;
    bases: BaseRow[];
    /** Empty for the agent's own. */
    depth: string;
    base: string;
    connection: ConnectionRow | undefined;
    enterSends: boolean;
    setAgent: (slug: string) => void;
    setDepth: (depth: string) => void;
    setBase: (base: string) => void;
}

/** `fixed`: the agent of a follow-up. */
export function useOptions(asked?: string, fixed?: string): Options {
    const { data: settings } = useQuery("settings_show", null);
    const { data: agents = [] } = useQuery("agent_list", null);
    const { data: bases = [] } = useQuery("base_list", null);
    const { data: connections = [] } = useQuery("connection_list", null);
    const [chosen, setChosen] = useState<string | undefined>();
    const [depth, setDepth] = useState<string | undefined>();
    const [base, setBase] = useState("");
    const able = agents.filter((each) => each.problems.length === 0);
    const find = (slug: string | undefined) => (slug === undefined || slug === "" ? undefined : able.find((each) => each.slug === slug));
    const agent = find(fixed) ?? find(chosen) ?? find(asked) ?? find(settings?.defaultAgent) ?? able[0];
    const wanted = depth ?? settings?.defaultDepth ?? "";
    return {
        agents,
        agent,
        bases,
        depth: agent?.depths.includes(wanted) === true ? wanted : "",
        base: bases.some((each) => each.name === base) ? base : "",
        connection: connections[0],
        enterSends: settings?.enterSends ?? true,
        setAgent: setChosen,
        setDepth,
        setBase,
    };
}

/** What a depth means, from the words that agents use for it. */
export function depthHint(depth: string): string | undefined {
    const HINTS: { readonly [depth: string]: string } = {
        quick: "Few searches, no web. For a first look.",
        standard: "The usual breadth.",
        deep: "Most searches, follows references. Takes longest.",
    };
    return HINTS[depth];
}
