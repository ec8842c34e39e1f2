// A cited paragraph as it stands in the knowledge base, among its neighbours.

import { ArrowLeft, BookOpen, Check, ChevronDown, ChevronUp, CircleAlert, X } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";

import {
    skip,
    useQuery,
    type CitationRow,
    type NeighbourText,
    type ParagraphView,
    type SentenceRecord,
} from "@/backend";
import { FilePlace, Marked } from "@/domains/knowledge";
import { titled } from "@/domains/run";
import { hrefOf } from "@/routes";
import { Badge, ErrorCard, Fold, IconButton, Skeleton, cx, useShortcut } from "@/shared";

import { rangesIn, recordsOf } from "./records";
import { SentenceRecords } from "./SentenceRecords";
import { verdictWord } from "./labels";
import { goToUse, usesOf } from "./uses";

export interface ParagraphInspectorProps {
    run: string;
    citation: CitationRow;
    onClose: () => void;
}

export function ParagraphInspector({ run, citation, onClose }: ParagraphInspectorProps) {
    /** Paragraphs that were gone to from the cited one; the last is shown. */
    const [trail, setTrail] = useState<string[]>([]);
    const away = trail[trail.length - 1];
    const id = away ?? citation.paragraph;
    const { data, problem } = useQuery(
        "paragraph_show",
        id === "" ? skip : { run, id, quotes: away === undefined ? citation.quotes : [] },
    );
    // Of the document beside it, which is read already.
    const sentences = useQuery("run_document", { run: { id: run } }).data?.sentences ?? [];
    const records = recordsOf(citation, sentences);
    const told = away === undefined && records.length > 0 && (
        <Part title="Cited for">
            <SentenceRecords records={records} />
        </Part>
    );
    const visit = (next: string) => setTrail((before) => (next === citation.paragraph ? [] : [...before, next]));
    return (
        <div className="flex h-full flex-col">
            <header className="flex shrink-0 flex-wrap items-start gap-x-2 gap-y-1 border-b border-hairline px-4 pt-3 pb-3">
                {trail.length > 0 && (
                    <IconButton
                        label="Back to the previous paragraph"
                        size="small"
                        icon={<ArrowLeft size={16} strokeWidth={1.5} />}
                        onClick={() => setTrail(trail.slice(0, -1))}
                    />
                )}
                <div className="min-w-0 flex-1">
                    <h2 className="text-title font-semibold">
                        {data !== undefined && id !== "" ? data.citation : citation.label}
                    </h2>
                    {data !== undefined && (
                        <p className="mt-0.5 flex flex-wrap items-center gap-x-2 gap-y-1 text-small text-ink-2">
                            <span>{data.baseTitle}</span>
                            <Badge>{titled(data.tier)}</Badge>
                        </p>
                    )}
                </div>
                <Uses run={run} citation={citation} />
                <IconButton
                    label="Close"
                    shortcut="Escape"
                    size="small"
                    icon={<X size={16} strokeWidth={1.5} />}
                    onClick={onClose}
                />
                {data !== undefined && (
                    <div className="w-full">
                        <FilePlace
                            of={data}
                            page={{ run, id: data.id, quotes: away === undefined ? citation.quotes : [] }}
                        />
                    </div>
                )}
            </header>
            <div className="min-h-0 flex-1 overflow-y-auto px-4 py-3">
                {away === undefined && <VerdictLine citation={citation} />}
                {(id === "" || data === undefined) && told}
                {id === "" ? (
                    <p className={cx("text-ui text-ink-2", told !== false && "mt-4")}>
                        {citation.text === "" ? "The text of this paragraph is not available." : citation.text}
                    </p>
                ) : data === undefined ? (
                    problem === undefined ? (
                        <Skeleton lines={6} />
                    ) : (
                        <ErrorCard
                            title="The paragraph can’t be shown."
                            advice={problem.action ?? undefined}
                            details={problem.message}
                        >
                            {citation.text !== "" && away === undefined && citation.text}
                        </ErrorCard>
                    )
                ) : (
                    <Reading
                        key={id}
                        view={data}
                        records={away === undefined ? records : []}
                        onVisit={visit}
                        quotesMissing={away === undefined && citation.quotes.length > 0 && data.highlights.length === 0}
                        quotes={citation.quotes}
                        below={told}
                    />
                )}
                {away === undefined && records.length === 0 && citation.claims.length > 0 && (
                    <Part title="Cited for">
                        {citation.claims.map((claim) => (
                            <p key={claim} className="mb-1 text-ui text-ink-2">
                                {claim}
                            </p>
                        ))}
                    </Part>
                )}
            </div>
        </div>
    );
}

/** The way through the places of the document that cite. */
function Uses({ run, citation }: { run: string; citation: CitationRow }) {
    const [place, setPlace] = useState({ now: -1, all: 0 });
    useEffect(() => {
        const { uses, now } = usesOf(run);
        setPlace({ now, all: uses.length });
    }, [run, citation]);
    const go = (by: 1 | -1) => {
        goToUse(run, by);
        setPlace((before) => ({ ...before, now: usesOf(run).now }));
    };
    const enabled = place.all > 1;
    useShortcut("citation-next", "]", "Next citation", () => go(1), { group: "Session", enabled });
    useShortcut("citation-before", "[", "Previous citation", () => go(-1), { group: "Session", enabled });
    if (!enabled) return null;
    const icon = { size: 16, strokeWidth: 1.5 } as const;
    return (
        <div className="flex shrink-0 items-center">
            {place.now >= 0 && (
                <span className="tabular mr-1 text-small text-ink-3">
                    {place.now + 1} of {place.all}
                </span>
            )}
            <IconButton
                label="Previous citation"
                shortcut="["
                size="small"
                icon={<ChevronUp {...icon} />}
                onClick={() => go(-1)}
            />
            <IconButton
                label="Next citation"
                shortcut="]"
                size="small"
                icon={<ChevronDown {...icon} />}
                onClick={() => go(1)}
            />
        </div>
    );
}

function VerdictLine({ citation }: { citation: CitationRow }) {
    const holds = citation.verdict === "verified";
    const Icon = holds ? Check : CircleAlert;
    return (
        <div
            className={cx(
                "mb-3 flex items-start gap-2 rounded-control px-3 py-2 text-ui",
                holds ? "bg-done-soft" : "bg-needs-soft",
            )}
        >
            <Icon
                size={16}
                strokeWidth={holds ? 2 : 1.5}
                aria-hidden
                className={cx("mt-0.5 shrink-0", holds ? "text-done" : "text-needs")}
            />
            <p className="min-w-0">
                <span className={cx("font-medium", holds ? "text-done" : "text-needs")}>
                    {verdictWord(citation.verdict)}
                </span>
                {citation.reason !== "" && <span className="text-ink-2">. {citation.reason}</span>}
            </p>
        </div>
    );
}

interface ReadingProps {
    view: ParagraphView;
    records: readonly SentenceRecord[];
    onVisit: (id: string) => void;
    quotesMissing: boolean;
    quotes: readonly string[];
    /** Right under the paragraph. */
    below: ReactNode;
}

function Reading({ view, records, onVisit, quotesMissing, quotes, below }: ReadingProps) {
    return (
        <>
            {view.headings.length > 0 && <p className="mb-2 text-small text-ink-3">{view.headings.join(" / ")}</p>}
            {view.before.length > 0 && (
                // Folded: what was cited stands at the top, whatever comes before it.
                <Fold
                    label={
                        view.before.length === 1 ? "Previous paragraph" : `${view.before.length} previous paragraphs`
                    }
                >
                    {view.before.map((each) => (
                        <Neighbour key={each.id} neighbour={each} onVisit={onVisit} />
                    ))}
                </Fold>
            )}
            <blockquote
                className="my-2 border-l-2 border-accent py-0.5 pl-3 font-serif text-answer whitespace-pre-wrap text-ink"
                data-paragraph={view.id}
            >
                <Marked
                    text={view.text}
                    ranges={[...view.highlights, ...rangesIn(view.id, view.text, records)]}
                    struck={view.struck}
                />
            </blockquote>
            {quotesMissing && (
                <div className="mb-2 text-ui text-ink-2">
                    <p>Quoted words that are not in the paragraph:</p>
                    {quotes.map((quote) => (
                        <p key={quote} className="mt-1 border-l-2 border-needs-rule pl-3">
                            {quote}
                        </p>
                    ))}
                </div>
            )}
            {below}
            {view.after.length > 0 && (
                <div className={cx(below !== false && "mt-4")}>
                    {view.after.map((each) => (
                        <Neighbour key={each.id} neighbour={each} onVisit={onVisit} />
                    ))}
                </div>
            )}
            {view.linked.length > 0 && (
                <Part title="Linked paragraphs">
                    {view.linked.map((each) => (
                        <Neighbour key={each.id} neighbour={each} onVisit={onVisit} short />
                    ))}
                </Part>
            )}
            <a
                href={hrefOf({ page: "base", base: view.base, paragraph: view.id })}
                className="mt-4 inline-flex items-center gap-1.5 rounded-[4px] text-ui text-accent underline-offset-2 hover:underline"
            >
                <BookOpen size={16} strokeWidth={1.5} aria-hidden />
                Open in {view.baseTitle}
            </a>
        </>
    );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
    return (
        <section className="mt-4">
            <h3 className="mb-1 text-small font-medium text-ink-2">{title}</h3>
            {children}
        </section>
    );
}

function Neighbour({
    neighbour,
    onVisit,
    short = false,
}: {
    neighbour: NeighbourText;
    onVisit: (id: string) => void;
    short?: boolean;
}) {
    return (
        <div className="py-1.5 pl-3.5">
            <button
                type="button"
                onClick={() => onVisit(neighbour.id)}
                className="rounded-[4px] text-small text-accent underline-offset-2 hover:underline"
            >
                {neighbour.citation}
            </button>
            <p className={cx("text-ui text-ink-2", short ? "line-clamp-2" : "whitespace-pre-wrap")}>{neighbour.text}</p>
        </div>
    );
}
