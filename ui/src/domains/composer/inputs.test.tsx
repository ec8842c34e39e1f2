import { act, cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";

import { Failure, type RunState } from "@/backend";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { TooltipProvider } from "@/shared";

import { Composer, type ComposerProps } from "./Composer";
import { faultsIn, fieldsOf, readInputs, restored, typedInputs } from "./inputs";

const SCHEMA = {
    type: "object",
    properties: {
        title: { type: "string", title: "Title", maxLength: 80 },
        description: { type: "string", description: "What is to be done, in several lines." },
        project: { type: "string", format: "folder" },
        base_branch: { type: "string", default: "main" },
        priority: { enum: ["low", "normal", "high"], default: "normal" },
        attempts: { type: "integer", minimum: 1, maximum: 5 },
        share: { type: "number" },
        draft: { type: "boolean", default: true },
        checks: { type: "array", items: { type: "string" }, title: "Checks" },
        extra: { type: "object" },
    },
    required: ["title", "project", "priority"],
};
const fields = fieldsOf(SCHEMA);

describe("the fields of a schema", () => {
    it("come in its order, each of the kind that its type needs", () => {
        expect(fields.map((field) => [field.label, field.kind, field.required])).toEqual([
            ["Title", "line", true],
            ["Description", "text", false],
            ["Project", "folder", true],
            ["Base branch", "line", false],
            ["Priority", "choice", true],
            ["Attempts", "integer", false],
            ["Share", "number", false],
            ["Draft", "boolean", false],
            ["Checks", "texts", false],
            ["Extra", "json", false],
        ]);
        const kind = (schema: object) => fieldsOf({ properties: { one: schema } })[0]?.kind;
        expect(kind({ type: "string", maxLength: 201 })).toBe("text");
        expect(kind({ type: "string", maxLength: 200, format: "multiline" })).toBe("line");
        expect(kind({ type: "string", format: "multiline" })).toBe("text");
        expect(kind({ type: ["string", "null"] })).toBe("json");
        expect(kind({ type: "array", items: { type: "number" } })).toBe("json");
    });

    it("leave out what the program fills in", () => {
        expect(fieldsOf({ properties: { task: { type: "string", readOnly: true } } })).toEqual([]);
    });

    it("are one field for the whole object where no property is named", () => {
        const whole = fieldsOf({ type: "object" });
        expect(typedInputs(whole)).toEqual({ "": "{}" });
        expect(readInputs(whole, { "": '{"a": 1}' }).inputs).toEqual({ a: 1 });
        expect(readInputs(whole, { "": "[1]" }).faults).toEqual({ "": "Not a JSON object." });
    });
});

describe("what is typed", () => {
    const typed = {
        ...typedInputs(fields),
        title: " Mend the door ",
        project: "/home/eva/door",
        attempts: "3",
        share: "0.5",
        checks: ["npm test", " "],
        extra: '{"a": [1]}',
    };

    it("is read as values of the schema, without what is empty and not required", () => {
        expect(readInputs(fields, typed)).toEqual({
            inputs: {
                title: "Mend the door",
                project: "/home/eva/door",
                base_branch: "main",
                priority: "normal",
                attempts: 3,
                share: 0.5,
                draft: true,
                checks: ["npm test"],
                extra: { a: [1] },
            },
            faults: {},
        });
    });

    it("is refused field by field", () => {
        const wrong = { ...typed, title: "", priority: "", attempts: "9", share: "much", extra: "{" };
        const { faults } = readInputs(fields, wrong);
        expect(Object.keys(faults)).toEqual(["title", "priority", "attempts", "share", "extra"]);
        expect([faults["title"], faults["attempts"], faults["share"]]).toEqual([
            "Required.",
            "At most 5.",
            "Not a number.",
        ]);
        expect(readInputs(fields, { ...typed, attempts: "1.5" }).faults["attempts"]).toBe("Not a whole number.");
        expect(readInputs(fields, { ...typed, title: "x".repeat(81) }).faults["title"]).toBe(
            "At most 80 characters; it has 81.",
        );
    });

    it("comes back as it was given to an earlier run, and from what was kept where that still fits", () => {
        const { inputs } = readInputs(fields, typed);
        expect(readInputs(fields, typedInputs(fields, inputs)).inputs).toEqual(inputs);
        const back = restored(fields, { title: "Door", checks: "npm test", gone: "x", draft: false });
        expect([back["title"], back["checks"], back["draft"], back["gone"]]).toEqual(["Door", [], false, undefined]);
    });

    it("is blamed at the places that the core names", () => {
        const message =
            'the inputs do not fit agent a: /priority: "urgent" is not one of the values; /checks/1: 3 is not of type "string"';
        expect(faultsIn(message, fields)).toEqual({
            priority: '"urgent" is not one of the values',
            checks: '3 is not of type "string"',
        });
        expect(faultsIn("the question is empty", fields)).toEqual({});
    });
});

describe("a run with inputs", () => {
    let core: MockTransport;

    beforeEach(() => {
        forget();
        core = mockTransport();
        core.answers = {
            draft_show: null,
            draft_save: null,
            settings_show: { enterSends: true, defaultAgent: "a", defaultDepth: "" },
            agent_list: [
                {
                    slug: "a",
                    name: "Ticket",
                    description: "",
                    stages: 1,
                    depths: [],
                    defaultDepth: null,
                    defaultCorpus: null,
                    needsCorpus: false,
                    examples: [],
                    problems: [],
                    inputSchema: SCHEMA,
                },
            ],
            base_list: [],
            connection_list: [],
            folder_look: ({ path }: { path: string }) => ({
                folder: path === "/home/eva/door" ? path : null,
                problem: path === "/home/eva/door" ? null : "there is no such folder",
                below: [],
            }),
            run_start: "run-2",
            run_list: { runs: [{ run: "run-2", session: "s2" }], next: null },
        };
    });

    async function show(props: Partial<ComposerProps> = {}) {
        render(
            <TooltipProvider>
                <Composer {...props} />
            </TooltipProvider>,
        );
        await screen.findByRole("group", { name: "Inputs of Ticket" });
        return userEvent.setup();
    }
    const started = () => core.asked.filter((each) => each.name === "run_start").map((each) => each.params);
    const box = (name: RegExp | string) => screen.getByRole("textbox", { name });

    it("takes over the files of an earlier run where the agent can", async () => {
        const [agent] = core.answers.agent_list as [object];
        core.answers = { ...core.answers, agent_list: [{ ...agent, adopts: true }] };
        const user = await show();
        await user.type(box("Title *"), "Mend the door");
        await user.type(screen.getByRole("combobox", { name: "Project *" }), "/home/eva/door");
        await user.click(screen.getByRole("combobox", { name: "Priority *" }));
        await user.keyboard("h{Enter}");
        await user.type(screen.getByRole("combobox", { name: "Files of an earlier run" }), "/home/eva/door");
        await user.keyboard("{Control>}{Enter}{/Control}");
        const [params] = started() as { adopt: string; inputs: object }[];
        expect(params?.adopt).toBe("/home/eva/door");
        expect(Object.keys(params?.inputs ?? {})).toEqual(["title", "project", "base_branch", "priority", "draft"]);
    });

    it("is begun from the form by keys alone, and opens its session", async () => {
        const user = await show();
        await user.type(box("Title *"), "Mend the door");
        await user.type(screen.getByRole("combobox", { name: "Project *" }), "/home/eva/door");
        await user.click(screen.getByRole("button", { name: "Add an entry to Checks" }));
        await user.keyboard("npm test{Enter}npm run lint");
        await user.click(screen.getByRole("combobox", { name: "Priority *" }));
        await user.keyboard("h{Enter}");
        await user.keyboard("{Control>}{Enter}{/Control}");
        expect(started()).toMatchObject([
            {
                agent: "a",
                request: "",
                inputs: {
                    title: "Mend the door",
                    project: "/home/eva/door",
                    base_branch: "main",
                    priority: "high",
                    draft: true,
                    checks: ["npm test", "npm run lint"],
                },
            },
        ]);
        await waitFor(() => expect(location.hash).toBe("#/session/s2"));
        expect(box("Title *")).toHaveProperty("value", "");
    });

    it("says beside each field what is missing and sends nothing", async () => {
        const user = await show();
        await user.click(screen.getByRole("button", { name: /^Run/ }));
        expect(screen.getAllByText("Required.")).toHaveLength(2);
        expect(document.activeElement).toBe(box("Title *"));
        expect(box("Title *").getAttribute("aria-invalid")).toBe("true");
        await user.type(box("Title *"), "Door");
        expect(screen.getAllByText("Required.")).toHaveLength(1);
        expect(started()).toEqual([]);
    });

    it("keeps what is typed when the page is drawn anew, and shows what the core refuses at its field", async () => {
        const user = await show();
        await user.type(box("Title *"), "Door");
        await user.type(screen.getByRole("combobox", { name: "Project *" }), "/nowhere");
        await user.tab();
        expect(await screen.findByText("There is no such folder")).toBeTruthy();
        cleanup();
        core.answers.run_start = () => {
            const message = "the inputs do not fit agent a: /project: no folder";
            throw new Failure({ code: "invalid_input", message, retryable: false });
        };
        await show();
        expect(box("Title *")).toHaveProperty("value", "Door");
        await act(async () => screen.getByRole("button", { name: /^Run/ }).click());
        expect(await screen.findByText("no folder")).toBeTruthy();
    });

    it("begins with what the session's run was given that failed, and a follow-up asks for none", async () => {
        const run = {
            run: "run-1",
            session: "s",
            agent: "a",
            status: "failed",
            followUp: true,
            pauses: [],
            inputs: { title: "Door", project: "/home/eva/door", priority: "low" },
        } as unknown as RunState;
        await show({ session: "s", run });
        expect(box("Title *")).toHaveProperty("value", "Door");
        expect(screen.getByRole("combobox", { name: "Priority *" }).textContent).toBe("low");
    });

    it("stays folded below a document until it is asked for", async () => {
        const run = { run: "run-1", session: "s", agent: "a", status: "completed", followUp: false, pauses: [] };
        render(
            <TooltipProvider>
                <Composer session="s" run={run as unknown as RunState} />
            </TooltipProvider>,
        );
        const again = await screen.findByRole("button", { name: "Run Ticket again with other inputs" });
        expect(screen.queryByRole("group", { name: "Inputs of Ticket" })).toBeNull();
        await userEvent.setup().click(again);
        expect(await screen.findByRole("group", { name: "Inputs of Ticket" })).toBeTruthy();
    });

    it("is followed up by a question alone", async () => {
        const run = { run: "run-1", session: "s", agent: "a", status: "completed", followUp: true, pauses: [] };
        render(
            <TooltipProvider>
                <Composer session="s" run={run as unknown as RunState} />
            </TooltipProvider>,
        );
        await screen.findByRole("textbox", { name: "Ask a follow-up question" });
        expect(screen.queryByRole("group", { name: /Inputs/ })).toBeNull();
    });
});
