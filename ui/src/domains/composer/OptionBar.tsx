// The quiet line under the text: who answers, how deep, from what, over which connection.

import type { AgentRow, Forecast } from "@/backend";
import { baseLabel } from "@/domains/knowledge";
import { baseName, titled } from "@/domains/run";
import { Select, count } from "@/shared";

import { ModelPicker } from "./ModelPicker";
import { depthMeaning, type Options } from "./options";
import { agentOptions } from "./SetupBar";

export interface OptionBarProps {
    options: Options;
    /** A follow-up keeps its agent. */
    fixedAgent?: string;
    /** What the run would go over, as far as it is known. */
    forecast?: Forecast;
    disabled?: boolean;
}

export function OptionBar({ options, fixedAgent, forecast, disabled = false }: OptionBarProps) {
    const { agents, agent, bases, base } = options;
    const ownBase = agent?.defaultCorpus ?? undefined;
    const titleOf = (name: string) => bases.find((each) => each.name === name)?.title ?? baseName(name);
    return (
        <div className="flex min-w-0 flex-wrap items-center gap-x-0.5">
            {fixedAgent !== undefined || agents.length === 0 ? (
                <span className="truncate px-2 text-ink-2">
                    {agents.find((each) => each.slug === fixedAgent)?.name ?? agent?.name ?? fixedAgent}
                </span>
            ) : (
                <Select
                    label="Agent"
                    variant="quiet"
                    className="max-w-44"
                    disabled={disabled}
                    value={agent?.slug}
                    options={agentOptions(options)}
                    onChange={options.setAgent}
                />
            )}
            <RunSelects agent={agent} options={options} attached={options.attached} disabled={disabled} />
            {fixedAgent !== undefined && (
                <Select
                    label="Plan"
                    variant="quiet"
                    disabled={disabled}
                    value={options.pausesAtPlan ? "pause" : "go"}
                    options={[
                        {
                            value: "go",
                            label: "Goes on by itself",
                            hint: "Takes the plan as proposed. Waits only where something has to be decided.",
                        },
                        { value: "pause", label: "Pause at the plan", hint: "Waits until you decide on the plan." },
                    ]}
                    onChange={(plan) => options.setPausesAtPlan(plan === "pause")}
                />
            )}
            <ModelPicker
                connections={options.connections}
                choice={options.choice}
                forecast={forecast}
                onChoose={options.setChoice}
                disabled={disabled}
            />
            <span className="sr-only">
                {base === "" && ownBase !== undefined ? `Knowledge base: ${titleOf(ownBase)}` : ""}
            </span>
        </div>
    );
}

/** No name of a base. */
const ALONE = "@attached";

/** How deep a run goes, and what it reads. */
export function RunSelects({
    agent,
    options,
    attached = false,
    disabled,
}: {
    agent: AgentRow | undefined;
    options: Pick<Options, "bases" | "base" | "setBase" | "depth" | "setDepth"> &
        Partial<Pick<Options, "ingest" | "isPreset" | "isFree">>;
    attached?: boolean;
    disabled: boolean;
}) {
    const { bases, depth, ingest, isPreset = false, isFree = false } = options;
    const ownBase = agent?.defaultCorpus ?? undefined;
    // Where the documents are enough, the base that nobody chose is not asked.
    const alone = attached && isPreset && ownBase === undefined;
    const base = alone ? ALONE : options.base;
    const ownDepth = agent?.defaultDepth ?? undefined;
    return (
        <>
            {agent !== undefined && agent.depths.length > 1 && (
                <Select
                    label="Depth"
                    variant="quiet"
                    disabled={disabled}
                    value={depth}
                    options={[
                        {
                            value: "",
                            label: ownDepth === undefined ? "Default depth" : titled(ownDepth),
                            hint: "The agent’s default; a pause can change it.",
                        },
                        ...agent.depths.map((each) => ({
                            value: each,
                            label: titled(each),
                            hint: depthMeaning(each),
                        })),
                    ]}
                    onChange={options.setDepth}
                />
            )}
            {(bases.length > 0 || base !== "") && (agent?.needsCorpus ?? true) && (
                <Select
                    label="Knowledge base"
                    variant="quiet"
                    className="max-w-44"
                    disabled={disabled}
                    value={base === "" ? (ownBase ?? undefined) : base}
                    placeholder="Choose a knowledge base"
                    options={[
                        ...(alone || (attached && isFree && ownBase === undefined)
                            ? [{ value: ALONE, label: "Attached files", hint: "Only the attached files are searched." }]
                            : []),
                        ...bases.map((each) => ({
                            value: each.name,
                            label: baseLabel(each, bases),
                            hint: `${each.tier}, ${count(each.paragraphs, "paragraph")}${each.name === ownBase ? ", the agent’s default" : ""}`,
                        })),
                        // It is being made.
                        ...(alone || base === "" || bases.some((each) => each.name === base)
                            ? []
                            : [{ value: base, label: base, hint: ingest?.text ?? "" }]),
                    ]}
                    onChange={(name) => options.setBase(name === ALONE ? "" : name)}
                />
            )}
        </>
    );
}
