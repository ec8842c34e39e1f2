import { act, cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";

import { Failure, type MissionView, type NewestClaim } from "@/backend";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { TooltipProvider } from "@/shared";

import { MissionCard } from "./MissionCard";
import { mission } from "./fixtures";

let core: MockTransport;

async function show(shown: MissionView) {
    core = mockTransport();
    core.answers = {
        mission_show: shown,
        mission_journal: [],
        mission_report: null,
        mission_graph: { version: 4, items: [], total: 0, next: null },
        mission_steer: null,
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

    it("lets the active time tick while it works, and never beyond its limit", async () => {
        vi.useFakeTimers({ now: 1_000_000, toFake: ["Date", "setInterval", "clearInterval"] });
        try {
            const limits = [{ dimension: "minutes", used: 90_000, limit: 120_000 }];
            await show(mission({ workingSince: 995_000, limits }));
            const used = () => screen.getByRole("heading", { name: /^Used: / }).textContent;
            expect(used()).toMatch(/1 m 35 s$/);
            await act(async () => vi.advanceTimersByTime(10_000));
            expect(used()).toMatch(/1 m 45 s$/);
            expect(screen.getByRole("meter", { name: "Time" }).getAttribute("aria-valuetext")).toBe(
                "1 m 45 s of 2 m 00 s",
            );
            await act(async () => vi.advanceTimersByTime(60_000));
            expect(used()).toMatch(/2 m 00 s$/);
        } finally {
            vi.useRealTimers();
        }
    });

    it("shows the active time of the log while it rests", async () => {
        await show(mission({ status: "suspended", activeMs: 7_200 }));
        expect(screen.getByRole("heading", { name: /^Used: / }).textContent).toMatch(/7\.2 s$/);
    });
});

describe("the newest claims", () => {
    const newest = (over: Partial<NewestClaim> = {}): NewestClaim => ({
        claim: "c9",
        text: "Materiality is set in planning.",
        status: "supported",
        confidence: 550_000,
        sources: ["Primer"],
        pinned: false,
        ...over,
    });
    const list = () => within(screen.getByRole("list", { name: "Newest claims" }));

    it("are shown with confidence and source while it goes on, and not once it is over", async () => {
        const newestClaims = [newest({ claim: "c10", confidence: null }), newest()];
        await show(mission({ newestClaims }));
        const rows = list().getAllByRole("listitem");
        expect(rows.map((row) => row.textContent)).toEqual([
            "Materiality is set in planning.SupportedPrimer",
            "Materiality is set in planning.Supported55 %Primer",
        ]);
        cleanup();
        await show(mission({ status: "completed", newestClaims }));
        expect(screen.queryByRole("list", { name: "Newest claims" })).toBeNull();
    });

    it("are kept, and rejected for a reason; what is rejected is struck out", async () => {
        const newestClaims = [
            newest(),
            newest({ claim: "c8", pinned: true }),
            newest({ claim: "c7", status: "rejected" }),
        ];
        await show(mission({ newestClaims }));
        const user = userEvent.setup();
        await user.click(list().getByRole("button", { name: "Keep c9" }));
        await user.click(list().getByRole("button", { name: "Reject c9…" }));
        const why = screen.getByRole("textbox", { name: "Why it is wrong" });
        await user.type(why, "Outdated.{Control>}{Enter}{/Control}");
        const steered = core.asked.filter(({ name }) => name === "mission_steer");
        expect(steered.map(({ params }) => params)).toEqual([
            { mission: "run-m", steer: { say: "pin", claim: "c9" } },
            { mission: "run-m", steer: { say: "reject", claim: "c9", why: "Outdated." } },
        ]);
        for (const name of ["c8 is kept", "Keep c7", "Reject c7…"])
            expect(list().getByRole("button", { name }).hasAttribute("disabled")).toBe(true);
    });
});

describe("limits", () => {
    const raise = async (name: string, typed: string) => {
        const user = userEvent.setup();
        await user.click(screen.getByRole("button", { name: "Raise limits…" }));
        const dialog = within(screen.getByRole("dialog", { name: "Raise limits" }));
        await user.type(dialog.getByRole("textbox", { name }), typed);
        return dialog;
    };

    it("are raised while it goes on", async () => {
        await show(mission());
        await raise("Agents invoked", "40{Enter}");
        const steered = core.asked.filter(({ name }) => name === "mission_steer");
        expect(steered.map(({ params }) => params)).toEqual([
            { mission: "run-m", steer: { say: "raise", limits: { invocations: 40 } } },
        ]);
        expect(screen.queryByRole("dialog")).toBeNull();
    });

    it("stay in their dialog where they are refused", async () => {
        await show(mission());
        core.answers.mission_steer = () => {
            throw new Failure({ code: "invalid_input", message: "limits can only be raised", action: null } as never);
        };
        const dialog = await raise("Agents invoked", "1{Enter}");
        expect((await dialog.findByRole("alert")).textContent).toMatch(/can only be raised/);
    });

    it("are not raised once it is over", async () => {
        await show(mission({ status: "completed" }));
        expect(screen.queryByRole("button", { name: "Raise limits…" })).toBeNull();
    });
});
