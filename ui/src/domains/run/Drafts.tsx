// What a run is writing, or was when it was interrupted, as far as it was streamed.

import type { DraftRow } from "@/backend";
import { Fold, count } from "@/shared";

export function Drafts({ drafts }: { drafts: readonly DraftRow[] }) {
    return (
        <div className="flex flex-col gap-3">
            {drafts.map(({ run, title, words, text }) => (
                <Fold key={`${run} ${title}`} label={`${title} (${count(words, "word")})`}>
                    <p className="text-ui break-words whitespace-pre-wrap text-ink-2">{text}</p>
                </Fold>
            ))}
        </div>
    );
}
