import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { httpTransport, takeToken } from "./http";
import { toProblem } from "./problem";
import type { Connection } from "./transport";

class Line {
    static all: Line[] = [];
    sent: string[] = [];
    onopen = () => {};
    onmessage: (message: { data: string }) => void = () => {};
    onclose: (end: { code: number }) => void = () => {};

    constructor(readonly address: URL) {
        Line.all.push(this);
    }
    send(text: string) {
        this.sent.push(text);
    }
    close() {}
}

const latest = () => Line.all[Line.all.length - 1] as Line;

beforeEach(() => {
    Line.all = [];
    vi.useFakeTimers();
    vi.stubGlobal("WebSocket", Line);
    location.hash = "#token=se%20cret";
});

afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
});

it("takes the token out of the address and remembers it for this tab", () => {
    expect(takeToken()).toBe("se cret");
    expect(location.hash).toBe("#/");
    expect(takeToken()).toBe("se cret");
    expect(localStorage.length).toBe(0);
});

it("asks with the token and gives what is inside the answer", async () => {
    const ask = vi.fn(() => Promise.resolve(new Response('{"ok":{"version":"1"}}')));
    vi.stubGlobal("fetch", ask);
    expect(await httpTransport().call("app_info", null)).toEqual({ version: "1" });
    expect(ask).toHaveBeenCalledWith(
        "./api",
        expect.objectContaining({
            method: "POST",
            body: '{"command":"app_info"}',
            headers: { "content-type": "application/json", authorization: "Bearer se cret" },
        }),
    );
});

it("rejects with the problem that the core gives", async () => {
    vi.stubGlobal("fetch", () =>
        Promise.resolve(
            new Response('{"code":"not_found","message":"no such agent","retryable":false}', { status: 404 }),
        ),
    );
    const thrown: unknown = await httpTransport()
        .call("agent_show", { slug: "x" })
        .catch((error: unknown) => error);
    expect(toProblem(thrown)).toEqual({ code: "not_found", message: "no such agent", retryable: false });
});

it("says in words that nobody answers", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
    const thrown: unknown = await httpTransport()
        .call("app_info", null)
        .catch((error: unknown) => error);
    expect(toProblem(thrown)).toMatchObject({ retryable: true, message: "The AgentNative server does not respond." });
});

it("says hello first, and is connected once it is welcome", () => {
    const states: Connection[] = [];
    httpTransport().listen(
        () => {},
        (connection) => states.push(connection),
    );
    latest().onopen();
    expect(latest().sent).toEqual(['{"hello":{"token":"se cret"}}']);
    expect(states.map(({ state }) => state)).toEqual(["connecting"]);
    latest().onmessage({ data: '"welcome"' });
    expect(states.map(({ state }) => state)).toEqual(["connecting", "connected"]);
});

it("tries again later and later, says what to do, and recovers", () => {
    const states: Connection[] = [];
    httpTransport().listen(
        () => {},
        (connection) => states.push(connection),
    );
    const waits: number[] = [];
    for (let index = 0; index < 6; index += 1) {
        const before = Line.all.length;
        latest().onclose({ code: 1_006 });
        let waited = 0;
        while (Line.all.length === before) {
            vi.advanceTimersByTime(50);
            waited += 50;
        }
        waits.push(waited);
    }
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000]);
    expect(states[states.length - 1]).toMatchObject({
        state: "lost",
        advice: expect.stringContaining("agentnative serve") as string,
    });
    latest().onmessage({ data: '"welcome"' });
    expect(states[states.length - 1]).toMatchObject({ state: "connected" });
});

it("does not try again with a token that was refused", () => {
    const states: Connection[] = [];
    httpTransport().listen(
        () => {},
        (connection) => states.push(connection),
    );
    latest().onclose({ code: 1_008 });
    vi.advanceTimersByTime(60_000);
    expect(Line.all.length).toBe(1);
    expect(states[states.length - 1]).toMatchObject({
        state: "refused",
        advice: expect.stringContaining("token") as string,
    });
});
