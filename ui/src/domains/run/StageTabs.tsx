// The parts of a stage: what its model was shown, what came back, its calls, its events.

import { useState } from "react";

import { useStageText, type CallRow, type SectionRow, type StageDetail } from "@/backend";
import { CodeBlock, CopyButton, Fold, JsonView, Tabs, cx } from "@/shared";

import { CallLine } from "./CallLine";
import { EventTable } from "./EventTable";
import { SectionBar } from "./SectionBar";
import { formatNumber, formatTokens } from "./labels";

export function StageTabs({ run, detail, className }: { run: string; detail: StageDetail; className?: string }) {
    const { sections, calls, events, stage } = detail;
    const shown = sections.reduce((sum, section) => sum + section.tokens, 0);
    // A stage that asks no model has no prompt: its calls tell what it did.
    const [tab, setTab] = useState(sections.length > 0 || calls.length === 0 ? "input" : "calls");
    return (
        <Tabs
            label="Stage"
            value={tab}
            onChange={setTab}
            className={cx("min-h-0 flex-1", className)}
            tabs={[
                {
                    id: "input",
                    label: "Input",
                    note: sections.length > 0 ? formatNumber(shown) : undefined,
                    content: <Sections sections={sections} kind={stage.kind} />,
                },
                {
                    id: "output",
                    label: "Output",
                    content:
                        stage.phase === "running" ? (
                            <Writing run={run} stage={stage.id} />
                        ) : detail.output === null || detail.output === undefined ? (
                            <Nothing>
                                {stage.phase === "skipped" ? `Skipped: ${stage.summary}` : "Nothing yet."}
                            </Nothing>
                        ) : (
                            <JsonView
                                value={detail.output}
                                label={`Output of ${stage.title}`}
                                open={2}
                                height="max-h-[70vh]"
                                className="mb-4"
                            />
                        ),
                },
                { id: "calls", label: "Calls", note: calls.length, content: <Calls calls={calls} /> },
                { id: "events", label: "Events", note: events.length, content: <EventTable events={events} compact /> },
            ]}
        />
    );
}

function Nothing({ children }: { children: React.ReactNode }) {
    return <p className="pb-4 text-ui text-ink-2">{children}</p>;
}

function Sections({ sections, kind }: { sections: readonly SectionRow[]; kind: string }) {
    if (sections.length === 0)
        return (
            <Nothing>
                {kind === "model"
                    ? "The prompt is not ready yet."
                    : "This stage calls no model. See Calls for its input."}
            </Nothing>
        );
    return (
        <>
            <SectionBar sections={sections} />
            <ul className="pb-4">
                {sections.map((section, index) => (
                    <li key={`${section.name}.${index}`} className="border-b border-hairline py-1 last:border-b-0">
                        <Fold
                            label={<span className="font-mono text-code text-ink">{section.name}</span>}
                            note={<span className="tabular text-small text-ink-3">{formatTokens(section.tokens)}</span>}
                        >
                            <div className="relative my-1">
                                <pre className="max-h-[50vh] overflow-auto rounded-control bg-sunken p-3 pr-9 font-mono text-code break-words whitespace-pre-wrap">
                                    {section.text}
                                </pre>
                                <CopyButton
                                    text={section.text}
                                    label={`Copy ${section.name}`}
                                    className="absolute top-1 right-1"
                                />
                            </div>
                        </Fold>
                    </li>
                ))}
            </ul>
        </>
    );
}

function Writing({ run, stage }: { run: string; stage: string | number }) {
    const { text, thinking } = useStageText(run, stage);
    if (text === "" && thinking === "") return <Nothing>Nothing yet.</Nothing>;
    return (
        <div className="pb-4">
            {thinking !== "" && (
                <Fold label="Thinking" className="mb-2">
                    <p className="text-ui whitespace-pre-wrap text-ink-2">{thinking}</p>
                </Fold>
            )}
            {text !== "" && <CodeBlock code={text} />}
        </div>
    );
}

export function Calls({ calls }: { calls: readonly CallRow[] }) {
    if (calls.length === 0) return <Nothing>No calls yet.</Nothing>;
    return (
        <ol className="pb-4">
            {calls.map((call) => (
                <li key={call.key} className="border-b border-hairline py-2 last:border-b-0">
                    <CallLine call={call} />
                </li>
            ))}
        </ol>
    );
}
