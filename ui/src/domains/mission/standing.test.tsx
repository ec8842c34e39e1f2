import { act, render, screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";

import type { MissionView } from "@/backend";
import { mockTransport } from "@/backend/mock-transport";
import { TooltipProvider } from "@/shared";

import { MissionCard } from "./MissionCard";
import { mission } from "./fixtures";

async function show(shown: MissionView) {
    mockTransport().answers = {
        mission_show: shown,
        mission_journal: [],
        mission_report: null,
        mission_graph: { version: 4, items: [], total: 0, next: null },
    };
    render(
        <TooltipProvider>
            <MissionCard mission={shown} newest={false} />
        </TooltipProvider>,
    );
    await act(async () => {});
}

describe("how a mission stands", () => {
    it("says that nothing is known before research", async () => {
        const counts = { ...mission().facts.counts, sources: 0, supported_claims: 0, unsupported_claims: 0 };
        const facts = { ...mission().facts, counts };
        await show(mission({ status: "paused", iteration: 0, facts }));
        expect(screen.getByText("Nothing is known yet")).toBeTruthy();
        expect(screen.queryByRole("button", { name: "Another report…" })).toBeNull();
    });

    it("names the criteria that a partial report does not meet", async () => {
        await show(mission({ status: "completed", outcome: "partial", unmet: ["coverage"] }));
        expect(screen.getByText("1 supported claim from 3 sources in 2 iterations. Not met: coverage")).toBeTruthy();
    });

    it("tells who works on what now, each with its run", async () => {
        const [done] = mission().invocations;
        const working = {
            ...done,
            key: "2.0",
            name: "Fact Checker",
            task: "Which holds?",
            status: "running",
            run: "run-f",
        };
        const invocations = [done, working] as MissionView["invocations"];
        await show(mission({ invocations }));
        const list = within(screen.getByRole("list", { name: "Agents at work" }));
        expect(list.getAllByRole("listitem").map((row) => row.textContent)).toEqual([
            "RunningFact CheckerWhich holds?",
        ]);
        expect(list.getByRole("link", { name: "Fact Checker" }).getAttribute("href")).toContain("run-f");
    });
});
