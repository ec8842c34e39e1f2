import { createEvent, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { placeAfter, sideAt, useReorder } from "./reorder";

describe("the place of what is moved", () => {
    const ids = ["a", "b", "c", "d"];
    it("is counted without the moved one", () => {
        expect(placeAfter(ids, "a", "c", "before")).toBe(1);
        expect(placeAfter(ids, "a", "c", "after")).toBe(2);
        expect(placeAfter(ids, "d", "a", "before")).toBe(0);
        expect(placeAfter(ids, "b", "d", "after")).toBe(3);
    });

    it("is none where nothing moves", () => {
        expect(placeAfter(ids, "a", "a", "after")).toBeUndefined();
        expect(placeAfter(ids, "b", "a", "after")).toBeUndefined();
        expect(placeAfter(ids, "b", "c", "before")).toBeUndefined();
        expect(placeAfter(ids, "x", "a", "before")).toBeUndefined();
    });
});

describe("the side on which something is let go", () => {
    const ids = ["a", "b", "c", "d"];
    it("is the edge that it is near", () => {
        expect(sideAt(ids, "a", "c", 0.1)).toBe("before");
        expect(sideAt(ids, "a", "c", 0.9)).toBe("after");
        expect(sideAt(ids, "d", "b", 0.1)).toBe("before");
        expect(sideAt(ids, "d", "b", 0.9)).toBe("after");
    });

    it("is in the middle the one that gives it the other one's place", () => {
        expect(sideAt(ids, "d", "b", 0.5)).toBe("before");
        expect(sideAt(ids, "a", "c", 0.5)).toBe("after");
        for (const moved of ids) {
            for (const target of ids.filter((id) => id !== moved)) {
                expect(placeAfter(ids, moved, target, sideAt(ids, moved, target, 0.5))).toBe(ids.indexOf(target));
            }
        }
    });

    it("is the nearer half where it is not known what is moved", () => {
        expect(sideAt(ids, undefined, "b", 0.4)).toBe("before");
        expect(sideAt(ids, undefined, "b", 0.6)).toBe("after");
    });
});

describe("a list that is reordered", () => {
    const onMove = vi.fn<(id: string, place: number) => Promise<unknown>>(() => Promise.resolve("done"));
    function List({ ids = ["a", "b", "c"] }: { ids?: string[] }) {
        const order = useReorder("test", ids, onMove);
        return ids.map((id) => (
            <button key={id} type="button" {...order.of(id)}>
                {id} {order.markOf(id)}
            </button>
        ));
    }
    const carried = (types: Record<string, string>) => ({
        get types() {
            return Object.keys(types);
        },
        getData: (type: string) => types[type] ?? "",
        setData: (type: string, value: string) => void (types[type] = value),
        effectAllowed: "",
    });
    beforeEach(() => void onMove.mockReset().mockImplementation(() => Promise.resolve("done")));

    it("is moved by the keyboard, not beyond its ends", async () => {
        render(<List />);
        screen.getByText("b").focus();
        await userEvent.keyboard("{Alt>}{ArrowUp}{ArrowDown}{/Alt}{ArrowDown}");
        screen.getByText("c").focus();
        await userEvent.keyboard("{Alt>}{ArrowDown}{/Alt}");
        expect(onMove.mock.calls).toEqual([
            ["b", 0],
            ["b", 1],
        ]);
    });

    it("goes on from the order that was asked for before the list shows it, or from the old one where it was refused", async () => {
        const { rerender } = render(<List />);
        screen.getByText("c").focus();
        await userEvent.keyboard("{Alt>}{ArrowUp}{ArrowUp}{ArrowUp}{/Alt}");
        expect(onMove.mock.calls).toEqual([
            ["c", 1],
            ["c", 0],
        ]);
        rerender(<List ids={["c", "a", "b"]} />);
        onMove.mockClear();
        onMove.mockResolvedValueOnce(undefined);
        await userEvent.keyboard("{Alt>}{ArrowDown}{/Alt}");
        await userEvent.keyboard("{Alt>}{ArrowDown}{/Alt}");
        expect(onMove.mock.calls).toEqual([
            ["c", 1],
            ["c", 1],
        ]);
    });

    it("goes on from the last order that was asked for, and keeps the focus, while the list shows an order on the way there", async () => {
        const ends: (() => void)[] = [];
        onMove.mockImplementation(() => new Promise((resolve) => ends.push(() => resolve("done"))));
        const { rerender } = render(<List />);
        const moved = screen.getByText("c");
        moved.focus();
        await userEvent.keyboard("{Alt>}{ArrowUp}{ArrowUp}{/Alt}");
        ends[0]?.();
        rerender(<List ids={["a", "c", "b"]} />);
        await userEvent.keyboard("{Alt>}{ArrowDown}{/Alt}");
        expect(onMove.mock.calls.at(-1)).toEqual(["c", 1]);
        ends.slice(1).forEach((end) => end());
        await Promise.resolve();
        // What takes an element out of its place takes the focus from it.
        moved.blur();
        rerender(<List ids={["c", "a", "b"]} />);
        expect(document.activeElement).toBe(moved);
        moved.blur();
        rerender(<List ids={["a", "c", "b"]} />);
        expect(document.activeElement).toBe(moved);
    });

    it("goes on from the list once the order was reached, also when the move is undone", async () => {
        const { rerender } = render(<List />);
        screen.getByText("c").focus();
        await userEvent.keyboard("{Alt>}{ArrowUp}{/Alt}");
        rerender(<List ids={["a", "c", "b"]} />);
        rerender(<List ids={["a", "b", "c"]} />);
        await userEvent.keyboard("{Alt>}{ArrowUp}{/Alt}");
        expect(onMove.mock.calls).toEqual([
            ["c", 1],
            ["c", 1],
        ]);
    });

    it("keeps the focus on what was moved", async () => {
        const { rerender } = render(<List />);
        const moved = screen.getByText("a");
        moved.focus();
        await userEvent.keyboard("{Alt>}{ArrowDown}{/Alt}");
        rerender(<List ids={["b", "a", "c"]} />);
        expect(document.activeElement).toBe(moved);
    });

    /** At a height of an element that is 20 pixels high. */
    function fire(kind: "dragOver" | "drop", element: HTMLElement, dataTransfer: object, clientY: number) {
        element.getBoundingClientRect = () => new DOMRect(0, 0, 100, 20);
        const event = createEvent[kind](element, { dataTransfer });
        Object.defineProperty(event, "clientY", { value: clientY });
        fireEvent(element, event);
    }

    it("is moved by dragging to the place that the line shows, and takes nothing of another list", () => {
        render(<List />);
        const dataTransfer = carried({});
        fireEvent.dragStart(screen.getByText("c"), { dataTransfer });
        fire("dragOver", screen.getByText("a"), dataTransfer, 18);
        fire("drop", screen.getByText("a after"), dataTransfer, 18);
        fire("dragOver", screen.getByText("a"), dataTransfer, 10);
        fire("drop", screen.getByText("a before"), dataTransfer, 10);
        expect(onMove.mock.calls).toEqual([
            ["c", 1],
            ["c", 0],
        ]);
        fireEvent.drop(screen.getByText("a"), { dataTransfer: carried({ "application/x-order-other": "b" }) });
        expect(onMove).toHaveBeenCalledTimes(2);
    });

    it("shows no line where nothing would move", () => {
        render(<List />);
        const dataTransfer = carried({});
        fireEvent.dragStart(screen.getByText("c"), { dataTransfer });
        fire("dragOver", screen.getByText("b"), dataTransfer, 19);
        expect(screen.queryByText(/after|before/)).toBeNull();
        fireEvent.dragEnd(screen.getByText("c"), { dataTransfer });
    });
});
