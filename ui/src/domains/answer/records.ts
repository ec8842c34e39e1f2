// What checking recorded about each sentence, for a person.

import type { CitationRow, EntityRecord, SentenceRecord, SentenceVerdict, TextRange } from "@/backend";
import { own } from "@/shared";

export function sentenceWord(verdict: SentenceVerdict): string {
    switch (verdict) {
        case "verified":
            return "Verified";
        case "judged_supported":
            return "Judged supported";
        case "unverified":
            return "Unverified";
        case "mismatch":
            return "Does not match";
        case "withdrawn":
            return "Withdrawn";
        case "missing":
            return "No such paragraph";
        case "uncited":
            return "No citation";
    }
}

/** How far code alone could carry the sentence, and what remained: "named things present; not decided without a reader". */
export function methodWords({ proof, method, verdict }: Pick<SentenceRecord, "proof" | "method" | "verdict">): string {
    const shown =
        proof === "quoted" ? "word for word" : proof === "named_things" ? "named entities present" : undefined;
    return [...new Set([shown, how(method, verdict)])].filter((part) => part !== undefined).join("; ");
}

function how(method: string, verdict: SentenceVerdict): string | undefined {
    const held = verdict === "verified" || verdict === "judged_supported";
    if (method.startsWith("judge:")) return `judged by ${method.slice("judge:".length)}`;
    switch (method) {
        case "lookup":
            return "citation looked up";
        case "quoted":
            return held ? "word for word" : "wording compared with the paragraph";
        case "named-things":
            return verdict === "mismatch"
                ? "a named entity is missing from the cited paragraphs"
                : "named entities present";
        case "graph":
            return "claimed link looked up in the cross-references";
        case "conflict-candidate":
            return "possible contradiction found";
        case "no-model":
            return "not judged by a model";
        default:
            return method;
    }
}

const KINDS: Record<string, string> = {
    number: "number",
    date: "date",
    term: "term",
    defined_term: "defined term",
    standard: "standard",
};

export function entityWord({ kind, text }: EntityRecord): string {
    return `${own(KINDS, kind) ?? kind} “${text}”`;
}

/** The sentences that rest on a cited paragraph, each once. */
export function recordsOf(
    citation: Pick<CitationRow, "paragraph" | "label">,
    sentences: readonly SentenceRecord[],
): SentenceRecord[] {
    const cites = (sentence: SentenceRecord) =>
        sentence.citations.some((each) =>
            citation.paragraph === "" ? each.source_ref === citation.label : each.paragraph_id === citation.paragraph,
        );
    // A long document says the same in several of its parts.
    const known = new Set<string>();
    return sentences.filter((sentence) => {
        if (!cites(sentence)) return false;
        const key = `${sentence.verdict} ${sentence.sentence}`;
        return !known.has(key) && known.add(key);
    });
}

/** Where the compared words stand in a paragraph, in UTF-16 code units: records count characters. */
export function rangesIn(paragraph: string, text: string, sentences: readonly SentenceRecord[]): TextRange[] {
    return sentences.flatMap((sentence) =>
        sentence.citations.flatMap(({ paragraph_id, range }) => {
            const [from, to] = range ?? [];
            if (paragraph_id !== paragraph || typeof from !== "number" || typeof to !== "number") return [];
            const characters = [...text];
            const start = characters.slice(0, from).join("").length;
            return from < to && to <= characters.length
                ? [{ start, end: start + characters.slice(from, to).join("").length }]
                : [];
        }),
    );
}
