// A session in the list: its status, its title, one useful line, when.

import { FileWarning, Flag, PencilLine } from "lucide-react";
import type { DragEvent, MouseEvent } from "react";

import type { SessionRow } from "@/backend";
import { LabelChip, StatusIcon, type OrganisationUse } from "@/domains/organise";
import { runStatus } from "@/domains/run";
import { Checkbox, RelativeTime, StateMark, count, cx, plainText } from "@/shared";

export interface SessionLineProps {
    row: SessionRow;
    organisation: OrganisationUse;
    /** The keyboard is on it. */
    active: boolean;
    /** It is open beside the list. */
    open: boolean;
    /** Whether rows are being picked, and this one is. */
    picking: boolean;
    picked: boolean;
    onPick: () => void;
    onStatus: (at: DOMRect) => void;
    onDragStart: (event: DragEvent) => void;
}

/** How many labels are drawn on a line. */
const MAX_LABELS = 2;

/** Whether the newest run's own line says more than the beginning of the session. */
const SHOWN_STATES = new Set(["running", "needs-you", "failed", "queued"]);

export function SessionLine({
    row,
    organisation,
    active,
    open,
    picking,
    picked,
    onPick,
    onStatus,
    onDragStart,
}: SessionLineProps) {
    const standing = row.latest === null ? undefined : runStatus(row.latest.status);
    const telling = standing !== undefined && SHOWN_STATES.has(standing.state);
    const line = plainText(row.latest?.line ?? "");
    const preview = plainText(row.preview);
    const words = telling ? line || standing.word : line || preview || standing?.word || "Empty";
    const status = organisation.statusOf(row.status);
    const shown = row.labels.slice(0, MAX_LABELS);
    const stop = (event: MouseEvent) => event.stopPropagation();
    return (
        <div
            data-session={row.session}
            draggable
            onDragStart={onDragStart}
            className={cx(
                "group/row relative flex h-14 gap-2 border-b border-hairline px-3 py-2 select-none",
                open || picked ? "bg-accent-soft" : active ? "bg-hover" : "hover:bg-hover",
                active &&
                    "outline-offset-[-2px] group-focus-visible/list:outline-2 group-focus-visible/list:outline-accent before:absolute before:inset-y-0 before:left-0 before:w-0.5 before:bg-accent",
            )}
        >
            <span className="mt-0.5 flex w-4 shrink-0 flex-col items-center" onClick={stop}>
                {picking ? (
                    <Checkbox label={`Select ${row.title}`} hideLabel checked={picked} onChange={onPick} />
                ) : (
                    // Not a button: a row has no parts that take the focus, and "s" does the same.
                    <span
                        data-status
                        title={`${status?.label ?? "No status"} (s)`}
                        onClick={(event) => onStatus(event.currentTarget.getBoundingClientRect())}
                        className="rounded-full hover:bg-hover"
                    >
                        <StatusIcon status={status} />
                        <span className="sr-only">{status?.label ?? "No status"}. </span>
                    </span>
                )}
            </span>
            <span className="min-w-0 flex-1">
                <span className="flex items-baseline gap-2">
                    <span
                        className={cx("min-w-0 flex-1 truncate text-ui", row.unread ? "font-semibold" : "font-normal")}
                    >
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
                <span className="flex h-4 items-center gap-1.5 text-small text-ink-2">
                    {telling && <StateMark state={standing.state} word={standing.word} show="icon" size={14} />}
                    {row.stale > 0 && (
                        <span
                            data-stale
                            className="inline-flex shrink-0 items-center text-needs"
                            title={`${count(row.stale, "statement")} of the answer ${row.stale === 1 ? "rests" : "rest"} on text that has changed since`}
                        >
                            <FileWarning size={12} strokeWidth={1.5} aria-hidden />
                            <span className="sr-only">Sources have changed. </span>
                        </span>
                    )}
                    {row.hasDraft && (
                        <span className="inline-flex shrink-0 items-center text-ink-3" title="Unsent draft">
                            <PencilLine size={12} strokeWidth={1.5} aria-hidden />
                            <span className="sr-only">Draft. </span>
                        </span>
                    )}
                    <span className="min-w-12 flex-1 truncate">{words}</span>
                    {shown.length > 0 && (
                        <span className="flex max-w-[55%] min-w-0 shrink-0 items-center gap-1 overflow-hidden">
                            {shown.map((entry) => (
                                <LabelChip
                                    key={entry}
                                    entry={entry}
                                    label={organisation.labelOf(entry.split("::", 1)[0] ?? entry)}
                                    className="shrink"
                                />
                            ))}
                            {row.labels.length > MAX_LABELS && (
                                <span
                                    className="tabular shrink-0 text-[0.6875rem] text-ink-3"
                                    title={row.labels.slice(MAX_LABELS).join(", ")}
                                >
                                    +{row.labels.length - MAX_LABELS}
                                </span>
                            )}
                        </span>
                    )}
                </span>
            </span>
            {row.unread && <span aria-hidden className="absolute top-3.5 left-1 size-1.5 rounded-full bg-accent" />}
        </div>
    );
}
