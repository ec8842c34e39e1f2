import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { useElapsed } from "./hooks";
import { RelativeTime } from "./time";

beforeEach(() => {
    vi.useFakeTimers({ now: new Date(2026, 7, 21, 12) });
});

afterEach(() => {
    vi.useRealTimers();
});

it("counts a running time by seconds, and stops with what it counts", () => {
    const since = Date.now();
    let drawn = 0;
    function Running({ until }: { until?: number }) {
        drawn += 1;
        return <p data-testid="ms">{useElapsed(since, until)}</p>;
    }
    const view = render(<Running />);
    act(() => void vi.advanceTimersByTime(3_000));
    expect(screen.getByTestId("ms").textContent).toBe("3000");
    view.rerender(<Running until={since + 3_400} />);
    const before = drawn;
    act(() => void vi.advanceTimersByTime(60_000));
    expect(screen.getByTestId("ms").textContent).toBe("3400");
    expect(drawn).toBe(before);
    expect(vi.getTimerCount()).toBe(0);
});

it("says how long ago without waking up every second", () => {
    render(<RelativeTime at={Date.now()} />);
    expect(screen.getByText("now")).toBeTruthy();
    act(() => void vi.advanceTimersByTime(75_000));
    expect(screen.getByText("1 m")).toBeTruthy();
    expect(vi.getTimerCount()).toBe(1);
});
