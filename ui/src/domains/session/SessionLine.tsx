// A session in the list: how it stands, its title, one useful line, when.

import { Flag, PencilLine } from "lucide-react";

import type { SessionRow } from "@/backend";
import { runStanding } from "@/domains/run";
import { Checkbox, RelativeTime, StateMark, cx, plainText } from "@/shared";

export interface SessionLineProps {
    row: SessionRow;
    /** The keyboard is on it. */
    active: boolean;
    /** It is open beside the list. */
    open: boolean;
    /** Whether rows are being picked, and this one is. */
    picking: boolean;
    picked: boolean;
    onPick: () => void;
}

export function SessionLine({ row, active, open, picking, picked, onPick }: SessionLineProps) {
    const standing = row.latest === null ? { state: "idle" as const, word: "Empty" } : runStanding(row.latest.status);
    const line = plainText(row.latest?.line ?? "");
    return (
        <div className={cx("relative flex h-14 gap-2 border-b border-hairline px-3 py-2 select-none", open ? "bg-accent-soft" : active ? "bg-hover" : "hover:bg-hover", active && "outline-offset-[-2px] group-focus-visible/list:outline-2 group-focus-visible/list:outline-accent before:absolute before:inset-y-0 before:left-0 before:w-0.5 before:bg-accent")}>
            <span className="mt-0.5 shrink-0" onClick={picking ? (event) => event.stopPropagation() : undefined}>
                {picking ? <Checkbox label={`Select ${row.title}`} hideLabel checked={picked} onChange={onPick} /> : <StateMark state={standing.state} word={standing.word} show="icon" />}
            </span>
            <span className="min-w-0 flex-1">
                <span className="flex items-baseline gap-2">
                    <span className={cx("min-w-0 flex-1 truncate text-ui", row.unread ? "font-semibold" : "font-normal")}>
                        {row.unread && <span className="sr-only">Unread: </span>}
                        {row.title}
                    </span>
                    {row.flagged && (
                        <span className="shrink-0 self-center text-needs">
                            <Flag size={12} strokeWidth={1.5} aria-hidden fill="currentColor" />
                            <span className="sr-only">Flagged</span>
                        </span>
                    )}
                    <RelativeTime at={row.updatedAt} className="shrink-0 text-small text-ink-3" />
                </span>
                <span className="flex items-center gap-1 text-small text-ink-2">
                    {row.hasDraft && (
                        <span className="inline-flex shrink-0 items-center text-ink-3" title="Something typed waits here">
                            <PencilLine size={12} strokeWidth={1.5} aria-hidden />
                            <span className="sr-only">Draft. </span>
                        </span>
                    )}
                    <span className="min-w-0 truncate">{line === "" ? standing.word : line}</span>
                </span>
            </span>
            {row.unread && <span aria-hidden className="absolute top-3.5 left-1 size-1.5 rounded-full bg-accent" />}
        </div>
    );
}
