// The way back from a change of many sessions: each one's former state.

import type { SessionPatch, SessionRow } from "@/backend";

export interface Change {
    sessions: string[];
    patch: SessionPatch;
}

const idOf = (entry: string) => entry.split("::", 1)[0] ?? entry;

/** The patch that makes a session what it is now, after `patch` was applied to it; undefined where nothing changes. */
function former(row: SessionRow, patch: SessionPatch): SessionPatch | undefined {
    const back: SessionPatch = {};
    for (const name of ["flagged", "unread", "archived", "deleted"] as const) {
        const wanted = patch[name];
        if (wanted !== undefined && wanted !== null && wanted !== row[name]) back[name] = row[name];
    }
    if (patch.status !== undefined && patch.status !== null && patch.status !== row.status) back.status = row.status;
    if (patch.title !== undefined && patch.title !== null && patch.title !== row.title) back.title = row.title;
    const had = new Set(row.labels);
    const added = (patch.addLabels ?? []).filter((entry) => !had.has(entry));
    const replaced = row.labels.filter((entry) => added.some((other) => idOf(other) === idOf(entry)));
    const lost = row.labels.filter((entry) =>
        (patch.removeLabels ?? []).some((gone) => gone === entry || gone === idOf(entry)),
    );
    const again = [...new Set([...replaced, ...lost])];
    // What is given again takes the place of another value by itself.
    const away = added.filter((entry) => !again.some((other) => idOf(other) === idOf(entry)));
    if (away.length > 0) back.removeLabels = away;
    if (again.length > 0) back.addLabels = again;
    return Object.keys(back).length === 0 ? undefined : back;
}

/** Changes that give each session back what it had; sessions with the same way back go together. */
export function inverse(rows: readonly SessionRow[], patch: SessionPatch): Change[] {
    const changes = new Map<string, Change>();
    for (const row of rows) {
        const back = former(row, patch);
        if (back === undefined) continue;
        const key = JSON.stringify(back);
        const known = changes.get(key);
        if (known === undefined) changes.set(key, { sessions: [row.session], patch: back });
        else known.sessions.push(row.session);
    }
    return [...changes.values()];
}
