import { BookOpen, Waypoints, X } from "lucide-react";
import { Suspense, lazy, useState } from "react";

import { useQuery, type NeighbourText, type ParagraphView, type SearchRow } from "@/backend";
import { hrefOf } from "@/routes";
import { Button, CopyButton, IconButton, Inspector, AsyncBoundary } from "@/shared";

import { FilePlace } from "./FilePlace";
import { Marked } from "./Marked";
import { TierMark } from "./TierMark";

// Drawn when somebody wants to see it.
const Surroundings = lazy(() => import("./Surroundings").then((module) => ({ default: module.Surroundings })));

export interface ParagraphPanelProps {
    base: string;
    paragraph: string | undefined;
    /** The result of a search that it was opened from: what was found stays marked. */
    found?: SearchRow;
    onSelect: (paragraph: string) => void;
    onClose: () => void;
    /** With a link to its base, for a page that is not the base's. */
    linked?: boolean;
}

/** A paragraph among its neighbours, in the inspector. */
export function ParagraphPanel({ base, paragraph, found, onSelect, onClose, linked }: ParagraphPanelProps) {
    return (
        <Inspector open={paragraph !== undefined} onClose={onClose} title="Paragraph">
            {paragraph !== undefined && (
                <ParagraphText
                    base={base}
                    paragraph={paragraph}
                    found={found}
                    onSelect={onSelect}
                    onClose={onClose}
                    linked={linked}
                />
            )}
        </Inspector>
    );
}

function ParagraphText({
    base,
    paragraph,
    found,
    onSelect,
    onClose,
    linked = false,
}: ParagraphPanelProps & { paragraph: string }) {
    const [around, setAround] = useState(false);
    const query = useQuery("paragraph_show", { base, run: null, id: paragraph, quotes: [] });
    return (
        <div className="p-4">
            <header className="mb-3 flex items-start gap-2">
                <div className="min-w-0 flex-1">
                    <h2 className="text-title font-semibold break-words">{query.data?.citation ?? paragraph}</h2>
                    {query.data !== undefined && (
                        <p className="mt-0.5 text-small text-ink-2">
                            {[query.data.document, ...query.data.headings]
                                .filter((each, index, all) => each !== "" && each !== all[index - 1])
                                .join(" › ")}
                        </p>
                    )}
                </div>
                {query.data !== undefined && (
                    <CopyButton text={`${query.data.text}\n\n${query.data.citation}`} label="Copy with citation" />
                )}
                <IconButton
                    label="Close"
                    shortcut="Escape"
                    size="small"
                    icon={<X size={16} strokeWidth={1.5} />}
                    onClick={onClose}
                />
            </header>
            <AsyncBoundary of={query} what="the paragraph">
                {(view) => (
                    <>
                        <FilePlace of={view} page={{ base, id: view.id, quotes: [] }} />
                        <div className="mt-2 flex flex-wrap items-center gap-2">
                            <TierMark tier={view.tier} full />
                            <Button
                                size="small"
                                icon={<Waypoints size={14} strokeWidth={1.5} />}
                                onClick={() => setAround(true)}
                            >
                                Link graph…
                            </Button>
                        </div>
                        <Text
                            view={view}
                            found={found?.paragraph.id === view.id ? found : undefined}
                            onSelect={onSelect}
                        />
                        {linked && (
                            <a
                                href={hrefOf({ page: "base", base, paragraph: view.id })}
                                className="mt-4 inline-flex items-center gap-1.5 rounded-[4px] text-ui text-accent underline-offset-2 hover:underline"
                            >
                                <BookOpen size={16} strokeWidth={1.5} aria-hidden />
                                Open in {view.baseTitle || base}
                            </a>
                        )}
                    </>
                )}
            </AsyncBoundary>
            {around && (
                <Suspense>
                    <Surroundings
                        base={base}
                        paragraph={paragraph}
                        onRead={(id) => {
                            setAround(false);
                            onSelect(id);
                        }}
                        onClose={() => setAround(false)}
                    />
                </Suspense>
            )}
        </div>
    );
}

function Text({
    view,
    found,
    onSelect,
}: {
    view: ParagraphView;
    found: SearchRow | undefined;
    onSelect: (paragraph: string) => void;
}) {
    const { context = "" } = view;
    // A long paragraph is found clipped: its marks hold as far as the texts are the same.
    const marks =
        found !== undefined && view.text.startsWith(found.paragraph.text.replace(/…$/, ""))
            ? found.highlights
            : view.highlights;
    return (
        <>
            <div className="mt-3 space-y-1">
                <Neighbours label="Before" texts={view.before} onSelect={onSelect} />
                {context !== "" && <p className="mb-1 px-3 text-small break-words text-ink-2">{context}</p>}
                <p className="rounded-control border border-hairline bg-page px-3 py-2.5 font-serif text-answer break-words whitespace-pre-line">
                    <Marked text={view.text} ranges={marks} struck={view.struck} />
                </p>
                <Neighbours label="After" texts={view.after} onSelect={onSelect} />
            </div>
            {view.linked.length > 0 && (
                <section className="mt-5">
                    <h3 className="mb-1 text-small font-medium text-ink-2">Cross-references</h3>
                    <Neighbours label="Cross-references" texts={view.linked} onSelect={onSelect} />
                </section>
            )}
        </>
    );
}

function Neighbours({
    label,
    texts,
    onSelect,
}: {
    label: string;
    texts: NeighbourText[];
    onSelect: (paragraph: string) => void;
}) {
    if (texts.length === 0) return null;
    return (
        <ul aria-label={label} className="space-y-1">
            {texts.map((text) => (
                <li key={text.id}>
                    <button
                        type="button"
                        onClick={() => onSelect(text.id)}
                        className="ring-inside block w-full rounded-control px-3 py-1.5 text-left hover:bg-hover"
                    >
                        <span className="block text-small font-medium text-ink-2">{text.citation}</span>
                        <span className="line-clamp-3 font-serif text-[0.9375rem] leading-[1.5] text-ink-2">
                            {text.text}
                        </span>
                    </button>
                </li>
            ))}
        </ul>
    );
}
