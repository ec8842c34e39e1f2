// Where the boxes and lines of a stage diagram stand. Plain numbers in, plain numbers out.

export interface DiagramStage {
    id: string;
    dependsOn: readonly string[];
    /** The most repairs of the unit it belongs to; 0 for none. */
    maxIterations: number;
}

export interface Box {
    id: string;
    x: number;
    y: number;
    width: number;
    height: number;
    /** How many stages stand before it on the longest way. */
    layer: number;
}

/** A line from one stage to another, as an SVG path. */
export interface Line {
    from: string;
    to: string;
    path: string;
}

/** The way back from the last stage of a unit to its first. */
export interface Arc extends Line {
    /** The most repairs. */
    most: number;
    label: { x: number; y: number };
}

export interface Diagram {
    direction: "across" | "down";
    width: number;
    height: number;
    boxes: Box[];
    lines: Line[];
    arcs: Arc[];
}

/** Sizes in CSS pixels at zoom 1. */
const SIZE = {
    least: 112,
    most: 176,
    height: 68,
    gap: 30,
    row: 14,
    arc: 44,
    downHeight: 56,
    downGap: 26,
    downArc: 92,
    downMost: 420,
};

/** Direct predecessors. An agent that names none for any stage runs them one after the other. */
export function predecessors(stages: readonly DiagramStage[]): Map<string, string[]> {
    const known = new Set(stages.map((stage) => stage.id));
    const chain = stages.every((stage) => stage.dependsOn.length === 0);
    return new Map(
        stages.map((stage, index) => {
            const before = stages[index - 1];
            return [
                stage.id,
                chain
                    ? before === undefined
                        ? []
                        : [before.id]
                    : stage.dependsOn.filter((id) => known.has(id) && id !== stage.id),
            ];
        }),
    );
}

/** The layer of each stage: the longest way to it. A circle, which a valid agent does not have, ends where it closes. */
export function layersOf(stages: readonly DiagramStage[]): Map<string, number> {
    const before = predecessors(stages);
    const layers = new Map<string, number>();
    const layer = (id: string, open: ReadonlySet<string>): number => {
        const known = layers.get(id);
        if (known !== undefined) return known;
        const within = new Set(open).add(id);
        const value =
            Math.max(
                -1,
                ...(before.get(id) ?? []).filter((each) => !within.has(each)).map((each) => layer(each, within)),
            ) + 1;
        layers.set(id, value);
        return value;
    };
    for (const stage of stages) layer(stage.id, new Set());
    return layers;
}

/** What is drawn as lines: a dependency that is reached through another one anyway is left out. */
export function visibleEdges(stages: readonly DiagramStage[]): { from: string; to: string }[] {
    const before = predecessors(stages);
    const reaches = (from: string, to: string, seen = new Set<string>()): boolean => {
        if (seen.has(to)) return false;
        seen.add(to);
        return (before.get(to) ?? []).some((each) => each === from || reaches(from, each, seen));
    };
    return stages.flatMap((stage) => {
        const direct = before.get(stage.id) ?? [];
        return direct
            .filter((from) => !direct.some((other) => other !== from && reaches(from, other)))
            .map((from) => ({ from, to: stage.id }));
    });
}

/** Units that are repaired together: neighbours with the same limit. */
export function repairUnits(stages: readonly DiagramStage[]): { first: string; last: string; most: number }[] {
    const units: { first: string; last: string; most: number }[] = [];
    stages.forEach((stage, index) => {
        if (stage.maxIterations === 0) return;
        const open = units[units.length - 1];
        if (open !== undefined && stages[index - 1]?.maxIterations === stage.maxIterations) open.last = stage.id;
        else units.push({ first: stage.id, last: stage.id, most: stage.maxIterations });
    });
    return units;
}

/** Lays a diagram out in `width` CSS pixels, from left to right where the stages fit and from top to bottom otherwise. */
export function layOut(stages: readonly DiagramStage[], width: number, zoom = 1): Diagram {
    const layers = layersOf(stages);
    const columns = Math.max(0, ...[...layers.values()].map((layer) => layer + 1));
    const size = Object.fromEntries(Object.entries(SIZE).map(([name, value]) => [name, value * zoom])) as typeof SIZE;
    const fitting = columns === 0 ? 0 : (width - (columns - 1) * size.gap) / columns;
    return fitting >= size.least
        ? across(stages, layers, Math.min(size.most, fitting), size)
        : down(stages, layers, width, size);
}

function across(
    stages: readonly DiagramStage[],
    layers: Map<string, number>,
    boxWidth: number,
    size: typeof SIZE,
): Diagram {
    const groups = grouped(stages, layers);
    const tallest = Math.max(1, ...groups.map((group) => group.length));
    const body = tallest * size.height + (tallest - 1) * size.row;
    const units = repairUnits(stages);
    // Room above for the way back, as far as shorter columns leave none.
    const highest = Math.max(
        0,
        ...units.flatMap(({ first, last }) => [first, last]).map((id) => groups[layers.get(id) ?? 0]?.length ?? 0),
    );
    const spare = ((tallest - highest) * (size.height + size.row)) / 2;
    const top = units.length > 0 ? Math.max(0, size.arc - spare) : 0;
    const boxes = groups.flatMap((group, layer) => {
        const height = group.length * size.height + (group.length - 1) * size.row;
        return group.map((stage, row) => ({
            id: stage.id,
            x: layer * (boxWidth + size.gap),
            y: top + (body - height) / 2 + row * (size.height + size.row),
            width: boxWidth,
            height: size.height,
            layer,
        }));
    });
    const at = new Map(boxes.map((box) => [box.id, box]));
    const lines = visibleEdges(stages).flatMap(({ from, to }) => {
        const a = at.get(from);
        const b = at.get(to);
        if (a === undefined || b === undefined) return [];
        const start = { x: a.x + a.width, y: a.y + a.height / 2 };
        const end = { x: b.x, y: b.y + b.height / 2 };
        const middle = end.x - size.gap / 2;
        const path =
            start.y === end.y
                ? `M ${start.x} ${start.y} H ${end.x}`
                : `M ${start.x} ${start.y} H ${middle - 6} Q ${middle} ${start.y} ${middle} ${start.y + Math.sign(end.y - start.y) * 6} V ${end.y - Math.sign(end.y - start.y) * 6} Q ${middle} ${end.y} ${middle + 6} ${end.y} H ${end.x}`;
        return [{ from, to, path }];
    });
    const arcs = units.flatMap(({ first, last, most }) => {
        const a = at.get(last);
        const b = at.get(first);
        if (a === undefined || b === undefined) return [];
        const own = first === last;
        const start = { x: a.x + a.width * (own ? 0.7 : 0.5), y: a.y };
        const end = { x: b.x + b.width * (own ? 0.3 : 0.5), y: b.y };
        const high = Math.min(start.y, end.y) - size.arc * 0.5;
        const bend = Math.min(10, size.arc * 0.3);
        const path = `M ${start.x} ${start.y} V ${high + bend} Q ${start.x} ${high} ${start.x - bend} ${high} H ${end.x + bend} Q ${end.x} ${high} ${end.x} ${high + bend} V ${end.y}`;
        return [{ from: last, to: first, path, most, label: { x: (start.x + end.x) / 2, y: high } }];
    });
    return {
        direction: "across",
        width: groups.length * boxWidth + Math.max(0, groups.length - 1) * size.gap,
        height: top + body,
        boxes,
        lines,
        arcs,
    };
}

function down(stages: readonly DiagramStage[], layers: Map<string, number>, width: number, size: typeof SIZE): Diagram {
    const groups = grouped(stages, layers);
    const units = repairUnits(stages);
    const room = Math.max(size.least, Math.min(width - (units.length > 0 ? size.downArc : 0), size.downMost));
    const boxes = groups.flatMap((group, layer) => {
        const each = (room - (group.length - 1) * size.row) / group.length;
        return group.map((stage, column) => ({
            id: stage.id,
            x: column * (each + size.row),
            y: layer * (size.downHeight + size.downGap),
            width: each,
            height: size.downHeight,
            layer,
        }));
    });
    const at = new Map(boxes.map((box) => [box.id, box]));
    const lines = visibleEdges(stages).flatMap(({ from, to }) => {
        const a = at.get(from);
        const b = at.get(to);
        if (a === undefined || b === undefined) return [];
        const start = { x: a.x + a.width / 2, y: a.y + a.height };
        const end = { x: b.x + b.width / 2, y: b.y };
        const middle = end.y - size.downGap / 2;
        return [
            {
                from,
                to,
                path:
                    start.x === end.x
                        ? `M ${start.x} ${start.y} V ${end.y}`
                        : `M ${start.x} ${start.y} V ${middle} H ${end.x} V ${end.y}`,
            },
        ];
    });
    const arcs = units.flatMap(({ first, last, most }) => {
        const a = at.get(last);
        const b = at.get(first);
        if (a === undefined || b === undefined) return [];
        const own = first === last;
        const start = { x: a.x + a.width, y: a.y + a.height * (own ? 0.75 : 0.5) };
        const end = { x: b.x + b.width, y: b.y + b.height * (own ? 0.25 : 0.5) };
        const far = Math.max(start.x, end.x) + size.downArc * 0.2;
        const bend = Math.min(8, (start.y - end.y) / 2);
        const path = `M ${start.x} ${start.y} H ${far - bend} Q ${far} ${start.y} ${far} ${start.y - bend} V ${end.y + bend} Q ${far} ${end.y} ${far - bend} ${end.y} H ${end.x}`;
        return [{ from: last, to: first, path, most, label: { x: far, y: (start.y + end.y) / 2 } }];
    });
    const count = groups.length;
    return {
        direction: "down",
        width: room + (units.length > 0 ? size.downArc : 0),
        height: count * size.downHeight + Math.max(0, count - 1) * size.downGap,
        boxes,
        lines,
        arcs,
    };
}

function grouped(stages: readonly DiagramStage[], layers: Map<string, number>): DiagramStage[][] {
    const groups: DiagramStage[][] = [];
    for (const stage of stages) (groups[layers.get(stage.id) ?? 0] ??= []).push(stage);
    return groups;
}
