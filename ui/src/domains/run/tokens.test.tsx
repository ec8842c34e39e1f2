import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";

import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { TooltipProvider } from "@/shared";

import { TokenLedger } from "./TokenLedger";

let core: MockTransport;
beforeEach(() => {
    forget();
    core = mockTransport();
});

it("shows each request by section, beside the provider's figures and other strategies", async () => {
    const measured = { input: 900, output: 50, cacheRead: 100 };
    core.answers = {
        run_tokens: {
            run: "run-1",
            requests: [
                {
                    run: "run-1",
                    agent: "clerk",
                    stage: "1",
                    title: "Plan",
                    key: "1#1.1.0",
                    model: "m",
                    tries: 1,
                    sections: [
                        { name: "system", tokens: 300, share: 250, cached: 120 },
                        { name: "REQUEST", tokens: 900, share: 750, cached: 0 },
                    ],
                    estimated: 1_200,
                    measured,
                    cost: 0,
                },
            ],
            stages: [{ name: "clerk: Plan", requests: 1, tokens: 1_200, share: 1_000 }],
            sections: [
                { name: "REQUEST", requests: 1, tokens: 900, share: 750 },
                { name: "system", requests: 1, tokens: 300, share: 250 },
            ],
            estimated: 1_200,
            measured,
            cost: 0,
            leftOut: ["2#1.1.0: a conversation"],
            strategies: [{ strategy: "naive", input: 5_000, cached: 300, output: 50, cost: 0 }],
        },
    };
    render(
        <TooltipProvider>
            <TokenLedger run="run-1" />
        </TooltipProvider>,
    );
    await userEvent.click(screen.getByRole("button", { name: "Show tokens by section" }));
    await act(async () => {});
    expect(core.asked).toEqual([
        {
            name: "run_tokens",
            params: { run: { id: "run-1" }, compare: ["naive", "fresh", "handoff", "continue"] },
        },
    ]);
    const reported = screen.getByText(/^Reported by the provider/).textContent;
    expect(reported).toContain("1,000 input tokens, 50 output tokens, 100 read from its cache");
    expect(screen.getByText("Whole outputs in every later request")).toBeTruthy();
    expect(screen.getByText("Not counted: 2#1.1.0: a conversation")).toBeTruthy();
    expect(screen.getByText("120 cached")).toBeTruthy();
    expect(screen.getByText("not cached")).toBeTruthy();
});
