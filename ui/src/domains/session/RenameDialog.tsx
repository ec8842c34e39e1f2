import { useState } from "react";

import type { SessionRow } from "@/backend";
import { Button, Dialog, TextField } from "@/shared";

import { rename } from "./actions";

/** Asks for a session's new title. */
export function RenameDialog({ row, onClose }: { row: SessionRow; onClose: () => void }) {
    const [title, setTitle] = useState(row.title);
    const wanted = title.trim();
    const save = () => {
        onClose();
        if (wanted !== row.title) void rename(row.session, wanted);
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
                    <Button variant="primary" disabled={wanted === ""} onClick={save}>
                        Rename
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
                    save();
                }}
            />
        </Dialog>
    );
}
