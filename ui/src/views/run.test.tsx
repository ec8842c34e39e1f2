import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";

import { Failure } from "@/backend";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { forget } from "@/backend/query";
import { Toasts, TooltipProvider } from "@/shared";

import RunView from "./RunView";

const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
const run = {
    run: "run-1",
    session: "s1",
    agent: "isa",
    agentName: "ISA",
    request: "How long are papers kept?",
    status: "running",
    seq: 2,
    createdAt: 0,
    updatedAt: 1_000,
    depth: null,
    depths: [],
    corpus: null,
    connection: "offline",
    model: "",
    previous: null,
    followUp: false,
    stages: [],
    pauses: [],
    answered: [],
    guidance: [],
    document: null,
    usage,
    cost: 0,
    noModel: true,
    budget: {},
    doubtful: 0,
    maybePaidTwice: 0,
    activeMs: 10,
    problem: null,
};
const busy = () => {
    throw new Failure({ code: "storage", message: "the disk is busy", retryable: true, action: "wait a moment" });
};

let core: MockTransport;
let log: () => unknown;

beforeEach(() => {
    forget();
    location.hash = "#/run/run-1";
    core = mockTransport();
    log = () => ({
        ...run,
        events: [
            { seq: 1, at: 0, type: "run_resumed" },
            { seq: 2, at: 0, type: "run_resumed" },
        ],
    });
    core.answers = {
        run_show: (params: { events_after?: number | null }) =>
            typeof params.events_after === "number" && params.events_after === 0 ? log() : run,
        run_progress: { tables: [], checkpoints: [], stateFile: null },
        run_list: { runs: [], next: null },
        agent_list: [],
        connection_list: [],
        base_list: [],
        task_list: [],
        run_suspend: busy,
    };
});

function show() {
    render(
        <TooltipProvider>
            <RunView />
            <Toasts />
        </TooltipProvider>,
    );
    return userEvent.setup();
}

it("says why a run was not stopped, and tries again", async () => {
    const user = show();
    await user.click(await screen.findByRole("button", { name: "Stop" }));
    expect(document.title).toBe("How long are papers kept? \u00b7 AgentNative");
    expect(await screen.findByText("Not stopped: the disk is busy. Wait a moment.")).toBeTruthy();
    const asked = () => core.asked.filter(({ name }) => name === "run_suspend").length;
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await screen.findByText("Not stopped: the disk is busy. Wait a moment.");
    expect(asked()).toBe(2);
});

it("reads the events again when asked, after they could not be read", async () => {
    log = busy;
    const user = show();
    expect(await screen.findByText("Could not load the events.")).toBeTruthy();
    log = () => ({ ...run, events: [{ seq: 2, at: 0, type: "run_resumed" }] });
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByLabelText("Filter events")).toBeTruthy();
    expect(screen.queryByText("Could not load the events.")).toBeNull();
});
