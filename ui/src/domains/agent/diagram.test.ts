import { describe, expect, test } from "vitest";

import { layOut, layersOf, repairUnits, visibleEdges, type DiagramStage } from "./diagram";

const stage = (id: string, dependsOn: string[] = [], maxIterations = 0): DiagramStage => ({
    id,
    dependsOn,
    maxIterations,
});

const CHAIN = [
    stage("plan"),
    stage("retrieve", ["plan"]),
    stage("write", ["retrieve"], 2),
    stage("verify", ["write"], 2),
    stage("output", ["verify"]),
];
const FORK = [stage("plan"), stage("web", ["plan"]), stage("base", ["plan"]), stage("write", ["plan", "web", "base"])];

describe("the stage diagram", () => {
    test("gives each stage the layer of the longest way to it", () => {
        expect(Object.fromEntries(layersOf(FORK))).toEqual({ plan: 0, web: 1, base: 1, write: 2 });
    });

    test("runs stages that name no predecessors one after the other", () => {
        expect(Object.fromEntries(layersOf([stage("a"), stage("b"), stage("c")]))).toEqual({ a: 0, b: 1, c: 2 });
    });

    test("ends at a circle instead of going round", () => {
        expect(layersOf([stage("a", ["b"]), stage("b", ["a"])]).size).toBe(2);
    });

    test("ignores a predecessor that does not exist", () => {
        expect(layersOf([stage("a"), stage("b", ["a", "gone"])]).get("b")).toBe(1);
    });

    test("draws no line where another way leads there anyway", () => {
        expect(visibleEdges(FORK)).toEqual([
            { from: "plan", to: "web" },
            { from: "plan", to: "base" },
            { from: "web", to: "write" },
            { from: "base", to: "write" },
        ]);
    });

    test("takes neighbours with the same limit for one unit of repair", () => {
        expect(repairUnits(CHAIN)).toEqual([{ first: "write", last: "verify", most: 2 }]);
        expect(repairUnits([stage("a", [], 1), stage("b"), stage("c", [], 1)])).toHaveLength(2);
    });

    test("goes across where the stages fit, and down where they don't", () => {
        expect(layOut(CHAIN, 1000).direction).toBe("across");
        expect(layOut(CHAIN, 420).direction).toBe("down");
        expect(layOut(CHAIN, 1000, 1.6).direction).toBe("down");
    });

    test.each([1000, 420, 260])("keeps everything inside %d pixels, and no two boxes overlap", (width) => {
        for (const stages of [CHAIN, FORK]) {
            const diagram = layOut(stages, width);
            expect(diagram.width).toBeLessThanOrEqual(width);
            expect(diagram.boxes).toHaveLength(stages.length);
            for (const box of diagram.boxes) {
                expect(box.x).toBeGreaterThanOrEqual(0);
                expect(box.y + box.height).toBeLessThanOrEqual(diagram.height + 0.01);
                expect(box.x + box.width).toBeLessThanOrEqual(diagram.width + 0.01);
                for (const other of diagram.boxes) {
                    if (other === box) continue;
                    const apart =
                        box.x + box.width <= other.x ||
                        other.x + other.width <= box.x ||
                        box.y + box.height <= other.y ||
                        other.y + other.height <= box.y;
                    expect(apart).toBe(true);
                }
            }
        }
    });

    test("parallel stages stand one above the other in the same column", () => {
        const { boxes } = layOut(FORK, 1000);
        const [web, base] = ["web", "base"].map((id) => boxes.find((box) => box.id === id));
        expect(web?.x).toBe(base?.x);
        expect(web?.y).not.toBe(base?.y);
    });

    test("the repair leads from the unit's last stage back to its first", () => {
        for (const width of [1000, 420]) {
            const [arc] = layOut(CHAIN, width).arcs;
            expect(arc).toMatchObject({ from: "verify", to: "write", most: 2 });
        }
    });

    test("an agent without stages is an empty diagram", () => {
        expect(layOut([], 800)).toMatchObject({ boxes: [], lines: [], arcs: [] });
    });
});
