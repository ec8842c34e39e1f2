import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, test, vi } from "vitest";

import { keysFrom, remap, runShortcut, useShortcut, useShortcuts } from "./shortcuts";

function Key({
    keys,
    handler,
    id = keys,
    enabled = true,
}: {
    keys: string;
    handler: () => void;
    id?: string;
    enabled?: boolean;
}) {
    useShortcut(id, keys, `does ${keys}`, handler, { enabled });
    return null;
}

function List() {
    return (
        <p data-testid="list">
            {useShortcuts()
                .map((each) => `${each.keys}=${each.label}`)
                .join(";")}
        </p>
    );
}

it("calls what was registered, and nothing once it is gone", async () => {
    const [plain, control, sequence, sign] = [vi.fn(), vi.fn(), vi.fn(), vi.fn()];
    const view = render(
        <>
            <Key keys="e" handler={plain} />
            <Key keys="Ctrl+K" handler={control} />
            <Key keys="g then i" handler={sequence} />
            <Key keys="?" handler={sign} />
        </>,
    );
    await userEvent.keyboard("e{Control>}k{/Control}gi?");
    expect([plain, control, sequence, sign].map((each) => each.mock.calls.length)).toEqual([1, 1, 1, 1]);
    view.unmount();
    await userEvent.keyboard("e{Control>}k{/Control}gi?");
    expect(plain).toHaveBeenCalledTimes(1);
});

it("lets people type", async () => {
    const [plain, control] = [vi.fn(), vi.fn()];
    render(
        <>
            <Key keys="e" handler={plain} />
            <Key keys="Ctrl+Enter" handler={control} />
            <textarea aria-label="Text" />
        </>,
    );
    await userEvent.type(screen.getByLabelText("Text"), "eee{Control>}{Enter}{/Control}");
    expect(plain).not.toHaveBeenCalled();
    expect(control).toHaveBeenCalledTimes(1);
});

it("prefers the newest of two with the same keys", async () => {
    const [old, recent] = [vi.fn(), vi.fn()];
    render(
        <>
            <Key id="a" keys="e" handler={old} />
            <Key id="b" keys="e" handler={recent} />
        </>,
    );
    await userEvent.keyboard("e");
    expect([old.mock.calls.length, recent.mock.calls.length]).toEqual([0, 1]);
});

it("takes the second key of a sequence before a page or a list does", async () => {
    const [page, sequence, list] = [vi.fn(), vi.fn(), vi.fn()];
    render(
        <>
            <Key keys="g then s" handler={sequence} />
            <Key keys="s" handler={page} />
            <div
                role="listbox"
                tabIndex={0}
                aria-label="List"
                onKeyDown={(event) => void (event.key === "s" && list())}
            />
        </>,
    );
    screen.getByRole("listbox").focus();
    await userEvent.keyboard("gs");
    expect([page, sequence, list].map((each) => each.mock.calls.length)).toEqual([0, 1, 0]);
    await userEvent.keyboard("s");
    expect([page, sequence, list].map((each) => each.mock.calls.length)).toEqual([1, 1, 1]);
});

it("carries out by name what has keys or none, and joins a plus key", async () => {
    const [named, plus] = [vi.fn(), vi.fn()];
    render(
        <>
            <Key id="named" keys="" handler={named} />
            <Key keys="Ctrl++" handler={plus} />
        </>,
    );
    expect([runShortcut("named"), runShortcut("gone")]).toEqual([true, false]);
    expect(named).toHaveBeenCalledTimes(1);
    await userEvent.keyboard("{Control>}+{/Control}");
    expect(plus).toHaveBeenCalledTimes(1);
});

it("lists those that hold now", () => {
    render(
        <>
            <Key keys="e" handler={() => {}} />
            <Key keys="x" handler={() => {}} enabled={false} />
            <List />
        </>,
    );
    expect(screen.getByTestId("list").textContent).toBe("e=does e");
});

describe("keys that a person chose", () => {
    const done = vi.fn();
    function Page() {
        useShortcut("archive", "e", "Archive", done);
        useShortcut("go-inbox", "g then i", "Inbox", done);
        return <button type="button">Here</button>;
    }

    test("hold in place of the others, and are listed", async () => {
        done.mockClear();
        remap("archive", "y");
        render(<Page />);
        await userEvent.keyboard("e");
        expect(done).not.toHaveBeenCalled();
        await userEvent.keyboard("y");
        expect(done).toHaveBeenCalledOnce();
        remap("archive", undefined);
        await userEvent.keyboard("e");
        expect(done).toHaveBeenCalledTimes(2);
    });

    test("may be two, one after the other", async () => {
        done.mockClear();
        render(<Page />);
        act(() => remap("go-inbox", "v then h"));
        await userEvent.keyboard("gi");
        expect(done).not.toHaveBeenCalled();
        await userEvent.keyboard("vh");
        expect(done).toHaveBeenCalledOnce();
        act(() => remap("go-inbox", undefined));
    });

    test("are written as shortcuts are", () => {
        const press = (key: string, part: Partial<KeyboardEvent> = {}) =>
            keysFrom({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...part });
        expect(press("e")).toBe("e");
        expect(press("#", { shiftKey: true })).toBe("#");
        expect(press("F", { ctrlKey: true, shiftKey: true })).toBe("Ctrl+Shift+F");
        expect(press("k", { metaKey: true })).toBe("Ctrl+K");
        expect(press("ArrowLeft", { altKey: true })).toBe("Alt+ArrowLeft");
        expect(press("Shift", { shiftKey: true })).toBeUndefined();
    });
});
