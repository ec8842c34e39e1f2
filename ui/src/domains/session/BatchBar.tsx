// What can be done with all sessions that are picked.

import {
    Archive,
    ArchiveRestore,
    CircleDot,
    Download,
    Flag,
    Mail,
    MailOpen,
    RotateCcw,
    Tag,
    Trash2,
    X,
} from "lucide-react";

import type { SessionRow } from "@/backend";
import { openExport } from "@/domains/transfer";
import { IconButton } from "@/shared";

const icon = { size: 16, strokeWidth: 1.5 } as const;

export interface BatchBarProps {
    rows: readonly SessionRow[];
    /** How many are loaded: "all" means them. */
    loaded: number;
    trash: boolean;
    on: {
        status: (at: DOMRect) => void;
        labels: (at: DOMRect) => void;
        flag: () => void;
        unread: () => void;
        archive: () => void;
        remove: () => void;
        restore: () => void;
        all: () => void;
        none: () => void;
    };
}

export function BatchBar({ rows, loaded, trash, on }: BatchBarProps) {
    const archived = rows.every((row) => row.archived);
    const unread = rows.every((row) => row.unread);
    return (
        <div
            role="toolbar"
            aria-label="Selected sessions"
            className="shrink-0 border-t border-hairline bg-raised px-2 py-1.5"
        >
            <div className="flex items-center gap-1 pb-1">
                <span role="status" className="tabular min-w-0 flex-1 truncate px-1 text-small text-ink-2">
                    {rows.length} selected
                </span>
                {rows.length < loaded && (
                    <button
                        type="button"
                        onClick={on.all}
                        title="Ctrl+A"
                        className="rounded-[4px] px-1 text-small text-accent hover:underline"
                    >
                        Select all {loaded}
                    </button>
                )}
                <IconButton
                    label="Clear selection"
                    shortcut="Escape"
                    size="small"
                    icon={<X size={14} strokeWidth={1.5} />}
                    onClick={on.none}
                    side="top"
                />
            </div>
            <div className="flex items-center gap-0.5">
                {trash ? (
                    <IconButton
                        label="Restore"
                        shortcut="r"
                        icon={<RotateCcw {...icon} />}
                        onClick={on.restore}
                        side="top"
                    />
                ) : (
                    <>
                        <IconButton
                            label="Set status"
                            shortcut="s"
                            icon={<CircleDot {...icon} />}
                            onClick={(event) => on.status(event.currentTarget.getBoundingClientRect())}
                            side="top"
                        />
                        <IconButton
                            label="Labels"
                            shortcut="l"
                            icon={<Tag {...icon} />}
                            onClick={(event) => on.labels(event.currentTarget.getBoundingClientRect())}
                            side="top"
                        />
                        <IconButton
                            label={rows.every((row) => row.flagged) ? "Unflag" : "Flag"}
                            shortcut="f"
                            icon={<Flag {...icon} />}
                            onClick={on.flag}
                            side="top"
                        />
                        <IconButton
                            label={unread ? "Mark as read" : "Mark as unread"}
                            shortcut="u"
                            icon={unread ? <MailOpen {...icon} /> : <Mail {...icon} />}
                            onClick={on.unread}
                            side="top"
                        />
                        <IconButton
                            label={archived ? "Move to inbox" : "Archive"}
                            shortcut="e"
                            icon={archived ? <ArchiveRestore {...icon} /> : <Archive {...icon} />}
                            onClick={on.archive}
                            side="top"
                        />
                        <IconButton
                            label="Export…"
                            icon={<Download {...icon} />}
                            onClick={() => openExport(rows.map((row) => row.session))}
                            side="top"
                        />
                    </>
                )}
                <span className="flex-1" />
                <IconButton
                    label={trash ? "Delete permanently" : "Delete"}
                    shortcut="#"
                    icon={<Trash2 {...icon} />}
                    onClick={on.remove}
                    side="top"
                />
            </div>
        </div>
    );
}
