// Who stands by a document as it is.

import { useState } from "react";

import { useCommand } from "@/backend";
import { Button, Dialog, TextArea, TextField, count, sentence } from "@/shared";

/** Where the reviewer's name is kept for the next time. */
const KEPT = "reviewer";

function keptName(): string {
    try {
        return localStorage.getItem(KEPT) ?? "";
    } catch {
        return "";
    }
}

function keepName(name: string): void {
    try {
        localStorage.setItem(KEPT, name);
    } catch {
        // Storage is full or off: it is typed again.
    }
}

export interface LockDialogProps {
    run: string;
    /** Sentences whose sources have changed already. */
    stale: number;
    onClose: () => void;
}

export function LockDialog({ run, stale, onClose }: LockDialogProps) {
    const locking = useCommand("run_lock");
    const [reviewer, setReviewer] = useState(keptName);
    const [note, setNote] = useState("");
    const name = reviewer.trim();
    const lock = async () => {
        const { value } = await locking.run({ run: { id: run }, reviewer: name, note: note.trim() || null });
        if (value === undefined) return;
        keepName(name);
        onClose();
    };
    return (
        <Dialog
            open
            onOpenChange={(open) => {
                if (!open) onClose();
            }}
            title="Lock this version"
            description="You stand by the document as it is. If a source changes later, the statements that rest on it are open again. Word and PDF exports show the lock."
            footer={
                <>
                    <Button onClick={onClose}>Cancel</Button>
                    <Button variant="primary" disabled={name === "" || locking.pending} onClick={() => void lock()}>
                        {locking.pending ? "Locking…" : "Lock"}
                    </Button>
                </>
            }
        >
            <form
                className="flex flex-col gap-3"
                onSubmit={(event) => {
                    event.preventDefault();
                    if (name !== "") void lock();
                }}
            >
                {stale > 0 && (
                    <p className="text-ui font-medium text-needs">
                        {count(stale, "statement")} no longer {stale === 1 ? "rests" : "rest"} on what the sources say.
                        By locking you accept {stale === 1 ? "it" : "them"} so.
                    </p>
                )}
                <TextField
                    label="Reviewed by"
                    value={reviewer}
                    onChange={setReviewer}
                    error={locking.problem === undefined ? undefined : sentence(locking.problem.message)}
                />
                <TextArea label="Remark" value={note} onChange={setNote} minRows={2} maxRows={6} />
            </form>
        </Dialog>
    );
}
