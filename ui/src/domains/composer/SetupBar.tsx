// What a conversation is set to: how much it may do unasked, where it works, what it may use, how hard it thinks, over which model.

import { Bot, Gauge, Plug, X } from "lucide-react";

import { useQuery, type Effort, type Mode, type SessionSetup, type SourceStatus } from "@/backend";
import { ModeSwitch } from "@/domains/permission";
import { titled } from "@/domains/run";
import { hrefOf } from "@/routes";
import { Checkbox, IconButton, Menu, Popover, Select, cx } from "@/shared";

import { Folders } from "./Folders";
import { ModelPicker } from "./ModelPicker";
import type { Options } from "./options";
import { QUIET } from "./quiet";

export type Change = { mode?: Mode; folders?: string[]; sources?: string[]; effort?: Effort | null; agent?: string };

export interface SetupBarProps {
    setup: SessionSetup;
    onChange: (change: Change) => void;
    options: Options;
    /** Whether an agent can be chosen: only before the first message. */
    picksAgent: boolean;
    disabled?: boolean;
}

export function SetupBar({ setup, onChange, options, picksAgent, disabled = false }: SetupBarProps) {
    const { agents, agent } = options;
    return (
        <div className="flex min-w-0 flex-wrap items-center gap-x-0.5 @min-[28rem]:flex-nowrap">
            <ModeSwitch mode={setup.mode} onChange={(mode) => onChange({ mode })} disabled={disabled} />
            {picksAgent && agents.length > 0 && (
                <Select
                    label="Agent"
                    variant="quiet"
                    className="max-w-40 min-w-[4.75rem]"
                    disabled={disabled}
                    value={agent?.slug ?? ""}
                    options={agentOptions(options)}
                    onChange={options.setAgent}
                />
            )}
            {!picksAgent && setup.agent !== "" && (
                <span className={cx(QUIET, "pr-0.5")}>
                    <Bot size={14} strokeWidth={1.5} aria-hidden className="shrink-0" />
                    <span className="truncate">
                        {agents.find((each) => each.slug === setup.agent)?.name ?? setup.agent}
                    </span>
                    <IconButton
                        label="Continue without the agent"
                        size="small"
                        icon={<X size={12} strokeWidth={1.5} />}
                        disabled={disabled}
                        onClick={() => onChange({ agent: "" })}
                    />
                </span>
            )}
            <Folders folders={setup.folders} onChange={(folders) => onChange({ folders })} disabled={disabled} />
            <Sources chosen={setup.sources} onChange={(sources) => onChange({ sources })} disabled={disabled} />
            <ModelPicker
                connections={options.connections}
                choice={options.choice}
                forecast={undefined}
                onChoose={options.setChoice}
                disabled={disabled}
            />
            <EffortMenu
                effort={setup.effort ?? undefined}
                onChange={(effort) => onChange({ effort })}
                disabled={disabled}
            />
        </div>
    );
}

/** How hard the model thinks. What nobody chose takes no room. */
function EffortMenu({
    effort,
    onChange,
    disabled,
}: {
    effort: Effort | undefined;
    onChange: (effort: Effort | null) => void;
    disabled: boolean;
}) {
    return (
        <Menu
            side="top"
            entries={[
                { id: "", label: "Model default", checked: effort === undefined, onSelect: () => onChange(null) },
                ...(["low", "medium", "high", "max"] as const).map((each) => ({
                    id: each,
                    label: `${titled(each)} effort`,
                    hint: EFFORTS[each],
                    checked: each === effort,
                    onSelect: () => onChange(each),
                })),
            ]}
            trigger={
                <button
                    type="button"
                    disabled={disabled}
                    aria-label={effort === undefined ? "Effort: model default" : `Effort: ${effort}`}
                    title={effort === undefined ? "Reasoning effort: model default" : EFFORTS[effort]}
                    className={QUIET}
                >
                    <Gauge size={14} strokeWidth={1.5} aria-hidden className="shrink-0" />
                    {effort !== undefined && <span className="truncate">{titled(effort)}</span>}
                </button>
            }
        />
    );
}

const EFFORTS: { readonly [E in Effort]: string } = {
    low: "Brief reasoning. Fast and cheap.",
    medium: "Reasoning where it helps.",
    high: "Long reasoning before each answer.",
    max: "Maximum reasoning. Slow and expensive.",
};

/** A conversation without an agent, and every agent. */
export function agentOptions(options: Options) {
    return [
        { value: "", label: "Conversation", hint: "With tools. No stages, no fixed plan." },
        ...options.agents.map((each) => ({
            value: each.slug,
            label: each.name,
            hint: each.problems[0]?.message ?? each.description,
            disabled: each.problems.length > 0,
        })),
    ];
}

const SOURCE_PROBLEMS: { readonly [status in SourceStatus]?: string } = {
    failed: "does not work",
    needs_auth: "requires a sign-in",
    needs_approval: "requires your approval",
    off: "is off",
    broken: "is broken",
};

function Sources({
    chosen,
    onChange,
    disabled,
}: {
    chosen: readonly string[];
    onChange: (sources: string[]) => void;
    disabled: boolean;
}) {
    const { data: sources = [] } = useQuery("source_list", null);
    const troubled = sources.filter((each) => chosen.includes(each.slug) && SOURCE_PROBLEMS[each.status] !== undefined);
    const [first] = chosen;
    const nameOf = (slug: string) => sources.find((each) => each.slug === slug)?.name ?? slug;
    const words = first === undefined ? "No sources" : chosen.length === 1 ? nameOf(first) : `${chosen.length} sources`;
    return (
        <Popover
            label="Sources"
            side="top"
            className="w-96"
            trigger={
                <button
                    type="button"
                    disabled={disabled}
                    aria-label={`Sources: ${(chosen.length > 1 ? [words, ...chosen.map(nameOf)] : [words]).join(", ")}${troubled.length > 0 ? `; ${troubled.map((each) => `${each.name} ${SOURCE_PROBLEMS[each.status]}`).join(", ")}` : ""}`}
                    title={first === undefined ? "Sources: none" : undefined}
                    className={cx(QUIET, troubled.length > 0 && "text-needs")}
                >
                    <Plug size={14} strokeWidth={1.5} aria-hidden className="shrink-0" />
                    {first !== undefined && <span className="truncate">{words}</span>}
                </button>
            }
        >
            {sources.length === 0 && <p className="text-ui text-ink-2">No sources yet.</p>}
            <div className="flex max-h-72 flex-col gap-2 overflow-y-auto">
                {sources.map((each) => (
                    <Checkbox
                        key={each.slug}
                        label={each.name}
                        hint={
                            SOURCE_PROBLEMS[each.status] === undefined
                                ? each.description
                                : `This source ${SOURCE_PROBLEMS[each.status]}${each.statusDetail === "" ? "" : `: ${each.statusDetail}`}`
                        }
                        checked={chosen.includes(each.slug)}
                        onChange={(on) =>
                            onChange(on ? [...chosen, each.slug] : chosen.filter((slug) => slug !== each.slug))
                        }
                    />
                ))}
            </div>
            <p className="mt-2 border-t border-hairline pt-2 text-small">
                <a href={hrefOf({ page: "sources" })} className="text-accent underline-offset-2 hover:underline">
                    Manage sources…
                </a>
            </p>
        </Popover>
    );
}
