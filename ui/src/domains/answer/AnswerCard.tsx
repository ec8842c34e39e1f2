// A document of an earlier question, folded: its title and what checking found.

import { FileText, ShieldAlert, ShieldCheck, ShieldQuestionMark } from "lucide-react";

import type { DocumentCard } from "@/backend";
import { cx } from "@/shared";

import { headlineOf, levelOf, TONES } from "./labels";

export function AnswerCard({ card, onOpen }: { card: DocumentCard; onOpen: () => void }) {
    const level = levelOf(card);
    const Icon = level === "good" ? ShieldCheck : level === "open" ? ShieldQuestionMark : ShieldAlert;
    return (
        <button
            type="button"
            aria-expanded={false}
            onClick={onOpen}
            className="flex w-full items-start gap-3 rounded-control border border-hairline bg-surface px-3 py-2 text-left hover:bg-hover"
        >
            <FileText size={16} strokeWidth={1.5} aria-hidden className="mt-0.5 shrink-0 text-ink-3" />
            <span className="min-w-0 flex-1">
                <span className="line-clamp-1 font-serif text-answer">{card.title}</span>
                <span className={cx("tabular flex items-center gap-1 text-small font-medium", TONES[level])}>
                    <Icon size={14} strokeWidth={1.5} aria-hidden className="shrink-0" />
                    {headlineOf(card)}
                </span>
            </span>
            <span className="mt-0.5 shrink-0 text-small text-ink-3">Open</span>
        </button>
    );
}
