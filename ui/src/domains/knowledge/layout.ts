// Where paragraphs around another one are drawn: in columns, one for each step, what refers to it at the left and what it refers to at the right.

import type { BaseGraph, GraphEdge, GraphNode } from "@/backend";

export const NODE = { width: 132, height: 28 } as const;
const GAP = { column: 48, row: 8 } as const;
/** Links within a column bend around its outer side. */
const MARGIN = { x: 24, y: 8 } as const;

export interface Placed {
    node: GraphNode;
    /** 0 in the middle, negative at the left. */
    column: number;
    row: number;
    x: number;
    y: number;
}

export interface Line {
    edge: GraphEdge;
    /** An SVG path. */
    path: string;
}

export interface Layout {
    width: number;
    height: number;
    /** In the order of the graph. */
    placed: Placed[];
    lines: Line[];
    /** The kinds of links, each once. */
    kinds: string[];
}

export function layOut({ nodes, edges }: Pick<BaseGraph, "nodes" | "edges">): Layout {
    const columns = columnsOf(nodes, edges);
    const rows = new Map<number, GraphNode[]>();
    for (const node of nodes) {
        const column = columns.get(node.id) ?? 0;
        rows.set(column, [...(rows.get(column) ?? []), node]);
    }
    const linked = linksOf(edges);
    const numbers = [...rows.keys()];
    const least = Math.min(0, ...numbers);
    const most = Math.max(0, ...numbers);
    const longest = Math.max(1, ...[...rows.values()].map((column) => column.length));
    const height = longest * (NODE.height + GAP.row) - GAP.row + 2 * MARGIN.y;

    const places = new Map<string, Placed>();
    // From the middle outwards: each stands as near as it can to what it was reached from.
    for (const column of numbers.sort((a, b) => Math.abs(a) - Math.abs(b) || a - b)) {
        const inner = column - Math.sign(column);
        const wanted = (node: GraphNode) => {
            const near = (linked.get(node.id) ?? [])
                .flatMap((id) => places.get(id) ?? [])
                .filter((place) => place.column === inner);
            return near.length === 0 ? Number.MAX_VALUE : near.reduce((sum, place) => sum + place.y, 0) / near.length;
        };
        const order = (rows.get(column) ?? [])
            .map((node, index) => ({ node, index, at: wanted(node) }))
            .sort((a, b) => a.at - b.at || a.index - b.index);
        const top = (height - (order.length * (NODE.height + GAP.row) - GAP.row)) / 2;
        order.forEach(({ node }, row) =>
            places.set(node.id, {
                node,
                column,
                row,
                x: MARGIN.x + (column - least) * (NODE.width + GAP.column),
                y: top + row * (NODE.height + GAP.row),
            }),
        );
    }
    return {
        width: (most - least) * (NODE.width + GAP.column) + NODE.width + 2 * MARGIN.x,
        height,
        placed: nodes.flatMap((node) => places.get(node.id) ?? []),
        lines: edges.flatMap((edge) => {
            const [from, to] = [places.get(edge.from), places.get(edge.to)];
            return from === undefined || to === undefined || from === to ? [] : [{ edge, path: pathOf(from, to) }];
        }),
        kinds: [...new Set(edges.map((edge) => edge.kind))].sort(),
    };
}

/** A node's column: its side is that of the link that it was reached by first. */
function columnsOf(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Map<string, number> {
    const columns = new Map<string, number>();
    const middle = nodes[0];
    if (middle === undefined) return columns;
    columns.set(middle.id, 0);
    for (const node of [...nodes].sort((a, b) => a.depth - b.depth)) {
        if (columns.has(node.id)) continue;
        const nearer = (id: string) =>
            columns.get(id) === undefined
                ? undefined
                : Math.abs(columns.get(id) ?? 0) === node.depth - 1
                  ? columns.get(id)
                  : undefined;
        // What is referred to before what refers.
        const over =
            edges.find((edge) => edge.to === node.id && nearer(edge.from) !== undefined) ??
            edges.find((edge) => edge.from === node.id && nearer(edge.to) !== undefined);
        const inner = over === undefined ? 0 : (nearer(over.to === node.id ? over.from : over.to) ?? 0);
        const side = inner !== 0 ? Math.sign(inner) : over?.to === node.id || over === undefined ? 1 : -1;
        columns.set(node.id, side * node.depth);
    }
    return columns;
}

function linksOf(edges: readonly GraphEdge[]): Map<string, string[]> {
    const linked = new Map<string, string[]>();
    for (const { from, to } of edges) {
        linked.set(from, [...(linked.get(from) ?? []), to]);
        linked.set(to, [...(linked.get(to) ?? []), from]);
    }
    return linked;
}

/** From border to border; within a column around its outer side. */
function pathOf(from: Placed, to: Placed): string {
    const [y1, y2] = [from.y + NODE.height / 2, to.y + NODE.height / 2];
    if (from.column === to.column) {
        const outward = from.column < 0 ? -1 : 1;
        const x = outward < 0 ? from.x : from.x + NODE.width;
        const bend = x + outward * (GAP.column / 2);
        return `M${x},${y1} C${bend},${y1} ${bend},${y2} ${x},${y2}`;
    }
    const rightwards = from.column < to.column;
    const x1 = rightwards ? from.x + NODE.width : from.x;
    const x2 = rightwards ? to.x : to.x + NODE.width;
    const bend = (x1 + x2) / 2;
    return `M${x1},${y1} C${bend},${y1} ${bend},${y2} ${x2},${y2}`;
}

/** The node that an arrow key leads to. */
export function stepFrom(placed: readonly Placed[], at: string, key: string): string | undefined {
    const now = placed.find((place) => place.node.id === at);
    if (key === "Home") return placed[0]?.node.id;
    if (now === undefined) return undefined;
    if (key === "ArrowUp" || key === "ArrowDown") {
        const row = now.row + (key === "ArrowUp" ? -1 : 1);
        return placed.find((place) => place.column === now.column && place.row === row)?.node.id;
    }
    if (key !== "ArrowLeft" && key !== "ArrowRight") return undefined;
    const column = now.column + (key === "ArrowLeft" ? -1 : 1);
    const beside = placed.filter((place) => place.column === column);
    return beside.sort((a, b) => Math.abs(a.y - now.y) - Math.abs(b.y - now.y))[0]?.node.id;
}

/** How a kind of link is drawn: kinds differ in their dashes first. */
export function strokeOf(kinds: readonly string[], kind: string): { dashes: string | undefined; width: number } {
    const index = Math.max(0, kinds.indexOf(kind));
    return { dashes: DASHES[index % DASHES.length], width: index < DASHES.length ? 1.25 : 2.25 };
}

const DASHES = [undefined, "7 4", "2 3", "10 3 2 3", "1 5"];
