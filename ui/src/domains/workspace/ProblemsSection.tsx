// The line about files that are broken, and its list.

import { FileWarning } from "lucide-react";
import { useState } from "react";

import { shell, toProblem, type ConfigProblemRow } from "@/backend";
import { Button, toastProblem } from "@/shared";

/** At most so many are listed. */
const MAX_PROBLEMS = 20;

export interface ProblemsSectionProps {
    here: readonly ConfigProblemRow[];
    first: ConfigProblemRow;
    onHide: () => void;
}

export function ProblemsSection({ here, first, onHide }: ProblemsSectionProps) {
    const [open, setOpen] = useState(false);
    return (
        <section
            aria-label="Invalid files"
            className="shrink-0 border-b border-hairline border-l-2 border-l-needs-rule bg-needs-soft px-4 py-1.5 text-ui text-ink"
        >
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <FileWarning size={16} strokeWidth={1.5} aria-hidden className="shrink-0 text-needs" />
                <span role="status" className="min-w-0 flex-1 basis-64 truncate">
                    {here.length === 1 ? (
                        <Words row={first} />
                    ) : (
                        `${here.length} files are not valid. The last valid versions stay in use where available.`
                    )}
                </span>
                {here.length === 1 ? (
                    <Open file={first.file} />
                ) : (
                    <Button size="small" aria-expanded={open} onClick={() => setOpen(!open)}>
                        {open ? "Show less" : "Show all"}
                    </Button>
                )}
                <Button size="small" variant="quiet" onClick={onHide}>
                    Hide
                </Button>
            </div>
            {open && here.length > 1 && (
                <ul className="mt-1 space-y-1 pl-7">
                    {here.slice(0, MAX_PROBLEMS).map((row) => (
                        <li key={`${row.file}:${row.line ?? ""}:${row.message}`} className="flex items-baseline gap-3">
                            <span className="min-w-0 flex-1 break-words">
                                <Words row={row} />
                            </span>
                            <Open file={row.file} />
                        </li>
                    ))}
                </ul>
            )}
        </section>
    );
}

function Words({ row }: { row: ConfigProblemRow }) {
    const name = row.file.split(/[/\\]/).slice(-2).join("/");
    return (
        <span title={row.file}>
            <span className="font-medium">
                {name}
                {row.line !== null && row.line !== undefined && `, line ${row.line}`}
            </span>
            : {row.message}.{row.remedy !== null && row.remedy !== undefined && ` ${row.remedy}.`}
            {row.kept && " The last valid version stays in use."}
        </span>
    );
}

function Open({ file }: { file: string }) {
    const own = shell();
    if (own === undefined) return null;
    return (
        <Button
            size="small"
            onClick={() =>
                own
                    .openPath(file)
                    .catch((thrown: unknown) => toastProblem(toProblem(thrown), "The file could not be opened"))
            }
        >
            Open file
        </Button>
    );
}
