// The way back to what was typed here before and was written over or thrown away.

import { History } from "lucide-react";
import { useState } from "react";

import type { DraftUse } from "@/backend";
import { IconButton, Popover, Skeleton, lazyPart, toast } from "@/shared";

const EarlierList = lazyPart(() => import("./EarlierList").then((part) => part.EarlierList), <Skeleton lines={3} />);

export interface EarlierDraftsProps {
    draft: DraftUse;
    /** Puts a text into the field. */
    onWrite: (text: string) => void;
}

export function EarlierDrafts({ draft, onWrite }: EarlierDraftsProps) {
    const [open, setOpen] = useState(false);
    const take = (text: string) => {
        const before = draft.text;
        setOpen(false);
        onWrite(text);
        toast({ text: "Earlier draft restored.", onUndo: () => onWrite(before) });
    };
    return (
        <Popover
            label="Earlier drafts"
            side="top"
            align="end"
            open={open}
            // What is typed now is stored first: it is the newest of them when another one takes its place.
            onOpenChange={(shown) => (draft.flush(), setOpen(shown))}
            className="w-96 p-1"
            trigger={
                <IconButton
                    label="Earlier drafts"
                    size="small"
                    className="ml-auto"
                    icon={<History size={14} strokeWidth={1.5} />}
                />
            }
        >
            <p aria-hidden className="px-2 pt-1 pb-0.5 text-small text-ink-3">
                Earlier drafts
            </p>
            <EarlierList draftKey={draft.key} now={draft.text} onTake={take} />
        </Popover>
    );
}
