// What a list does with its sessions: every change says what it did and can be taken back.

import { send, toProblem, type SessionRow } from "@/backend";
import type { OrganisationUse } from "@/domains/organise";
import { toastProblem } from "@/shared";

import { apply } from "./actions";

const words = (entries: readonly string[], { labelOf }: OrganisationUse) =>
    entries
        .map((entry) => {
            const [id = entry, value] = entry.split("::");
            return `“${labelOf(id)?.name ?? id}${value === undefined ? "" : ` ${value}`}”`;
        })
        .join(", ");

export function setStatus(
    rows: readonly SessionRow[],
    status: string,
    organisation: OrganisationUse,
): Promise<boolean> {
    return apply(rows, { status }, `set to “${organisation.statusOf(status)?.label ?? status}”`);
}

export function changeLabels(
    rows: readonly SessionRow[],
    add: readonly string[],
    remove: readonly string[],
    organisation: OrganisationUse,
): Promise<boolean> {
    const done = add.length > 0 ? `labelled ${words(add, organisation)}` : `without ${words(remove, organisation)}`;
    return apply(
        rows,
        {
            ...(add.length > 0 ? { addLabels: [...add] } : {}),
            ...(remove.length > 0 ? { removeLabels: [...remove] } : {}),
        },
        done,
    );
}

/** Makes a label and gives it to sessions. */
export async function createLabel(
    rows: readonly SessionRow[],
    name: string,
    organisation: OrganisationUse,
): Promise<void> {
    try {
        const known = new Set(organisation.labels.map((label) => label.id));
        const after = await send("label_edit", { edit: "add", name });
        const made = after.labels.find((label) => !known.has(label.id));
        if (made !== undefined) await apply(rows, { addLabels: [made.id] }, `labelled “${made.name}”`);
    } catch (thrown) {
        const problem = toProblem(thrown);
        toastProblem(problem, "The label was not created");
    }
}

/** All are flagged, or none is. */
export function toggleFlag(rows: readonly SessionRow[]): Promise<boolean> {
    const flagged = !rows.every((row) => row.flagged);
    return apply(rows, { flagged }, flagged ? "flagged" : "unflagged");
}

export function toggleUnread(rows: readonly SessionRow[]): Promise<boolean> {
    const unread = !rows.every((row) => row.unread);
    return apply(rows, { unread }, unread ? "marked as unread" : "marked as read");
}

export function toggleArchived(rows: readonly SessionRow[]): Promise<boolean> {
    const archived = !rows.every((row) => row.archived);
    return apply(rows, { archived }, archived ? "archived" : "moved to the inbox");
}

export function moveToTrash(rows: readonly SessionRow[]): Promise<boolean> {
    return apply(rows, { deleted: true }, "moved to the trash");
}

export function takeFromTrash(rows: readonly SessionRow[]): Promise<boolean> {
    return apply(rows, { deleted: false }, "restored");
}
