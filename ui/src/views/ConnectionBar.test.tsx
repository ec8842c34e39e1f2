import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { mockTransport, type MockTransport } from "@/backend/mock-transport";

import { ConnectionBar } from "./ConnectionBar";

let core: MockTransport;

beforeEach(() => {
    vi.useFakeTimers();
    core = mockTransport();
    core.connection({ state: "connected", attempt: 0 });
    render(<ConnectionBar />);
});
afterEach(() => {
    core.connection({ state: "connected", attempt: 0 });
    vi.useRealTimers();
});

const becomes = (connection: Parameters<MockTransport["connection"]>[0], ms: number) =>
    act(() => {
        core.connection(connection);
        vi.advanceTimersByTime(ms);
    });

test("a line that is mended at once is no news", () => {
    becomes({ state: "reconnecting", attempt: 1 }, 200);
    expect(screen.queryByRole("alert")).toBeNull();
    becomes({ state: "connected", attempt: 0 }, 1_000);
    expect(screen.queryByRole("alert")).toBeNull();
});

test("a broken line says that it is being mended, then what was kept and what to do", () => {
    becomes({ state: "reconnecting", attempt: 2 }, 0);
    act(() => void vi.advanceTimersByTime(500));
    expect(screen.getByRole("alert").textContent).toContain(
        "Reconnecting… The page may be out of date; your text is kept. Attempt 2.",
    );
    becomes({ state: "lost", attempt: 4, advice: "It ended. Start `agentnative serve` again." }, 0);
    expect(screen.getByRole("alert").textContent).toContain("Start agentnative serve again.");
    expect(screen.getByRole("button", { name: "Reload window" })).toBeTruthy();
});

test("a refused token has no buttons that can't help, only the address to open", () => {
    becomes({ state: "refused", attempt: 1, advice: "Open the address that `agentnative serve` printed last." }, 0);
    act(() => void vi.advanceTimersByTime(500));
    expect(screen.getByRole("alert").textContent).toContain("Open the address");
    expect(screen.queryAllByRole("button")).toEqual([]);
});
