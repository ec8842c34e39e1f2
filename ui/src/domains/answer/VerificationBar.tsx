// What checking found, on top of the document: in words, with a way through every sentence that needs an eye.

import { ChevronDown, ChevronUp, ShieldAlert, ShieldCheck, ShieldQuestionMark } from "lucide-react";

import type { DocumentText, SentenceProblem } from "@/backend";
import { Button, IconButton, cx } from "@/shared";

import { headlineOf, levelOf, TONES } from "./labels";

export interface VerificationBarProps {
    document: DocumentText;
    /** Which sentence is shown, from 0; -1 for none. */
    at: number;
    onStep: (at: number) => void;
    actions: React.ReactNode;
}

export function VerificationBar({ document, at, onStep, actions }: VerificationBarProps) {
    const counts = { verified: document.verified, total: document.total, unsupported: document.unsupported.length };
    const found = { ...counts, headline: document.headline };
    const level = levelOf(found);
    const tone = TONES[level];
    const Icon = level === "good" ? ShieldCheck : level === "open" ? ShieldQuestionMark : ShieldAlert;
    const shown: SentenceProblem | undefined = document.unsupported[at];
    const many = document.unsupported.length;
    const step = (by: number) => onStep(at < 0 ? (by > 0 ? 0 : many - 1) : (at + by + many) % many);
    return (
        <div className="rounded-control border border-hairline bg-surface print:border-0 print:p-0">
            <div className="flex flex-wrap items-center gap-x-2 gap-y-1 py-1 pr-1 pl-3">
                <Icon size={16} strokeWidth={1.5} aria-hidden className={cx("shrink-0", tone)} />
                <p data-level={level} className={cx("tabular min-w-0 flex-1 basis-60 text-ui font-medium", tone)}>
                    {headlineOf(found)}
                </p>
                {many > 0 && (
                    <span className="flex items-center print:hidden">
                        <Button size="small" variant="quiet" onClick={() => step(1)}>
                            {at < 0 ? "Show" : `${at + 1} of ${many}`}
                        </Button>
                        <IconButton
                            size="small"
                            label="Previous statement"
                            icon={<ChevronUp size={16} strokeWidth={1.5} />}
                            onClick={() => step(-1)}
                        />
                        <IconButton
                            size="small"
                            label="Next statement"
                            icon={<ChevronDown size={16} strokeWidth={1.5} />}
                            onClick={() => step(1)}
                        />
                    </span>
                )}
                <span className="flex items-center print:hidden">{actions}</span>
            </div>
            <div
                role="status"
                className={cx(
                    shown === undefined ? "sr-only" : "border-t border-hairline px-3 py-2 text-ui print:hidden",
                )}
            >
                {shown !== undefined && (
                    <>
                        <p className="text-ink">“{shown.text}”</p>
                        <p className="mt-0.5 text-needs">{shown.problem}</p>
                    </>
                )}
            </div>
        </div>
    );
}
