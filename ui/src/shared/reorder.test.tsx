import { fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { placeAfter, useReorder } from "./reorder";

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

describe("a list that is reordered", () => {
    const onMove = vi.fn();
    function List() {
        const order = useReorder("test", ["a", "b", "c"], onMove);
        return ["a", "b", "c"].map((id) => (
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
    beforeEach(() => onMove.mockClear());

    it("is moved by the keyboard, not beyond its ends", async () => {
        render(<List />);
        screen.getByText("b").focus();
        await userEvent.keyboard("{Alt>}{ArrowUp}{ArrowDown}{/Alt}{ArrowDown}");
        screen.getByText("c").focus();
        await userEvent.keyboard("{Alt>}{ArrowDown}{/Alt}");
        expect(onMove.mock.calls).toEqual([
            ["b", 0],
            ["b", 2],
        ]);
    });

    it("is moved by dragging, and takes nothing of another list", () => {
        render(<List />);
        const dataTransfer = carried({});
        fireEvent.dragStart(screen.getByText("c"), { dataTransfer });
        fireEvent.dragOver(screen.getByText("a"), { dataTransfer });
        fireEvent.drop(screen.getByText("a after"), { dataTransfer });
        expect(onMove.mock.calls).toEqual([["c", 1]]);
        fireEvent.drop(screen.getByText(/^a/), { dataTransfer: carried({ "application/x-order-other": "b" }) });
        expect(onMove).toHaveBeenCalledOnce();
    });
});
