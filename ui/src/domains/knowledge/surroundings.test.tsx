import { act, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, test, vi } from "vitest";

import type { BaseGraph, GraphNode } from "@/backend";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { TooltipProvider } from "@/shared";

import { NODE, layOut, stepFrom, strokeOf } from "./layout";
import { Surroundings } from "./Surroundings";

const node = (id: string, depth: number, withdrawn = false): GraphNode => ({
    id,
    citation: `(${id})`,
    heading: "",
    depth,
    withdrawn,
});
const edge = (from: string, to: string, kind = "reference") => ({ from, to, kind });
const GRAPH: BaseGraph = {
    nodes: [node("m", 0), node("in", 1), node("out", 1, true), node("far", 2), node("back", 2)],
    edges: [
        edge("in", "m", "application"),
        edge("m", "out"),
        edge("out", "far"),
        edge("back", "in"),
        edge("far", "back"),
    ],
    more: true,
};

describe("a drawing", () => {
    const column = (graph: Pick<BaseGraph, "nodes" | "edges">) =>
        Object.fromEntries(layOut(graph).placed.map((place) => [place.node.id, place.column]));

    test("has what refers at the left and what is referred to at the right, a column for each step", () => {
        expect(column(GRAPH)).toEqual({ m: 0, in: -1, out: 1, far: 2, back: -2 });
    });

    test("keeps everything inside, and nothing on top of another", () => {
        const nodes = [node("m", 0), ...Array.from({ length: 149 }, (_, index) => node(`n${index}`, 1 + (index % 3)))];
        const edges = nodes
            .slice(1)
            .map((each, index) =>
                each.depth === 1
                    ? index % 2 === 0
                        ? edge("m", each.id)
                        : edge(each.id, "m")
                    : edge(`n${index - 1}`, each.id),
            );
        const { placed, width, height } = layOut({ nodes, edges });
        expect(placed).toHaveLength(150);
        for (const { x, y } of placed)
            expect(x >= 0 && y >= 0 && x + NODE.width <= width && y + NODE.height <= height).toBe(true);
        expect(new Set(placed.map(({ x, y }) => `${x} ${y}`)).size).toBe(150);
    });

    test("bears links to nodes that are not there, to itself, and no links at all", () => {
        expect(layOut({ nodes: [node("m", 0)], edges: [edge("m", "gone"), edge("m", "m")] }).lines).toEqual([]);
        expect(layOut({ nodes: [], edges: [] }).placed).toEqual([]);
    });

    test("tells kinds of links apart by more than colour", () => {
        const kinds = ["a", "b", "c", "d", "e", "f", "g"];
        expect(new Set(kinds.map((kind) => JSON.stringify(strokeOf(kinds, kind)))).size).toBe(kinds.length);
    });

    test("is walked with the arrow keys", () => {
        const { placed } = layOut(GRAPH);
        expect([
            stepFrom(placed, "m", "ArrowRight"),
            stepFrom(placed, "m", "ArrowLeft"),
            stepFrom(placed, "far", "Home"),
            stepFrom(placed, "far", "ArrowRight"),
            stepFrom(placed, "m", "x"),
        ]).toEqual(["out", "in", "m", undefined, undefined]);
    });
});

let core: MockTransport;
beforeEach(() => {
    forget();
    core = mockTransport();
    core.answers = { base_graph: GRAPH };
});

async function show() {
    const onRead = vi.fn();
    render(
        <TooltipProvider>
            <Surroundings base="own" paragraph="m" onRead={onRead} onClose={() => {}} />
        </TooltipProvider>,
    );
    await act(async () => {});
    return { user: userEvent.setup(), onRead };
}
const asked = () => core.asked.filter(({ name }) => name === "base_graph").map(({ params }) => params);

test("a paragraph among its links: chosen by keys, told in words, read", async () => {
    const { user, onRead } = await show();
    expect(await screen.findByRole("button", { name: "(in), 1 step away, refers to (m), application" })).toBeTruthy();
    screen.getByRole("button", { name: "(m), centre" }).focus();
    await user.keyboard("{ArrowRight}");
    expect(document.activeElement?.getAttribute("aria-label")).toBe(
        "(out), withdrawn, 1 step away, referred to by (m), reference",
    );
    const about = screen.getByRole("region", { name: "About (out)" });
    expect(about.textContent).toContain("refers to (far)");
    expect(about.textContent).toContain("withdrawn");
    await user.click(within(about).getByRole("button", { name: "Read paragraph" }));
    expect(onRead).toHaveBeenCalledWith("out");
    expect(screen.getByText(/Not all links are shown/)).toBeTruthy();
});

test("more steps, another middle, and back", async () => {
    const { user } = await show();
    await user.click(screen.getByRole("radio", { name: "3 steps" }));
    await waitFor(() => expect(asked()).toContainEqual({ base: "own", id: "m", depth: 3 }));
    await user.click(await screen.findByRole("button", { name: /^\(in\)/ }));
    await user.click(screen.getByRole("button", { name: "Centre" }));
    await waitFor(() => expect(asked()).toContainEqual({ base: "own", id: "in", depth: 3 }));
    await waitFor(() => expect(document.activeElement?.getAttribute("data-node")).toBe("m"));
    await user.click(screen.getByRole("button", { name: "Back to the previous paragraph" }));
    expect(screen.queryByRole("button", { name: "Back to the previous paragraph" })).toBeNull();
});

test("the same stands in a list", async () => {
    const { user, onRead } = await show();
    await user.click(await screen.findByRole("tab", { name: /List/ }));
    const far = within(screen.getByRole("region", { name: "2 steps away" }));
    await user.click(far.getByRole("button", { name: "(far)" }));
    expect(onRead).toHaveBeenCalledWith("far");
});

test("a paragraph without links says so", async () => {
    core.answers.base_graph = { nodes: [node("m", 0)], edges: [], more: false };
    await show();
    expect(await screen.findByText(/No cross-references from or to \(m\)/)).toBeTruthy();
});
