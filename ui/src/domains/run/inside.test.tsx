import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";

import type { CallRow, RunState, StageDetail, StageRow } from "@/backend";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { TooltipProvider } from "@/shared";

import { CostMeter } from "./CostMeter";
import { StageTabs } from "./StageTabs";
import { WorkLine } from "./WorkLine";

const usage = { input: 30_000, output: 2_000, thinking: 500, cacheRead: 8_000, cacheWrite: 0 };
const stageRow = {
    id: "1",
    name: "write",
    title: "Write",
    kind: "model",
    phase: "completed",
    usage,
    cost: 57_400_000,
    scores: {},
    warnings: [],
} as unknown as StageRow;
const run = {
    run: "run-1",
    session: "s",
    connection: "acme",
    model: "big-1",
    stages: [stageRow, { ...stageRow, id: "2", title: "Fetch", usage: { input: 0, output: 0 }, cost: 0 }],
    usage,
    cost: 57_400_000,
    budget: { cost: 2_000_000_000 },
    doubtful: 0,
    maybePaidTwice: 0,
    activeMs: 900,
} as unknown as RunState;

let core: MockTransport;
beforeEach(() => {
    forget();
    core = mockTransport();
    core.answers = {
        usage_list: [{ model: "big-1", usage }],
        connection_show: { models: [{ id: "big-1", contextWindow: 200_000 }] },
    };
});

async function show(of: RunState) {
    render(
        <TooltipProvider>
            <CostMeter runs={[of]} />
        </TooltipProvider>,
    );
    await act(async () => {});
    return userEvent.setup();
}

it("what went wrong in a stage stands in sight, one warning a line", () => {
    const warned = { ...stageRow, warnings: ["The first call failed.", "The second call failed."] };
    const of = { ...run, status: "completed", answered: [], stages: [warned] } as unknown as RunState;
    render(<WorkLine run={of} onOpen={() => {}} />);
    const line = screen.getByText(/^Write: /);
    expect(line.textContent).toBe("Write: The first call failed.\nThe second call failed.");
    expect(line.className).toContain("whitespace-pre-line");
});

describe("the meter of a session", () => {
    it("tells how full the window was, what it cost, and opens to the stages", async () => {
        const user = await show(run);
        await user.click(
            await screen.findByRole("button", {
                name: /^Context ?20 % ?full.*Cost and tokens: ?\$0\.0574.*40,000 tokens$/,
            }),
        );
        expect(await screen.findByText("40k of 200k tokens")).toBeTruthy();
        expect(screen.getByText("$2.00")).toBeTruthy();
        expect(screen.getAllByRole("row").map((row) => row.textContent)).toEqual([
            "StageTokensCost",
            "Write40,000$0.0574",
        ]);
    });

    it("tells of no window and of no tokens where no model is asked", async () => {
        const user = await show({ ...run, connection: "offline", model: "offline-1", noModel: true, cost: 0 });
        await user.click(screen.getByRole("button", { name: /^Cost and tokens: ?\$0\.00.*no model$/ }));
        expect(await screen.findByText("no model was asked")).toBeTruthy();
        expect(screen.queryByText(/40,000|30,000/)).toBeNull();
        expect(screen.queryByRole("table")).toBeNull();
        expect(core.asked).toEqual([]);
    });

    it("tells the tokens of a run that was moved to the offline engine", async () => {
        await show({ ...run, connection: "offline", model: "offline-1" });
        expect(screen.getByRole("button", { name: /40,000 tokens$/ })).toBeTruthy();
    });
});

describe("a call from the inside", () => {
    const call = {
        key: "1#1.0.0",
        title: "Write the answer",
        model: true,
        status: "completed",
        tries: 1,
        ms: 900,
        usage,
        cost: 1,
        request: { prompt: "kept before" },
        output: { answer: 42 },
        problem: null,
    };
    const detail = (calls: object[]) =>
        ({
            stage: stageRow,
            sections: [
                { name: "system", text: "Be exact.", tokens: 30 },
                { name: "paragraphs", text: "…", tokens: 70 },
            ],
            calls: calls as CallRow[],
            output: null,
            events: [],
        }) as StageDetail;

    async function opened(over: object) {
        render(
            <TooltipProvider>
                <StageTabs run="run-1" detail={detail([{ ...call, ...over }])} />
            </TooltipProvider>,
        );
        const user = userEvent.setup();
        await user.click(screen.getByRole("tab", { name: /^Calls/ }));
        await user.click(screen.getByText("Write the answer"));
        return user;
    }

    it("shows what went over the wire, with its secrets left out, and what came back", async () => {
        await opened({
            wire: {
                method: "POST",
                url: "https://api.acme.example/v1/messages",
                headers: { "x-api-key": "(secret)" },
                body: { model: "big-1" },
            },
            received: { thinking: "They want a number.", text: '{"answer":42}', parts: [{ part: "text" }] },
            requestId: "req-7",
            stop: "end_turn",
        });
        expect(screen.getByText("POST https://api.acme.example/v1/messages")).toBeTruthy();
        expect(screen.getByText("(secret)")).toBeTruthy();
        expect(screen.getByRole("group", { name: "Sent" }).textContent).toContain("big-1");
        expect(screen.getByText("They want a number.")).toBeTruthy();
        expect(screen.getByRole("group", { name: "Received" }).textContent).toContain("42");
        expect(screen.getByText("Ended: end turn")).toBeTruthy();
        expect(screen.getByText("req-7")).toBeTruthy();
        expect(screen.getByRole("button", { name: "Copy request id" })).toBeTruthy();
    });

    it("says of an answer that broke off from how many words it went on", async () => {
        await opened({ continuedFrom: 1250 });
        expect(screen.getByText(/Continued from a draft of 1,250 words/)).toBeTruthy();
    });

    it("of a run from before is shown as it was kept", async () => {
        await opened({});
        expect(screen.getByRole("group", { name: "Sent" }).textContent).toContain("kept before");
        expect(screen.getByRole("group", { name: "Result" }).textContent).toContain("42");
    });
});
