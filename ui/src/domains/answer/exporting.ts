// Taking a session along: the core writes the file; a browser is handed it besides.

import { send, shell, toProblem, type ExportFormat } from "@/backend";
import { saveBytes, saveText, toast } from "@/shared";

const TYPES: { readonly [F in ExportFormat]: string } = {
    markdown: "text/markdown",
    html: "text/html",
    docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    jsonl: "application/x-ndjson",
};

/** Of a session; with `run` the document of that run alone. */
export async function exportSession(session: string, format: ExportFormat, run?: string): Promise<void> {
    try {
        const { name, path, text, data } = await send("session_export", {
            session,
            format,
            ...(run === undefined ? {} : { run }),
        });
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
        toast({ text: `Exported to ${path}` });
    } catch (thrown) {
        const problem = toProblem(thrown);
        toast({ text: `Not exported: ${problem.message}`, tone: "failed" });
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
        toast({ text: `No capsule was made: ${toProblem(thrown).message}`, tone: "failed" });
    }
}
