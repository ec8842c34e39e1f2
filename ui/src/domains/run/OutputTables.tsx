// The tables of what a run has put out, as its agent declares them: scores as bars, tasks with their state.

import type { TableCell, TableView } from "@/backend";
import { Fold, count, cx } from "@/shared";

/** Rows that are shown without being asked for. */
const SHORT = 20;

/** A cell as text. */
function cellText(value: unknown): string {
    if (value === null || value === undefined) return "";
    if (Array.isArray(value)) return value.map(cellText).join(", ");
    if (typeof value === "boolean") return value ? "yes" : "no";
    if (typeof value === "number") return figure(value);
    if (typeof value === "string") return value;
    return JSON.stringify(value);
}

export function OutputTables({ tables }: { tables: readonly TableView[] }) {
    return (
        <div className="flex flex-col gap-3">
            {tables.map((table) => (
                <Fold
                    key={table.title}
                    label={`${table.title} (${count(table.rows.length, "row")})`}
                    open={table.rows.length <= SHORT}
                >
                    <OutputTable table={table} />
                </Fold>
            ))}
        </div>
    );
}

/** A number without commas up to four digits: 2024 may be a year. */
const grouped = (value: number, options: Intl.NumberFormatOptions) =>
    value.toLocaleString("en-GB", { ...options, useGrouping: Math.abs(value) >= 10_000 });

/** A number with all its decimals: figures of a document are not rounded here. */
const figure = (value: number) => grouped(value, { maximumFractionDigits: 20 });

/** Beyond so many decimals a column is not aligned by them: `0.1 + 0.2` has seventeen. */
const MAX_ALIGNED_DECIMALS = 6;

/** Of a column of bare numbers: how many decimals its most exact one has; none where they are too many to align by. */
function numericColumn(cells: readonly TableCell[]): { decimals?: number } | undefined {
    const values = cells.map(({ value }) => value).filter((value) => value !== null && value !== undefined);
    const numbers = values.filter((value) => typeof value === "number");
    if (numbers.length === 0 || numbers.length < values.length || cells.some(hasScale)) return undefined;
    const decimals = numbers.reduce((most, value) => Math.max(most, figure(value).split(".")[1]?.length ?? 0), 0);
    return decimals > MAX_ALIGNED_DECIMALS ? {} : { decimals };
}

const hasScale = ({ max }: TableCell) => typeof max === "number" && max > 0;

function OutputTable({ table }: { table: TableView }) {
    const numeric = table.columns.map((_, at) =>
        numericColumn(table.rows.map((row) => row[at]).filter((cell) => cell !== undefined)),
    );
    return (
        // It may scroll sideways, so the keyboard has to reach it.
        <div role="group" aria-label={table.title} tabIndex={0} className="ring-inside overflow-x-auto">
            <table aria-label={table.title} className="w-full text-left text-small">
                <thead>
                    <tr>
                        {table.columns.map((column, at) => (
                            <th
                                key={column}
                                scope="col"
                                className={cx("py-1 pr-4 font-medium text-ink-2", numeric[at] && "text-right")}
                            >
                                {column}
                            </th>
                        ))}
                    </tr>
                </thead>
                <tbody>
                    {table.rows.map((row, at) => (
                        <tr key={at} className="border-t border-hairline align-top">
                            {row.map((cell, column) => (
                                <td
                                    key={column}
                                    className={cx("py-1 pr-4 break-words", numeric[column] && "tabular text-right")}
                                >
                                    <Cell cell={cell} decimals={numeric[column]?.decimals} />
                                </td>
                            ))}
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}

function Cell({ cell, decimals }: { cell: TableCell; decimals: number | undefined }) {
    const { value, max } = cell;
    if (typeof value === "number" && decimals !== undefined)
        return <>{grouped(value, { minimumFractionDigits: decimals, maximumFractionDigits: decimals })}</>;
    if (typeof value !== "number" || max === undefined || max === null || max <= 0) return <>{cellText(value)}</>;
    const share = Math.min(1, Math.max(0, value / max));
    return (
        <span className="flex items-center gap-2">
            <span
                role="meter"
                aria-valuemin={0}
                aria-valuemax={max}
                aria-valuenow={value}
                aria-label={`${value} of ${max}`}
                className="relative block h-1.5 w-24 overflow-hidden rounded-full bg-hairline"
            >
                <span
                    className="absolute inset-y-0 left-0 rounded-full bg-accent"
                    style={{ width: `${share * 100}%` }}
                />
            </span>
            <span className="tabular whitespace-nowrap">{`${value} of ${max}`}</span>
        </span>
    );
}
