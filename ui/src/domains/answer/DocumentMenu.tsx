// What can be done with a document besides reading it.

import { Copy, Download, Ellipsis, FileText, Lock, PackageCheck, Printer } from "lucide-react";

import { shell, type RunState } from "@/backend";
import { IconButton, Menu, type MenuEntry } from "@/shared";

import { exportEntries, exportSession, makeCapsule } from "./export";

const icon = { size: 16, strokeWidth: 1.5 } as const;

export interface DocumentMenuProps {
    run: RunState;
    /** Where the document stands as a file. */
    path: string | null;
    onCopy: () => void;
    onLock: () => void;
}

export function DocumentMenu({ run, path, onCopy, onLock }: DocumentMenuProps) {
    const desktop = shell();
    const entries: MenuEntry[] = [
        { id: "copy", label: "Copy as Markdown", icon: <Copy {...icon} />, onSelect: onCopy },
        { kind: "separator", id: "s1" },
        ...exportEntries((format) => void exportSession(run.session, format, run.run), "Export document"),
        {
            id: "xlsx",
            label: "Export statements and tables as a spreadsheet (Excel)",
            icon: <Download {...icon} />,
            onSelect: () => void exportSession(run.session, "xlsx", run.run),
        },
        {
            id: "csv",
            label: "Export statements as a table (CSV)",
            icon: <Download {...icon} />,
            onSelect: () => void exportSession(run.session, "csv", run.run),
        },
        {
            id: "capsule",
            label: "Save with its evidence as a capsule",
            icon: <PackageCheck {...icon} />,
            onSelect: () => void makeCapsule(run.run, "withoutSources"),
        },
        {
            id: "capsule-sources",
            label: "Save as a capsule with the source documents",
            icon: <PackageCheck {...icon} />,
            onSelect: () => void makeCapsule(run.run, "withSources"),
        },
        {
            id: "lock",
            label: "Lock this version…",
            icon: <Lock {...icon} />,
            onSelect: () => setTimeout(onLock, 50),
        },
        {
            id: "print",
            label: "Print",
            icon: <Printer {...icon} />,
            onSelect: () => setTimeout(() => window.print(), 0),
        },
        ...(desktop !== undefined && path !== null
            ? [
                  {
                      id: "file",
                      label: "Show file",
                      icon: <FileText {...icon} />,
                      onSelect: () => void desktop.openPath(path),
                  } satisfies MenuEntry,
              ]
            : []),
    ];
    return (
        <Menu
            align="end"
            trigger={<IconButton size="small" label="More actions" icon={<Ellipsis {...icon} />} />}
            entries={entries}
        />
    );
}
