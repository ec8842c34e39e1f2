// Limits of a mission that are raised, in a form: at a limit, and whenever it goes on.

import { useState } from "react";

import { Button, Dialog, ErrorCard } from "@/shared";

import { LimitFields, NO_LIMITS, limitsOf } from "./LimitFields";
import type { PartProps } from "./props";

export interface RaiseFormProps extends Pick<PartProps, "mission" | "steering"> {
    confirmLabel: string;
    backLabel: string;
    /** It was raised, or is not. */
    onClose: () => void;
}

export function RaiseForm({ mission, steering, confirmLabel, backLabel, onClose }: RaiseFormProps) {
    const [limits, setLimits] = useState(NO_LIMITS);
    const read = limitsOf(limits);
    const raise = async () => {
        if (read.problem === undefined && (await steering.say({ say: "raise", limits: read.limits }))) onClose();
    };
    return (
        <form
            className="flex flex-col gap-3"
            onSubmit={(event) => {
                event.preventDefault();
                void raise();
            }}
        >
            <LimitFields values={limits} onChange={setLimits} now={mission.limits} />
            {read.problem !== undefined && (
                <p role="alert" className="text-small text-failed">
                    {read.problem}
                </p>
            )}
            <div className="flex flex-wrap gap-2">
                <Button
                    type="submit"
                    variant="primary"
                    disabled={steering.pending || read.problem !== undefined || read.isEmpty}
                >
                    {confirmLabel}
                </Button>
                <Button variant="quiet" onClick={onClose}>
                    {backLabel}
                </Button>
            </div>
        </form>
    );
}

export function RaiseDialog({ mission, steering, onClose }: Omit<RaiseFormProps, "confirmLabel" | "backLabel">) {
    const close = () => {
        steering.clear();
        onClose();
    };
    return (
        <Dialog
            open
            onOpenChange={(open) => !open && close()}
            title="Raise limits"
            description="The mission goes on under the new limits at once. An empty field leaves a limit as it is; no limit can be lowered."
        >
            <RaiseForm mission={mission} steering={steering} confirmLabel="Raise" backLabel="Cancel" onClose={close} />
            {steering.problem !== undefined && (
                <ErrorCard
                    className="mt-3"
                    title="The action failed."
                    kept="The limits are as they were."
                    advice={steering.problem.action ?? undefined}
                >
                    {steering.problem.message}
                </ErrorCard>
            )}
        </Dialog>
    );
}
