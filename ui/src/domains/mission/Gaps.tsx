// Questions that a mission found open, and what closed the others.

import { useState } from "react";

import { AsyncBoundary, Badge, Button, EmptyState, Section, StateMark } from "@/shared";

import { ListFoot } from "./ListFoot";
import { ClaimText } from "./ProvenanceDialog";
import { TextDialog } from "./TextDialog";
import { useItems, type Gap } from "./graph";
import { closingWord, gapSources } from "./labels";
import type { PartProps } from "./props";

export function Gaps({ mission, stamp, steering, onClaim }: PartProps) {
    const [closing, setClosing] = useState<Gap>();
    const items = useItems(mission.mission, "gap", stamp);
    return (
        <>
            <AsyncBoundary of={items.list} what="the gaps">
                {({ items: gaps, total }) => {
                    const open = gaps.filter((gap) => gap.status.state === "open");
                    const closed = gaps.filter((gap) => gap.status.state === "closed");
                    if (gaps.length === 0)
                        return (
                            <EmptyState title="No gaps" className="px-0">
                                A question that agents could not answer appears here, and what closed it.
                            </EmptyState>
                        );
                    return (
                        <>
                            <Section title="Open" note={open.length === 0 ? "None" : open.length}>
                                <ul>
                                    {open.map((gap) => (
                                        <li
                                            key={gap.id}
                                            className="flex flex-wrap items-start gap-x-3 gap-y-1 border-b border-hairline py-2 last:border-b-0"
                                        >
                                            <GapText gap={gap} />
                                            <Button
                                                size="small"
                                                disabled={steering.closed !== undefined}
                                                title={steering.closed ?? "Close this gap by hand, with a reason."}
                                                onClick={() => setClosing(gap)}
                                            >
                                                Close…
                                            </Button>
                                        </li>
                                    ))}
                                </ul>
                            </Section>
                            {closed.length > 0 && (
                                <Section title="Closed" note={closed.length}>
                                    <ul>
                                        {closed.map((gap) => (
                                            <li key={gap.id} className="border-b border-hairline py-2 last:border-b-0">
                                                <GapText gap={gap} />
                                                <Closing gap={gap} mission={mission.mission} onClaim={onClaim} />
                                            </li>
                                        ))}
                                    </ul>
                                </Section>
                            )}
                            <ListFoot items={gaps.length} total={total} of={items} />
                        </>
                    );
                }}
            </AsyncBoundary>
            {closing !== undefined && (
                <TextDialog
                    title="Close this gap"
                    about={closing.question}
                    description="Agents no longer look for an answer. Your reason stays with the gap."
                    label="Why it needs no answer"
                    confirmLabel="Close gap"
                    command={steering}
                    onText={(why) => steering.say({ say: "closeGap", gap: closing.id, why })}
                    onClose={() => setClosing(undefined)}
                />
            )}
        </>
    );
}

function GapText({ gap }: { gap: Gap }) {
    const raised = gapSources(gap);
    const open = gap.status.state === "open";
    return (
        <div className="flex min-w-0 flex-1 basis-60 gap-2">
            <StateMark
                state={open ? "idle" : "done"}
                word={open ? "Open" : "Closed"}
                show="icon"
                size={14}
                className="mt-[3px] shrink-0"
            />
            <div className="min-w-0">
                <p className="text-ui break-words">
                    {gap.question} {gap.critical === true && <Badge tone="needs">Critical</Badge>}
                </p>
                {raised !== "" && <p className="text-small break-words text-ink-3">Raised by {raised}</p>}
            </div>
        </div>
    );
}

function Closing({ gap, mission, onClaim }: { gap: Gap; mission: string; onClaim: (claim: string) => void }) {
    if (gap.status.state === "open") return null;
    const { closing } = gap.status;
    return (
        <div className="mt-1 pl-[22px] text-ui text-ink-2">
            <p>{closingWord(closing)}</p>
            {closing.by === "evidence" && (
                <ul>
                    {closing.claims.map((claim) => (
                        <li key={claim} className="flex gap-2">
                            <span className="tabular w-8 shrink-0 text-ink-3">{claim}</span>
                            <ClaimText mission={mission} claim={claim} onClaim={onClaim} />
                        </li>
                    ))}
                </ul>
            )}
        </div>
    );
}
