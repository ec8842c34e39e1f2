// What can be done to sessions from everywhere: each says what it did, and the way back.

import { send, toProblem, type SessionPatch } from "@/backend";
import { confirm, toast } from "@/shared";

const many = (sessions: readonly string[]) => (sessions.length === 1 ? "Session" : `${sessions.length} sessions`);

async function update(sessions: readonly string[], patch: SessionPatch): Promise<boolean> {
    try {
        await send("session_update", { sessions: [...sessions], patch });
        return true;
    } catch (thrown) {
        toast({ text: `Not changed: ${toProblem(thrown).message}`, tone: "failed" });
        return false;
    }
}

export async function archive(sessions: readonly string[], archived = true): Promise<void> {
    if (!(await update(sessions, { archived }))) return;
    toast({ text: `${many(sessions)} ${archived ? "archived" : "back in the inbox"}.`, onUndo: () => void update(sessions, { archived: !archived }) });
}

export async function remove(sessions: readonly string[]): Promise<void> {
    if (!(await update(sessions, { deleted: true }))) return;
    toast({ text: `${many(sessions)} moved to the trash.`, onUndo: () => void update(sessions, { deleted: false }) });
}

export async function restore(sessions: readonly string[]): Promise<void> {
    if (!(await update(sessions, { deleted: false }))) return;
    toast({ text: `${many(sessions)} restored.`, onUndo: () => void update(sessions, { deleted: true }) });
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

/** Deletes for good; without names everything in the trash. True when it was done. */
export async function purge(sessions: readonly string[]): Promise<boolean> {
    const what = sessions.length === 0 ? "everything in the trash" : sessions.length === 1 ? "this session" : `these ${sessions.length} sessions`;
    const sure = await confirm({
        title: `Delete ${what} for good?`,
        body: "Questions, answers, logs and files of it are erased. This can't be undone.",
        confirmLabel: "Delete for good",
        danger: true,
    });
    if (!sure) return false;
    try {
        const count = await send("session_purge", { sessions: [...sessions] });
        toast({ text: `${count} ${count === 1 ? "session" : "sessions"} deleted for good.` });
        return true;
    } catch (thrown) {
        toast({ text: `Not deleted: ${toProblem(thrown).message}`, tone: "failed" });
        return false;
    }
}
