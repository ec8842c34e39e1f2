// The pages of a document, with what was found about it above them.

import { Copy, MessageCirclePlus } from "lucide-react";
import { useCallback, useEffect, useId, useMemo, useRef, useState, type ReactNode } from "react";

import type { DocumentText } from "@/backend";
import { hrefOf } from "@/routes";
import { IconButton, Popover, Tabs, toast } from "@/shared";
import { Markdown, outline } from "@/shared/markdown";

import type { AnswerDocumentProps } from "./AnswerDocument";
import { Citation } from "./Citation";
import { WithContents } from "./Contents";
import { DocumentMenu } from "./DocumentMenu";
import { MainText, markdownOf } from "./MainText";
import { DocumentStatus } from "./DocumentStatus";
import { StatementMark } from "./StatementMark";
import { linkEarlier, linkReferences, PageText, partsOf, referencesOf } from "./text";
import { VerificationBar } from "./VerificationBar";

const icon = { size: 16, strokeWidth: 1.5 } as const;

export interface DocumentPagesProps extends AnswerDocumentProps {
    document: DocumentText;
}

export function DocumentPages({ run, document: answer, open, onCitation, onFollowUp }: DocumentPagesProps) {
    const prefix = `doc-${useId().replace(/\W/g, "")}-`;
    const body = useRef<HTMLDivElement>(null);
    const [at, setAt] = useState(-1);
    const [locking, setLocking] = useState(false);
    const main = answer.main ?? undefined;
    const [shows, setShows] = useState("document");
    const isMain = main !== undefined && shows === "document";
    const references = useMemo(() => referencesOf(answer.markdown), [answer.markdown]);
    const source = useMemo(
        () => linkEarlier(linkReferences(answer.markdown, references)),
        [answer.markdown, references],
    );
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
    useFlags(body, answer, at, shows);

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
            const earlier = /^#run-(run-[A-Za-z0-9-]+)$/.exec(href)?.[1];
            if (earlier !== undefined) return <a href={hrefOf({ page: "run", run: earlier })}>{children}</a>;
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
            await navigator.clipboard.writeText(isMain ? markdownOf(main) : answer.markdown);
            toast({ text: "Copied as Markdown." });
        } catch {
            toast({ text: "Could not copy to the clipboard.", tone: "failed" });
        }
    };
    const record = (
        <WithContents headings={headings} scope={body}>
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
        </WithContents>
    );
    return (
        <article aria-label={`Answer: ${answer.title}`} data-document={run.run} className="flex flex-col gap-4">
            <VerificationBar
                document={answer}
                at={at}
                onStep={(next) => {
                    setAt(next);
                    setShows("statements");
                }}
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
                        <DocumentMenu
                            run={run}
                            path={answer.path}
                            onCopy={() => void copy()}
                            onLock={() => setLocking(true)}
                        />
                    </>
                }
            />
            <DocumentStatus run={run.run} locking={locking} onLocking={setLocking} />
            {main === undefined ? (
                record
            ) : (
                <Tabs
                    label="What is shown"
                    inPage
                    value={shows}
                    onChange={setShows}
                    tabs={[
                        {
                            id: "document",
                            label: "Document",
                            content: (
                                <MainText document={main} citations={byNumber} open={open} onCitation={onCitation} />
                            ),
                        },
                        {
                            id: "statements",
                            label: "Statements",
                            note: answer.statements.length,
                            content: record,
                        },
                    ]}
                />
            )}
        </article>
    );
}

/** Marks the sentences that checking did not support, and brings the one in question into sight. */
function useFlags(body: React.RefObject<HTMLDivElement | null>, answer: DocumentText, at: number, shows: string): void {
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
    }, [body, answer, at, shows]);
}
