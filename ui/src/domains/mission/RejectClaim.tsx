// Rejecting a claim, for a reason.

import { TextDialog } from "./TextDialog";
import type { Steering } from "./Steering";

export interface RejectClaimProps {
    claim: { id: string; text: string };
    steering: Steering;
    onClose: () => void;
}

export function RejectClaim({ claim, steering, onClose }: RejectClaimProps) {
    return (
        <TextDialog
            title="Reject this claim"
            about={claim.text}
            description="Nothing in the mission rests on a rejected claim any more, and agents are told why."
            label="Why it is wrong"
            confirmLabel="Reject claim"
            command={steering}
            onText={(why) => steering.say({ say: "reject", claim: claim.id, why })}
            onClose={onClose}
        />
    );
}
