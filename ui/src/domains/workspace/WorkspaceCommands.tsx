// What concerns the window's workspace whether the sidebar is shown or not: its keys, and that it stays the same one.

import { useEffect, useState } from "react";

import { pinWorkspace, useQuery, useWindowWorkspace, type WorkspaceRow } from "@/backend";
import { lazyPart, toast, useShortcut } from "@/shared";

import { openWindow, show } from "./switch";
import { useWorkspace } from "./useWorkspace";

const ManageWorkspaces = lazyPart(() => import("./ManageWorkspaces").then((part) => part.default));

/** Draws only the dialog of workspaces, while that is open. */
export function WorkspaceCommands() {
    const { data: rows } = useQuery("workspace_list", null);
    const { slug } = useWindowWorkspace();
    const [managing, setManaging] = useState(false);
    const shown = useWorkspace();
    useEffect(() => {
        if (rows === undefined || shown === undefined) return;
        // What another window chooses is not chosen for this one.
        if (slug === undefined) pinWorkspace(shown.id);
        else if (!rows.some((row) => row.id === slug)) {
            toast({ text: `The workspace ${slug} no longer exists. This window now shows ${shown.name}.` });
            show(shown.id);
        }
    }, [rows, shown, slug]);
    useShortcut("workspace-manage", "", "Manage workspaces…", () => setManaging(true), { group: "Window" });
    return (
        <>
            {rows?.slice(0, 9).map((row, at) => (
                <Key key={row.id} row={row} keys={`Ctrl+Alt+${at + 1}`} />
            ))}
            {managing && (
                <ManageWorkspaces
                    rows={rows ?? []}
                    here={shown?.id}
                    onClose={() => setManaging(false)}
                    onOpenWindow={openWindow}
                />
            )}
        </>
    );
}

function Key({ row, keys }: { row: WorkspaceRow; keys: string }) {
    useShortcut(`workspace-${row.id}`, keys, `Workspace: ${row.name}`, () => show(row.id), { group: "Window" });
    return null;
}
