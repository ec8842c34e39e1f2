import { CircleAlert, FileText } from "lucide-react";
import { Suspense, lazy, useState } from "react";

import { shell, toProblem, type ParagraphView } from "@/backend";
import { Button, toastProblem } from "@/shared";

import type { PageOf } from "./PageDialog";

const PageDialog = lazy(() => import("./PageDialog").then((module) => ({ default: module.PageDialog })));

export interface FilePlaceProps {
    of: Pick<ParagraphView, "file" | "path" | "page" | "fileNote" | "drawable">;
    /** Whose page can be shown. */
    page: PageOf;
}

/** The file and the page that a paragraph was taken from. A PDF's page is shown here; the window opens other files. */
export function FilePlace({ of: { file = "", path, page, fileNote, drawable = false }, page: shows }: FilePlaceProps) {
    const [open, setOpen] = useState(false);
    if (file === "") return null;
    const desktop = shell();
    const words = typeof page === "number" ? `${file}, page ${page}` : file;
    const openFile = async (place: string) => {
        try {
            await desktop?.openPath(place);
        } catch (thrown) {
            toastProblem(toProblem(thrown), `${file} could not be opened`);
        }
    };
    return (
        <>
            <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 text-small text-ink-2">
                <p className="flex min-w-0 items-center gap-1.5" title={path ?? undefined}>
                    <FileText size={14} strokeWidth={1.5} aria-hidden className="shrink-0 text-ink-3" />
                    {desktop === undefined || typeof path !== "string" || drawable ? (
                        <span className="min-w-0 break-words">{words}</span>
                    ) : (
                        <button
                            type="button"
                            onClick={() => void openFile(path)}
                            className="min-w-0 rounded-[4px] text-left break-words text-accent underline-offset-2 hover:underline"
                        >
                            {words}
                        </button>
                    )}
                </p>
                {drawable && (
                    <Button size="small" onClick={() => setOpen(true)}>
                        Open page
                    </Button>
                )}
            </div>
            {typeof fileNote === "string" && (
                <p className="mt-1 flex items-start gap-1.5 text-small text-needs">
                    <CircleAlert size={14} strokeWidth={1.5} aria-hidden className="mt-0.5 shrink-0" />
                    <span className="min-w-0 break-words">{fileNote}</span>
                </p>
            )}
            {open && (
                <Suspense>
                    <PageDialog of={shows} onClose={() => setOpen(false)} />
                </Suspense>
            )}
        </>
    );
}
