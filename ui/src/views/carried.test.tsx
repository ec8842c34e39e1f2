import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";

import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { forget } from "@/backend/query";
import { carry } from "@/domains/knowledge";
import { Toasts, TooltipProvider } from "@/shared";

import NewView from "./NewView";

const agent = (slug: string, defaultCorpus: string | null) => ({
    slug,
    name: slug,
    description: "",
    stages: 2,
    depths: [],
    defaultDepth: null,
    defaultCorpus,
    needsCorpus: true,
    examples: [],
    problems: [],
});
const job = (status: string) => ({
    job: "j",
    kind: "ingest",
    subject: "manuals",
    status,
    text: "Reading",
    done: 1,
    total: 3,
    warnings: [],
    problem: null,
    startedAt: 1,
});

let core: MockTransport;
let begin: { done: (job: unknown) => void; fail: (problem: unknown) => void };

beforeEach(() => {
    forget();
    location.hash = "/new";
    core = mockTransport();
    core.tell({ event: "lagged" });
    core.answers = {
        draft_show: null,
        draft_save: null,
        settings_show: { enterSends: true, defaultAgent: "", defaultDepth: "" },
        agent_list: [agent("isa", "primer"), agent("open", null)],
        base_list: [{ name: "primer", title: "Primer", tier: "primer", paragraphs: 3, createdAt: 1, shipped: true }],
        connection_list: [],
        job_list: [],
        base_ingest: () => new Promise((done, fail) => (begin = { done, fail })),
        run_start: "run-2",
        run_list: { runs: [{ run: "run-2", session: "s2" }], next: null },
    };
});

const started = () => core.asked.filter(({ name }) => name === "run_start").map(({ params }) => params);

/** A question to a folder that was chosen elsewhere, sent before its ingest began. */
async function ask() {
    carry(["/home/eva/manuals"]);
    render(
        <TooltipProvider>
            <NewView />
            <Toasts />
        </TooltipProvider>,
    );
    await act(async () => {});
    await userEvent.setup().type(screen.getByRole("textbox"), "How long?{Enter}");
    expect(started()).toEqual([]);
    expect(screen.getByText("The question is asked when the files are ready")).toBeTruthy();
}

test("a question sent before the ingest of its folder has begun waits, and asks that folder", async () => {
    await ask();
    await act(async () => begin.done(job("running")));
    expect(started()).toEqual([]);
    await act(async () => core.tell({ event: "job", value: job("done") } as never));
    await waitFor(() => expect(started()).toEqual([expect.objectContaining({ agent: "open", corpus: "manuals" })]));
});

test("where the folder can't become a base, nothing else is asked and the text is kept", async () => {
    await ask();
    await act(async () => begin.fail({ code: "invalid_input", message: "It is empty.", retryable: false }));
    expect(await screen.findByText(/The files were not added: It is empty\./)).toBeTruthy();
    expect(started()).toEqual([]);
    expect(screen.getByRole<HTMLTextAreaElement>("textbox").value).toBe("How long?");
});

test("one paragraph is one", async () => {
    core.answers.base_list = [
        { name: "note", title: "Note", tier: "guide", paragraphs: 1, createdAt: 1, shipped: false },
    ];
    render(
        <TooltipProvider>
            <NewView />
        </TooltipProvider>,
    );
    expect(await screen.findByText(/Answers are based on Note, 1 paragraph\./)).toBeTruthy();
});

test("attached documents are not said to be answered from a base that is not asked", async () => {
    core.answers.agent_list = [agent("open", null)];
    core.answers.base_list = [
        { name: "note", title: "Note", tier: "guide", paragraphs: 1, createdAt: 1, shipped: false },
    ];
    core.answers.attachment_add = { id: "a.pdf", name: "a.pdf", mediaType: "application/pdf", bytes: 3, pages: 12 };
    render(
        <TooltipProvider>
            <NewView />
        </TooltipProvider>,
    );
    const based = /Answers are based on Note/;
    await screen.findByText(based);
    const user = userEvent.setup();
    await user.upload(screen.getByLabelText("Files to attach"), new File(["abc"], "a.pdf"));
    await screen.findByText("12 pages");
    await waitFor(() => expect(screen.queryByText(based)).toBeNull());
    await user.click(screen.getByRole("combobox", { name: "Knowledge base" }));
    await user.click(await screen.findByRole("option", { name: /^Note/ }));
    expect(screen.getByText(based)).toBeTruthy();
    // The files alone can be chosen again.
    await user.click(screen.getByRole("combobox", { name: "Knowledge base" }));
    await user.click(await screen.findByRole("option", { name: /^Attached files/ }));
    expect(screen.queryByText(based)).toBeNull();
});
