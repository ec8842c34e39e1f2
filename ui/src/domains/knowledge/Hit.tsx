import { CornerDownRight, Layers, Waypoints } from "lucide-react";

import type { SearchRow } from "@/backend";
import { Fold, count, cx } from "@/shared";

import { Marked } from "./Marked";
import { excerpt } from "./pieces";
import { TierMark } from "./TierMark";

const EXCERPT = 320;

export interface HitProps {
    hit: SearchRow;
    /** The best score of the search. */
    best: number;
    /** What was looked for. */
    terms: readonly string[];
    /** The base's title, where hits may be of several. */
    title?: string;
    selected: boolean;
    onSelect: (paragraph: string) => void;
}

/** A paragraph that was found, and why. */
export function Hit({ hit, best, terms, title, selected, onSelect }: HitProps) {
    const { paragraph, score } = hit;
    const part = excerpt(paragraph.text, hit.highlights, EXCERPT);
    const share = best === 0 ? 0 : score / best;
    return (
        <li className={cx("border-b border-hairline", selected ? "bg-accent-soft" : "hover:bg-hover")}>
            <button
                type="button"
                onClick={() => onSelect(paragraph.id)}
                aria-pressed={selected}
                className="ring-inside block w-full px-2 pt-2.5 text-left text-ui"
            >
                <span className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
                    <span className="min-w-0 font-medium break-words">{paragraph.citation}</span>
                    <span className="min-w-24 flex-1 truncate text-small text-ink-3">
                        {[title, paragraph.heading || paragraph.document].filter(Boolean).join(" › ")}
                    </span>
                    <span
                        className="flex shrink-0 items-center gap-2 self-center text-small text-ink-2"
                        title={`Score ${score.toFixed(2)}, by keywords only ${hit.words.toFixed(2)}`}
                    >
                        <span aria-hidden className="relative h-1.5 w-16 overflow-hidden rounded-full bg-hairline">
                            <span
                                className="absolute inset-y-0 left-0 rounded-full bg-accent"
                                style={{ width: `${share * 100}%` }}
                            />
                        </span>
                        <span className="tabular w-9 text-right">
                            <span className="sr-only">Score </span>
                            {score.toFixed(2)}
                        </span>
                    </span>
                </span>
                <span className="mt-1 block break-words text-ink-2">
                    {part.before && "… "}
                    <Marked text={part.text} ranges={part.ranges} />
                    {part.after && " …"}
                </span>
            </button>
            <Why hit={hit} terms={terms} onSelect={onSelect} />
        </li>
    );
}

/** Why a paragraph was found. */
function Why({
    hit,
    terms,
    onSelect,
}: {
    hit: SearchRow;
    terms: readonly string[];
    onSelect: (paragraph: string) => void;
}) {
    const { shares, matched, similarity, path, duplicates } = hit;
    const missing = terms.filter((term) => !matched.includes(term));
    return (
        <div className="px-2 pt-1.5 pb-2.5 text-small text-ink-3">
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <TierMark tier={hit.tier} full />
                {matched.length > 0 && (
                    <span className="inline-flex min-w-0 flex-wrap items-center gap-x-2">
                        <ShareBar shares={shares} />
                        <span className="min-w-0 break-words">
                            has{" "}
                            <span className="text-ink-2">
                                {shares.length === 0
                                    ? matched.join(", ")
                                    : shares.map((each) => `${each.term} ${Math.round(each.share * 100)} %`).join(", ")}
                            </span>
                            {missing.length > 0 && <>, lacks {missing.join(", ")}</>}
                        </span>
                    </span>
                )}
                {similarity !== null && (
                    <span className="inline-flex items-center gap-1">
                        <Waypoints size={12} strokeWidth={1.5} aria-hidden />
                        meaning <span className="tabular text-ink-2">{similarity.toFixed(2)}</span>
                    </span>
                )}
            </div>
            {path.length > 0 && (
                <p className="mt-1 flex flex-wrap items-center gap-x-1">
                    <CornerDownRight size={12} strokeWidth={1.5} aria-hidden />
                    reached via
                    {path.map((id, index) => (
                        <span key={`${id} ${index}`}>
                            {index > 0 && <span aria-hidden>→ </span>}
                            <Reference id={id} onSelect={onSelect} />
                        </span>
                    ))}
                </p>
            )}
            {duplicates.length > 0 && (
                <Fold
                    label={
                        <span className="inline-flex items-center gap-1">
                            <Layers size={12} strokeWidth={1.5} aria-hidden />
                            {count(duplicates.length, "paragraph")} that {duplicates.length === 1 ? "says" : "say"} the
                            same
                        </span>
                    }
                    className="mt-0.5"
                >
                    <p className="flex flex-wrap gap-x-3 gap-y-1 pt-0.5 pb-1 pl-5">
                        {duplicates.map((id) => (
                            <Reference key={id} id={id} onSelect={onSelect} />
                        ))}
                    </p>
                </Fold>
            )}
        </div>
    );
}

function Reference({ id, onSelect }: { id: string; onSelect: (paragraph: string) => void }) {
    return (
        <button
            type="button"
            onClick={() => onSelect(id)}
            className="rounded-[4px] text-accent [overflow-wrap:anywhere] underline-offset-2 hover:underline"
        >
            {id}
        </button>
    );
}

/** What each word brought to the score by words: the first darkest. The words beside it say the same. */
function ShareBar({ shares }: { shares: SearchRow["shares"] }) {
    if (shares.length === 0) return null;
    return (
        <span
            aria-hidden
            data-shares
            className="flex h-1.5 w-20 shrink-0 gap-px overflow-hidden rounded-full bg-hairline"
        >
            {shares.map((each, index) => (
                <span
                    key={each.term}
                    className="bg-accent"
                    style={{ width: `${each.share * 100}%`, opacity: Math.max(0.25, 1 - index * 0.25) }}
                />
            ))}
        </span>
    );
}
