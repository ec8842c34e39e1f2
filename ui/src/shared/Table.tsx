import { ArrowDown, ArrowUp } from "lucide-react";
import type { ReactNode } from "react";

import { cx } from "./cx";

export interface Column<T> {
    id: string;
    heading: string;
    render: (row: T) => ReactNode;
    /** Numbers stand at the end, in figures of one width. */
    numeric?: boolean;
    /** A Tailwind width, e.g. "w-24". */
    width?: string;
    sortable?: boolean;
    /** Whether the heading is only for who does not see the table: above buttons. */
    hideHeading?: boolean;
}

export interface TableProps<T> {
    /** What it shows, for who does not see the heading above it. */
    label: string;
    columns: Column<T>[];
    rows: readonly T[];
    keyOf: (row: T) => string;
    onOpen?: (row: T) => void;
    sort?: { column: string; down: boolean };
    onSort?: (sort: { column: string; down: boolean }) => void;
    /** In place of rows. */
    empty?: ReactNode;
    className?: string;
}

export function Table<T>({
    label,
    columns,
    rows,
    keyOf,
    onOpen,
    sort,
    onSort,
    empty = "Nothing here.",
    className,
}: TableProps<T>) {
    return (
        <div className={cx("overflow-x-auto", className)}>
            <table aria-label={label} className="w-full border-collapse text-ui">
                <thead>
                    <tr className="border-b border-hairline text-left text-small text-ink-3">
                        {columns.map((column) => {
                            const sorted = sort?.column === column.id ? sort : undefined;
                            return (
                                <th
                                    key={column.id}
                                    scope="col"
                                    aria-sort={
                                        sorted === undefined ? undefined : sorted.down ? "descending" : "ascending"
                                    }
                                    className={cx(
                                        "h-7 pr-4 font-medium last:pr-0",
                                        column.numeric && "text-right",
                                        column.width,
                                    )}
                                >
                                    {column.sortable && onSort !== undefined ? (
                                        <button
                                            type="button"
                                            className="inline-flex items-center gap-1 rounded-[4px] hover:text-ink"
                                            onClick={() =>
                                                onSort({
                                                    column: column.id,
                                                    down:
                                                        sorted === undefined ? (column.numeric ?? false) : !sorted.down,
                                                })
                                            }
                                        >
                                            {column.heading}
                                            {sorted !== undefined &&
                                                (sorted.down ? (
                                                    <ArrowDown size={12} aria-hidden />
                                                ) : (
                                                    <ArrowUp size={12} aria-hidden />
                                                ))}
                                        </button>
                                    ) : column.hideHeading === true ? (
                                        <span className="sr-only">{column.heading}</span>
                                    ) : (
                                        column.heading
                                    )}
                                </th>
                            );
                        })}
                    </tr>
                </thead>
                <tbody>
                    {rows.length === 0 && (
                        <tr>
                            <td colSpan={columns.length} className="py-3 text-ink-2">
                                {empty}
                            </td>
                        </tr>
                    )}
                    {rows.map((row) => (
                        <tr
                            key={keyOf(row)}
                            {...(onOpen === undefined
                                ? {}
                                : {
                                      tabIndex: 0,
                                      onClick: () => onOpen(row),
                                      onKeyDown: (event) => {
                                          if (event.key === "Enter" && event.target === event.currentTarget)
                                              onOpen(row);
                                      },
                                  })}
                            className={cx(
                                "ring-inside border-b border-hairline last:border-b-0",
                                onOpen !== undefined && "hover:bg-hover",
                            )}
                        >
                            {columns.map((column) => (
                                <td
                                    key={column.id}
                                    className={cx(
                                        "py-1.5 pr-4 align-top last:pr-0",
                                        column.numeric && "tabular text-right",
                                    )}
                                >
                                    {column.render(row)}
                                </td>
                            ))}
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}
