import { useState } from "react";

import { skip, useQuery, type SearchExplained, type SearchRow } from "@/backend";
import { Badge, Button, AsyncBoundary, Skeleton } from "@/shared";

import { Hit } from "./Hit";
import { meaningWord } from "./labels";

export interface SearchResultsProps {
    /** Their names; empty for all. */
    bases: readonly string[];
    /** What is looked for; not empty. */
    text: string;
    /** How far references are followed. */
    hops: number;
    /** Titles of bases by name, where hits may be of several. */
    titles?: ReadonlyMap<string, string>;
    selected: { base: string; id: string } | undefined;
    onSelect: (base: string, id: string, found?: SearchRow) => void;
}

/** How many are read at a time. */
export const PAGE = 20;

function useFound({ bases, text, hops }: Pick<SearchResultsProps, "bases" | "text" | "hops">, after: number) {
    return useQuery("knowledge_search", text === "" ? skip : { text, bases: [...bases], after, limit: PAGE, hops });
}

/** What a search found, and why each paragraph was found. */
export function SearchResults(props: SearchResultsProps) {
    const first = useFound(props, 0);
    return (
        <AsyncBoundary
            of={first}
            what="the search results"
            waiting={
                <div>
                    <p role="status" className="mb-2 text-small text-ink-3">
                        Searching…
                    </p>
                    <Skeleton lines={6} />
                </div>
            }
        >
            {(found) => <Found key={`${props.text} ${props.bases.join(" ")} ${props.hops}`} {...props} first={found} />}
        </AsyncBoundary>
    );
}

function Found({ first, ...props }: SearchResultsProps & { first: SearchExplained }) {
    const [pages, setPages] = useState(1);
    const { hits, terms, ms, meaning, scope = [] } = first;
    const best = Math.max(...hits.map((hit) => hit.score), 0);
    const many = hits.length === PAGE ? `Top ${PAGE}` : hits.length === 0 ? "Nothing found" : `${hits.length} found`;
    const shared = { ...props, terms, best };
    return (
        <>
            <p role="status" className="flex flex-wrap items-center gap-x-2 gap-y-1 text-small text-ink-3">
                <span className="tabular">
                    {many} in {ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms, {meaningWord(meaning)}
                </span>
                {terms.map((term) => (
                    <Badge key={term}>{term}</Badge>
                ))}
                {scope.length > 0 && <span>First the documents that you name: {scope.join(", ")}</span>}
            </p>
            {hits.length === 0 && (
                <p className="mt-3 max-w-md text-ui text-ink-2">
                    {terms.length === 0
                        ? "Only common words were entered. Add a more specific term."
                        : "No matching paragraphs. Try fewer words, or words that the texts use."}
                </p>
            )}
            {hits.length > 0 && (
                <ol aria-label="Paragraphs found" className="mt-2 border-t border-hairline">
                    <Hits {...shared} hits={hits} />
                    {Array.from({ length: pages - 1 }, (_, index) => (
                        <More
                            key={index}
                            {...shared}
                            page={index + 1}
                            last={index === pages - 2}
                            onMore={() => setPages(pages + 1)}
                        />
                    ))}
                </ol>
            )}
            {pages === 1 && hits.length === PAGE && <ShowMore onMore={() => setPages(2)} />}
        </>
    );
}

type Shared = SearchResultsProps & { terms: string[]; best: number };

function Hits({ hits, terms, best, titles, selected, onSelect }: Shared & { hits: SearchRow[] }) {
    return hits.map((hit) => (
        <Hit
            key={`${hit.base} ${hit.paragraph.id}`}
            hit={hit}
            best={best}
            terms={terms}
            title={titles?.get(hit.base)}
            selected={hit.base === selected?.base && hit.paragraph.id === selected.id}
            onSelect={(id) => onSelect(hit.base, id, id === hit.paragraph.id ? hit : undefined)}
        />
    ));
}

function More({ page, last, onMore, ...shared }: Shared & { page: number; last: boolean; onMore: () => void }) {
    const found = useFound(shared, page * PAGE);
    const hits = found.data?.hits;
    if (hits === undefined) {
        return (
            <li className="py-3 text-small">
                {found.problem === undefined ? (
                    <span role="status" className="text-ink-3">
                        Loading more…
                    </span>
                ) : (
                    <span role="alert" className="text-failed">
                        Could not load more: {found.problem.message}{" "}
                        <button type="button" className="text-accent hover:underline" onClick={found.reload}>
                            Try again
                        </button>
                    </span>
                )}
            </li>
        );
    }
    return (
        <>
            <Hits {...shared} hits={hits} />
            {last &&
                (hits.length === PAGE ? (
                    <li>
                        <ShowMore onMore={onMore} />
                    </li>
                ) : (
                    <li className="py-3 text-small text-ink-3">End of results.</li>
                ))}
        </>
    );
}

function ShowMore({ onMore }: { onMore: () => void }) {
    return (
        <Button className="my-3" onClick={onMore}>
            Show {PAGE} more
        </Button>
    );
}
