// A reason in words before something is changed by hand.

import { useState, type ReactNode } from "react";

import { Button, Dialog, ErrorCard, TextArea } from "@/shared";

import type { Steering } from "./Steering";

export interface ReasonDialogProps {
    title: string;
    /** What it is about. */
    about: string;
    /** What follows. */
    description: string;
    label: string;
    confirmLabel: string;
    steering: Steering;
    /** What is chosen besides, above the reason. */
    children?: ReactNode;
    /** Says it; gives whether that was done. */
    onReason: (why: string) => Promise<boolean>;
    onClose: () => void;
}

export function ReasonDialog(props: ReasonDialogProps) {
    const { title, about, description, label, confirmLabel, steering, children, onReason, onClose } = props;
    const [why, setWhy] = useState("");
    const close = () => {
        steering.clear();
        onClose();
    };
    const give = async () => {
        if (why.trim() !== "" && (await onReason(why.trim()))) onClose();
    };
    return (
        <Dialog
            open
            onOpenChange={(open) => !open && close()}
            title={title}
            description={description}
            footer={
                <>
                    <Button onClick={close}>Cancel</Button>
                    <Button
                        variant="primary"
                        disabled={why.trim() === "" || steering.pending}
                        onClick={() => void give()}
                    >
                        {confirmLabel}
                    </Button>
                </>
            }
        >
            <blockquote className="mb-3 border-l border-hairline pl-3 text-ui break-words text-ink-2">
                {about}
            </blockquote>
            {children}
            <TextArea
                label={label}
                value={why}
                onChange={setWhy}
                minRows={2}
                onKeyDown={(event) => {
                    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void give();
                }}
            />
            {steering.problem !== undefined && (
                <ErrorCard className="mt-3" title="That was not done." advice={steering.problem.action ?? undefined}>
                    {steering.problem.message}
                </ErrorCard>
            )}
        </Dialog>
    );
}
