// Where a claim comes from: its confidence and what that is made of, its citations with quote, source and page, what contradicts it.

import { FilePen, Pin } from "lucide-react";
import { useState } from "react";

import { useQuery, type MissionView } from "@/backend";
import { AsyncBoundary, Badge, Button, Dialog, ErrorCard, StateMark, count } from "@/shared";

import { ReportWithout } from "./NextMission";
import { SourcePlace, paragraphWord } from "./SourcePlace";
import { TextLink } from "./TextLink";
import type { Provenance } from "./graph";
import type { Steering } from "./Steering";
import { claimStatus, conflictWord, shareWord, sourceKind, verdictOf } from "./labels";

export interface ProvenanceDialogProps {
    mission: MissionView;
    claim: string;
    steering: Steering;
    onClaim: (claim: string) => void;
    onClose: () => void;
}

export function ProvenanceDialog({ mission, claim, steering, onClaim, onClose }: ProvenanceDialogProps) {
    const shown = useQuery("claim_show", { mission: mission.mission, claim });
    const [leaving, setLeaving] = useState(false);
    const pinned = shown.data?.claim.pinned === true;
    const gone = shown.data?.claim.status === "rejected" || shown.data?.claim.status === "superseded";
    const close = () => {
        steering.clear();
        onClose();
    };
    return (
        <Dialog
            open
            onOpenChange={(open) => !open && close()}
            title={`Where claim ${claim} comes from`}
            width="large"
            footer={
                <>
                    {steering.closed === undefined && shown.data !== undefined && (
                        <Button
                            icon={<Pin size={14} strokeWidth={1.5} />}
                            disabled={pinned || steering.pending}
                            onClick={() => void steering.say({ say: "pin", claim })}
                        >
                            {pinned ? "Kept" : "Keep this claim"}
                        </Button>
                    )}
                    {steering.closed !== undefined && shown.data !== undefined && !gone && (
                        <Button icon={<FilePen size={14} strokeWidth={1.5} />} onClick={() => setLeaving(true)}>
                            Reject and write again…
                        </Button>
                    )}
                    <Button variant="primary" onClick={close}>
                        Close
                    </Button>
                </>
            }
        >
            <AsyncBoundary of={shown} what="the claim">
                {(provenance) => <Origins mission={mission} provenance={provenance} onClaim={onClaim} />}
            </AsyncBoundary>
            {leaving && shown.data !== undefined && (
                <ReportWithout
                    mission={mission}
                    claim={shown.data.claim}
                    onStarted={close}
                    onClose={() => setLeaving(false)}
                />
            )}
            {steering.problem !== undefined && (
                <ErrorCard className="mt-3" title="The action failed." advice={steering.problem.action ?? undefined}>
                    {steering.problem.message}
                </ErrorCard>
            )}
        </Dialog>
    );
}

interface OriginsProps {
    mission: MissionView;
    provenance: Provenance;
    onClaim: (claim: string) => void;
}

function Origins({ mission, provenance: { claim, citations, contradictions }, onClaim }: OriginsProps) {
    const { state, word } = claimStatus(claim.status);
    const { support = 0, penalty = 0, origins = 0 } = claim.parts ?? {};
    return (
        <div className="flex flex-col gap-4">
            <div>
                <p className="font-serif text-answer break-words">{claim.text}</p>
                <p className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1 text-small text-ink-2">
                    <StateMark state={state} word={word} show="badge" />
                    <span className="tabular">
                        Confidence {shareWord(claim.confidence)}: citations carry {shareWord(support)}
                        {penalty > 0 && `, contradictions take ${shareWord(penalty)}`}
                        {`, ${count(origins, "independent source")}`}
                    </span>
                </p>
                {typeof claim.rejected === "string" && (
                    <p className="mt-1 text-ui text-ink-2">Rejected: {claim.rejected}</p>
                )}
            </div>
            <section aria-label="Citations">
                <h3 className="mb-1 text-ui font-semibold">{count(citations.length, "citation")}</h3>
                {citations.length === 0 && <p className="text-ui text-ink-2">No source supports this claim.</p>}
                <ol>
                    {citations.map(({ citation, source }) => {
                        const checked = verdictOf(citation);
                        const where = [
                            typeof citation.paragraph === "string" ? paragraphWord(citation.paragraph) : "",
                            typeof citation.page === "number" ? `Page ${citation.page}` : "",
                        ].filter(Boolean);
                        return (
                            <li key={citation.id} className="border-t border-hairline py-3">
                                <blockquote className="border-l-2 border-accent pl-3 font-serif text-answer break-words">
                                    {citation.quote}
                                </blockquote>
                                <p className="mt-2 flex flex-wrap items-center gap-x-2 gap-y-1 text-small">
                                    <StateMark state={checked.state} word={checked.word} size={14} />
                                    <Badge>{sourceKind(source.kind)}</Badge>
                                </p>
                                <p className="mt-1 text-ui break-words">
                                    {source.title}
                                    {where.length > 0 && <span className="text-ink-2">, {where.join(", ")}</span>}
                                </p>
                                <SourcePlace source={source} paragraph={citation.paragraph ?? undefined} />
                                {typeof source.object === "string" && (
                                    <p className="text-small break-all text-ink-3">
                                        The bytes that were read: SHA-256 {source.object}
                                    </p>
                                )}
                            </li>
                        );
                    })}
                </ol>
            </section>
            {contradictions.length > 0 && (
                <section aria-label="Contradictions">
                    <h3 className="mb-1 text-ui font-semibold">Contradicted by</h3>
                    <ul>
                        {contradictions.map((one) => {
                            const other = one.claims.find((id) => id !== claim.id) ?? claim.id;
                            return (
                                <li key={one.id} className="border-t border-hairline py-2 text-ui">
                                    <ClaimText mission={mission.mission} claim={other} onClaim={onClaim} />
                                    <p className="text-small text-ink-3">
                                        {conflictWord(one.kind)}
                                        {(one.about ?? "") !== "" && `: ${one.about}`}
                                    </p>
                                </li>
                            );
                        })}
                    </ul>
                </section>
            )}
        </div>
    );
}

/** A claim as a link to where it comes from. */
export function ClaimText({
    mission,
    claim,
    onClaim,
}: {
    mission: string;
    claim: string;
    onClaim: (claim: string) => void;
}) {
    const { data } = useQuery("claim_show", { mission, claim });
    return <TextLink text={data?.claim.text ?? claim} onOpen={() => onClaim(claim)} />;
}
