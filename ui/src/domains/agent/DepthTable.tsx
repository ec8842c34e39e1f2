import { Badge, Table, type Column } from "@/shared";

import { depthRows, type DepthRow } from "./depths";

/** What each depth sets, a line a setting. */
export function DepthTable({ modes, order, standard }: { modes: unknown; order: string[]; standard: string | null }) {
    const rows = depthRows(modes);
    const known = rows.length === 0 ? [] : Object.keys(rows[0]?.values ?? {});
    const depths = [
        ...order.filter((depth) => known.includes(depth)),
        ...known.filter((depth) => !order.includes(depth)),
    ];
    if (depths.length === 0) return <p className="text-ui text-ink-2">This agent has one depth.</p>;
    const columns: Column<DepthRow>[] = [
        { id: "setting", heading: "Setting", render: (row) => <span title={row.key}>{row.name}</span> },
        ...depths.map((depth): Column<DepthRow> => ({
            id: depth,
            heading: depth === standard ? `${depth} (default)` : depth,
            numeric: true,
            width: "w-32",
            render: (row) => <Value value={row.values[depth]} />,
        })),
    ];
    return <Table label="Depths" columns={columns} rows={rows} keyOf={(row) => row.key} className="max-w-2xl" />;
}

function Value({ value }: { value: unknown }) {
    if (value === true) return "yes";
    if (value === undefined || value === null) return <span className="text-ink-3">not set</span>;
    if (value === false) return <span className="text-ink-2">no</span>;
    return typeof value === "string" ? value : JSON.stringify(value);
}

/** From which share on a check counts as passed. */
export function Thresholds({ thresholds }: { thresholds: unknown }) {
    const axes = Object.entries(typeof thresholds === "object" && thresholds !== null ? thresholds : {});
    if (axes.length === 0) return <p className="text-ui text-ink-2">Nothing is checked.</p>;
    return (
        <>
            <ul className="flex flex-wrap gap-2">
                {axes.map(([axis, value]) => (
                    <li key={axis}>
                        <Badge>
                            {axis}{" "}
                            <span className="tabular font-medium text-ink">
                                {typeof value === "number" ? `${Math.round(value * 100)} %` : JSON.stringify(value)}
                            </span>
                        </Badge>
                    </li>
                ))}
            </ul>
            <p className="mt-2 text-small text-ink-3">
                If scores fall below these thresholds, the answer is revised; statements that stay unsupported are
                marked in the document.
            </p>
        </>
    );
}
