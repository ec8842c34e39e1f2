// What two runs pinned differently, and how their stages differ.

import type { PinDifference, StageComparison } from "@/backend";
import { Table, sentence, type Column } from "@/shared";

const PINS: Column<PinDifference>[] = [
    { id: "what", heading: "What", render: (pin) => sentence(pin.what) },
    { id: "left", heading: "First", render: (pin) => side(pin.left, pin) },
    { id: "right", heading: "Second", render: (pin) => side(pin.right, pin) },
];

function side(text: string, pin: PinDifference) {
    if (text !== "") return <span className="break-words">{text}</span>;
    return <span className="text-ink-3">{pin.left === "" && pin.right === "" ? "differs" : "none"}</span>;
}

export function Pins({ pins }: { pins: readonly PinDifference[] }) {
    return <Table label="What they started from" columns={PINS} rows={pins} keyOf={(pin) => pin.what} />;
}

/** How a stage differs, in words. */
export function stageWord(stage: StageComparison): string {
    if (stage.same) return "The same";
    if (stage.left === "") return `Only in the second (${stage.right})`;
    if (stage.right === "") return `Only in the first (${stage.left})`;
    if (stage.left !== stage.right) return `${sentence(stage.left)} in the first, ${stage.right} in the second`;
    if (stage.sameRequests) return "Same request, another output";
    return stage.sameOutput ? "Another request, same output" : "Another request, another output";
}

const STAGES: Column<StageComparison>[] = [
    {
        id: "stage",
        heading: "Stage",
        render: (stage) => <span className={stage.same ? "text-ink-2" : "font-medium"}>{stage.title}</span>,
    },
    {
        id: "how",
        heading: "Difference",
        render: (stage) => (
            <span className={stage.same ? "text-ink-3" : undefined}>
                {stageWord(stage)}
                {stage.parts.length > 0 && (
                    <span className="block text-small text-ink-3">in: {stage.parts.join(", ")}</span>
                )}
            </span>
        ),
    },
    {
        id: "because",
        heading: "Because of",
        render: (stage) =>
            stage.because.length === 0 ? (
                <span className="text-ink-3">–</span>
            ) : (
                <ul>
                    {stage.because.map((cause) => (
                        <li key={cause}>{sentence(cause)}</li>
                    ))}
                </ul>
            ),
    },
];

export function Stages({ stages }: { stages: readonly StageComparison[] }) {
    return <Table label="Stages" columns={STAGES} rows={stages} keyOf={(stage) => stage.name} />;
}
