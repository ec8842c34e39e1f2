import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";

import { Failure, type MissionForecast, type MissionRow, type ProfileRow } from "@/backend";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { TooltipProvider } from "@/shared";

import { MissionsPage } from "./MissionsPage";
import { NewMission } from "./NewMission";
import { mission } from "./fixtures";

const profile = (over: Partial<ProfileRow> = {}): ProfileRow => ({
    slug: "general-research",
    name: "General research",
    description: "Open-ended research.",
    examples: ["How is materiality set?"],
    modes: [{ name: "quick", description: "One look." }],
    criteria: {},
    limits: [],
    agents: [],
    sections: [],
    shipped: true,
    problems: [],
    ...over,
});

const row = (over: Partial<MissionRow> = {}): MissionRow => ({
    mission: "run-m",
    session: "s1",
    title: "What is materiality?",
    profile: "general-research",
    status: "paused",
    line: "Plan",
    createdAt: 1,
    updatedAt: 2,
    ...over,
});

const forecast = (over: Partial<MissionForecast["forecast"]> = {}): MissionForecast => ({
    outline: {
        profile: "general-research",
        profileName: "General research",
        connection: "anthropic",
        model: "claude",
        offline: false,
        agents: [
            { agent: "library-researcher", name: "Library Researcher", capabilities: ["research"], base: "primer g1" },
            { agent: "web-researcher", name: "Web Researcher", capabilities: ["research"], base: null },
        ],
        leftOut: ["code-analyzer: the source is not allowed"],
        criteria: {
            coverage: { value: 0, target: 800_000, met: false },
            "critical gaps": { value: 0, target: 0, met: true },
        },
        limits: [
            { dimension: "money", used: 0, limit: 2_000_000_000 },
            { dimension: "tokens", used: 0, limit: null },
        ],
    },
    forecast: {
        fewest: 5,
        most: 24,
        cost: { low: 200_000_000, high: 2_000_000_000 },
        tokens: { low: 10_000, high: 90_000 },
        unknown: [],
        ...over,
    },
    equivalent: false,
});

let core: MockTransport;
beforeEach(() => {
    location.hash = "#/missions";
    core = mockTransport();
    core.answers = {
        profile_list: [profile()],
        base_list: [
            { name: "isa-primer", title: "Primer" },
            { name: "minutes", title: "Minutes" },
        ],
        connection_list: [],
        mission_list: [],
        mission_start: "run-m",
        mission_show: mission(),
        mission_forecast: forecast(),
    };
});

async function show(what: React.ReactNode) {
    render(<TooltipProvider>{what}</TooltipProvider>);
    await act(async () => {});
    return userEvent.setup();
}
const started = () => core.asked.filter(({ name }) => name === "mission_start").map(({ params }) => params);

describe("the form of a mission", () => {
    it("starts one with what was chosen, and shows its session", async () => {
        const user = await show(<NewMission slug="general-research" />);
        await user.click(screen.getByRole("button", { name: "How is materiality set?" }));
        await user.click(screen.getByRole("combobox", { name: "Knowledge base" }));
        await user.click(screen.getByRole("option", { name: "Primer" }));
        await user.click(screen.getByRole("checkbox", { name: "Minutes" }));
        await user.click(screen.getByRole("combobox", { name: "Mode" }));
        await user.click(screen.getByRole("option", { name: /Quick/ }));
        await user.type(screen.getByRole("textbox", { name: "Agents invoked" }), "5");
        await user.click(screen.getByRole("checkbox", { name: /^Don’t ask me/ }));
        await user.click(screen.getByRole("button", { name: /^Start mission/ }));
        expect(started()).toEqual([
            {
                profile: "general-research",
                request: "How is materiality set?",
                mode: "quick",
                corpora: ["isa-primer", "minutes"],
                limits: { invocations: 5 },
                unattended: true,
            },
        ]);
        expect(location.hash).toBe("#/session/s1?run=run-m");
    });

    it("starts nothing without an objective or with a limit that is no number", async () => {
        const user = await show(<NewMission />);
        await user.click(screen.getByRole("button", { name: /^Start mission/ }));
        expect(screen.getByText("Write what is to be found out.")).toBeTruthy();
        await user.type(screen.getByRole("textbox", { name: "Objective" }), "x");
        await user.type(screen.getByRole("textbox", { name: "Iterations" }), "many");
        await user.click(screen.getByRole("button", { name: /^Start mission/ }));
        expect(started()).toEqual([]);
        expect(screen.getByRole("alert").textContent).toMatch(/^Iterations: write a whole number/);
    });

    it("keeps the objective where the core refuses, and says what to do", async () => {
        core.answers.mission_start = () => {
            throw new Failure({ code: "invalid_input", message: "no such base", action: "choose another" } as never);
        };
        const user = await show(<NewMission />);
        await user.type(screen.getByRole("textbox", { name: "Objective" }), "Why?{Control>}{Enter}{/Control}");
        expect((await screen.findByRole("alert")).textContent).toMatch(
            /no such base.*objective is kept.*choose another/i,
        );
        expect(screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Objective" }).value).toBe("Why?");
    });

    it("says before the start what a mission is likely to cost, when it is done and what it does without", async () => {
        const user = await show(<NewMission />);
        expect(await screen.findByText("5 to 24 invocations; $0.20 to $2.00; 10,000 to 90,000 tokens")).toBeTruthy();
        await user.click(screen.getByText("Forecast"));
        expect(screen.getByText("Coverage: at least 80 %; Critical gaps: none")).toBeTruthy();
        expect(screen.getByText("Money $2.00")).toBeTruthy();
        expect(screen.getByText("Library Researcher (primer g1); Web Researcher")).toBeTruthy();
        expect(screen.getByText("code-analyzer: the source is not allowed")).toBeTruthy();
        const asked = core.asked.filter(({ name }) => name === "mission_forecast").map(({ params }) => params);
        expect(asked).toEqual([{ profile: "general-research", limits: {} }]);
    });

    it("says that a cost is unknown where nothing is known of an agent", async () => {
        const unknown = { cost: { low: null, high: null }, tokens: { low: null, high: null } };
        core.answers.mission_forecast = forecast({ ...unknown, unknown: ["web-researcher"] });
        await show(<NewMission />);
        const words = "5 to 24 invocations; the cost is unknown; no run is known of Web Researcher";
        expect(await screen.findByText(words)).toBeTruthy();
    });

    it("chooses the general profile where none is named", async () => {
        core.answers.profile_list = [profile({ slug: "academic-research", name: "Academic research" }), profile()];
        await show(<NewMission />);
        expect(screen.getByRole("combobox", { name: "Profile" }).textContent).toBe("General research");
    });

    it("says where to look when no profile can be used", async () => {
        core.answers.profile_list = [profile({ problems: ["unknown field"] })];
        await show(<NewMission />);
        expect(screen.getByText("No profile can be used")).toBeTruthy();
    });
});

describe("the list of missions", () => {
    it("leads to each mission's session, and names what is wrong with a profile", async () => {
        core.answers.profile_list = [profile(), profile({ slug: "own", name: "Own", problems: ["unknown field `x`"] })];
        core.answers.mission_list = [row()];
        await show(<MissionsPage />);
        expect(screen.getByRole("link", { name: /What is materiality/ }).getAttribute("href")).toBe(
            "#/session/s1?run=run-m",
        );
        expect(screen.getByText("Waiting for you")).toBeTruthy();
        expect(screen.getByText(/Unknown field/)).toBeTruthy();
        expect(screen.getAllByRole("button", { name: /^Start…/ })).toHaveLength(1);
    });

    it("says of a mission that nobody drives why it rests, not what it did", async () => {
        core.answers.mission_list = [row({ status: "interrupted", line: "Researching, iteration 2" })];
        await show(<MissionsPage />);
        expect(screen.getByText("Interrupted")).toBeTruthy();
        expect(screen.getByText(/^The program closed during this mission/)).toBeTruthy();
        expect(screen.queryByText(/Researching/)).toBeNull();
    });

    it("opens an exported graph, or says what is wrong with the file", async () => {
        core.answers.graph_import = "run-m";
        const user = await show(<MissionsPage />);
        await user.type(screen.getByRole("textbox", { name: "Graph file" }), "/tmp/graph.jsonl");
        await user.click(screen.getByRole("button", { name: "Open graph" }));
        const asked = core.asked.find(({ name }) => name === "graph_import");
        expect(asked?.params).toEqual({ path: "/tmp/graph.jsonl", profile: "general-research" });
        expect(location.hash).toBe("#/session/s1?run=run-m");
        core.answers.graph_import = () => {
            throw new Failure({
                code: "invalid_input",
                message: "/tmp/graph.jsonl: line 3 is no item of an evidence graph",
            } as never);
        };
        await user.click(screen.getByRole("button", { name: "Open graph" }));
        expect(screen.getByText(/line 3 is no item/)).toBeTruthy();
    });

    it("says what a mission is where there is none", async () => {
        core.answers.mission_list = [];
        await show(<MissionsPage />);
        expect(screen.getByText("No missions yet")).toBeTruthy();
    });
});
