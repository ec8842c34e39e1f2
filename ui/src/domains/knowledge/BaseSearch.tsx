import { CornerDownRight } from "lucide-react";

import { skip, useQuery, type SearchRow } from "@/backend";
import { Badge, Outcome, Skeleton, cx } from "@/shared";

import { Marked } from "./Marked";
import { excerpt } from "./pieces";

export interface BaseSearchProps {
    base: string;
    /** What is looked for; not empty. */
    text: string;
    /** How far references are followed. */
    hops: number;
    selected: string | undefined;
    onSelect: (found: SearchRow) => void;
}

const EXCERPT = 320;

/** What a search found, and why each paragraph was found. */
export function BaseSearch({ base, text, hops, selected, onSelect }: BaseSearchProps) {
    const found = useQuery("base_search", text === "" ? skip : { base, text, limit: 30, hops });
    return (
        <Outcome of={found} what="what was found" waiting={<div><p role="status" className="mb-2 text-small text-ink-3">Searching…</p><Skeleton lines={6} /></div>}>
            {({ hits, terms, ms }) => {
                const best = Math.max(...hits.map((hit) => hit.score), 0);
                return (
                    <>
                        <p role="status" className="flex flex-wrap items-center gap-x-2 gap-y-1 text-small text-ink-3">
                            <span className="tabular">
                                {hits.length === 0 ? "Nothing found" : `${hits.length} found`} in {ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms
                            </span>
                            {terms.length > 0 && (
                                <>
                                    <span>by</span>
                                    {terms.map((term) => (
                                        <Badge key={term}>{term}</Badge>
                                    ))}
                                </>
                            )}
                        </p>
                        {hits.length === 0 && (
                            <p className="mt-3 max-w-md text-ui text-ink-2">
                                {terms.length === 0 ? "These words say nothing about a subject. Name the matter itself." : "No paragraph has these words. Try others that the texts themselves use, or fewer."}
                            </p>
                        )}
                        <ol aria-label="Paragraphs found" className="mt-2 border-t border-hairline">
                            {hits.map((hit) => (
                                <Hit key={hit.paragraph.id} hit={hit} best={best} terms={terms} selected={hit.paragraph.id === selected} onSelect={() => onSelect(hit)} />
                            ))}
                        </ol>
                    </>
                );
            }}
        </Outcome>
    );
}

function Hit({ hit, best, terms, selected, onSelect }: { hit: SearchRow; best: number; terms: string[]; selected: boolean; onSelect: () => void }) {
    const { paragraph, score, words, path } = hit;
    const part = excerpt(paragraph.text, hit.highlights, EXCERPT);
    const share = best === 0 ? 0 : score / best;
    const missing = terms.filter((term) => !hit.matched.includes(term));
    return (
        <li className="border-b border-hairline">
            <button type="button" onClick={onSelect} aria-pressed={selected} className={cx("ring-inside block w-full px-2 py-2.5 text-left text-ui", selected ? "bg-accent-soft" : "hover:bg-hover")}>
                <span className="flex items-baseline gap-2">
                    <span className="shrink-0 font-medium">{paragraph.citation}</span>
                    <span className="min-w-0 flex-1 truncate text-small text-ink-3">{paragraph.heading || paragraph.document}</span>
                    <span className="flex shrink-0 items-center gap-2 self-center text-small text-ink-2" title={`Score ${score.toFixed(2)}, by words alone ${words.toFixed(2)}`}>
                        <span aria-hidden className="relative h-1.5 w-16 overflow-hidden rounded-full bg-hairline">
                            <span className="absolute inset-y-0 left-0 rounded-full bg-accent" style={{ width: `${share * 100}%` }} />
                        </span>
                        <span className="tabular w-9 text-right">
                            <span className="sr-only">Score </span>
                            {score.toFixed(2)}
                        </span>
                    </span>
                </span>
                <span className="mt-1 block text-ink-2">
                    {part.before && "… "}
                    <Marked text={part.text} ranges={part.ranges} />
                    {part.after && " …"}
                </span>
                <span className="mt-1 flex flex-wrap items-center gap-x-3 text-small text-ink-3">
                    {hit.matched.length > 0 && (
                        <span>
                            has <span className="text-ink-2">{hit.matched.join(", ")}</span>
                            {missing.length > 0 && <>, lacks {missing.join(", ")}</>}
                        </span>
                    )}
                    {path.length > 0 && (
                        <span className="inline-flex items-center gap-1">
                            <CornerDownRight size={12} strokeWidth={1.5} aria-hidden />
                            reached over {path.join(" → ")}
                        </span>
                    )}
                </span>
            </button>
        </li>
    );
}
