// A search line kept as a view: its filters become an expression, its words are looked for in titles.

import { BookmarkPlus } from "lucide-react";
import { useState } from "react";

import { IconButton, lazyPart } from "@/shared";

const SaveViewDialog = lazyPart(() => import("./SaveViewDialog").then((part) => part.SaveViewDialog));

export interface SaveViewProps {
    line: string;
    /** An expression that holds besides: what the list shows without the line. */
    base?: string;
}

export function SaveView({ line, base }: SaveViewProps) {
    const [open, setOpen] = useState(false);
    return (
        <>
            <IconButton
                size="small"
                label="Save as a view"
                icon={<BookmarkPlus size={16} strokeWidth={1.5} />}
                onClick={() => setOpen(true)}
                className="mt-0.5"
            />
            {open && <SaveViewDialog line={line} base={base} onClose={() => setOpen(false)} />}
        </>
    );
}
