// What a new question can be given along: agent, depth, knowledge base, connection.

import { useState } from "react";

import {
    send,
    toProblem,
    useQuery,
    type AgentRow,
    type Attachment,
    type BaseRow,
    type ConnectionRow,
    type JobState,
} from "@/backend";
import { lacks } from "@/domains/connection";
import { hasCarried, ingestDropped, useJobs } from "@/domains/knowledge";
import { toastProblem } from "@/shared";

import { isDocument } from "./attachments";

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
    /** Whether nobody chose the base: it is the newest one. */
    isPreset: boolean;
    /** Whether neither a link nor an earlier run names a base. */
    isFree: boolean;
    /** Whether documents go with the question, as its composer says: then no base has to be asked. */
    attached: boolean;
    setAttached: (attached: boolean) => void;
    /** The ingest that the chosen base waits for, or that failed before there was one. */
    ingest: JobState | undefined;
    /** Files that were given and have no ingest yet: a question waits for it, and is kept where there is none. */
    adding: "nothing" | "under way" | "failed";
    connections: ConnectionRow[];
    /** The person's, else the session's; undefined: as the agent and the settings have it. */
    choice: Choice | undefined;
    /** The most it may cost, in dollars, as typed. */
    budget: string;
    enterSends: boolean;
    /** Whether a follow-up pauses at its plan; kept in the settings. */
    pausesAtPlan: boolean;
    setPausesAtPlan: (pauses: boolean) => void;
    /** Empty for a conversation without an agent. */
    setAgent: (slug: string) => void;
    setDepth: (depth: string) => void;
    /** A base of the person's own brings the agent that answers from any base. */
    setBase: (base: string) => void;
    /** Makes files and folders a base and chooses it. */
    addPaths: (paths: readonly string[]) => Promise<void>;
    setChoice: (choice: Choice | undefined) => void;
    setBudget: (budget: string) => void;
}

const NO_CONNECTIONS: ConnectionRow[] = [];

/**
 * `asked`: the agent that an address names, empty for a conversation without one; `fixed`: the agent of a follow-up; `own`: what the
 * session's next run goes over; `keep`: where a choice is kept besides; `from`: the base of a link or of the session's newest run.
 */
export function useOptions(
    asked?: string,
    fixed?: string,
    own?: Choice,
    keep?: (choice: Choice | undefined) => void,
    from = "",
): Options {
    const { data: settings, problem: noSettings } = useQuery("settings_show", null);
    const { data: agents = [] } = useQuery("agent_list", null);
    const { data: bases = [] } = useQuery("base_list", null);
    const { data: connected, problem: noConnections } = useQuery("connection_list", null);
    const connections = connected ?? NO_CONNECTIONS;
    const [selected, setChosen] = useState<string | undefined>();
    const chosen = selected ?? (asked === "" ? "" : undefined);
    const [depth, setDepth] = useState<string | undefined>();
    const jobs = useJobs();
    const [pickedBase, setPickedBase] = useState("");
    const [added, setAdded] = useState<Options["adding"]>("nothing");
    const [begun, setBegun] = useState<JobState | undefined>();
    const [picked, setPicked] = useState<{ choice: Choice | undefined } | undefined>();
    const [budget, setBudget] = useState("");
    const [pauses, setPauses] = useState<boolean | undefined>();
    const [attached, setAttached] = useState(false);
    const sound = agents.filter((each) => each.problems.length === 0);
    // A part of another agent is started by that one, or from its own page.
    const able = sound.filter((each) => (each.partOf ?? null) === null);
    const find = (slug: string | undefined) =>
        slug === undefined || slug === "" ? undefined : sound.find((each) => each.slug === slug);
    const wantedBase = pickedBase === "" ? from : pickedBase;
    const there = bases.some((each) => each.name === wantedBase);
    const told =
        jobs.find((job) => job.kind === "ingest" && job.subject === wantedBase) ??
        (begun?.subject === wantedBase ? begun : undefined);
    const ingest = told?.status === "running" || (!there && told?.status !== "done") ? told : undefined;
    const known = there || told?.status === "running" || told?.status === "done";
    const newest = newestOf(bases);
    // The agent that is made for no base in particular.
    const open = able.find(
        (each) => each.needsCorpus && each.defaultCorpus === null && (each.inputSchema ?? null) === null,
    );
    const isOwn = (name: string) => name !== "" && !bases.some((each) => each.name === name && each.shipped);
    const named =
        find(fixed) ??
        (chosen === ""
            ? undefined
            : (find(chosen) ??
              find(asked) ??
              (known && isOwn(wantedBase) ? open : undefined) ??
              find(settings?.defaultAgent)));
    // Nothing was chosen: a conversation, where there is a model to talk to. The engine that asks none only runs agents.
    const talks =
        chosen === "" ||
        (named === undefined &&
            settings !== undefined &&
            connections.some((row) => row.provider !== "offline" && lacks(row) === undefined));
    // Until both are read it is open whether a text begins a conversation or a run.
    const isOpen =
        (settings === undefined && noSettings === undefined) ||
        (connected === undefined && noConnections === undefined);
    const agent =
        named ??
        (talks || isOpen
            ? undefined
            : ((newest?.shipped === false ? open : undefined) ?? able.find(asksQuestion) ?? able[0]));
    const wanted = depth ?? settings?.defaultDepth ?? "";
    return {
        agents: agents.filter((each) => (each.partOf ?? null) === null || each.slug === agent?.slug),
        agent,
        chat: talks || agent?.stages === 0,
        bases,
        depth: agent?.depths.includes(wanted) === true ? wanted : "",
        base: known
            ? wantedBase
            : // A follow-up without a base of its own asks the documents of the run before it.
              wantedBase === "" && fixed === undefined && agent?.needsCorpus === true && agent.defaultCorpus === null
              ? (newest?.name ?? "")
              : "",
        isPreset: wantedBase === "",
        isFree: from === "",
        attached,
        setAttached,
        ingest,
        adding: hasCarried() ? "under way" : added,
        connections,
        choice: present(connections, picked === undefined ? own : picked.choice),
        budget,
        enterSends: settings?.enterSends ?? true,
        pausesAtPlan: pauses ?? settings?.pauseFollowUps ?? false,
        setPausesAtPlan: (pauseFollowUps) => {
            setPauses(pauseFollowUps);
            send("settings_update", { pauseFollowUps }).catch((thrown: unknown) =>
                toastProblem(toProblem(thrown), "The choice holds here, but could not be saved"),
            );
        },
        setAgent: setChosen,
        setDepth,
        setBase: (name) => {
            setPickedBase(name);
            if (fixed === undefined && isOwn(name) && agent?.defaultCorpus !== null && open !== undefined)
                setChosen(open.slug);
        },
        addPaths: async (paths) => {
            setAdded("under way");
            // At once: what is sent from now on is a question to the files.
            if (fixed === undefined && open !== undefined) setChosen(open.slug);
            try {
                const job = await ingestDropped(paths);
                setBegun(job);
                setPickedBase(job.subject);
                setAdded("nothing");
            } catch (thrown) {
                setAdded("failed");
                setChosen(selected);
                toastProblem(toProblem(thrown), "The files were not added");
            }
        },
        setChoice: (choice) => {
            setPicked({ choice });
            keep?.(choice);
        },
        setBudget,
    };
}

/** Whether an agent answers a question alone: nothing else has to be given to it. */
function asksQuestion(agent: AgentRow): boolean {
    return agent.stages > 0 && (agent.inputSchema ?? null) === null;
}

/** The base that a question without a choice asks: the person's newest, else the newest that ships with the program. */
function newestOf(bases: readonly BaseRow[]): BaseRow | undefined {
    return [...bases].sort((a, b) => Number(a.shipped) - Number(b.shipped) || b.createdAt - a.createdAt)[0];
}

/** A choice whose connection is there; one that was removed meanwhile counts for nothing. */
function present(connections: readonly ConnectionRow[], choice: Choice | undefined): Choice | undefined {
    // Nothing is known yet: what is sent now goes where the session went.
    if (choice === undefined || connections.length === 0) return choice;
    const row = connections.find((each) => each.slug === choice.connection);
    if (row === undefined) return undefined;
    // The offline engine is one thing, whatever its model is called.
    return row.provider === "offline" && choice.model !== null ? { connection: row.slug, model: null } : choice;
}

/** The base that a question names: one that nobody chose is left out where documents are attached, which are asked instead. */
export function askedBase(options: Options, files: readonly Attachment[]): string | null {
    return options.base === "" || (options.isPreset && files.some(isDocument)) ? null : options.base;
}

/** What a depth means, from the words that agents use for it. */
export function depthMeaning(depth: string): string | undefined {
    const HINTS: { readonly [depth: string]: string } = {
        quick: "Few searches, no web. For a quick overview.",
        standard: "Balanced breadth.",
        deep: "Most searches, follows cross-references. Slowest.",
    };
    return HINTS[depth];
}
