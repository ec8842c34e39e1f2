import { Check, CircleAlert, CircleHelp } from "lucide-react";

import type { SentenceRecord } from "@/backend";
import { cx } from "@/shared";

import { entityWord, methodWords, sentenceWord } from "./records";

const HELD: readonly string[] = ["verified", "judged_supported"];

/** What is known about the sentences that rest on a paragraph. */
export function SentenceRecords({ records }: { records: readonly SentenceRecord[] }) {
    return (
        <ul aria-label="Statements that cite this paragraph" className="space-y-3">
            {records.map((record) => (
                <Sentence key={record.n} record={record} />
            ))}
        </ul>
    );
}

function Sentence({ record }: { record: SentenceRecord }) {
    const held = HELD.includes(record.verdict);
    const open = record.verdict === "unverified";
    const Icon = held ? Check : open ? CircleHelp : CircleAlert;
    const absent = record.entities.filter((entity) => entity.found_in === undefined || entity.found_in === null);
    return (
        <li
            className={cx(
                "border-l-2 pl-3",
                held ? "border-done" : open ? "border-hairline-strong" : "border-needs-rule",
            )}
        >
            <p className="font-serif text-[0.9375rem] leading-[1.5]">{record.claim || record.sentence}</p>
            <p
                className={cx(
                    "mt-1 flex items-start gap-1.5 text-small",
                    held ? "text-done" : open ? "text-ink-2" : "text-needs",
                )}
            >
                <Icon size={14} strokeWidth={held ? 2 : 1.5} aria-hidden className="mt-px shrink-0" />
                <span>
                    <span className="font-medium">{sentenceWord(record.verdict)}</span>
                    <span className="text-ink-2">: {methodWords(record)}</span>
                </span>
            </p>
            {record.reason !== "" && (
                <p className="mt-0.5 text-small text-ink-2">
                    {record.reason.charAt(0).toUpperCase() + record.reason.slice(1)}
                </p>
            )}
            {absent.length > 0 && (
                <p className="mt-0.5 text-small text-needs">
                    Not in the cited paragraphs: {absent.map(entityWord).join(", ")}.
                </p>
            )}
            {record.relations.map((relation, index) => (
                <p key={index} className={cx("mt-0.5 text-small", relation.exists ? "text-ink-2" : "text-needs")}>
                    {relation.exists ? "The cross-references contain" : "The cross-references don’t contain"} the link
                    from {relation.from} to {relation.to}.
                </p>
            ))}
            {record.conflicts.map((conflict, index) => (
                <p key={index} className="mt-0.5 text-small text-needs">
                    Possible contradiction, {conflict.paragraph_id}: “{conflict.stated_in}”
                </p>
            ))}
        </li>
    );
}
