import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";

import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { TooltipProvider } from "@/shared";

import { ReplayCheck } from "./ReplayCheck";

let core: MockTransport;
beforeEach(() => {
    forget();
    core = mockTransport();
});

async function recompute() {
    render(
        <TooltipProvider>
            <ReplayCheck run="run-1" />
        </TooltipProvider>,
    );
    await userEvent.click(screen.getByRole("button", { name: "Recompute from the log" }));
    await act(async () => {});
}

describe("a run recomputed from its log", () => {
    it("is said to be identical, with how much was compared", async () => {
        core.answers = {
            run_replay: { run: "run-1", events: 47, recomputed: 61, documents: 1, identical: true },
        };
        await recompute();
        expect(core.asked).toEqual([{ name: "run_replay", params: { run: { id: "run-1" } } }]);
        expect(screen.getByRole("status").textContent).toBe(
            "Identical: 47 events, 61 steps recomputed, 1 document the same.",
        );
    });

    it("names each place that came out differently, and what could not be recomputed", async () => {
        const difference = {
            run: "run-1",
            seq: 12,
            place: "2 / call 2#1.0.0",
            what: "request",
            recorded: "aa",
            recomputed: "bb",
        };
        const gap = { run: "run-1", seq: 14, place: "call m2", why: "a file is gone" };
        core.answers = {
            run_replay: {
                run: "run-1",
                events: 47,
                recomputed: 61,
                documents: 0,
                identical: false,
                differences: [difference],
                more: 3,
                gaps: [gap],
            },
        };
        await recompute();
        const shown = screen.getByRole("status").textContent ?? "";
        expect(shown).toContain("Different in 4 places: 47 events, 61 steps recomputed.");
        expect(shown).toContain("Event 12: 2 / call 2#1.0.0: request");
        expect(shown).toContain("Recordedaa");
        expect(shown).toContain("Recomputedbb");
        expect(shown).toContain("And 3 more.");
        expect(shown).toContain("Not recomputed: event 14: call m2: a file is gone");
    });
});
