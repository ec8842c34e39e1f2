// A document that a run put together itself: its text, with footnotes that lead to the paragraph and the page they name.

import { useCallback, useId, useMemo, useRef, type ReactNode } from "react";

import type { CitationRow, NoteRow, MainDocument } from "@/backend";
import { cx } from "@/shared";
import { Markdown, outline } from "@/shared/markdown";

import { WithContents } from "./Contents";
import { FootnoteList, FootnoteMark, MARK_CLASS } from "./Footnotes";
import { markUse } from "./uses";

export interface MainTextProps {
    document: MainDocument;
    citations: ReadonlyMap<number, CitationRow>;
    /** The number of the citation that the inspector shows. */
    open?: number;
    onCitation: (citation: CitationRow) => void;
}

const noteOf = (href: string) => Number(/^#note-(\d+)$/.exec(href)?.[1]);

export function MainText({ document: main, citations, open, onCitation }: MainTextProps) {
    const prefix = `main-${useId().replace(/\W/g, "")}-`;
    const body = useRef<HTMLDivElement>(null);
    const headings = useMemo(
        () => outline(main.markdown, prefix).filter((entry) => entry.depth === 2),
        [main.markdown, prefix],
    );
    const notes = useMemo(() => new Map(main.footnotes.map((note) => [note.number, note])), [main.footnotes]);
    const renderLink = useCallback(
        (href: string, children: ReactNode) => {
            const note = notes.get(noteOf(href));
            if (note === undefined) return undefined;
            const citation = citations.get(note.citation ?? 0);
            return (
                <NoteMark
                    note={note}
                    citation={citation}
                    isOpen={citation?.number === open}
                    onOpen={onCitation}
                    sign={children}
                />
            );
        },
        [notes, citations, open, onCitation],
    );
    const listed = main.footnotes.map((note) => {
        const citation = citations.get(note.citation ?? 0);
        const content = (
            <>
                <Markdown text={note.text} renderLink={renderLink} />
                {citation !== undefined && (
                    <button
                        type="button"
                        className="cursor-pointer text-accent hover:underline"
                        onClick={() => onCitation(citation)}
                    >
                        Show the passage
                    </button>
                )}
            </>
        );
        return { label: note.number, content };
    });
    return (
        <WithContents headings={headings} scope={body}>
            <Markdown text={main.markdown} voice="answer" idPrefix={prefix} renderLink={renderLink} />
            <FootnoteList notes={listed} />
        </WithContents>
    );
}

interface NoteMarkProps {
    note: NoteRow;
    citation: CitationRow | undefined;
    isOpen: boolean;
    onOpen: (citation: CitationRow) => void;
    sign: ReactNode;
}

/** The raised number: it opens what the footnote names beside the text, or the footnote itself where it names nothing. */
function NoteMark({ note, citation, isOpen, onOpen, sign }: NoteMarkProps) {
    if (citation === undefined)
        return <FootnoteMark label={note.number} content={<Markdown text={note.text} />} sign={sign} />;
    return (
        <sup>
            <a
                href={`#note-${note.number}`}
                role="button"
                aria-label={`Footnote ${note.number}: ${citation.label}`}
                aria-pressed={isOpen}
                title={note.text}
                data-note={note.number}
                className={cx(
                    MARK_CLASS,
                    isOpen && "bg-accent-soft font-semibold data-now:outline-2 data-now:outline-accent",
                )}
                onClick={(event) => {
                    event.preventDefault();
                    markUse(event.currentTarget);
                    onOpen(citation);
                }}
                onKeyDown={(event) => {
                    if (event.key !== " ") return;
                    event.preventDefault();
                    markUse(event.currentTarget);
                    onOpen(citation);
                }}
            >
                {sign}
            </a>
        </sup>
    );
}

/** The document with its footnotes, as Markdown. */
export function markdownOf(main: MainDocument): string {
    const marked = (text: string) => text.replace(/\[(\d+)\]\(#note-\1\)/g, "[^$1]");
    const notes = main.footnotes.map((note) => `[^${note.number}]: ${marked(note.text)}`);
    return `${marked(main.markdown).trimEnd()}\n\n${notes.join("\n")}\n`;
}
