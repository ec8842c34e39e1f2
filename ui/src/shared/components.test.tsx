import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, it, vi } from "vitest";

import {
    Button,
    ConfirmHost,
    Dialog,
    JsonView,
    Menu,
    Meter,
    Select,
    StateMark,
    Table,
    TextField,
    Toasts,
    TooltipProvider,
    VirtualList,
    confirm,
    toast,
    type State,
} from "./index";

it("asks before what can't be undone, and waits for the answer", async () => {
    render(<ConfirmHost />);
    let answer: boolean | undefined;
    void act(
        () => void confirm({ title: "Delete it?", confirmLabel: "Delete", danger: true }).then((yes) => (answer = yes)),
    );
    expect(await screen.findByRole("alertdialog", { name: "Delete it?" })).toBeTruthy();
    // The safe choice has the focus.
    expect(document.activeElement?.textContent).toBe("Cancel");
    await userEvent.click(screen.getByRole("button", { name: "Delete" }));
    expect(answer).toBe(true);
    void act(() => void confirm({ title: "Again?", confirmLabel: "Yes" }).then((yes) => (answer = yes)));
    await screen.findByRole("alertdialog");
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(answer).toBe(false));
});

it("offers the way back in a toast", async () => {
    render(<Toasts />, { wrapper: TooltipProvider });
    const undo = vi.fn();
    act(() => void toast({ text: "Archived", onUndo: undo }));
    await userEvent.click(screen.getByRole("button", { name: "Undo" }));
    expect(undo).toHaveBeenCalledTimes(1);
    expect(screen.queryByText("Archived")).toBeNull();
});

it("chooses from a list by keyboard alone", async () => {
    function Depth() {
        const [value, setValue] = useState("balanced");
        return (
            <Select
                label="Depth"
                value={value}
                onChange={setValue}
                options={[
                    { value: "quick", label: "Quick" },
                    { value: "balanced", label: "Balanced" },
                    { value: "deep", label: "Deep", disabled: true },
                    { value: "exhaustive", label: "Exhaustive" },
                ]}
            />
        );
    }
    render(<Depth />);
    await userEvent.tab();
    const box = screen.getByRole("combobox", { name: "Depth" });
    expect(document.activeElement).toBe(box);
    await userEvent.keyboard("{ArrowDown}{ArrowDown}{Enter}");
    expect(box.textContent).toBe("Exhaustive");
    await userEvent.keyboard("{Enter}q{Enter}");
    expect(box.textContent).toBe("Quick");
    expect(screen.queryByRole("listbox")).toBeNull();
});

it("opens a dialog on its first field and closes with one Escape", async () => {
    function Asking() {
        const [open, setOpen] = useState(true);
        return (
            <Dialog open={open} onOpenChange={setOpen} title="Name it" description="As people say it.">
                <TextField label="Name" value="" onChange={() => {}} />
            </Dialog>
        );
    }
    render(<Asking />, { wrapper: TooltipProvider });
    expect(document.activeElement).toBe(screen.getByLabelText("Name"));
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

it("writes no style element, which the content security policy would refuse", async () => {
    const { container } = render(
        <>
            <Menu trigger={<Button>More</Button>} entries={[{ id: "a", label: "Open", onSelect: () => {} }]} />
            <Select label="Depth" value="a" onChange={() => {}} options={[{ value: "a", label: "A" }]} />
        </>,
        { wrapper: TooltipProvider },
    );
    await userEvent.click(screen.getByRole("button", { name: "More" }));
    expect(screen.getByRole("menuitem", { name: "Open" })).toBeTruthy();
    await userEvent.keyboard("{Escape}");
    await userEvent.click(screen.getByRole("combobox"));
    expect(document.querySelectorAll("style").length).toBe(0);
    expect(container.querySelectorAll("style").length).toBe(0);
});

it("never tells a state by colour alone", () => {
    const states: State[] = ["running", "needs-you", "done", "failed", "skipped", "idle", "queued"];
    for (const state of states) {
        for (const show of ["both", "icon", "badge"] as const) {
            const { container, unmount } = render(<StateMark state={state} show={show} />);
            expect(container.querySelector("svg")).not.toBeNull();
            expect(container.textContent).not.toBe("");
            unmount();
        }
    }
});

it("tells a meter's mark in words", () => {
    render(<Meter label="Clarity" value={0.64} threshold={0.7} />);
    expect(screen.getByRole("meter", { name: "Clarity" }).getAttribute("aria-valuetext")).toBe(
        "64 %; below the threshold of 70 %",
    );
});

it("draws of a big value what is seen of it", async () => {
    const value = { list: Array.from({ length: 100_000 }, (_, index) => ({ index })), text: "y".repeat(50_000) };
    const { container } = render(<JsonView label="Plan" value={value} open={1} />, { wrapper: TooltipProvider });
    expect(container.querySelectorAll("*").length).toBeLessThan(60);
    await userEvent.click(screen.getByRole("button", { name: /list/ }));
    expect(container.querySelectorAll("*").length).toBeLessThan(2_000);
    expect(screen.getByRole("button", { name: "99900 more" })).toBeTruthy();
});

it("looks at few rows of a long list for a key press, however many there are", async () => {
    const items = Array.from({ length: 20_000 }, (_, index) => ({ id: `row-${index}` }));
    const looked = vi.fn();
    function List() {
        const [active, setActive] = useState("row-19000");
        return (
            <VirtualList
                label="Sessions"
                items={items}
                keyOf={(item) => (looked(), item.id)}
                estimate={() => (looked(), 56)}
                render={(item) => item.id}
                active={active}
                onActive={setActive}
                onKey={(_, item) => setActive(`${item?.id}`)}
            />
        );
    }
    render(<List />);
    act(() => screen.getByRole("listbox").focus());
    looked.mockClear();
    await userEvent.keyboard("jjk{End}{Home}{PageDown}");
    expect(looked.mock.calls.length).toBeLessThan(1_000);
});

it("opens a table's row by keyboard and sorts by its heading", async () => {
    const [open, sort] = [vi.fn(), vi.fn()];
    render(
        <Table
            label="Runs"
            columns={[
                { id: "n", heading: "Cost", numeric: true, sortable: true, render: (row: { n: number }) => row.n },
            ]}
            rows={[{ n: 1 }]}
            keyOf={(row) => String(row.n)}
            onOpen={open}
            onSort={sort}
        />,
    );
    await userEvent.click(screen.getByRole("button", { name: "Cost" }));
    expect(sort).toHaveBeenCalledWith({ column: "n", down: true });
    await userEvent.tab();
    await userEvent.keyboard("{Enter}");
    expect(open).toHaveBeenCalledWith({ n: 1 });
});
