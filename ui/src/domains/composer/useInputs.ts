// The inputs of the next run while they are typed. What is typed stays in the browser until a run begins with it.

import { useMemo, useState } from "react";

import { ofWorkspace, type AgentRow, type RunState } from "@/backend";

import {
    faultsIn,
    fieldsOf,
    readInputs,
    restored,
    typedInputs,
    type Faults,
    type InputField,
    type Typed,
    type TypedInputs,
} from "./inputs";

export interface GivenInputs {
    inputs: { readonly [name: string]: unknown };
    /** The folder with the files of an earlier run, whose results are taken over. */
    adopt?: string;
}

export interface InputsUse {
    fields: readonly InputField[];
    typed: TypedInputs;
    /** What is wrong, once the person wanted to send. */
    faults: Faults;
    /** Whether the run is called after one of the inputs, so that a question may stay away. */
    named: boolean;
    set: (name: string, value: Typed) => void;
    /** What to send; nothing while something is wrong with it: then it is said beside the fields. */
    read: () => GivenInputs | undefined;
    /** What the core found wrong. */
    blame: (message: string) => void;
    clear: () => void;
}

const keyOf = (agent: string) => ofWorkspace(`inputs:${agent}`);

function keptOf(agent: string): unknown {
    try {
        return JSON.parse(localStorage.getItem(keyOf(agent)) ?? "null");
    } catch {
        return null;
    }
}

function keep(agent: string, typed: TypedInputs | undefined): void {
    try {
        if (typed === undefined) localStorage.removeItem(keyOf(agent));
        else localStorage.setItem(keyOf(agent), JSON.stringify(typed));
    } catch {
        // Storage is full or off: it holds for this window.
    }
}

const NO_FAULTS: Faults = {};

/** Beside the agent's own inputs. No schema has a property of this name. */
const ADOPT: InputField = {
    name: "\0adopt",
    label: "Files of an earlier run",
    hint: "The folder of the earlier session, or a copy. Complete parts are taken over; the rest is run again.",
    required: false,
    kind: "folder",
    options: [],
    first: undefined,
    schema: { type: "string" },
};

/** The form of an agent that takes inputs; `before`: the session's newest run, whose inputs stand in it at first. */
export function useInputs(agent: AgentRow | undefined, before: RunState | undefined): InputsUse | undefined {
    const schema = agent?.inputSchema ?? undefined;
    const slug = agent?.slug ?? "";
    const adopts = agent?.adopts === true;
    const fields = useMemo(() => [...fieldsOf(schema), ...(adopts ? [ADOPT] : [])], [schema, adopts]);
    const [state, setState] = useState<{ of: string; typed: TypedInputs; tried: boolean; told: Faults } | undefined>();
    if (schema === undefined) return undefined;
    const of = `${keyOf(slug)}:${before?.run ?? ""}`;
    const begin = () => {
        const kept = keptOf(slug);
        const earlier = before?.agent === slug ? (before.inputs ?? undefined) : undefined;
        return kept === null ? typedInputs(fields, earlier) : restored(fields, kept);
    };
    const now = state?.of === of ? state : { of, typed: begin(), tried: false, told: NO_FAULTS };
    if (now !== state) setState(now);
    const { faults } = readInputs(fields, now.typed);
    return {
        fields,
        typed: now.typed,
        faults: now.tried ? { ...now.told, ...faults } : NO_FAULTS,
        named: fields.some((field) => field.name === "title" && field.required),
        set: (name, value) => {
            const typed = { ...now.typed, [name]: value };
            const told = Object.fromEntries(Object.entries(now.told).filter(([place]) => place !== name));
            setState({ ...now, typed, told });
            keep(slug, typed);
        },
        read: () => {
            const { inputs, faults: wrong } = readInputs(fields, now.typed);
            setState({ ...now, tried: true, told: NO_FAULTS });
            if (Object.keys(wrong).length > 0) return undefined;
            const { [ADOPT.name]: adopt, ...given } = inputs;
            return { inputs: given, ...(typeof adopt === "string" ? { adopt } : {}) };
        },
        blame: (message) =>
            setState((last) => (last?.of === of ? { ...last, tried: true, told: faultsIn(message, fields) } : last)),
        clear: () => {
            keep(slug, undefined);
            setState({ of, typed: typedInputs(fields), tried: false, told: NO_FAULTS });
        },
    };
}
