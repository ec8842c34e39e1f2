// Words for a command: a reason before something is changed by hand, an objective, the form of a report.

import { useState, type ReactNode } from "react";

import type { CommandUse } from "@/backend";
import { Button, Dialog, ErrorCard, TextArea } from "@/shared";

export interface TextDialogProps {
    title: string;
    /** What it is about. */
    about?: string;
    /** What follows. */
    description: string;
    label: string;
    placeholder?: string;
    /** The words to begin with. */
    initial?: string;
    confirmLabel: string;
    command: Pick<CommandUse<"mission_steer">, "pending" | "problem" | "clear">;
    /** What is chosen besides, above the words. */
    children?: ReactNode;
    /** Says it; gives whether that was done. */
    onText: (text: string) => Promise<boolean>;
    onClose: () => void;
}

export function TextDialog(props: TextDialogProps) {
    const { title, about, description, label, placeholder, initial, confirmLabel, command, children } = props;
    const { onText, onClose } = props;
    const [text, setText] = useState(initial ?? "");
    const close = () => {
        command.clear();
        onClose();
    };
    const give = async () => {
        if (text.trim() !== "" && !command.pending && (await onText(text.trim()))) onClose();
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
                        shortcut="Ctrl+Enter"
                        disabled={text.trim() === "" || command.pending}
                        onClick={() => void give()}
                    >
                        {confirmLabel}
                    </Button>
                </>
            }
        >
            {about !== undefined && (
                <blockquote className="mb-3 border-l border-hairline pl-3 text-ui break-words text-ink-2">
                    {about}
                </blockquote>
            )}
            {children}
            <TextArea
                label={label}
                placeholder={placeholder}
                value={text}
                onChange={setText}
                minRows={2}
                maxRows={10}
                data-autofocus
                onKeyDown={(event) => {
                    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void give();
                }}
            />
            {command.problem !== undefined && (
                <ErrorCard
                    className="mt-3"
                    title="The action failed."
                    kept="What you wrote is kept."
                    advice={command.problem.action ?? undefined}
                >
                    {command.problem.message}
                </ErrorCard>
            )}
        </Dialog>
    );
}
