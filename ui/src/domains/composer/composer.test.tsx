import { act, render, screen, within, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import type { RunState } from "@/backend";
import { ConfirmHost, TooltipProvider } from "@/shared";

import { Composer, type ComposerProps } from "./Composer";
import { destinationOf, hasSwitch, sends } from "./destination";
import { draftSaver } from "@/backend/draft";

const run = (over: Partial<RunState>) =>
    ({
        run: "run-1",
        session: "s",
        agent: "a",
        status: "completed",
        followUp: true,
        pauses: [],
        ...over,
    }) as unknown as RunState;

describe("where a text goes", () => {
    it("begins a session when there is none", () => {
        expect(destinationOf(undefined, false)).toEqual({ to: "question" });
    });

    it("is guidance while a run goes on", () => {
        expect(destinationOf(run({ status: "running" }), false)).toEqual({ to: "guidance", run: "run-1" });
    });

    it("answers an open pause", () => {
        const paused = run({
            status: "paused",
            pauses: [{ pause: "p1", kind: "stage" }] as unknown as RunState["pauses"],
        });
        expect(destinationOf(paused, true)).toEqual({ to: "pause", run: "run-1", pause: "p1" });
        const budget = run({
            status: "paused",
            pauses: [{ pause: "p1", kind: "budget" }] as unknown as RunState["pauses"],
        });
        expect(destinationOf(budget, true)).toEqual({ to: "guidance", run: "run-1" });
    });

    it("follows a finished run up, unless the person wants a new question or the agent takes none", () => {
        expect(destinationOf(run({}), false)).toEqual({ to: "follow_up", session: "s", previous: "run-1", agent: "a" });
        expect(destinationOf(run({}), true)).toEqual({ to: "question" });
        expect(destinationOf(run({ followUp: false }), false)).toEqual({ to: "question" });
        expect(hasSwitch(run({}))).toBe(true);
        expect(hasSwitch(run({ status: "running" }))).toBe(false);
    });

    it("is a new run beside one that failed or was cancelled", () => {
        expect(destinationOf(run({ status: "failed" }), false)).toEqual({ to: "question", session: "s" });
    });
});

describe("the key that sends", () => {
    const key = (over: object) => ({
        key: "Enter",
        shiftKey: false,
        ctrlKey: false,
        metaKey: false,
        altKey: false,
        ...over,
    });

    it("is Enter or Ctrl+Enter, as the person set it", () => {
        expect(sends(key({}), true)).toBe(true);
        expect(sends(key({ shiftKey: true }), true)).toBe(false);
        expect(sends(key({}), false)).toBe(false);
        expect(sends(key({ ctrlKey: true }), false)).toBe(true);
        expect(sends(key({ key: "a" }), true)).toBe(false);
    });
});

describe("keeping what is typed", () => {
    it("stores the newest text of each key once typing pauses, and at once when told", () => {
        vi.useFakeTimers();
        const saved: string[] = [];
        const drafts = draftSaver((key, text) => saved.push(`${key}=${text}`), 300);
        drafts.keep("a", "1");
        vi.advanceTimersByTime(200);
        drafts.keep("a", "12");
        drafts.keep("b", "x");
        vi.advanceTimersByTime(299);
        expect(saved).toEqual([]);
        vi.advanceTimersByTime(1);
        expect(saved).toEqual(["a=12", "b=x"]);
        drafts.keep("a", "123");
        drafts.flush();
        drafts.flush();
        expect(saved).toEqual(["a=12", "b=x", "a=123"]);
        vi.useRealTimers();
    });
});

describe("the composer", () => {
    let core: MockTransport;

    beforeEach(() => {
        forget();
        core = mockTransport();
        core.answers = {
            draft_show: null,
            draft_save: null,
            settings_show: { enterSends: true, defaultAgent: "", defaultDepth: "" },
            agent_list: [
                {
                    slug: "a",
                    name: "A",
                    description: "",
                    depths: ["quick", "deep"],
                    defaultDepth: "quick",
                    defaultCorpus: "primer",
                    needsCorpus: true,
                    examples: [],
                    problems: [],
                },
            ],
            base_list: [],
            connection_list: [],
            run_start: "run-2",
            run_list: { runs: [{ run: "run-2", session: "s2" }], next: null },
            run_guide: null,
            run_answer: { result: "still_open", message: "Nothing was decided." },
        };
    });

    async function show(props: Partial<ComposerProps>) {
        render(
            <TooltipProvider>
                <Composer {...props} />
            </TooltipProvider>,
        );
        await act(async () => {});
        return userEvent.setup();
    }
    const asked = (name: string) => core.asked.filter((each) => each.name === name).map((each) => each.params);

    it("starts a run on Enter and opens its session", async () => {
        const user = await show({});
        await user.type(screen.getByRole("textbox"), "What is materiality?{Enter}");
        expect(asked("run_start")).toEqual([
            { agent: "a", request: "What is materiality?", depth: null, corpus: null, session: null, previous: null },
        ]);
        await waitFor(() => expect(location.hash).toBe("#/session/s2"));
    });

    it("asks to allow what an agent's stages call, and begins the run once it is allowed", async () => {
        let allowed = false;
        core.answers.run_start = () => {
            if (!allowed)
                // eslint-disable-next-line @typescript-eslint/only-throw-error
                throw {
                    code: "permission",
                    message: "the stages of a call find of files, which you have not allowed yet",
                    retryable: false,
                };
            return "run-2";
        };
        core.answers.permission_stages = [
            { source: "files", name: "My files", tools: ["find", "read"], granted: false },
        ];
        core.answers.permission_allow = () => {
            allowed = true;
            return [];
        };
        render(<ConfirmHost />);
        const user = await show({});
        await user.type(screen.getByRole("textbox"), "What is materiality?{Enter}");
        const dialog = await screen.findByRole("alertdialog");
        expect(dialog.textContent).toContain("My files: find, read");
        await user.click(within(dialog).getByRole("button", { name: "Allow and start" }));
        await waitFor(() => expect(location.hash).toBe("#/session/s2"));
        expect(asked("permission_allow")).toEqual([{ agent: "a" }]);
        expect(asked("run_start")).toHaveLength(2);
    });

    describe("with bases of the person's own", () => {
        const agent = (slug: string, defaultCorpus: string | null) => ({
            slug,
            name: slug,
            description: "",
            depths: [],
            defaultDepth: null,
            defaultCorpus,
            needsCorpus: true,
            examples: [],
            problems: [],
        });
        const base = (name: string, createdAt: number, shipped = false) => ({
            name,
            title: name,
            tier: "guide",
            paragraphs: 3,
            createdAt,
            shipped,
        });
        const job = (status: string) => ({
            job: "j",
            kind: "ingest",
            subject: "handbook",
            status,
            text: "Reading",
            done: 1,
            total: 3,
            warnings: [],
            problem:
                status === "failed" ? { code: "invalid_input", message: "No paragraphs.", retryable: false } : null,
            startedAt: 1,
        });

        beforeEach(() => {
            core.tell({ event: "lagged" });
            core.answers.agent_list = [agent("a", "primer"), agent("open", null)];
            core.answers.base_list = [base("primer", 9, true), base("old", 1), base("new", 2)];
            core.answers.job_list = [];
        });

        it("asks the newest of them with the agent that answers from any base", async () => {
            const user = await show({});
            await user.type(screen.getByRole("textbox"), "How long?{Enter}");
            expect(asked("run_start")).toEqual([expect.objectContaining({ agent: "open", corpus: "new" })]);
        });

        it("asks attached documents instead where nobody chose one, and beside the one that was chosen", async () => {
            const file = { id: "id-a.pdf", name: "a.pdf", mediaType: "application/pdf", bytes: 3, pages: 12 };
            core.answers.attachment_add = file;
            const user = await show({});
            const attach = async () => {
                await user.upload(screen.getByLabelText("Files to attach"), new File(["abc"], "a.pdf"));
                await screen.findByText("12 pages");
            };
            await attach();
            expect(asked("attachment_add")).toMatchObject([{ name: "a.pdf", read: true }]);
            expect(screen.getByRole("combobox", { name: "Knowledge base" }).textContent).toBe("Attached files");
            await user.type(screen.getByRole("textbox"), "How long?{Enter}");
            expect(asked("run_start")).toMatchObject([{ agent: "open", corpus: null, attachments: [file] }]);
            await attach();
            await user.click(screen.getByRole("combobox", { name: "Knowledge base" }));
            await user.click(await screen.findByRole("option", { name: /^old/ }));
            await user.type(screen.getByRole("textbox"), "How long?{Enter}");
            expect(asked("run_start").at(-1)).toMatchObject({ corpus: "old", attachments: [file] });
        });

        it("asks the base of a link", async () => {
            const user = await show({ base: "old" });
            await user.type(screen.getByRole("textbox"), "How long?{Enter}");
            expect(asked("run_start")).toEqual([expect.objectContaining({ agent: "open", corpus: "old" })]);
        });

        it("keeps base and agent for a follow-up", async () => {
            const user = await show({ session: "s", run: run({ agent: "open", corpus: "old@g000001" }) });
            await user.type(screen.getByRole("textbox"), "And then?{Enter}");
            expect(asked("run_start")).toEqual([
                expect.objectContaining({ agent: "open", corpus: "old", previous: "run-1" }),
            ]);
        });

        it("asks what was attached before, and no base, in a follow-up of such a question", async () => {
            const attached = [{ id: "id-a.pdf", name: "a.pdf", mediaType: "application/pdf", bytes: 3 }];
            const user = await show({ session: "s", run: run({ agent: "open", corpus: null, attached }) });
            expect(screen.getByRole("combobox", { name: "Knowledge base" }).textContent).toBe("Attached files");
            await user.type(screen.getByRole("textbox"), "And then?{Enter}");
            expect(asked("run_start")).toMatchObject([{ agent: "open", corpus: null, previous: "run-1" }]);
        });

        it("keeps the agent after a failed run", async () => {
            const user = await show({
                session: "s",
                run: run({ agent: "open", corpus: "old@g000001", status: "failed" }),
            });
            await user.type(screen.getByRole("textbox"), "Again?{Enter}");
            expect(asked("run_start")).toEqual([
                expect.objectContaining({ agent: "open", corpus: "old", session: "s", previous: null }),
            ]);
        });

        it("never asks another base than the session's where that was removed", async () => {
            const user = await show({ session: "s", run: run({ agent: "open", corpus: "gone@g000001" }) });
            await user.type(screen.getByRole("textbox"), "And then?{Enter}");
            expect(asked("run_start")).toEqual([expect.objectContaining({ corpus: null })]);
        });

        it("holds the question back until the base is ready", async () => {
            core.answers.job_list = [job("running")];
            const user = await show({ base: "handbook" });
            await user.type(screen.getByRole("textbox"), "How long?{Enter}");
            expect(asked("run_start")).toEqual([]);
            expect(screen.getByText("The question is asked when “handbook” is ready")).toBeTruthy();
            await act(async () => core.tell({ event: "job", value: job("done") } as never));
            await waitFor(() =>
                expect(asked("run_start")).toEqual([expect.objectContaining({ agent: "open", corpus: "handbook" })]),
            );
        });

        it("asks nothing where the base could not be made, and says why", async () => {
            core.answers.job_list = [job("running")];
            const user = await show({ base: "handbook" });
            await user.type(screen.getByRole("textbox"), "How long?{Enter}");
            await act(async () => core.tell({ event: "job", value: job("failed") } as never));
            expect(screen.getByRole("alert").textContent).toContain("No paragraphs.");
            expect(asked("run_start")).toEqual([]);
        });
    });

    it("sends once the agents are known what was sent before", async () => {
        const agents = core.answers.agent_list;
        let resolve: (agents: unknown) => void = () => undefined;
        core.answers.agent_list = () => new Promise((done) => (resolve = done));
        const user = await show({});
        await user.type(screen.getByRole("textbox"), "What is materiality?{Enter}");
        expect(asked("run_start")).toEqual([]);
        await act(async () => resolve(agents));
        await waitFor(() =>
            expect(asked("run_start")).toMatchObject([{ agent: "a", request: "What is materiality?" }]),
        );
    });

    it("fills in what a link brings and does not send it", async () => {
        await show({ prefill: "from a link" });
        expect(screen.getByRole<HTMLTextAreaElement>("textbox").value).toBe("from a link");
        expect(asked("run_start")).toEqual([]);
    });

    it("gives a run the files that are attached", async () => {
        const file = { id: "id-b.txt", name: "b.txt", mediaType: "text/plain", bytes: 3 };
        core.answers.attachment_add = file;
        const user = await show({});
        await user.upload(screen.getByLabelText("Files to attach"), new File(["abc"], "b.txt"));
        await screen.findByText("b.txt");
        await user.type(screen.getByRole("textbox"), "What follows?{Enter}");
        expect(asked("run_start")).toMatchObject([{ request: "What follows?", attachments: [file] }]);
    });

    it("queues guidance while a run goes on", async () => {
        const user = await show({ session: "s", run: run({ status: "running" }) });
        await user.type(screen.getByRole("textbox"), "banks only{Enter}");
        expect(asked("run_guide")).toEqual([{ run: "run-1", text: "banks only" }]);
        expect(screen.getByRole<HTMLTextAreaElement>("textbox").value).toBe("");
    });

    it("gives a pause's explanation to the card of that run and is free for the answer", async () => {
        const onNote = vi.fn();
        const user = await show({
            session: "s",
            run: run({ status: "paused", pauses: [{ pause: "p1", kind: "stage" }] as unknown as RunState["pauses"] }),
            onNote,
        });
        await user.type(screen.getByRole("textbox"), "why?{Enter}");
        expect(asked("run_answer")).toEqual([{ run: "run-1", pause: "p1", reply: { text: "why?" } }]);
        expect(onNote).toHaveBeenCalledWith("run-1", "p1", "Nothing was decided.");
        expect(screen.getByRole<HTMLTextAreaElement>("textbox").value).toBe("");
    });

    const models = [
        {
            slug: "offline",
            name: "Offline engine",
            provider: "offline",
            credential: "not_needed",
            defaultModel: null,
            models: ["extractive"],
            default: false,
            builtIn: true,
            problem: null,
        },
        {
            slug: "acme",
            name: "Acme",
            provider: "anthropic",
            credential: "stored",
            defaultModel: "big-1",
            models: ["big-1", "small-1"],
            default: true,
            builtIn: false,
            problem: null,
        },
        {
            slug: "bare",
            name: "Bare",
            provider: "openai",
            credential: "missing",
            defaultModel: "m",
            models: ["m"],
            default: false,
            builtIn: false,
            problem: null,
        },
    ];
    const forecast = {
        connection: "acme",
        model: "big-1",
        stages: [
            {
                stage: "1",
                title: "Write",
                calls: 1.5,
                usage: { input: 80_000, output: 5_200 },
                cost: 120_000_000,
                most: 800_000_000,
            },
        ],
        cost: 120_000_000,
        most: 800_000_000,
        tokens: 85_200,
        runs: 4,
        range: {
            cost: { low: 90_000_000, likely: 120_000_000, high: 300_000_000 },
            tokens: { low: 60_000, likely: 85_200, high: 90_000 },
            runs: 4,
        },
        equivalent: false,
        unpriced: false,
        budget: null,
    };

    it("asks the model that was picked, by the keyboard alone", async () => {
        core.answers.connection_list = models;
        core.answers.run_forecast = forecast;
        const user = await show({ agent: "a" });
        await user.click(screen.getByRole("button", { name: "Connection and model: Acme, big-1" }));
        expect(screen.getByRole("option", { name: /^m/ }).ariaDisabled).toBe("true");
        await user.keyboard("acme small{Enter}");
        expect(screen.getByRole("button", { name: "Connection and model: Acme, small-1" })).toBeTruthy();
        await user.type(screen.getByRole("textbox"), "q{Enter}");
        expect(asked("run_start")).toEqual([
            {
                agent: "a",
                request: "q",
                depth: null,
                corpus: null,
                session: null,
                previous: null,
                connection: "acme",
                model: "small-1",
            },
        ]);
    });

    it("goes on in a session over the session's connection, which can be switched", async () => {
        core.answers.connection_list = models;
        core.answers.session_update = null;
        const user = await show({
            session: "s",
            run: run({}),
            over: { connection: "acme", model: "big-1", connectionGone: false },
        });
        await user.click(screen.getByRole("button", { name: "Connection and model: Acme, big-1" }));
        await user.keyboard("small{Enter}");
        expect(asked("session_update")).toEqual([{ sessions: ["s"], patch: { connection: "acme", model: "small-1" } }]);
        await user.type(screen.getByRole("textbox"), "and then?{Enter}");
        expect(asked("run_start")).toEqual([
            expect.objectContaining({ previous: "run-1", connection: "acme", model: "small-1" }),
        ]);
    });

    it("goes over no connection that is gone, and says so", async () => {
        core.answers.connection_list = models;
        const user = await show({
            session: "s",
            run: run({}),
            over: { connection: "removed", model: "x", connectionGone: true },
        });
        expect(screen.getByText(/The session’s connection no longer exists: another one is used/)).toBeTruthy();
        await user.type(screen.getByRole("textbox"), "q{Enter}");
        expect(asked("run_start")[0]).not.toHaveProperty("connection");
    });

    it("switches nothing in the session for a question that begins one of its own", async () => {
        core.answers.connection_list = models;
        const user = await show({
            session: "s",
            run: run({}),
            over: { connection: "acme", model: "big-1", connectionGone: false },
        });
        await user.click(screen.getByRole("radio", { name: "New question" }));
        await user.click(screen.getByRole("button", { name: /^Connection and model/ }));
        await user.keyboard("small{Enter}");
        expect(asked("session_update")).toEqual([]);
    });

    it("tells beforehand what it is likely to cost, by stage, and takes a limit", async () => {
        core.answers.connection_list = models;
        core.answers.run_forecast = forecast;
        const user = await show({ agent: "a" });
        await user.click(
            await screen.findByRole("button", { name: /^Likely \$0\.12, at most \$0\.80, about 85k tokens/ }),
        );
        expect(await screen.findByRole("row", { name: /Write 1\.5 85k \$0\.12$/ })).toBeTruthy();
        await user.type(screen.getByLabelText(/^Pause at/), "0.1");
        expect(await screen.findByText(/more than the limit of \$0\.10/)).toBeTruthy();
        await user.keyboard("{Escape}");
        await user.type(screen.getByRole("textbox"), "q{Enter}");
        expect(asked("run_start")).toEqual([expect.objectContaining({ budgetUsd: 0.1 })]);
    });

    it("has a follow-up go on by itself, or pause at its plan, and keeps the choice", async () => {
        core.answers.settings_update = {};
        const user = await show({ run: run({}), session: "s" });
        await user.type(screen.getByRole("textbox"), "And then?{Enter}");
        await user.click(screen.getByRole("combobox", { name: "Plan" }));
        await user.click(screen.getByRole("option", { name: /Pause at the plan/ }));
        await user.type(screen.getByRole("textbox"), "And why?{Enter}");
        expect(asked("run_start")).toMatchObject([
            { previous: "run-1", pauseAtPlan: false },
            { previous: "run-1", pauseAtPlan: true },
        ]);
        expect(asked("settings_update")).toEqual([{ pauseFollowUps: true }]);
    });

    it("says that the vault is locked, in which a web search may be set up", async () => {
        core.answers.connection_list = models;
        core.answers.run_forecast = { ...forecast, noWebSearch: true };
        core.answers.web_search_show = { service: "", address: "", environment: false, storedAt: null, locked: true };
        await show({ agent: "a" });
        expect(await screen.findByRole("link", { name: "No web search: unlock the vault" })).toBeTruthy();
    });

    it("says before the run that a web search is missing, and leads to where one is set up", async () => {
        core.answers.connection_list = models;
        core.answers.run_forecast = { ...forecast, noWebSearch: true };
        await show({ agent: "a" });
        const link = await screen.findByRole("link", { name: "No web search is set up" });
        expect(link.getAttribute("href")).toBe("#/settings/credentials");
    });

    it("sends nothing while the limit is no sum", async () => {
        core.answers.connection_list = models;
        core.answers.run_forecast = forecast;
        const user = await show({ agent: "a" });
        await user.click(await screen.findByRole("button", { name: /^Likely/ }));
        await user.type(screen.getByLabelText(/^Pause at/), "cheap");
        expect(screen.getByText("Enter an amount such as 2 or 0.50.")).toBeTruthy();
        await user.keyboard("{Escape}");
        await user.type(screen.getByRole("textbox"), "q{Enter}");
        expect(asked("run_start")).toEqual([]);
    });

    it("keeps the text when the run could not be started", async () => {
        core.answers.run_start = () => {
            throw new Error("no room");
        };
        const user = await show({});
        await user.type(screen.getByRole("textbox"), "q{Enter}");
        expect(screen.getByRole("alert").textContent).toContain("Your text is kept");
        expect(screen.getByRole<HTMLTextAreaElement>("textbox").value).toBe("q");
    });
});
