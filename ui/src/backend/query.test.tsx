import { act, render, screen } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";

import { Failure } from "./problem";
import { forget, skip, useCommand, useQueries, useQuery } from "./query";
import { mockTransport, type MockTransport } from "./mock-transport";

let core: MockTransport;
let drawn = 0;

beforeEach(() => {
    vi.useFakeTimers();
    forget();
    core = mockTransport();
    drawn = 0;
    return () => vi.useRealTimers();
});

const settle = (ms = 100) => act(() => vi.advanceTimersByTimeAsync(ms));

function Info({ id = "info" }: { id?: string }) {
    const { data, problem, loading } = useQuery("app_info", null);
    drawn += 1;
    return (
        <p data-testid={id}>
            {data?.version ?? "-"}|{problem?.message ?? "-"}|{loading ? "loading" : "still"}
        </p>
    );
}

const shown = (id = "info") => screen.getByTestId(id).textContent;
const times = (name: string) => core.asked.filter((each) => each.name === name).length;

it("reads once for everybody who shows it", async () => {
    core.answers.app_info = { version: "1" };
    render(
        <>
            <Info id="a" />
            <Info id="b" />
        </>,
    );
    expect(shown("a")).toBe("-|-|loading");
    await settle();
    expect([shown("a"), shown("b")]).toEqual(["1|-|still", "1|-|still"]);
    expect(times("app_info")).toBe(1);
});

function Of({ of }: { of: string }) {
    const { data } = useQuery("app_info", null, of);
    return <p>{data?.version ?? "-"}</p>;
}

it("reads once at first and once for each change of what the reading depends on, at a later visit, too", async () => {
    core.answers.app_info = () => ({ version: "1" });
    const { rerender, unmount } = render(<Of of="1" />);
    await settle();
    expect(times("app_info")).toBe(1);
    rerender(<Of of="1" />);
    await settle();
    expect(times("app_info")).toBe(1);
    // Also where it changes while it is read: what is on the way may be older.
    rerender(<Of of="2" />);
    rerender(<Of of="3" />);
    await settle();
    expect(times("app_info")).toBe(3);
    unmount();
    render(<Of of="3" />);
    await settle();
    expect(times("app_info")).toBe(4);
});

it("shows what it had while it reads again, and draws nothing anew where nothing changed", async () => {
    core.answers.app_info = () => ({ version: "1" });
    render(<Info />);
    await settle();
    const before = drawn;
    core.tell({ event: "changed", value: ["sessions"] });
    await settle();
    expect(times("app_info")).toBe(2);
    expect(shown()).toBe("1|-|still");
    expect(drawn - before).toBeLessThanOrEqual(2);
});

it("reads again what another surface changed, once for many events", async () => {
    core.answers.app_info = { version: "1" };
    render(<Info />);
    await settle();
    core.answers.app_info = { version: "2" };
    for (let index = 0; index < 20; index += 1) core.tell({ event: "changed", value: ["runs"] });
    await settle();
    expect(shown()).toBe("2|-|still");
    expect(times("app_info")).toBe(2);
});

it("counts all sessions once in half a second while things stream, one reading at a time, and the last change is counted", async () => {
    let pending = 0;
    let most = 0;
    let version = 0;
    core.answers.organise_show = async () => {
        most = Math.max(most, (pending += 1));
        const read = version;
        await new Promise((resolve) => setTimeout(resolve, 150));
        pending -= 1;
        return { defaultStatus: String(read) };
    };
    function Counts() {
        return <p data-testid="info">{useQuery("organise_show", null).data?.defaultStatus ?? "-"}</p>;
    }
    render(<Counts />);
    await settle(1_000);
    expect(times("organise_show")).toBe(1);
    // Something changes every 50 ms, for five seconds.
    for (let step = 0; step < 100; step += 1) {
        version += 1;
        core.tell({ event: "changed", value: ["sessions"] });
        await settle(50);
    }
    expect(times("organise_show")).toBeGreaterThan(5);
    expect(times("organise_show")).toBeLessThanOrEqual(10);
    await settle(1_000);
    expect(most).toBe(1);
    expect(shown()).toBe("100");
    const before = times("organise_show");
    await settle(5_000);
    expect(times("organise_show")).toBe(before);
    // After a rest, a change is read at once.
    version = 101;
    core.tell({ event: "changed", value: ["organisation"] });
    await settle(200);
    expect(shown()).toBe("101");
});

it("keeps no change of an earlier test", async () => {
    core.tell({ event: "changed", value: ["runs"] });
    core = mockTransport();
    core.answers.app_info = { version: "1" };
    render(<Info />);
    await settle(10);
    core.tell({ event: "changed", value: ["sessions"] });
    await settle(35);
    // The earlier change would have been due by now.
    expect(times("app_info")).toBe(1);
    await settle(10);
    expect(times("app_info")).toBe(2);
});

it("leaves alone what a change does not concern", async () => {
    core.answers.app_info = { version: "1" };
    render(<Info />);
    await settle();
    core.tell({ event: "changed", value: ["drafts"] });
    await settle();
    expect(times("app_info")).toBe(1);
});

it("reads everything again after events were lost", async () => {
    core.answers.app_info = { version: "1" };
    render(<Info />);
    await settle();
    core.tell({ event: "lagged" });
    await settle();
    expect(times("app_info")).toBe(2);
});

it("reads everything again after the line was broken", async () => {
    core.answers.app_info = { version: "1" };
    render(<Info />);
    await settle();
    act(() => core.connection({ state: "reconnecting", attempt: 1 }));
    act(() => core.connection({ state: "connected", attempt: 0 }));
    await settle();
    expect(times("app_info")).toBe(2);
});

it("keeps what it had when reading again fails, and says why", async () => {
    core.answers.app_info = { version: "1" };
    render(<Info />);
    await settle();
    core.answers.app_info = () => {
        throw new Failure({ code: "storage", message: "the disk is full", retryable: false });
    };
    core.tell({ event: "lagged" });
    await settle();
    expect(shown()).toBe("1|the disk is full|still");
});

it("shows at once what is known when it comes back", async () => {
    core.answers.app_info = { version: "1" };
    const first = render(<Info />);
    await settle();
    first.unmount();
    render(<Info />);
    expect(shown()).toBe("1|-|still");
    expect(times("app_info")).toBe(1);
});

it("reads nothing while the parameters are not known", async () => {
    function Maybe() {
        return <p data-testid="info">{useQuery("agent_show", skip).loading ? "loading" : "still"}</p>;
    }
    render(<Maybe />);
    await settle();
    expect(shown()).toBe("still");
    expect(core.asked).toEqual([]);
});

it("makes stale what a command of ours changes, and tells what went wrong", async () => {
    let run: (() => Promise<unknown>) | undefined;
    function Changer() {
        const command = useCommand("session_purge");
        run = () => command.run({ sessions: [] });
        return (
            <p data-testid="command">
                {command.pending ? "pending" : "idle"}|{command.problem?.message ?? "-"}
            </p>
        );
    }
    core.answers.app_info = { version: "1" };
    core.answers.session_purge = 0;
    render(
        <>
            <Info />
            <Changer />
        </>,
    );
    await settle();
    act(() => void run?.());
    expect(shown("command")).toBe("pending|-");
    await settle();
    expect(shown("command")).toBe("idle|-");
    expect(times("app_info")).toBe(2);
    core.answers.session_purge = () => {
        throw new Failure({ code: "busy", message: "not now", retryable: true });
    };
    act(() => void run?.());
    await settle();
    expect(shown("command")).toBe("idle|not now");
});

it("reads several pages, each once, and only new ones when there are more", async () => {
    core.answers.session_list = ({ before }: { before: number | null }) => ({
        sessions: [{ session: `s${before ?? 0}` }],
        next: null,
    });
    function Pages({ cursors }: { cursors: (number | null)[] }) {
        const pages = useQueries(
            "session_list",
            cursors.map((before) => ({ before })),
        );
        return (
            <p data-testid="info">{pages.results.map((page) => page.data?.sessions[0]?.session ?? "-").join(" ")}</p>
        );
    }
    const { rerender } = render(<Pages cursors={[null, 7]} />);
    await settle();
    expect(shown()).toBe("s0 s7");
    rerender(<Pages cursors={[null, 7, 9]} />);
    expect(shown()).toBe("s0 s7 -");
    await settle();
    expect(shown()).toBe("s0 s7 s9");
    expect(times("session_list")).toBe(3);
    core.tell({ event: "changed", value: ["sessions"] });
    await settle();
    expect(times("session_list")).toBe(6);
});

it("goes on reading when more answers were asked for than are kept", async () => {
    core.answers.skill_show = ({ slug }: { slug: string }) => ({ source: slug });
    core.answers.app_info = { version: "1" };
    function Agent({ slug }: { slug: string }) {
        return <p data-testid="agent">{useQuery("skill_show", { slug }).data?.source ?? "-"}</p>;
    }
    const page = (at: number) => (
        <>
            <Info />
            <Agent slug={`agent-${at}`} />
        </>
    );
    const { rerender } = render(page(0));
    for (let at = 0; at < 250; at += 1) {
        rerender(page(at));
        await settle(5);
    }
    await settle();
    expect(shown("agent")).toBe("agent-249");
    expect(times("skill_show")).toBe(250);
    // What was shown all along is still kept true.
    core.tell({ event: "changed", value: ["runs"] });
    await settle();
    expect(times("app_info")).toBe(2);
    // The newest are kept, the oldest are read again.
    rerender(page(248));
    await settle();
    expect(times("skill_show")).toBe(250);
    rerender(page(0));
    await settle();
    expect(times("skill_show")).toBe(251);
});

it("tries again what failed when it is shown again", async () => {
    core.answers.app_info = () => {
        throw new Failure({ code: "storage", message: "the disk is full", retryable: false });
    };
    const first = render(<Info />);
    await settle();
    expect(shown()).toBe("-|the disk is full|still");
    first.unmount();
    core.answers.app_info = { version: "1" };
    render(<Info />);
    await settle();
    expect(shown()).toBe("1|-|still");
});
