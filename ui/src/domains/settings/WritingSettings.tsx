import { useQuery, type Settings } from "@/backend";
import { RadioGroup, Section, Select, Switch } from "@/shared";

import { SettingLine } from "./SettingLine";
import type { SettingsUse } from "./useSettings";

/** "As the program chooses": settings keep it as the empty text. */
const NONE = "-";

export function WritingSettings({ settings, change }: { settings: Settings; change: SettingsUse["change"] }) {
    const agents = useQuery("agent_list", null);
    const known = agents.data ?? [];
    const chosen = known.find((agent) => agent.slug === settings.defaultAgent);
    const depths = chosen?.depths ?? [...new Set(known.flatMap((agent) => agent.depths))];
    const missing = settings.defaultAgent !== "" && agents.data !== undefined && chosen === undefined;
    return (
        <>
            <Section title="Sending">
                <RadioGroup
                    label="Send with"
                    value={settings.enterSends ? "enter" : "ctrl"}
                    options={[
                        { value: "enter", label: "Enter sends", hint: "Shift+Enter starts a new line." },
                        { value: "ctrl", label: "Ctrl+Enter sends", hint: "Enter starts a new line." },
                    ]}
                    onChange={(keys) => void change({ enterSends: keys === "enter" })}
                />
            </Section>
            <Section title="Follow-ups">
                <Switch
                    label="Pause at the plan"
                    hint="A follow-up of a finished run shows its plan and waits. Otherwise it goes on by itself, unless something has to be decided."
                    checked={settings.pauseFollowUps}
                    onChange={(pauseFollowUps) => void change({ pauseFollowUps })}
                />
            </Section>
            <Section title="Titles">
                <Switch
                    label="Titles by the model"
                    hint="After the first answer, the model of a conversation gives it a title of a few words. This costs one short request for each conversation. A title that you wrote stays."
                    checked={settings.modelTitles}
                    onChange={(modelTitles) => void change({ modelTitles })}
                />
            </Section>
            <Section title="New questions">
                <SettingLine
                    name="Agent"
                    hint={
                        agents.problem !== undefined ? (
                            <span className="text-failed">Could not load the agents: {agents.problem.message}</span>
                        ) : missing ? (
                            <span className="text-needs">
                                “{settings.defaultAgent}” no longer exists. The first available agent is used.
                            </span>
                        ) : (
                            "Used for new questions unless you choose another."
                        )
                    }
                >
                    <Select
                        label="Agent for new questions"
                        className="w-60"
                        value={settings.defaultAgent === "" ? NONE : settings.defaultAgent}
                        options={[
                            { value: NONE, label: "First available" },
                            ...known
                                .filter((agent) => (agent.partOf ?? null) === null)
                                .map((agent) => ({
                                    value: agent.slug,
                                    label: agent.name || agent.slug,
                                    disabled: agent.problems.length > 0,
                                    hint: agent.problems.length > 0 ? "Can’t run" : undefined,
                                })),
                        ]}
                        onChange={(agent) =>
                            void change({ defaultAgent: agent === NONE ? "" : agent, defaultDepth: "" })
                        }
                    />
                </SettingLine>
                <SettingLine
                    name="Depth"
                    hint="How thorough a run is: number of queries, paragraphs and cross-references."
                >
                    <Select
                        label="Depth for new questions"
                        className="w-60"
                        value={settings.defaultDepth === "" ? NONE : settings.defaultDepth}
                        options={[
                            { value: NONE, label: "Agent default" },
                            ...depths.map((depth) => ({ value: depth, label: depth })),
                        ]}
                        onChange={(depth) => void change({ defaultDepth: depth === NONE ? "" : depth })}
                    />
                </SettingLine>
            </Section>
        </>
    );
}
