// The answer as a document: read, checked and taken along from here.

import "./answer.css";

import { useQuery, type CitationRow, type RunState } from "@/backend";
import { Button, ErrorCard, Skeleton, lazyPart } from "@/shared";

// Its room is kept, so that nothing moves when it comes.
const waiting = <Skeleton lines={12} className="min-h-[60vh] max-w-[68ch]" />;
const DocumentPages = lazyPart(() => import("./DocumentPages").then((part) => part.DocumentPages), waiting);

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
        return waiting;
    }
    return <DocumentPages run={run} document={data} open={open} onCitation={onCitation} onFollowUp={onFollowUp} />;
}
