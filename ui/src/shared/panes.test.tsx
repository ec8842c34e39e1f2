import { fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";

import { SplitPane } from "./SplitPane";

const panes = (collapsed = false) => (
    <SplitPane
        id="t"
        label="the list"
        initial={300}
        min={200}
        max={400}
        collapsed={collapsed}
        start={<p>list</p>}
        end={<input aria-label="Page" />}
    />
);
const line = () => screen.getByRole("separator", { name: "Width of the list" });
const width = () => line().getAttribute("aria-valuenow");

it("is moved by keyboard and by hand, within its bounds, and remembers", async () => {
    const view = render(panes());
    line().focus();
    await userEvent.keyboard("{ArrowRight}");
    expect(width()).toBe("316");
    await userEvent.keyboard("{End}");
    expect(width()).toBe("400");
    fireEvent.pointerDown(line(), { button: 0, clientX: 400, pointerId: 1 });
    fireEvent.pointerMove(line(), { clientX: 250, pointerId: 1 });
    fireEvent.pointerUp(line(), { pointerId: 1 });
    expect(width()).toBe("250");
    view.unmount();
    render(panes());
    expect(width()).toBe("250");
});

it("gives way down to its least width where the other one needs the room", () => {
    const { container, rerender } = render(
        <SplitPane id="r" label="the list" initial={300} min={200} max={400} rest={480} start="list" end="page" />,
    );
    const [list, , page] = [...(container.firstElementChild?.children ?? [])] as HTMLElement[];
    expect([list?.style.width, list?.style.minWidth, page?.style.minWidth]).toEqual(["18.75rem", "12.5rem", "30rem"]);
    rerender(
        <SplitPane
            id="r"
            label="the list"
            initial={300}
            min={200}
            max={400}
            rest={480}
            collapsed
            start=""
            end="page"
        />,
    );
    expect(page?.style.minWidth).toBe("");
});

it("keeps what the other pane holds when one is hidden", async () => {
    const view = render(panes());
    await userEvent.type(screen.getByLabelText("Page"), "typed");
    const page = screen.getByLabelText("Page");
    view.rerender(panes(true));
    expect(screen.queryByRole("separator")).toBeNull();
    expect(screen.getByLabelText("Page")).toBe(page);
    expect(screen.getByLabelText<HTMLInputElement>("Page").value).toBe("typed");
});
