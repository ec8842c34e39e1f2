// Which workspace the window shows, at the top of the sidebar.

import { AppWindow, ChevronsUpDown, Settings2 } from "lucide-react";
import { useEffect, useState } from "react";

import { shell, toProblem, useQuery, useWindowWorkspace, pinWorkspace, type WorkspaceRow } from "@/backend";
import { Menu, lazyPart, toast, useShortcut, type MenuEntry } from "@/shared";

import { show } from "./switching";
import { useWorkspace } from "./useWorkspace";

const ManageWorkspaces = lazyPart(() => import("./ManageWorkspaces").then((part) => part.default));

const ICON = { size: 16, strokeWidth: 1.5, "aria-hidden": true } as const;

/** A window of its own, where the desktop has windows; else a tab. */
function openWindow(slug: string): void {
    const own = shell();
    if (own === undefined) {
        window.open(`${location.pathname}?workspace=${encodeURIComponent(slug)}`, "_blank");
        return;
    }
    own.openWindow(slug).catch((thrown: unknown) =>
        toast({ text: `The window could not be opened: ${toProblem(thrown).message}`, tone: "failed" }),
    );
}

export function WorkspaceSwitcher() {
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
    const entries: MenuEntry[] = [
        ...(rows ?? []).map((row, at): MenuEntry => ({
            id: row.id,
            label: row.name,
            hint: hintOf(row),
            checked: row.id === shown?.id,
            shortcut: at < 9 ? `Ctrl+Alt+${at + 1}` : undefined,
            onSelect: () => show(row.id),
        })),
        { kind: "separator", id: "line" },
        ...((rows?.length ?? 0) > 1
            ? [
                  {
                      kind: "submenu" as const,
                      id: "windows",
                      label: "Open in new window",
                      icon: <AppWindow {...ICON} />,
                      entries: (rows ?? []).map((row) => ({
                          id: row.id,
                          label: row.name,
                          onSelect: () => openWindow(row.id),
                      })),
                  },
              ]
            : []),
        { id: "manage", label: "Manage workspaces…", icon: <Settings2 {...ICON} />, onSelect: () => setManaging(true) },
    ];
    return (
        <>
            <Menu
                entries={entries}
                trigger={
                    <button
                        type="button"
                        aria-label={`Workspace: ${shown?.name ?? "AgentNative"}`}
                        className="ring-inside mb-2 flex h-9 w-full min-w-0 items-center gap-2 rounded-control px-2 text-left text-ui font-semibold hover:bg-hover"
                    >
                        <span className="min-w-0 flex-1 truncate">{shown?.name ?? "AgentNative"}</span>
                        <ChevronsUpDown size={14} strokeWidth={1.5} aria-hidden className="shrink-0 text-ink-3" />
                    </button>
                }
            />
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

function hintOf(row: WorkspaceRow): string | undefined {
    if (!row.there) return "Folder not available";
    if (row.problems > 0) return `${row.problems} invalid ${row.problems === 1 ? "file" : "files"}`;
    return row.sessions === 0 ? undefined : `${row.sessions} ${row.sessions === 1 ? "session" : "sessions"}`;
}

function Key({ row, keys }: { row: WorkspaceRow; keys: string }) {
    useShortcut(`workspace-${row.id}`, keys, `Workspace: ${row.name}`, () => show(row.id), { group: "Window" });
    return null;
}
