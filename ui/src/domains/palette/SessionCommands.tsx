import type { ExportFormat } from "@/backend";
import { useRoute } from "@/routes";
import { useShortcut } from "@/shared";

/** What the palette can do with the session that is open, besides what its own page registers. */
export function SessionCommands() {
    const route = useRoute();
    const session = route.page === "session" ? route.session : undefined;
    const enabled = session !== undefined;
    const write = (format: ExportFormat) => {
        // Loaded on demand: the answer's parts are no part of the window's start.
        if (session !== undefined)
            void import("@/domains/answer").then(({ exportSession }) => exportSession(session, format));
    };
    useShortcut("export-markdown", "", "Export session as Markdown", () => write("markdown"), {
        group: "Session",
        enabled,
    });
    useShortcut("export-html", "", "Export session as HTML", () => write("html"), { group: "Session", enabled });
    useShortcut("export-docx", "", "Export session as Word", () => write("docx"), { group: "Session", enabled });
    useShortcut("export-pdf", "", "Export session as PDF", () => write("pdf"), { group: "Session", enabled });
    useShortcut("export-jsonl", "", "Export all session events (JSONL)", () => write("jsonl"), {
        group: "Session",
        enabled,
    });
    return null;
}
