// Claims of a mission that can't both be true, and how that was settled.

import { useState } from "react";

import { useQuery } from "@/backend";
import { AsyncBoundary, Button, EmptyState, RadioGroup, StateMark } from "@/shared";

import { ListFoot } from "./ListFoot";
import { ClaimText } from "./ProvenanceDialog";
import { TextDialog } from "./TextDialog";
import type { Steering } from "./Steering";
import { useItems, type Contradiction } from "./graph";
import { conflictWord, settlementWord } from "./labels";
import type { PartProps } from "./props";

export function Contradictions({ mission, stamp, steering, onClaim }: PartProps) {
    const [settling, setSettling] = useState<Contradiction>();
    const items = useItems(mission.mission, "contradiction", stamp);
    return (
        <>
            <AsyncBoundary of={items.list} what="the contradictions">
                {({ items: all, total }) =>
                    all.length === 0 ? (
                        <EmptyState title="No contradictions" className="px-0">
                            Two claims that can’t both be true appear here, with both sides and how it was settled.
                        </EmptyState>
                    ) : (
                        <>
                            <ul aria-label="Contradictions">
                                {all.map((one) => (
                                    <li
                                        key={one.id}
                                        className="border-b border-hairline py-2.5 text-ui last:border-b-0"
                                    >
                                        <p className="flex flex-wrap items-center gap-x-2">
                                            <StateMark
                                                state={one.status.state === "open" ? "needs-you" : "done"}
                                                word={settlementWord(one)}
                                                size={14}
                                                className="whitespace-normal!"
                                            />
                                            <span className="text-small text-ink-3">
                                                {conflictWord(one.kind)}
                                                {(one.about ?? "") !== "" && `: ${one.about}`}
                                            </span>
                                            {one.status.state === "open" && (
                                                <Button
                                                    size="small"
                                                    className="ml-auto"
                                                    disabled={steering.closed !== undefined}
                                                    title={steering.closed ?? "Decide it by hand, with a reason."}
                                                    onClick={() => setSettling(one)}
                                                >
                                                    Settle…
                                                </Button>
                                            )}
                                        </p>
                                        <ul className="mt-1 flex flex-col gap-1">
                                            {one.claims.map((claim) => (
                                                <li key={claim} className="flex gap-2">
                                                    <span className="tabular w-8 shrink-0 text-ink-3">{claim}</span>
                                                    <ClaimText
                                                        mission={mission.mission}
                                                        claim={claim}
                                                        onClaim={onClaim}
                                                    />
                                                </li>
                                            ))}
                                        </ul>
                                    </li>
                                ))}
                            </ul>
                            <ListFoot items={all.length} total={total} of={items} />
                        </>
                    )
                }
            </AsyncBoundary>
            {settling !== undefined && (
                <SettleDialog
                    mission={mission.mission}
                    contradiction={settling}
                    steering={steering}
                    onClose={() => setSettling(undefined)}
                />
            )}
        </>
    );
}

const BOTH = "both";

interface SettleDialogProps {
    mission: string;
    contradiction: Contradiction;
    steering: Steering;
    onClose: () => void;
}

function SettleDialog({ mission, contradiction, steering, onClose }: SettleDialogProps) {
    const [stands, setStands] = useState(BOTH);
    const { id, kind, claims } = contradiction;
    const [first = "", second = ""] = claims;
    const texts = [
        useQuery("claim_show", { mission, claim: first }).data?.claim.text ?? first,
        useQuery("claim_show", { mission, claim: second }).data?.claim.text ?? second,
    ];
    return (
        <TextDialog
            title="Settle this contradiction"
            about={conflictWord(kind)}
            description="The claim that does not stand is superseded: the report no longer rests on it. Your reason stays with the contradiction."
            label="Why"
            confirmLabel="Settle"
            command={steering}
            onText={(why) =>
                steering.say({
                    say: "settle",
                    contradiction: id,
                    why,
                    ...(stands === BOTH ? {} : { claim: stands }),
                })
            }
            onClose={onClose}
        >
            <RadioGroup
                label="What stands"
                className="mb-3"
                value={stands}
                options={[
                    ...claims.map((claim, at) => ({ value: claim, label: texts[at] ?? claim, hint: claim })),
                    { value: BOTH, label: "Both: they are about different things or times" },
                ]}
                onChange={setStands}
            />
        </TextDialog>
    );
}
