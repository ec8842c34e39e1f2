import { act, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";

import { Failure, type AutomationRow, type AutomationView } from "@/backend";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { ConfirmHost, Toasts, TooltipProvider, currentPath } from "@/shared";

import { AutomationForm, AutomationPage, AutomationRows } from ".";

const row = (over: Partial<AutomationRow> = {}): AutomationRow => ({
    id: "standup",
    title: "Standup",
    event: "tick",
    eventName: "SchedulerTick",
    when: "At 09:00, on weekdays. Europe/Budapest",
    may: ["Begins a session in Explore: it reads and changes nothing, and sends: Look"],
    state: "disabled",
    next: null,
    zone: "Europe/Budapest",
    faults: [],
    last: null,
    ...over,
});
const view = (over: Partial<AutomationRow> = {}): AutomationView => ({
    row: row(over),
    entry: {
        id: "standup",
        name: "Standup",
        cron: "0 9 * * 1-5",
        future: 1,
        actions: [{ type: "prompt", prompt: "Look" }],
    },
    digest: "d".repeat(64),
    mode: "safe",
    missed: "skip",
    times: [Date.UTC(2026, 2, 30, 7, 0)],
    subject: "nothing",
    history: [],
});

let core: MockTransport;
beforeEach(() => {
    localStorage.clear();
    forget();
    core = mockTransport();
    core.answers = {
        automation_show: view(),
        automation_list: {
            automations: [],
            path: "/home/eva/automations.json",
            problems: [],
            zone: "UTC",
            awake: true,
        },
        automation_try: view(),
        agent_list: [],
        connection_list: [],
        organise_show: { statuses: [], labels: [], views: [], defaultStatus: "" },
        session_list: { sessions: [], next: null },
    };
});

async function show(page: React.ReactNode) {
    render(
        <TooltipProvider>
            {page}
            <ConfirmHost />
            <Toasts />
        </TooltipProvider>,
    );
    await act(async () => {});
    return userEvent.setup();
}

test("an empty schedule offers three ways to begin", async () => {
    const user = await show(<AutomationRows />);
    expect(within(await screen.findByRole("list", { name: "Templates" })).getAllByRole("button")).toHaveLength(3);
    await user.click(screen.getByRole("button", { name: /Block a tool/ }));
    expect(currentPath()).toBe("/schedule?add=guard");
});

test("a list says how each stands and when it is due", async () => {
    core.answers.automation_list = {
        automations: [
            row({ state: "enabled", next: Date.UTC(2026, 2, 30, 7, 0) }),
            row({ id: "b", title: "B", state: "changed" }),
        ],
        path: "/home/eva/automations.json",
        problems: ["line 3 is no JSON"],
        zone: "UTC",
        awake: true,
    };
    await show(<AutomationRows />);
    expect((await screen.findByRole("link", { name: /Standup/ })).textContent).toMatch(
        /Enabled.*Next Mon 30 Mar, 09:00/,
    );
    expect(screen.getByRole("link", { name: /^B/ }).textContent).toContain("enable again");
    expect(screen.getByText(/line 3 is no JSON/i)).toBeTruthy();
});

test("what it may do is read before it is enabled, as it was shown", async () => {
    const user = await show(<AutomationPage id="standup" />);
    expect(await screen.findByText(/Begins a session in Explore/)).toBeTruthy();
    core.answers.automation_enable = view({ state: "enabled" });
    await user.click(screen.getByRole("button", { name: "Enable" }));
    expect(core.asked.find((each) => each.name === "automation_enable")?.params).toEqual({
        id: "standup",
        on: true,
        digest: "d".repeat(64),
    });
});

test("a test of one that is not enabled asks first", async () => {
    const user = await show(<AutomationPage id="standup" />);
    await user.click(await screen.findByRole("button", { name: "Run now" }));
    expect(core.asked.some((each) => each.name === "automation_fire")).toBe(false);
    core.answers.automation_fire = [
        {
            id: "standup",
            at: 0,
            ms: 1,
            event: "SchedulerTick",
            outcome: "done",
            detail: "sent: Look",
            session: "s-1",
            run: "t",
        },
    ];
    await user.click(screen.getByRole("button", { name: "Run" }));
    expect((await screen.findByRole("link", { name: "Open session" })).getAttribute("href")).toBe("#/session/s-1");
});

test("a change keeps what the form does not show and enables nothing", async () => {
    const user = await show(<AutomationForm id="standup" />);
    expect(screen.getByLabelText<HTMLInputElement>("Time of day").value).toBe("09:00");
    await user.click(screen.getByText("Advanced"));
    const cron = await screen.findByRole("textbox", { name: "Cron pattern" });
    await user.clear(cron);
    await user.type(cron, "0 8 * * *");
    core.answers.automation_save = view();
    await user.click(screen.getByRole("button", { name: "Save" }));
    const saved = core.asked.find((each) => each.name === "automation_save")?.params;
    expect(saved).toEqual({
        id: "standup",
        event: "tick",
        entry: {
            id: "standup",
            name: "Standup",
            cron: "0 8 * * *",
            future: 1,
            permissionMode: "safe",
            actions: [{ type: "prompt", prompt: "Look" }],
        },
    });
    expect(core.asked.some((each) => each.name === "automation_enable")).toBe(false);
});

test("a run is put together by choosing: agent, time, days, and that it needs nobody", async () => {
    core.answers.agent_list = [
        {
            slug: "isa",
            name: "ISA Deep Research",
            description: "",
            stages: 5,
            problems: [],
            defaultCorpus: "isa-primer",
        },
        { slug: "talk", name: "Talk", description: "", stages: 0, problems: [], defaultCorpus: null },
    ];
    core.answers.base_list = [];
    core.answers.automation_show = {
        ...view(),
        entry: { id: "standup", cron: "0 9 * * 1-5", actions: [{ type: "run", input: "What changed?" }] },
    };
    const user = await show(<AutomationForm id="standup" />);
    await user.click(await screen.findByRole("combobox", { name: "Agent" }));
    expect(screen.queryByRole("option", { name: /Talk/ })).toBeNull();
    await user.click(screen.getByRole("option", { name: /ISA Deep Research/ }));
    await user.click(screen.getByRole("checkbox", { name: "Sat" }));
    await user.click(screen.getByRole("checkbox", { name: "Run to the end" }));
    core.answers.automation_save = view();
    await user.click(screen.getByRole("button", { name: "Save" }));
    expect(core.asked.find((each) => each.name === "automation_save")?.params).toMatchObject({
        entry: {
            cron: "0 9 * * 1-6",
            actions: [{ type: "run", input: "What changed?", agent: "isa", unattended: true }],
        },
    });
});

/** What was saved last. */
const savedEntry = () => {
    const saved = core.asked.filter((each) => each.name === "automation_save").at(-1)?.params;
    return (saved as { entry: Record<string, unknown> } | undefined)?.entry;
};

test("conditions are put together by choosing: days, a time of day, a label", async () => {
    core.answers.organise_show = {
        statuses: [],
        labels: [{ id: "urgent", name: "Urgent", color: null, valueType: null, sessions: 0, children: [] }],
        views: [],
        defaultStatus: "",
    };
    core.answers.automation_show = {
        ...view({ event: "turn_after" }),
        entry: { id: "x", actions: [{ type: "prompt", prompt: "Look" }] },
    };
    const user = await show(<AutomationForm id="x" />);
    await user.click(screen.getByRole("button", { name: "Add a time" }));
    await user.click(screen.getByRole("checkbox", { name: "Mon" }));
    await user.clear(screen.getByLabelText("Until"));
    await user.click(screen.getByRole("button", { name: "Add a condition" }));
    await user.click(screen.getByRole("combobox", { name: "Value" }));
    await user.click(screen.getByRole("option", { name: "Urgent" }));
    await user.click(screen.getByRole("combobox", { name: "Conditions that must be met" }));
    await user.click(screen.getByRole("option", { name: "At least one of these" }));
    core.answers.automation_save = view();
    await user.click(screen.getByRole("button", { name: "Save" }));
    expect(savedEntry()?.["conditions"]).toEqual([
        {
            condition: "or",
            conditions: [
                { condition: "time", weekday: ["mon"], after: "09:00" },
                { condition: "state", field: "labels", contains: "urgent" },
            ],
        },
    ]);
    await user.click(screen.getByRole("button", { name: "Remove condition 1" }));
    await user.click(screen.getByRole("button", { name: "Remove condition 1" }));
    await user.click(screen.getByRole("button", { name: "Save" }));
    expect(savedEntry()).not.toHaveProperty("conditions");
});

test("conditions that say more than the list shows are JSON from the beginning, and stay as they are", async () => {
    const conditions = [{ condition: "state", field: "permissionMode", from: "safe", to: "allow-all" }];
    core.answers.automation_show = {
        ...view({ event: "mode_changed" }),
        entry: { id: "x", conditions, actions: [{ type: "prompt", prompt: "Look" }] },
    };
    const user = await show(<AutomationForm id="x" />);
    expect(screen.queryByRole("button", { name: "Add a time" })).toBeNull();
    expect(screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Conditions as JSON" }).value).toContain(
        "allow-all",
    );
    core.answers.automation_save = view();
    await user.click(screen.getByRole("button", { name: "Save" }));
    expect(savedEntry()?.["conditions"]).toEqual(conditions);
});

test("a message is sent to a session, over a connection and to a model that are picked", async () => {
    core.answers.session_list = { sessions: [{ session: "s-1", title: "Weekly review" }], next: null };
    const connection = { credential: "stored", problem: null };
    core.answers.connection_list = [
        { ...connection, slug: "acme", name: "Acme", models: ["big-1", "small-1"] },
        { ...connection, slug: "other", name: "Other", models: ["else-1"] },
    ];
    core.answers.automation_show = {
        ...view({ event: "turn_after" }),
        entry: { id: "x", actions: [{ type: "prompt", prompt: "Look", session: "gone" }] },
    };
    const user = await show(<AutomationForm id="x" />);
    const pick = async (field: string, option: RegExp | string) => {
        await user.click(screen.getByRole("combobox", { name: field }));
        await user.click(screen.getByRole("option", { name: option }));
    };
    expect(screen.queryByRole("combobox", { name: "Model" })).toBeNull();
    await pick("Session", /Weekly review/);
    await pick("Connection", /Acme/);
    await pick("Model", "small-1");
    core.answers.automation_save = view();
    await user.click(screen.getByRole("button", { name: "Save" }));
    const action = { type: "prompt", prompt: "Look" };
    expect(savedEntry()?.["actions"]).toEqual([{ ...action, session: "s-1", llmConnection: "acme", model: "small-1" }]);
    await pick("Connection", /Other/);
    await pick("Session", "The session of the event");
    await user.click(screen.getByRole("button", { name: "Save" }));
    expect(savedEntry()?.["actions"]).toEqual([{ ...action, session: "${AN_SESSION_ID}", llmConnection: "other" }]);
});

test("what is missing is named as the form names it, and only once something is there", async () => {
    const faults = [
        { place: "/actions/0/prompt", message: "it is empty" },
        { place: "/timezone", message: "there is no time zone Mars" },
    ];
    core.answers.automation_try = { ...view(), row: { ...view().row, faults } };
    const user = await show(<AutomationForm />);
    expect(await screen.findByText(/^Next:/)).toBeTruthy();
    expect(screen.queryByRole("alert")).toBeNull();
    await user.type(screen.getByLabelText("Name"), "Nightly");
    await waitFor(() =>
        expect(screen.getAllByRole("alert").map((each) => each.textContent)).toEqual([
            "Action 1, Message: it is empty.",
            "Time zone: there is no time zone Mars.",
        ]),
    );
});

test("a failure to enable says what to do, and tries again where that may help", async () => {
    let tries = 0;
    core.answers.automation_enable = () => {
        tries += 1;
        throw new Failure({ code: "busy", message: "the file is locked", retryable: true, action: "close the editor" });
    };
    const user = await show(<AutomationPage id="standup" />);
    await user.click(await screen.findByRole("button", { name: /^Enable/ }));
    expect(await screen.findByText("Not enabled: the file is locked. Close the editor.")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(tries).toBe(2));
});
