import { afterEach, expect, it, vi } from "vitest";

import { notePlace } from "./scroll";

afterEach(() => {
    vi.useRealTimers();
    localStorage.clear();
});

/** The module as the next start of the program has it. */
async function restarted() {
    vi.resetModules();
    return import("./scroll");
}

it("writes down where a session was left soon after the last scroll, and knows it at the next start", async () => {
    vi.useFakeTimers();
    notePlace("audit", { turn: "t3", offset: -40, end: false });
    notePlace("leases", { turn: "t9", offset: 0, end: true });
    expect(localStorage.getItem("places")).toBeNull();
    await vi.advanceTimersByTimeAsync(1_000);
    vi.useRealTimers();
    const { placeOf } = await restarted();
    expect(placeOf("audit")).toBe("t3");
    expect(placeOf("leases")).toBeUndefined();
});

it("begins without places where what was kept can't be read", async () => {
    localStorage.setItem("places", '[["audit", {"turn": "t3"}], 7]');
    expect((await restarted()).placeOf("audit")).toBeUndefined();
    localStorage.setItem("places", "no JSON");
    expect((await restarted()).placeOf("audit")).toBeUndefined();
});
