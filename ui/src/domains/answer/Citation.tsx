// A citation in a document: a small button that says whether it holds, and opens what it rests on.

import { Check, CircleAlert } from "lucide-react";
import type { ReactNode } from "react";

import type { CitationRow } from "@/backend";
import { Tooltip, cx } from "@/shared";

import { verdictWord } from "./labels";
import { markUse } from "./uses";

function wordsOf(node: ReactNode): string {
    if (typeof node === "string" || typeof node === "number") return String(node);
    return Array.isArray(node) ? node.map(wordsOf).join("") : "";
}

export interface CitationProps {
    citation: CitationRow;
    open: boolean;
    onOpen: () => void;
    children: ReactNode;
}

export function Citation({ citation, open, onOpen, children }: CitationProps) {
    const holds = citation.verdict === "verified";
    const Icon = holds ? Check : CircleAlert;
    return (
        <Tooltip
            label={
                <span className="flex items-start gap-1.5 font-ui">
                    <Icon
                        size={14}
                        strokeWidth={holds ? 2 : 1.5}
                        aria-hidden
                        className={cx("mt-px shrink-0", holds ? "text-done" : "text-needs")}
                    />
                    <span>
                        {verdictWord(citation.verdict)}
                        {citation.reason !== "" && <span className="text-ink-2">. {citation.reason}</span>}
                    </span>
                </span>
            }
        >
            {/* A link's element: a button's is a box of its own, and lines would break before it, after the opening parenthesis. */}
            <a
                href={`#cite-${citation.number}`}
                role="button"
                // Not as hidden text: that would be copied along with the sentence.
                aria-label={`${wordsOf(children) || citation.label}, ${verdictWord(citation.verdict).toLowerCase()}`}
                aria-pressed={open}
                onClick={(event) => {
                    event.preventDefault();
                    markUse(event.currentTarget);
                    onOpen();
                }}
                onKeyDown={(event) => {
                    if (event.key !== " ") return;
                    event.preventDefault();
                    markUse(event.currentTarget);
                    onOpen();
                }}
                data-cite={citation.number}
                data-verdict={citation.verdict}
                className={cx(
                    "cursor-pointer rounded-[3px] text-accent underline decoration-1 underline-offset-[0.2em] hover:bg-accent-soft",
                    holds
                        ? "decoration-accent/35 hover:decoration-accent"
                        : "decoration-needs-rule decoration-dotted decoration-2",
                    open && "bg-accent-soft data-now:outline-2 data-now:outline-accent",
                    citation.label.length <= 24 && "whitespace-nowrap",
                )}
            >
                {children}
            </a>
        </Tooltip>
    );
}
