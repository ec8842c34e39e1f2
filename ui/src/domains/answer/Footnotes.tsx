// Footnotes of a text: the raised numbers that show them, and their list under the text.

import type { ReactNode } from "react";

import { Popover } from "@/shared";

/** A raised number is small: what can be clicked is larger than what is seen. */
export const MARK_CLASS =
    "relative cursor-pointer rounded-[3px] px-px leading-none text-accent after:absolute after:-inset-x-1 after:-inset-y-1.5 hover:bg-accent-soft";

export interface Footnote {
    label: string | number;
    content: ReactNode;
}

/** The raised number, which shows its footnote. */
export function FootnoteMark({ label, content, sign }: Footnote & { sign: ReactNode }) {
    const name = `Footnote ${label}`;
    return (
        <sup>
            <Popover
                label={name}
                trigger={
                    <button type="button" aria-label={name} data-note={label} className={MARK_CLASS}>
                        {sign}
                    </button>
                }
            >
                <div className="max-w-80">{content}</div>
            </Popover>
        </sup>
    );
}

export function FootnoteList({ notes }: { notes: readonly Footnote[] }) {
    if (notes.length === 0) return null;
    return (
        <details className="mt-6 border-t border-hairline pt-3">
            <summary className="ring-inside cursor-pointer text-ui font-medium text-ink-2 hover:text-ink">
                Footnotes, {notes.length}
            </summary>
            <ol className="mt-2 flex flex-col gap-1.5 text-small text-ink-2">
                {notes.map(({ label, content }) => (
                    <li key={label} className="flex gap-2">
                        <span className="tabular w-7 shrink-0 text-right text-ink-3">{label}</span>
                        <div className="min-w-0 flex-1">{content}</div>
                    </li>
                ))}
            </ol>
        </details>
    );
}
