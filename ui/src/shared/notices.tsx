import { ChevronRight, CircleX } from "lucide-react";
import type { ReactNode } from "react";

import { CopyButton } from "./CopyButton";
import { cx } from "./cx";
import { sentence } from "./plainText";
import { InlineCode } from "./InlineCode";

export interface EmptyStateProps {
    title: string;
    children?: ReactNode;
    /** Buttons. */
    actions?: ReactNode;
    icon?: ReactNode;
    className?: string;
}

/** Why nothing is here, and what to do about it. */
export function EmptyState({ title, children, actions, icon, className }: EmptyStateProps) {
    return (
        <div className={cx("flex max-w-md flex-col items-start gap-2 p-6", className)}>
            {icon !== undefined && <span className="text-ink-3">{icon}</span>}
            <h2 className="text-title font-semibold">{title}</h2>
            {children !== undefined && <div className="text-ui text-ink-2">{children}</div>}
            {actions !== undefined && <div className="mt-2 flex flex-wrap gap-2">{actions}</div>}
        </div>
    );
}

export interface ErrorCardProps {
    /** What happened. */
    title: string;
    /** More on it, in a sentence or two. */
    children?: ReactNode;
    /** What was kept: nobody should have to wonder. */
    kept?: ReactNode;
    /** What to do, in words. */
    advice?: ReactNode;
    /** What to do, as buttons. */
    actions?: ReactNode;
    /** For a report: foldable and copyable. */
    details?: string;
    className?: string;
}

export function ErrorCard({ title, children, kept, advice, actions, details, className }: ErrorCardProps) {
    return (
        <section
            role="alert"
            className={cx("rounded-card border border-hairline border-l-2 border-l-failed bg-surface p-4", className)}
        >
            <div className="flex items-start gap-2">
                <CircleX size={16} strokeWidth={1.5} aria-hidden className="mt-0.5 shrink-0 text-failed" />
                <div className="min-w-0 flex-1">
                    <p className="text-ui font-semibold break-words">{sentence(title)}</p>
                    {children !== undefined && (
                        <div className="mt-1 text-ui text-ink-2">
                            {typeof children === "string" ? <InlineCode text={sentence(children)} /> : children}
                        </div>
                    )}
                    {kept !== undefined && <p className="mt-1 text-ui text-ink-2">{kept}</p>}
                    {advice !== undefined && (
                        <p className="mt-1 text-ui text-ink-2">
                            {typeof advice === "string" ? <InlineCode text={sentence(advice)} /> : advice}
                        </p>
                    )}
                    {actions !== undefined && <div className="mt-3 flex flex-wrap gap-2">{actions}</div>}
                    {details !== undefined && details !== "" && (
                        <Fold label="Details" className="mt-3">
                            <div className="relative mt-1">
                                <pre className="max-h-60 overflow-auto rounded-control bg-sunken p-3 pr-9 font-mono text-code break-words whitespace-pre-wrap">
                                    {details}
                                </pre>
                                <CopyButton text={details} label="Copy details" className="absolute top-1 right-1" />
                            </div>
                        </Fold>
                    )}
                </div>
            </div>
        </section>
    );
}

export interface FoldProps {
    label: ReactNode;
    /** Beside the label, at the end. */
    note?: ReactNode;
    open?: boolean;
    onToggle?: (open: boolean) => void;
    className?: string;
    children: ReactNode;
}

/** A line that opens to more. */
export function Fold({ label, note, open, onToggle, className, children }: FoldProps) {
    return (
        <details open={open} onToggle={(event) => onToggle?.(event.currentTarget.open)} className={className}>
            <summary className="flex min-h-6 list-none items-center gap-1 rounded-[4px] text-small text-ink-2 hover:text-ink [&::-webkit-details-marker]:hidden">
                <ChevronRight
                    size={14}
                    strokeWidth={1.5}
                    aria-hidden
                    className="shrink-0 transition-transform [[open]>summary>&]:rotate-90"
                />
                <span className="min-w-0 flex-1">{label}</span>
                {note}
            </summary>
            {children}
        </details>
    );
}
