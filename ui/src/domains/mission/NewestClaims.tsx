// What a mission found last, while it goes on: each claim with its sources, to be kept or rejected.

import { Ban, Pin } from "lucide-react";
import { useId, useState } from "react";

import type { NewestClaim } from "@/backend";
import { IconButton, StateMark, cx } from "@/shared";

import { RejectClaim } from "./RejectClaim";
import { TextLink } from "./TextLink";
import { claimStatus, shareWord } from "./labels";
import type { PartProps } from "./props";

/** How many are shown; the others are in the list of claims. */
const MAX_SHOWN = 4;

export function NewestClaims({ mission, steering, onClaim }: PartProps) {
    const id = useId();
    const [rejecting, setRejecting] = useState<NewestClaim>();
    const claims = mission.newestClaims.slice(0, MAX_SHOWN);
    if (claims.length === 0) return null;
    return (
        <section aria-labelledby={id}>
            <h3 id={id} className="mb-1 text-small font-medium text-ink-3">
                Newest claims
            </h3>
            <ul aria-labelledby={id}>
                {claims.map((each) => (
                    <Row
                        key={each.claim}
                        of={each}
                        pending={steering.pending}
                        onOpen={() => onClaim(each.claim)}
                        onKeep={() => void steering.say({ say: "pin", claim: each.claim })}
                        onReject={() => {
                            steering.clear();
                            setRejecting(each);
                        }}
                    />
                ))}
            </ul>
            {rejecting !== undefined && (
                <RejectClaim
                    claim={{ id: rejecting.claim, text: rejecting.text }}
                    steering={steering}
                    onClose={() => setRejecting(undefined)}
                />
            )}
        </section>
    );
}

interface RowProps {
    of: NewestClaim;
    pending: boolean;
    onOpen: () => void;
    onKeep: () => void;
    onReject: () => void;
}

function Row({
    of: { claim, text, status, confidence, sources, pinned },
    pending,
    onOpen,
    onKeep,
    onReject,
}: RowProps) {
    const { state, word } = claimStatus(status);
    const gone = status === "rejected" || status === "superseded";
    return (
        <li className="flex items-start gap-2 border-b border-hairline py-1.5 last:border-b-0">
            <div className="min-w-0 flex-1">
                <p className={cx("line-clamp-2", gone && "line-through decoration-ink-faint")} title={text}>
                    <TextLink text={text} onOpen={onOpen} />
                </p>
                <p className="flex min-w-0 items-center gap-x-2 text-small text-ink-3">
                    <StateMark state={state} word={word} size={14} className="shrink-0" />
                    {confidence !== null && !gone && <span className="tabular shrink-0">{shareWord(confidence)}</span>}
                    {pinned && <span className="shrink-0">Kept</span>}
                    {sources.length > 0 && (
                        <span className="truncate" title={sources.join(", ")}>
                            {sources.join(", ")}
                        </span>
                    )}
                </p>
            </div>
            <IconButton
                label={pinned ? `${claim} is kept` : `Keep ${claim}`}
                size="small"
                icon={<Pin size={14} strokeWidth={1.5} />}
                disabled={pinned || gone || pending}
                onClick={onKeep}
            />
            <IconButton
                label={`Reject ${claim}…`}
                size="small"
                icon={<Ban size={14} strokeWidth={1.5} />}
                disabled={gone || pending}
                onClick={onReject}
            />
        </li>
    );
}
