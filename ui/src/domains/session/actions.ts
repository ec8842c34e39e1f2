// What can be done to sessions from everywhere: each says what it did, and the way back.

import { send, toProblem, type SessionPatch, type SessionRow, type WorkspaceRow } from "@/backend";
import { go } from "@/routes";
import { confirm, toast, toastProblem } from "@/shared";

import { inverse, type Change } from "./undo";

const many = (count: number) => (count === 1 ? "Session" : `${count} sessions`);

/** The most sessions that the core changes at once. */
const AT_ONCE = 1_000;

async function carryOut(changes: readonly Change[]): Promise<boolean> {
    try {
        for (const { sessions, patch } of changes) {
            for (let from = 0; from < sessions.length; from += AT_ONCE)
                await send("session_update", { sessions: sessions.slice(from, from + AT_ONCE), patch });
        }
        return true;
    } catch (thrown) {
        const problem = toProblem(thrown);
        toastProblem(problem, "Not changed");
        return false;
    }
}

const update = (sessions: readonly string[], patch: SessionPatch) => carryOut([{ sessions: [...sessions], patch }]);

let undoing: { undo: () => void; close: () => void } | undefined;

/** Takes the latest change back. Gives whether there was one. */
export function undoLatest(): boolean {
    const latest = undoing;
    undoing = undefined;
    latest?.close();
    latest?.undo();
    return latest !== undefined;
}

function news(text: string, undo: () => void): void {
    const take = () => {
        if (undoing?.undo === undo) undoing = undefined;
        undo();
    };
    undoing = { undo, close: toast({ text, onUndo: take }) };
}

/**
 * Changes sessions whose present state is known: the way back gives each of them what it had. `done` says what happened, as in "archived".
 */
export async function apply(rows: readonly SessionRow[], patch: SessionPatch, done: string): Promise<boolean> {
    if (rows.length === 0) return false;
    const back = inverse(rows, patch);
    if (
        !(await update(
            rows.map((row) => row.session),
            patch,
        ))
    )
        return false;
    news(`${many(rows.length)} ${done}.`, () => void carryOut(back));
    return true;
}

export async function archive(sessions: readonly string[], archived = true): Promise<void> {
    if (!(await update(sessions, { archived }))) return;
    news(
        `${many(sessions.length)} ${archived ? "archived" : "moved to the inbox"}.`,
        () => void update(sessions, { archived: !archived }),
    );
}

export async function remove(sessions: readonly string[]): Promise<void> {
    if (!(await update(sessions, { deleted: true }))) return;
    news(`${many(sessions.length)} moved to the trash.`, () => void update(sessions, { deleted: false }));
}

export async function restore(sessions: readonly string[]): Promise<void> {
    if (!(await update(sessions, { deleted: false }))) return;
    news(`${many(sessions.length)} restored.`, () => void update(sessions, { deleted: true }));
}

export function flag(sessions: readonly string[], flagged: boolean): Promise<boolean> {
    return update(sessions, { flagged });
}

export function markUnread(sessions: readonly string[], unread: boolean): Promise<boolean> {
    return update(sessions, { unread });
}

export function rename(session: string, title: string): Promise<boolean> {
    return update([session], { title });
}

/** Has the model of a conversation give it a title. */
export async function titleByModel(row: SessionRow): Promise<void> {
    try {
        const title = await send("session_title", { session: row.session });
        news(`Titled “${title}”.`, () => void rename(row.session, row.title));
    } catch (thrown) {
        const problem = toProblem(thrown);
        toastProblem(problem, "Not titled");
    }
}

/** Copies a session and opens the copy. */
export async function duplicate(row: SessionRow): Promise<void> {
    try {
        const session = await send("session_duplicate", { session: row.session });
        go({ page: "session", session });
        toast({ text: `“${row.title}” duplicated.` });
    } catch (thrown) {
        const problem = toProblem(thrown);
        toastProblem(problem, "Not duplicated");
    }
}

/** Moves sessions to another workspace. */
export async function move(rows: readonly SessionRow[], to: WorkspaceRow): Promise<void> {
    const sessions = rows.map((row) => row.session);
    const [from] = rows;
    const carry = (workspace: string) => send("session_move", { sessions, workspace });
    const failed = (thrown: unknown) => {
        const problem = toProblem(thrown);
        toastProblem(problem, "Not moved");
    };
    try {
        await carry(to.id);
    } catch (thrown) {
        return failed(thrown);
    }
    const back = from?.workspace;
    if (back !== undefined)
        news(`${many(rows.length)} moved to workspace “${to.name}”.`, () => void carry(back).catch(failed));
}

/** Deletes for good; without names everything in the trash. True when it was done. */
export async function purge(sessions: readonly string[]): Promise<boolean> {
    const what =
        sessions.length === 0
            ? "everything in the trash"
            : sessions.length === 1
              ? "this session"
              : `these ${sessions.length} sessions`;
    const sure = await confirm({
        title: `Delete ${what} permanently?`,
        body: "All questions, answers, logs and files are erased. This can’t be undone.",
        confirmLabel: "Delete permanently",
        danger: true,
    });
    if (!sure) return false;
    try {
        const count = await send("session_purge", { sessions: [...sessions] });
        toast({ text: `${count} ${count === 1 ? "session" : "sessions"} deleted permanently.` });
        return true;
    } catch (thrown) {
        const problem = toProblem(thrown);
        toastProblem(problem, "Not deleted");
        return false;
    }
}
