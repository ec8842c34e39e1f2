// Two documents beside each other, block by block. What both have is folded away but for a block on each side.

import { useState } from "react";

import type { WordRow } from "@/backend";
import { cx } from "@/shared";

import { Spans } from "./Spans";

/** Blocks that stay in sight beside a difference. */
const AROUND = 1;

type Part = { kind: "row"; row: WordRow; at: number } | { kind: "folded"; from: number; rows: WordRow[] };

/** The rows with stretches that are the same on both sides put together. */
export function folded(rows: readonly WordRow[]): Part[] {
    const near = rows.map((_, at) => rows.slice(Math.max(0, at - AROUND), at + AROUND + 1).some((row) => !row.same));
    const parts: Part[] = [];
    rows.forEach((row, at) => {
        const last = parts[parts.length - 1];
        if (near[at] === true) parts.push({ kind: "row", row, at });
        else if (last?.kind === "folded") last.rows.push(row);
        else parts.push({ kind: "folded", from: at, rows: [row] });
    });
    return parts;
}

export function ComparedDocument({ rows }: { rows: readonly WordRow[] }) {
    const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
    return (
        <div role="group" aria-label="Documents, first and second" className="text-answer">
            {folded(rows).map((part) =>
                part.kind === "row" ? (
                    <Line key={part.at} row={part.row} />
                ) : open.has(part.from) ? (
                    part.rows.map((row, index) => <Line key={part.from + index} row={row} />)
                ) : (
                    <button
                        key={part.from}
                        type="button"
                        aria-expanded={false}
                        onClick={() => setOpen((before) => new Set(before).add(part.from))}
                        className="my-1 block w-full rounded-control bg-sunken px-3 py-1 text-left text-small text-ink-2 hover:bg-hover"
                    >
                        {part.rows.length === 1
                            ? "1 block is the same. Show it"
                            : `${part.rows.length} blocks are the same. Show them`}
                    </button>
                ),
            )}
        </div>
    );
}

function Line({ row }: { row: WordRow }) {
    const right = row.same ? row.left : row.right;
    return (
        <div className="grid gap-x-6 border-b border-hairline py-2 last:border-b-0 min-[46rem]:grid-cols-2">
            <div className={cx("min-w-0 break-words", row.left === null && "max-[45.99rem]:hidden")}>
                {row.left !== null && (
                    <>
                        {!row.same && <span className="sr-only">First: </span>}
                        <Spans spans={row.left} removed />
                    </>
                )}
            </div>
            {/* Under each other the same words are shown once. */}
            <div className={cx("min-w-0 break-words", (row.same || right === null) && "max-[45.99rem]:hidden")}>
                {right !== null && (
                    <>
                        {!row.same && <span className="sr-only">Second: </span>}
                        <Spans spans={right} removed={false} />
                    </>
                )}
            </div>
        </div>
    );
}
