import { act, fireEvent, render, screen, within, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";

import { Failure, type UsageSum, type UsageSummary } from "@/backend";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { Toasts, TooltipProvider } from "@/shared";

import { dayOf } from "./range";
import { UsagePage } from "./UsagePage";

const sum = (key: string, over: Partial<UsageSum> = {}): UsageSum => ({
    key,
    title: key,
    calls: 3,
    failed: 0,
    usage: { input: 1_000, output: 200, thinking: 50, cacheRead: 3_000, cacheWrite: 0 },
    cost: 12_300_000,
    equivalent: 0,
    unpriced: 0,
    ...over,
});
const NOTHING: UsageSummary = {
    total: sum("", { calls: 0, usage: { input: 0, output: 0 }, cost: 0 }),
    days: [],
    agents: [],
    models: [],
    connections: [],
    sessions: [],
    stages: [],
};
const today = dayOf(Date.now());
const summary: UsageSummary = {
    total: sum("", { failed: 1, equivalent: 2_000_000_000, unpriced: 2 }),
    days: [sum(today)],
    agents: [sum("isa", { title: "ISA" }), sum("")],
    models: [sum("big-1"), sum("strange", { cost: 0, unpriced: 2, calls: 9 })],
    connections: [sum("flat", { title: "Flat", cost: 0, equivalent: 2_000_000_000 })],
    sessions: [sum("s-1", { title: "A session" })],
    stages: [sum("isa/write_answer")],
};

let core: MockTransport;
beforeEach(() => {
    forget();
    core = mockTransport();
    core.answers = {
        usage_show: summary,
        usage_export: { name: "usage.csv", path: "/data/exports/usage.csv", text: "at,cost\r\n", data: null },
    };
});

async function show(range: "30" | "all" = "30", onRange: (range: string) => void = () => {}) {
    render(
        <TooltipProvider>
            <UsagePage range={range} onRange={onRange} />
            <Toasts />
        </TooltipProvider>,
    );
    await act(async () => {});
    return userEvent.setup();
}

test("what was billed, what flat rates are worth and what has no price stay apart", async () => {
    await show();
    const together = await screen.findByRole("region", { name: "Totals" });
    expect(together.textContent).toMatch(/Billed\$0\.0123excluding 2 requests without a known price/);
    expect(together.textContent).toMatch(/Covered by subscription\$2\.00pay-per-use price, not billed/);
    expect(together.textContent).toMatch(/Requests3plus 1 failed/);
    expect(together.textContent).toMatch(/Tokens4,20075 % of input read from the cache/);
    expect(together.textContent).toMatch(/Input 1,000.*Cache read 3,000.*Output 200.*of which thinking 50/);
    expect(
        within(screen.getByRole("table", { name: "By connection" })).getByRole("row", {
            name: /Flat .*\$2\.00 \$0\.00/,
        }),
    ).toBeTruthy();
    expect(
        within(screen.getByRole("table", { name: "By model" })).getByRole("row", { name: /strange .* no price known/ }),
    ).toBeTruthy();
});

test("sums lead to what they are of and can be sorted", async () => {
    const user = await show();
    expect((await screen.findByRole("link", { name: "A session" })).getAttribute("href")).toBe("#/session/s-1");
    expect(screen.getByRole("link", { name: "ISA" }).getAttribute("href")).toBe("#/agent/isa");
    // What has no name leads nowhere.
    expect(screen.getByText("Conversations without an agent").closest("a")).toBeNull();
    expect(screen.getByText("Write answer")).toBeTruthy();
    const models = screen.getByRole("table", { name: "By model" });
    await user.click(within(models).getByRole("button", { name: "Requests" }));
    expect(
        within(models)
            .getAllByRole("row")
            .map((row) => row.textContent?.slice(0, 5)),
    ).toEqual(["Model", "stran", "big-1"]);
});

test("days are bars for the eye, a line for the keyboard, and a table", async () => {
    const user = await show();
    const chart = await screen.findByRole("img", { name: /Billed by day/ });
    fireEvent.focus(chart);
    expect(screen.getByText(/\$0\.0123 billed, 4,200 tokens, 3 requests/)).toBeTruthy();
    fireEvent.keyDown(chart, { key: "ArrowLeft" });
    expect(screen.getByText(/\$0\.00 billed, 0 tokens, 0 requests/)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Show as table" }));
    expect(within(screen.getByRole("table", { name: "By day" })).getAllByRole("row")).toHaveLength(2);
});

test("another time is chosen by the keyboard", async () => {
    const onRange = vi.fn();
    await show("30", onRange);
    fireEvent.keyDown(await screen.findByRole("radio", { name: "30 days" }), { key: "ArrowRight" });
    expect(onRange).toHaveBeenCalledWith("90");
});

test("where nothing was used the page says how that changes, and there is nothing to export", async () => {
    core.answers.usage_show = NOTHING;
    await show("all");
    expect(await screen.findByText("No usage yet")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Export as CSV" })).toHaveProperty("disabled", true);
});

test("what can't be read says so", async () => {
    core.answers.usage_show = () => {
        throw new Failure({ code: "storage", message: "The database is locked.", retryable: true });
    };
    await show();
    expect(await screen.findByText("The database is locked.")).toBeTruthy();
});

test("the export is of the time in sight, and a browser downloads it without a path of the server", async () => {
    URL.createObjectURL = () => "blob:x";
    URL.revokeObjectURL = () => {};
    const click = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => {});
    const user = await show();
    await user.click(await screen.findByRole("button", { name: "Export as CSV" }));
    await waitFor(() => expect(click).toHaveBeenCalled());
    expect(screen.queryByText(/exports\/usage\.csv/)).toBeNull();
    const asked = (name: string) => core.asked.filter((each) => each.name === name).map(({ params }) => params);
    expect(asked("usage_export")).toEqual([asked("usage_show")[0]]);
});

test("the offline engine alone has no tokens, and the page says why", async () => {
    const none = { usage: { input: 0, output: 0 }, cost: 0 };
    core.answers.usage_show = { ...NOTHING, total: sum("", none), connections: [sum("offline", none)] };
    await show();
    expect((await screen.findByRole("region", { name: "Totals" })).textContent).toMatch(/Tokens\s*no model/);
    expect(screen.getByText(/The offline engine asks no model/)).toBeTruthy();
});

test("days of the offline engine are drawn by their requests, with no half of one", async () => {
    const days = [sum(today, { calls: 1, usage: { input: 0, output: 0 }, cost: 0 })];
    core.answers.usage_show = { ...summary, days };
    await show();
    const chart = screen.getByRole("img", { name: /^Requests by day/ });
    expect(within(chart).getByText("1")).toBeTruthy();
    expect(within(chart).queryByText("0.5")).toBeNull();
});

test("how well runs were foreseen is told by agent", async () => {
    const row = { runs: 12, from_history: 10, coverage: 0.8, median_ratio: 1.1 };
    core.answers.usage_forecasts = { ...row, agents: [{ ...row, agent: "isa", title: "ISA" }] };
    await show();
    const table = await screen.findByRole("table", { name: "Forecasts" });
    const line = within(table).getByRole("row", { name: /ISA/ });
    expect(line.textContent).toContain("80 %");
    expect(line.textContent).toContain("1.10 ×");
});
