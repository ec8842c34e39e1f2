// Asks for the name of a view that a search line becomes.

import { useState } from "react";

import { send, toProblem } from "@/backend";
import { useOrganisation } from "@/domains/organise";
import { go } from "@/routes";
import { Button, Dialog, TextField, problemText } from "@/shared";

import { expressionOf } from "./expression";
import type { SaveViewProps } from "./SaveView";

export function SaveViewDialog({ line, base, onClose }: SaveViewProps & { onClose: () => void }) {
    const { statuses } = useOrganisation();
    const { expression: own, left } = expressionOf(line, statuses);
    const expression = base === undefined || own === "" ? own : `${/\s/.test(base) ? `(${base})` : base} and ${own}`;
    const [name, setName] = useState("");
    const [wrong, setWrong] = useState<string | undefined>();
    const [saving, setSaving] = useState(false);
    const save = async () => {
        if (saving) return;
        setSaving(true);
        setWrong(undefined);
        try {
            const after = await send("view_edit", {
                edit: "add",
                name: name.trim(),
                expression,
                description: `Saved from the search “${line}”`,
            });
            onClose();
            const made = after.views[after.views.length - 1];
            if (made !== undefined) go({ page: "inbox", view: `saved:${made.id}` });
        } catch (thrown) {
            const problem = toProblem(thrown);
            setWrong(problemText(problem));
            setSaving(false);
        }
    };
    const ready = name.trim() !== "" && expression !== "";
    return (
        <Dialog
            open
            onOpenChange={(shown) => !shown && onClose()}
            title="Save as a view"
            description="A view appears in the sidebar and always shows the current matches."
            width="small"
            footer={
                <>
                    <Button onClick={onClose}>Cancel</Button>
                    <Button variant="primary" disabled={!ready || saving} onClick={() => void save()}>
                        {saving ? "Saving…" : "Save"}
                    </Button>
                </>
            }
        >
            <form
                onSubmit={(event) => {
                    event.preventDefault();
                    if (ready) void save();
                }}
            >
                <TextField label="Name" value={name} onChange={setName} error={wrong} maxLength={100} />
            </form>
            <p className="mt-3 mb-1 text-small text-ink-2">Expression</p>
            <pre className="rounded-control bg-sunken p-2 font-mono text-code break-words whitespace-pre-wrap">
                {expression === "" ? "This search can’t be saved as a view." : expression}
            </pre>
            {left.length > 0 && expression !== "" && (
                <p className="mt-2 text-small text-needs">Left out, as views do not support it: {left.join(", ")}</p>
            )}
        </Dialog>
    );
}
