// Taking a session along: the core writes the file; a browser is handed it besides.

import { Download } from "lucide-react";

import { send, shell, toProblem, type Exported, type ExportFormat } from "@/backend";
import { saveBytes, saveText, toast, type MenuEntry, toastProblem } from "@/shared";

const TYPES: { readonly [F in ExportFormat]: string } = {
    markdown: "text/markdown",
    html: "text/html",
    docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    pdf: "application/pdf",
    csv: "text/csv",
    xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    jsonl: "application/x-ndjson",
};

/** Menu entries for each form that people read; `what` as in "Export document". */
export function exportEntries(write: (format: ExportFormat) => void, what: string): MenuEntry[] {
    const forms: [ExportFormat, string][] = [
        ["markdown", "Markdown"],
        ["html", "HTML"],
        ["docx", "Word"],
        ["pdf", "PDF"],
    ];
    return forms.map(([format, name]) => ({
        id: format,
        label: `${what} as ${name}`,
        icon: <Download size={16} strokeWidth={1.5} />,
        onSelect: () => write(format),
    }));
}

/** Of a session; with `run` the document of that run alone, with `changesFrom` as changes of another run's document. */
export async function exportSession(
    session: string,
    format: ExportFormat,
    run?: string,
    changesFrom?: string,
): Promise<void> {
    await handOver(format, () =>
        send("session_export", {
            session,
            format,
            ...(run === undefined ? {} : { run }),
            ...(changesFrom === undefined ? {} : { changesFrom }),
        }),
    );
}

/** Of a mission: its report. */
export async function exportMission(mission: string, format: ExportFormat): Promise<void> {
    await handOver(format, () => send("mission_export", { mission, format }));
}

async function handOver(format: ExportFormat, write: () => Promise<Exported>): Promise<void> {
    try {
        const { name, path, text, data } = await write();
        const desktop = shell();
        if (desktop !== undefined) {
            toast({
                text: `Exported to ${path}`,
                action: { label: "Show", onSelect: () => void desktop.openPath(path) },
            });
            return;
        }
        if (text !== null) saveText(name, text, TYPES[format]);
        if (data !== null) saveBytes(name, data, TYPES[format]);
        // The browser says itself that it downloads a file; one that is too large to be handed over stays where it is.
        if (text === null && data === null)
            toast({ text: `Exported to ${path}, on the machine that serves this page: too large to download here.` });
    } catch (thrown) {
        toastProblem(toProblem(thrown), "Not exported", () => void handOver(format, write));
    }
}

/**
 * A run with its log, its evidence and its chain of hashes in one file, which can be checked anywhere; if asked with the source
 * documents of its citations.
 */
export async function makeCapsule(run: string, sources: "withSources" | "withoutSources"): Promise<void> {
    try {
        const { path, notes } = await send("capsule_make", {
            run: { id: run },
            ...(sources === "withSources" ? { withSources: true } : {}),
        });
        const desktop = shell();
        toast({
            text: [`Capsule written to ${path}`, ...notes].join(". "),
            ...(desktop === undefined
                ? {}
                : { action: { label: "Show", onSelect: () => void desktop.openPath(path) } }),
        });
    } catch (thrown) {
        toastProblem(toProblem(thrown), "No capsule was made", () => void makeCapsule(run, sources));
    }
}
