import { useState } from "react";

import type { SessionRow } from "@/backend";
import { Button, Dialog, TextField } from "@/shared";

import { rename } from "./actions";

/** Asks for a session's new title. */
export function RenameDialog({ row, onClose }: { row: SessionRow; onClose: () => void }) {
    const [title, setTitle] = useState(row.title);
    const [saving, setSaving] = useState(false);
    const wanted = title.trim();
    // What was typed goes away once it is kept.
    const save = async () => {
        if (saving) return;
        setSaving(true);
        if (wanted === row.title || (await rename(row.session, wanted))) onClose();
        else setSaving(false);
    };
    return (
        <Dialog
            open
            onOpenChange={(open) => !open && onClose()}
            title="Rename session"
            width="small"
            footer={
                <>
                    <Button variant="quiet" onClick={onClose}>
                        Cancel
                    </Button>
                    <Button variant="primary" disabled={wanted === "" || saving} onClick={() => void save()}>
                        {saving ? "Renaming…" : "Rename"}
                    </Button>
                </>
            }
        >
            <TextField
                label="Title"
                value={title}
                onChange={setTitle}
                onKeyDown={(event) => {
                    if (event.key !== "Enter" || event.nativeEvent.isComposing || wanted === "") return;
                    event.preventDefault();
                    void save();
                }}
            />
        </Dialog>
    );
}
