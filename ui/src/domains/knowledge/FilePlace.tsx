import { FileText } from "lucide-react";

import { shell, toProblem, type ParagraphView } from "@/backend";
import { toast } from "@/shared";

/** The file and the page that a paragraph was taken from; in the window it opens the file. */
export function FilePlace({ of: { file = "", path, page } }: { of: Pick<ParagraphView, "file" | "path" | "page"> }) {
    if (file === "") return null;
    const desktop = shell();
    const words = typeof page === "number" ? `${file}, page ${page}` : file;
    const open = async (place: string) => {
        try {
            await desktop?.openPath(place);
        } catch (thrown) {
            toast({ text: `${file} could not be opened: ${toProblem(thrown).message}`, tone: "failed" });
        }
    };
    return (
        <p className="flex min-w-0 items-center gap-1.5 text-small text-ink-2" title={path ?? undefined}>
            <FileText size={14} strokeWidth={1.5} aria-hidden className="shrink-0 text-ink-3" />
            {desktop === undefined || typeof path !== "string" ? (
                <span className="min-w-0 break-words">{words}</span>
            ) : (
                <button
                    type="button"
                    onClick={() => void open(path)}
                    className="min-w-0 rounded-[4px] text-left break-words text-accent underline-offset-2 hover:underline"
                >
                    {words}
                </button>
            )}
        </p>
    );
}
