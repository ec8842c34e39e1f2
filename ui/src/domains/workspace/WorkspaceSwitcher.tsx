// Which workspace the window shows, at the top of the sidebar.

import { AppWindow, ChevronsUpDown, Settings2 } from "lucide-react";
import { useQuery, type WorkspaceRow } from "@/backend";
import { Menu, runShortcut, type MenuEntry } from "@/shared";

import { openWindow, show } from "./switch";
import { useWorkspace } from "./useWorkspace";

const ICON = { size: 16, strokeWidth: 1.5, "aria-hidden": true } as const;

export function WorkspaceSwitcher() {
    const { data: rows } = useQuery("workspace_list", null);
    const shown = useWorkspace();
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
        {
            id: "manage",
            label: "Manage workspaces…",
            icon: <Settings2 {...ICON} />,
            onSelect: () => void runShortcut("workspace-manage"),
        },
    ];
    return (
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
    );
}

function hintOf(row: WorkspaceRow): string | undefined {
    if (!row.there) return "Folder not available";
    if (row.problems > 0) return `${row.problems} invalid ${row.problems === 1 ? "file" : "files"}`;
    return row.sessions === 0 ? undefined : `${row.sessions} ${row.sessions === 1 ? "session" : "sessions"}`;
}
