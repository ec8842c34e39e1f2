// The answer as a document: read, checked and taken along from here.

import "./answer.css";

import { Copy, Download, Ellipsis, FileText, MessageCirclePlus, PackageCheck, Printer } from "lucide-react";
import { useCallback, useEffect, useId, useMemo, useRef, useState, type ReactNode } from "react";

import { shell, useQuery, type CitationRow, type DocumentText, type RunState } from "@/backend";
import { Button, ErrorCard, IconButton, Menu, Popover, Skeleton, toast, type MenuEntry } from "@/shared";
import { Markdown, outline } from "@/shared/markdown";

import { Citation } from "./Citation";
import { Contents } from "./Contents";
import { exportSession, makeCapsule } from "./exporting";
import { StaleNotice } from "./StaleNotice";
import { StatementMark } from "./StatementMark";
import { linkReferences, PageText, partsOf, referencesOf } from "./text";
import { VerificationBar } from "./VerificationBar";

const icon = { size: 16, strokeWidth: 1.5 } as const;

export interface AnswerDocumentProps {
    run: RunState;
    /** The number of the citation that the inspector shows. */
    open?: number;
    onCitation: (citation: CitationRow) => void;
    /** Goes to where a follow-up is written. */
    onFollowUp?: () => void;
}

export function AnswerDocument({ run, open, onCitation, onFollowUp }: AnswerDocumentProps) {
    const { data, problem, reload } = useQuery("run_document", { run: { id: run.run } });
    if (data === undefined || data === null) {
        if (problem !== undefined) {
            return (
                <ErrorCard
                    title="Could not load the document."
                    advice={problem.action ?? undefined}
                    actions={<Button onClick={reload}>Try again</Button>}
                    details={problem.message}
                />
            );
        }
        // Its room is kept, so that nothing moves when it comes.
        return <Skeleton lines={12} className="min-h-[60vh] max-w-[68ch]" />;
    }
    return <Pages run={run} document={data} open={open} onCitation={onCitation} onFollowUp={onFollowUp} />;
}

function Pages({
    run,
    document: answer,
    open,
    onCitation,
    onFollowUp,
}: AnswerDocumentProps & { document: DocumentText }) {
    const prefix = `doc-${useId().replace(/\W/g, "")}-`;
    const body = useRef<HTMLDivElement>(null);
    const [at, setAt] = useState(-1);
    const references = useMemo(() => referencesOf(answer.markdown), [answer.markdown]);
    const source = useMemo(() => linkReferences(answer.markdown, references), [answer.markdown, references]);
    const headings = useMemo(
        () => outline(partsOf(answer.markdown).read, prefix).filter((entry) => entry.depth === 2),
        [answer.markdown, prefix],
    );
    // The bar above says the headline already.
    const headline = answer.headline?.text;
    const parts = useMemo(
        () => partsOf(headline === undefined ? source : source.replace(`**${headline}**\n\n`, "")),
        [source, headline],
    );
    const statements = useMemo(
        () => new Map(answer.statements.map((statement) => [statement.n, statement])),
        [answer.statements],
    );
    const byNumber = useMemo(
        () => new Map(answer.citations.map((citation) => [citation.number, citation])),
        [answer.citations],
    );
    useFlags(body, answer, at);

    const renderLink = useCallback(
        (href: string, children: ReactNode) => {
            const cited = /^#cite-(\d+)$/.exec(href);
            const citation = cited === null ? undefined : byNumber.get(Number(cited[1]));
            if (citation !== undefined) {
                return (
                    <Citation citation={citation} open={citation.number === open} onOpen={() => onCitation(citation)}>
                        {children}
                    </Citation>
                );
            }
            const statement = statements.get(Number(/^#statement-(\d+)$/.exec(href)?.[1]));
            if (statement !== undefined) return <StatementMark statement={statement} sign={children} />;
            const reference = references.get(/^#ref-([WP]\d+)$/.exec(href)?.[1] ?? "");
            if (reference === undefined) return undefined;
            return (
                <Popover
                    label={reference.kind === "web" ? "Web page" : "Earlier answer"}
                    trigger={
                        <button
                            type="button"
                            className="inline cursor-pointer rounded-[3px] text-accent underline decoration-accent/35 decoration-1 underline-offset-[0.2em] hover:bg-accent-soft"
                        >
                            {children}
                        </button>
                    }
                >
                    <p className="mb-1 text-small text-ink-3">
                        {reference.kind === "web"
                            ? `Web page ${reference.label}: background, not a standard`
                            : `Earlier answer ${reference.label}`}
                    </p>
                    <Markdown text={reference.line} />
                </Popover>
            );
        },
        [byNumber, statements, references, open, onCitation],
    );
    const copy = async () => {
        try {
            await navigator.clipboard.writeText(answer.markdown);
            toast({ text: "Copied as Markdown." });
        } catch {
            toast({ text: "Could not copy to the clipboard.", tone: "failed" });
        }
    };
    const desktop = shell();
    const path = answer.path;
    const entries: MenuEntry[] = [
        { id: "copy", label: "Copy as Markdown", icon: <Copy {...icon} />, onSelect: () => void copy() },
        { kind: "separator", id: "s1" },
        {
            id: "markdown",
            label: "Export document as Markdown",
            icon: <Download {...icon} />,
            onSelect: () => void exportSession(run.session, "markdown", run.run),
        },
        {
            id: "html",
            label: "Export document as HTML",
            icon: <Download {...icon} />,
            onSelect: () => void exportSession(run.session, "html", run.run),
        },
        {
            id: "docx",
            label: "Export document as Word",
            icon: <Download {...icon} />,
            onSelect: () => void exportSession(run.session, "docx", run.run),
        },
        {
            id: "capsule",
            label: "Save with its evidence as a capsule",
            icon: <PackageCheck {...icon} />,
            onSelect: () => void makeCapsule(run.run, "withoutSources"),
        },
        {
            id: "capsule-sources",
            label: "Save as a capsule with the source documents",
            icon: <PackageCheck {...icon} />,
            onSelect: () => void makeCapsule(run.run, "withSources"),
        },
        {
            id: "print",
            label: "Print",
            icon: <Printer {...icon} />,
            onSelect: () => setTimeout(() => window.print(), 0),
        },
        ...(desktop !== undefined && path !== null
            ? [
                  {
                      id: "file",
                      label: "Show file",
                      icon: <FileText {...icon} />,
                      onSelect: () => void desktop.openPath(path),
                  } satisfies MenuEntry,
              ]
            : []),
    ];
    const long = headings.length >= 4;
    return (
        <article aria-label={`Answer: ${answer.title}`} data-document={run.run} className="flex flex-col gap-4">
            <VerificationBar
                document={answer}
                at={at}
                onStep={setAt}
                actions={
                    <>
                        {onFollowUp !== undefined && (
                            <IconButton
                                size="small"
                                label="Ask a follow-up"
                                icon={<MessageCirclePlus {...icon} />}
                                onClick={onFollowUp}
                            />
                        )}
                        <IconButton
                            size="small"
                            label="Copy as Markdown"
                            icon={<Copy {...icon} />}
                            onClick={() => void copy()}
                        />
                        <Menu
                            align="end"
                            trigger={<IconButton size="small" label="More actions" icon={<Ellipsis {...icon} />} />}
                            entries={entries}
                        />
                    </>
                }
            />
            <StaleNotice run={run.run} />
            <div className="flex gap-10">
                <div className="min-w-0 flex-1">
                    {long && <Contents headings={headings} scope={body} folded />}
                    <div ref={body}>
                        <Markdown text={parts.read} voice="answer" idPrefix={prefix} renderLink={renderLink} />
                        {parts.folded.map((part) => (
                            <details
                                key={part.heading}
                                className="mt-3 rounded-control border border-hairline bg-surface print:border-0"
                            >
                                <summary className="ring-inside cursor-pointer px-3 py-2 text-ui font-medium text-ink-2 hover:text-ink">
                                    {part.heading}
                                </summary>
                                <div className="px-3 pb-3">
                                    <Markdown text={part.text} idPrefix={prefix} renderLink={renderLink} />
                                </div>
                            </details>
                        ))}
                    </div>
                </div>
                {long && <Contents headings={headings} scope={body} />}
            </div>
        </article>
    );
}

/** Marks the sentences that checking did not support, and brings the one in question into sight. */
function useFlags(body: React.RefObject<HTMLDivElement | null>, answer: DocumentText, at: number): void {
    useEffect(() => {
        const root = body.current;
        if (root === null || answer.unsupported.length === 0) return;
        const page = new PageText(root);
        const ranges = answer.unsupported.map((sentence) => page.find(sentence.text));
        const now = ranges[at];
        const painted = ranges.filter((range) => range !== undefined && range !== now) as Range[];
        // An older engine has no highlights: the bar shows the sentence, and the page still goes to it.
        const highlights =
            typeof CSS !== "undefined" && "highlights" in CSS && typeof Highlight !== "undefined"
                ? CSS.highlights
                : undefined;
        const others = highlights?.get("flagged") ?? (highlights === undefined ? undefined : new Highlight());
        const current = highlights?.get("flagged-now") ?? (highlights === undefined ? undefined : new Highlight());
        if (highlights !== undefined && others !== undefined && current !== undefined) {
            highlights.set("flagged", others);
            highlights.set("flagged-now", current);
            painted.forEach((range) => others.add(range));
            if (now !== undefined) current.add(now);
        }
        if (now !== undefined) {
            const block = now.startContainer.parentElement?.closest("p, li, td, blockquote, h2, h3, h4");
            block?.scrollIntoView({ block: "center", behavior: "smooth" });
        }
        return () => {
            painted.forEach((range) => others?.delete(range));
            if (now !== undefined) current?.delete(now);
        };
    }, [body, answer, at]);
}
