import { useState, type ReactNode } from "react";

import type { UsageSum } from "@/backend";
import { formatMoney, shortTokens, tokensOf } from "@/domains/run";
import { Button, Table, type Column } from "@/shared";

export interface SumTableProps {
    label: string;
    /** What a row is of. */
    heading: string;
    rows: readonly UsageSum[];
    name?: (row: UsageSum) => ReactNode;
}

const FEW = 8;

type Sort = { column: string; down: boolean };

function valueOf(row: UsageSum, column: string): number | string {
    switch (column) {
        case "calls":
            return row.calls + row.failed;
        case "tokens":
            return tokensOf(row.usage);
        case "equivalent":
            return row.equivalent;
        case "cost":
            return row.cost;
        default:
            return (row.title || row.key).toLowerCase();
    }
}

/** Sums by something, dearest first unless it is sorted otherwise. */
export function SumTable({ label, heading, rows, name }: SumTableProps) {
    const [all, setAll] = useState(false);
    const [sort, setSort] = useState<Sort | undefined>();
    const flat = rows.some((row) => row.equivalent > 0);
    const columns: Column<UsageSum>[] = [
        {
            id: "name",
            heading,
            sortable: true,
            render: (row) => <span className="break-words">{name?.(row) ?? (row.title || row.key)}</span>,
        },
        {
            id: "calls",
            heading: "Requests",
            width: "w-32",
            numeric: true,
            sortable: true,
            render: (row) => (
                <span className="whitespace-nowrap">
                    {row.calls.toLocaleString("en-GB")}
                    {row.failed > 0 && <span className="text-failed"> + {row.failed} failed</span>}
                </span>
            ),
        },
        {
            id: "tokens",
            heading: "Tokens",
            width: "w-24",
            numeric: true,
            sortable: true,
            render: (row) => (
                <span title={tokensOf(row.usage).toLocaleString("en-GB")}>{shortTokens(tokensOf(row.usage))}</span>
            ),
        },
        ...(flat
            ? [
                  {
                      id: "equivalent",
                      heading: "Subscription",
                      width: "w-32",
                      numeric: true,
                      sortable: true,
                      render: (row: UsageSum) => (
                          <span className="whitespace-nowrap text-ink-2">
                              {row.equivalent === 0 ? "–" : formatMoney(row.equivalent)}
                          </span>
                      ),
                  },
              ]
            : []),
        {
            id: "cost",
            heading: "Billed",
            width: "w-32",
            numeric: true,
            sortable: true,
            render: (row) => <Billed row={row} />,
        },
    ];
    const sorted =
        sort === undefined
            ? rows
            : [...rows].sort((a, b) => {
                  const [x, y] = [valueOf(a, sort.column), valueOf(b, sort.column)];
                  return (x < y ? -1 : x > y ? 1 : 0) * (sort.down ? -1 : 1);
              });
    return (
        <>
            <Table
                label={label}
                columns={columns}
                rows={all ? sorted : sorted.slice(0, FEW)}
                keyOf={(row) => row.key}
                sort={sort}
                onSort={setSort}
            />
            {rows.length > FEW && (
                <Button size="small" variant="quiet" className="mt-1 -ml-2" onClick={() => setAll(!all)}>
                    {all ? "Show fewer" : `Show all ${rows.length}`}
                </Button>
            )}
        </>
    );
}

/** Money that was billed; what has no known price is said, never shown as free. */
export function Billed({ row }: { row: UsageSum }) {
    const unknown = row.unpriced > 0 && row.cost === 0;
    return (
        <span className="whitespace-nowrap">
            {unknown ? <span className="text-ink-2">no price known</span> : formatMoney(row.cost)}
            {row.unpriced > 0 && !unknown && (
                <span
                    className="text-ink-3"
                    title={`${row.unpriced} requests have no known price and are not included`}
                >
                    {" "}
                    + unpriced
                </span>
            )}
        </span>
    );
}
