// The views over sessions, and the groups of a list by time.

import type { SessionCounts, SessionRow, SessionView } from "@/backend";

export interface ViewWords {
    view: SessionView;
    label: string;
    count: keyof SessionCounts;
    /** Why nothing is here, and what to do. */
    empty: { title: string; line: string };
}

export const VIEWS: readonly ViewWords[] = [
    { view: "inbox", label: "Inbox", count: "inbox", empty: { title: "Nothing here yet", line: "Ask a question: it becomes a session, and stands here until you archive it." } },
    { view: "running", label: "Running", count: "running", empty: { title: "Nothing runs", line: "Questions that are being worked on stand here." } },
    { view: "needs_you", label: "Needs you", count: "needsYou", empty: { title: "Nothing needs you", line: "Sessions that wait for your decision, failed or were interrupted stand here." } },
    { view: "done", label: "Done", count: "done", empty: { title: "Nothing is done yet", line: "Sessions with a finished answer stand here." } },
    { view: "flagged", label: "Flagged", count: "flagged", empty: { title: "Nothing is flagged", line: "Press s on a session to flag it." } },
    { view: "archived", label: "Archived", count: "archived", empty: { title: "The archive is empty", line: "Press e on a session to archive it." } },
    { view: "trash", label: "Trash", count: "trash", empty: { title: "The trash is empty", line: "Deleted sessions stay here for a week, then they go for good." } },
];

export function viewOf(name: string): ViewWords {
    return VIEWS.find((each) => each.view === name) ?? (VIEWS[0] as ViewWords);
}

const DAY = 86_400_000;

/** The heading that a session stands under. Days are those of the person's clock. */
export function groupOf(at: number, now: number): string {
    const midnight = new Date(now).setHours(0, 0, 0, 0);
    if (at >= midnight) return "Today";
    // Midday of the day before: days are 23 or 25 hours long twice a year.
    if (at >= new Date(midnight - DAY / 2).setHours(0, 0, 0, 0)) return "Yesterday";
    const weekday = (new Date(midnight).getDay() + 6) % 7;
    const monday = new Date(midnight - weekday * DAY + DAY / 2).setHours(0, 0, 0, 0);
    return at >= monday ? "This week" : "Earlier";
}

export type ListItem = { kind: "heading"; key: string; text: string } | { kind: "session"; key: string; row: SessionRow };

/** Rows under headings; the newest first. */
export function grouped(rows: readonly SessionRow[], now: number): ListItem[] {
    const items: ListItem[] = [];
    let last = "";
    for (const row of rows) {
        const text = groupOf(row.updatedAt, now);
        if (text !== last) items.push({ kind: "heading", key: `heading ${text}`, text });
        last = text;
        items.push({ kind: "session", key: row.session, row });
    }
    return items;
}

/** Pages as one list: each session once, at its newest place. */
export function merged(pages: readonly (readonly SessionRow[])[]): SessionRow[] {
    const seen = new Set<string>();
    return pages
        .flat()
        .filter((row) => !seen.has(row.session) && seen.add(row.session))
        .sort((a, b) => b.updatedAt - a.updatedAt);
}
