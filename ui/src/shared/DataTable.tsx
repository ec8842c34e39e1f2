// A table that came as data: sorted by a click, as much of it as is looked at.

import { ArrowDown, ArrowUp } from "lucide-react";
import { useMemo, useState } from "react";

import { Button } from "./Button";
import { CopyButton } from "./CopyButton";
import { cx } from "./cx";
import { compareCells, type Rows } from "./rows";

/** A quantity, or nothing: "2026-0107" and "2026-03-02" are names. */
const isNumber = (cell: string) => /^\s*([+−-]?\s*[$€£]?\s*\d[\d.,\s]*\s*[%$€£]?)?\s*$/.test(cell);

const FIRST = 20;
const MORE = 200;

export function DataTable({ table, source, className }: { table: Rows; source: string; className?: string }) {
    const [most, setMost] = useState(FIRST);
    const [sorted, setSorted] = useState<{ column: number; down: boolean } | undefined>();
    const rows = useMemo(() => {
        if (sorted === undefined) return table.rows;
        const way = sorted.down ? -1 : 1;
        return [...table.rows].sort((a, b) => way * compareCells(a[sorted.column] ?? "", b[sorted.column] ?? ""));
    }, [table, sorted]);
    const numeric = useMemo(
        () => table.columns.map((_, column) => table.rows.every((row) => isNumber(row[column] ?? ""))),
        [table],
    );
    const sort = (column: number) =>
        setSorted(
            sorted?.column !== column ? { column, down: false } : sorted.down ? undefined : { column, down: true },
        );
    return (
        <figure
            aria-label="Table"
            className={cx("overflow-hidden rounded-control border border-hairline font-ui", className)}
        >
            <div tabIndex={0} role="group" aria-label="Rows" className="ring-inside max-h-[28rem] overflow-auto">
                <table className="w-full border-collapse text-ui">
                    <thead className="sticky top-0 bg-sunken">
                        <tr>
                            {table.columns.map((column, index) => (
                                <th
                                    key={index}
                                    aria-sort={
                                        sorted?.column !== index ? "none" : sorted.down ? "descending" : "ascending"
                                    }
                                    className={cx(
                                        "border-b border-hairline p-0 font-medium",
                                        numeric[index] === true ? "text-right" : "text-left",
                                    )}
                                >
                                    <button
                                        type="button"
                                        onClick={() => sort(index)}
                                        className="ring-inside inline-flex min-h-7 w-full items-center gap-1 px-2 hover:bg-hover"
                                        title="Sort by this column"
                                    >
                                        <span
                                            className={cx(
                                                "min-w-0 flex-1 truncate",
                                                numeric[index] === true ? "text-right" : "text-left",
                                            )}
                                        >
                                            {column}
                                        </span>
                                        {sorted?.column === index &&
                                            (sorted.down ? (
                                                <ArrowDown size={12} strokeWidth={1.5} aria-hidden />
                                            ) : (
                                                <ArrowUp size={12} strokeWidth={1.5} aria-hidden />
                                            ))}
                                    </button>
                                </th>
                            ))}
                        </tr>
                    </thead>
                    <tbody>
                        {rows.slice(0, most).map((row, index) => (
                            <tr key={index} className="border-b border-hairline last:border-b-0">
                                {table.columns.map((_, column) => (
                                    <td
                                        key={column}
                                        className={cx(
                                            "max-w-96 px-2 py-1 align-top break-words",
                                            numeric[column] === true && "tabular text-right whitespace-nowrap",
                                        )}
                                    >
                                        {row[column] ?? ""}
                                    </td>
                                ))}
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
            <figcaption className="flex items-center gap-2 border-t border-hairline bg-sunken pr-1 pl-2 text-small text-ink-3">
                <span className="tabular flex-1">
                    {table.rows.length.toLocaleString("en-GB")} {table.rows.length === 1 ? "row" : "rows"}
                </span>
                {rows.length > most && (
                    <Button size="small" variant="quiet" onClick={() => setMost(most + MORE)}>
                        Show {Math.min(MORE, rows.length - most)} more
                    </Button>
                )}
                <CopyButton text={source} label="Copy data" />
            </figcaption>
        </figure>
    );
}
