// An answer while it is being written: readable at once, and clearly not checked yet.

import { useMemo, useState } from "react";

import { Badge } from "@/shared";
import { Markdown } from "@/shared/markdown";

import { DraftReader } from "./draft-text";

/** Shorter texts than this are no answer to read. */
const READABLE = 80;

export function DraftAnswer({ text }: { text: string }) {
    const [reader] = useState(() => new DraftReader());
    const draft = useMemo(() => reader.draft(text), [reader, text]);
    if (draft.length < READABLE) return null;
    return (
        <section aria-label="Draft" className="max-w-[47.5rem]">
            <p className="flex items-center gap-2 pb-2 text-small text-ink-3">
                <Badge>Draft</Badge>
                Citations are checked when the text is complete.
            </p>
            <Markdown text={draft} streaming voice="answer" />
        </section>
    );
}
