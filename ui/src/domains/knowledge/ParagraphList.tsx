import { useState } from "react";

import type { ParagraphRow } from "@/backend";
import { Button, ErrorCard, Skeleton, VirtualList, cx } from "@/shared";

import { useParagraphs } from "./paragraphs";

export interface ParagraphListProps {
    base: string;
    generation: string;
    /** Only of this document. */
    document: string | null;
    selected: string | undefined;
    onSelect: (paragraph: string) => void;
}

/** All paragraphs of a base or of one document, in order. */
export function ParagraphList({ base, generation, document, selected, onSelect }: ParagraphListProps) {
    const { rows, total, loading, problem, more } = useParagraphs(base, document, generation);
    const [active, setActive] = useState<string | undefined>();
    if (rows.length === 0) {
        if (problem !== undefined) {
            return (
                <ErrorCard title="Could not load the paragraphs" actions={<Button onClick={more}>Try again</Button>}>
                    {problem.message}
                </ErrorCard>
            );
        }
        return total === undefined || loading ? (
            <Skeleton lines={8} className="px-2" />
        ) : (
            <p className="px-2 text-ui text-ink-2">No paragraphs here.</p>
        );
    }
    return (
        <div className="flex h-full min-h-0 flex-col">
            <VirtualList
                label="Paragraphs"
                items={rows}
                keyOf={(row) => row.id}
                estimate={() => 64}
                active={active ?? selected}
                onActive={setActive}
                selected={selected}
                onOpen={(row) => onSelect(row.id)}
                onEnd={more}
                render={(row, state) => <ParagraphLine row={row} {...state} />}
            />
            <p className="shrink-0 border-t border-hairline px-2 py-1 text-small text-ink-3" aria-live="polite">
                <span className="tabular">
                    {rows.length.toLocaleString("en-GB")} of {(total ?? rows.length).toLocaleString("en-GB")} paragraphs
                </span>
                {loading && ", loading more…"}
                {problem !== undefined && (
                    <>
                        {" "}
                        <span className="text-failed">Could not load more: {problem.message}</span>{" "}
                        <button type="button" className="text-accent hover:underline" onClick={more}>
                            Load more
                        </button>
                    </>
                )}
            </p>
        </div>
    );
}

function ParagraphLine({ row, active, selected }: { row: ParagraphRow; active: boolean; selected: boolean }) {
    return (
        <div
            className={cx(
                "mx-0.5 border-b border-hairline px-1.5 py-2",
                selected ? "bg-accent-soft" : active ? "bg-hover" : "hover:bg-hover",
            )}
        >
            <div className="flex items-baseline gap-2">
                <span className="max-w-3/5 shrink-0 truncate font-medium">{row.citation}</span>
                <span className="min-w-0 truncate text-small text-ink-3">{row.heading || row.document}</span>
            </div>
            <p className="mt-0.5 line-clamp-2 text-ink-2">{row.text}</p>
        </div>
    );
}
