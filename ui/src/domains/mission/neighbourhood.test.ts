import { describe, expect, it } from "vitest";

import { HEIGHT, WIDTH, drawingOf, type Neighbourhood } from "./neighbourhood";

type Entity = Neighbourhood["entities"][number];
type Relation = Neighbourhood["relations"][number];

const entity = (id: string): Entity => ({
    id,
    key: id,
    name: `Name ${id}`,
    aliases: [],
    kind: "",
    description: "",
    revision: 0,
});
const relation = (from: string, to: string): Relation => ({
    id: `${from}-${to}`,
    from,
    to,
    kind: "sets",
    note: "",
    citations: [],
});
const around = (ids: string[], relations: Relation[]): Neighbourhood => ({
    entities: ids.map(entity),
    relations,
    claims: [],
    is_cut: false,
});
const many = (count: number, of: string) => Array.from({ length: count }, (_, at) => `${of}${at}`);

describe("the picture of a neighbourhood", () => {
    it("has one entity in the middle, its own connections around it, and theirs outside", () => {
        const { places, lines, left } = drawingOf(
            around(["m", "a", "b", "c"], [relation("m", "a"), relation("b", "m"), relation("c", "b")]),
        );
        expect(places.map(({ entity, ring }) => [entity.id, ring])).toEqual([
            ["m", 0],
            ["a", 1],
            ["b", 1],
            ["c", 2],
        ]);
        expect(places[0]).toMatchObject({ x: WIDTH / 2, y: HEIGHT / 2 });
        expect(lines.map(({ from, to }) => `${from.entity.id}${to.entity.id}`)).toEqual(["ma", "bm", "cb"]);
        expect(left).toBe(0);
    });

    it("keeps every place apart and inside, however many there are, and counts the others", () => {
        const near = many(30, "n");
        const far = many(60, "f");
        const { places, left } = drawingOf(
            around(
                ["m", ...near, ...far],
                [...near.map((id) => relation("m", id)), ...far.map((id, at) => relation(`n${at % 5}`, id))],
            ),
        );
        expect(places.length + left).toBe(91);
        expect(places.filter(({ ring }) => ring === 2).length).toBeGreaterThan(0);
        for (const { x, y } of places) {
            expect(x).toBeGreaterThan(20);
            expect(x).toBeLessThan(WIDTH - 20);
            expect(y).toBeGreaterThan(20);
            expect(y).toBeLessThan(HEIGHT - 20);
        }
        for (const [at, one] of places.entries())
            for (const other of places.slice(at + 1))
                expect(Math.hypot(one.x - other.x, one.y - other.y)).toBeGreaterThan(25);
    });

    it("is empty where there is nothing, and one point where nothing is connected", () => {
        expect(drawingOf(around([], []))).toEqual({ places: [], lines: [], left: 0 });
        expect(drawingOf(around(["m"], [relation("m", "m")])).places).toHaveLength(1);
    });
});
