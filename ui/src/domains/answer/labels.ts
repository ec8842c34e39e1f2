// What checking found, for a person.

import type { DocumentCard, HeadlineLevel, Verdict } from "@/backend";

export function verdictWord(verdict: Verdict): string {
    switch (verdict) {
        case "verified":
            return "Verified";
        case "missing":
            return "No such paragraph";
        case "withdrawn":
            return "Withdrawn";
        case "quote_mismatch":
            return "Quote not found";
        case "unverified":
            return "Not verified";
    }
}

/** The mark's tone for what is known of a document. Without records of its statements its citations are counted. */
export function levelOf(
    document: Pick<DocumentCard, "verified" | "total" | "unsupported" | "headline">,
): HeadlineLevel {
    return document.headline?.level ?? (isSound(document) ? "good" : "doubt");
}

/** The headline: what is known of the statements, else of the citations. */
export function headlineOf(document: Pick<DocumentCard, "verified" | "total" | "unsupported" | "headline">): string {
    return document.headline?.text ?? verificationLine(document);
}

/** "42 of 42 citations verified, 3 statements unsupported". */
export function verificationLine({
    verified,
    total,
    unsupported,
}: Pick<DocumentCard, "verified" | "total" | "unsupported">): string {
    const citations =
        total === 0 ? "No citations" : `${verified} of ${total} ${total === 1 ? "citation" : "citations"} verified`;
    return unsupported === 0
        ? citations
        : `${citations}, ${unsupported} ${unsupported === 1 ? "statement" : "statements"} unsupported`;
}

/** Whether a document can be relied on as far as checking goes. */
export function isSound({
    verified,
    total,
    unsupported,
}: Pick<DocumentCard, "verified" | "total" | "unsupported">): boolean {
    return total > 0 && verified === total && unsupported === 0;
}

/** The colour of a headline. */
export const TONES: Record<HeadlineLevel, string> = { good: "text-done", open: "text-ink-2", doubt: "text-needs" };
