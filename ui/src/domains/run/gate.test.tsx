import { render, screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";

import type { CallState, GateRow, RunState, StageRow } from "@/backend";
import { TooltipProvider } from "@/shared";

import { GateAttempts, gateWord, hasAttempts } from "./GateAttempts";
import { Timeline } from "./Timeline";

const GATE: GateRow = {
    name: "Review",
    attempts: [
        { iteration: 0, passed: false, scores: { citation: 0.6 }, stands: true },
        { iteration: 1, passed: false, scores: { citation: 0.5 }, stands: false },
    ],
    ended: "exhausted",
    onExhausted: "pause",
    certified: false,
};

describe("what a gate tried", () => {
    it("is listed with scores, and with the attempt that stands", () => {
        render(<GateAttempts gate={GATE} maxIterations={2} />);
        const items = screen.getAllByRole("listitem").map((item) => item.textContent);
        expect(items[0]).toContain("First attempt (stands)");
        expect(items[0]).toContain("citation 60 %");
        expect(items[1]).toContain("Repair 1");
        expect(screen.getByRole("heading").textContent).toBe("Gate Review2 of 3Waits for your decision");
    });

    it("is told in words by its end", () => {
        expect(gateWord({ ...GATE, certified: true })).toBe("Accepted with limitations");
        expect(gateWord({ ...GATE, onExhausted: "fail" })).toBe("Not passed: the run fails here");
        expect(gateWord({ ...GATE, ended: null })).toBe("");
    });

    it("says nothing more than the stage where one attempt was enough", () => {
        const [first] = GATE.attempts;
        expect(hasAttempts({ ...GATE, ended: null, attempts: first === undefined ? [] : [first] })).toBe(false);
        expect(hasAttempts(undefined)).toBe(false);
    });
});

describe("the timeline of a job", () => {
    const stage = (id: string, over: Partial<StageRow>) =>
        ({
            id,
            title: id,
            phase: "completed",
            startedAt: 0,
            endedAt: 1_000,
            children: [],
            gate: null,
            maxIterations: 2,
            ...over,
        }) as StageRow;
    const child = (name: string, status: CallState, run?: string) => ({
        title: `Writer: ${name}`,
        status,
        run: run ?? null,
    });

    it("shows the parts of a stage with where each stands, and what a check found", () => {
        const stages = [
            stage("Sections", {
                children: [child("A", "completed", "run-a"), child("B", "running", "run-b"), child("C", "planned")],
            }),
            stage("Summary", { children: [child("only", "completed", "run-s")] }),
            stage("Readiness", { gate: { ...GATE, ended: null } }),
        ];
        const run = { status: "completed", createdAt: 0, updatedAt: 1_000, stages } as unknown as RunState;
        render(
            <TooltipProvider>
                <Timeline run={run} onOpen={() => {}} />
            </TooltipProvider>,
        );
        const lanes = within(screen.getByRole("list", { name: "Sections: 1 of 3 runs ended" }));
        expect(lanes.getByRole("link", { name: "A" }).getAttribute("href")).toContain("run-a");
        expect(lanes.queryByRole("link", { name: "C" })).toBeNull();
        expect(screen.queryByRole("list", { name: /^Summary/ })).toBeNull();
        expect(
            screen.getByText("Gate Review: not passed yet, 2 of 3 attempts, attempt 1 stands (citation 60 %)"),
        ).toBeTruthy();
    });
});
