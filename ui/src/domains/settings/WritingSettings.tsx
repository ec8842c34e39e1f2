import { useQuery, type Settings } from "@/backend";
import { RadioGroup, Section, Select } from "@/shared";

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
                    label="What sends a question"
                    value={settings.enterSends ? "enter" : "ctrl"}
                    options={[
                        { value: "enter", label: "Enter sends", hint: "Shift+Enter begins a new line." },
                        { value: "ctrl", label: "Ctrl+Enter sends", hint: "Enter begins a new line." },
                    ]}
                    onChange={(keys) => void change({ enterSends: keys === "enter" })}
                />
            </Section>
            <Section title="New questions">
                <SettingLine
                    name="Agent"
                    hint={
                        agents.problem !== undefined ? (
                            <span className="text-failed">The agents could not be read: {agents.problem.message}</span>
                        ) : missing ? (
                            <span className="text-needs">“{settings.defaultAgent}” is not there any more. The first agent that can run is taken.</span>
                        ) : (
                            "Which one a new question goes to, unless you choose another."
                        )
                    }
                >
                    <Select
                        label="Agent of new questions"
                        className="w-60"
                        value={settings.defaultAgent === "" ? NONE : settings.defaultAgent}
                        options={[
                            { value: NONE, label: "The first that can run" },
                            ...known.map((agent) => ({ value: agent.slug, label: agent.name || agent.slug, disabled: agent.problems.length > 0, hint: agent.problems.length > 0 ? "Can't run" : undefined })),
                        ]}
                        onChange={(agent) => void change({ defaultAgent: agent === NONE ? "" : agent, defaultDepth: "" })}
                    />
                </SettingLine>
                <SettingLine name="Depth" hint="How far a run goes: how many queries, paragraphs and cross-references.">
                    <Select
                        label="Depth of new questions"
                        className="w-60"
                        value={settings.defaultDepth === "" ? NONE : settings.defaultDepth}
                        options={[{ value: NONE, label: "The agent's own" }, ...depths.map((depth) => ({ value: depth, label: depth }))]}
                        onChange={(depth) => void change({ defaultDepth: depth === NONE ? "" : depth })}
                    />
                </SettingLine>
            </Section>
        </>
    );
}
