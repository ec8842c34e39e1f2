import { act, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";

import { Failure, type FilePreview, type JobState } from "@/backend";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { TooltipProvider } from "@/shared";

import { IngestDialog, type IngestSeed } from "./IngestDialog";

const FILE: FilePreview = {
    name: "manual.docx",
    format: "docx",
    rules: "numbered-manual",
    confidence: 0.9,
    paragraphs: 12,
    headings: [{ level: 1, title: "Retention", paragraphs: 2 }],
    samples: [{ id: "4.12", kind: "requirement", text: "Papers are kept.", references: ["4.1"], page: 3 }],
    references: 3,
    dangling: 1,
    problems: ["page 7: a picture without text"],
    notes: ["a table of contents was left out (page 2)"],
};

let core: MockTransport;
beforeEach(() => {
    forget();
    core = mockTransport();
    core.tell({ event: "lagged" });
    core.answers = {
        base_list: [{ name: "isa-primer", title: "ISA Primer", shipped: true }],
        job_list: [],
        job_cancel: null,
        knowledge_catalog: {
            corpora: [],
            models: [{ name: "mini", title: "Mini", installed: true }],
            rules: [
                { name: "numbered-manual", title: "Numbered manual", own: false, fault: null },
                { name: "isa", title: "Auditing", own: false, fault: null },
            ],
            endings: ["pdf", "docx"],
        },
        paths_check: (params: { paths: string[] }) => params.paths.map((path) => ({ path, kind: "folder" })),
        base_preview: { files: [FILE], more: 0 },
        base_ingest: {
            job: "j",
            kind: "ingest",
            subject: "manual",
            status: "running",
            text: "",
            done: 0,
            total: 0,
            warnings: [],
            problem: null,
            startedAt: 0,
        },
    };
});

async function show(seed: IngestSeed = { paths: ["/home/eva/Audit Manual"] }) {
    const onClose = vi.fn();
    const { unmount } = render(
        <TooltipProvider>
            <IngestDialog seed={seed} onClose={onClose} />
        </TooltipProvider>,
    );
    await act(async () => {});
    return { user: userEvent.setup(), onClose, unmount };
}
const REQUEST = {
    base: "audit-manual",
    title: "",
    tier: "document",
    citation: "",
    paths: ["/home/eva/Audit Manual"],
    rules: "",
    model: "",
    watch: false,
};
const sent = (command: string) => core.asked.filter(({ name }) => name === command).map(({ params }) => params);
const button = (name: string) => screen.getByRole("button", { name });
const alerts = () => screen.getAllByRole("alert").map((alert) => alert.textContent);

test("dropped files name the base; nothing is stored before it was asked for", async () => {
    const { user, onClose } = await show();
    await user.click(button("Next"));
    await user.click(button("Preview"));
    expect(await screen.findByText("12 paragraphs in 1 file")).toBeTruthy();
    expect(sent("base_preview")).toEqual([REQUEST]);
    expect(sent("base_ingest")).toEqual([]);
    await user.click(button("Ingest"));
    expect(sent("base_ingest")).toEqual([REQUEST]);
    expect(onClose).toHaveBeenCalledOnce();
});

test("what was recognised is shown: format, rules, counts, outline, paragraphs, problems", async () => {
    const { user } = await show();
    await user.click(button("Next"));
    await user.click(button("Preview"));
    const file = within(await screen.findByRole("region", { name: "manual.docx" }));
    expect(file.getByText("Word")).toBeTruthy();
    expect(file.getByText("Numbered manual")).toBeTruthy();
    expect(file.getByText("High confidence")).toBeTruthy();
    expect(file.getByText("12 paragraphs, 3 cross-references, 1 unresolved.")).toBeTruthy();
    expect(file.getByText("Retention")).toBeTruthy();
    expect(file.getByRole("list", { name: "Sample paragraphs" }).textContent).toBe(
        "4.12requirementpage 3Papers are kept.refers to 4.1",
    );
    expect(file.getByText("1 reading problem")).toBeTruthy();
    expect(file.getByText("page 7: a picture without text")).toBeTruthy();
    expect(file.getByText("A table of contents was left out (page 2).")).toBeTruthy();
});

test("of several files the first with paragraphs is shown; one that can't be read says why", async () => {
    core.answers.base_preview = {
        files: [
            {
                ...FILE,
                name: "photo.bin",
                format: "",
                rules: "",
                confidence: 0,
                paragraphs: 0,
                headings: [],
                samples: [],
                references: 0,
                dangling: 0,
                problems: ["not a text"],
            },
            FILE,
        ],
        more: 2,
    };
    const { user } = await show();
    await user.click(button("Next"));
    await user.click(button("Preview"));
    expect(await screen.findByRole("region", { name: "manual.docx" })).toBeTruthy();
    expect(screen.getByText(/2 more files not previewed/)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: /photo\.bin/ }));
    const file = screen.getByRole("region", { name: "photo.bin" });
    expect(file.textContent).toContain("Skipped");
    expect(file.textContent).toContain("not a text");
    expect(within(file).queryByRole("meter")).toBeNull();
});

test("other rules are tried at once, and are the ones that count", async () => {
    const { user } = await show();
    await user.click(button("Next"));
    await user.click(button("Preview"));
    await screen.findByText("12 paragraphs in 1 file");
    await user.click(screen.getByRole("combobox", { name: "Paragraph rules" }));
    await user.click(screen.getByRole("option", { name: /Auditing/ }));
    await waitFor(() => expect(sent("base_preview")).toEqual([REQUEST, { ...REQUEST, rules: "isa" }]));
    await user.click(button("Ingest"));
    expect(sent("base_ingest")).toEqual([{ ...REQUEST, rules: "isa" }]);
});

test("a look is stopped by its job, and the ingest goes without it", async () => {
    let end: (problem: Failure) => void = () => {};
    core.answers.base_preview = () => new Promise((_, reject) => (end = reject));
    const { user } = await show();
    await user.click(button("Next"));
    await user.click(button("Preview"));
    const job: JobState = {
        job: "p1",
        kind: "preview",
        subject: "audit-manual",
        status: "running",
        text: "Reading a.pdf",
        done: 1,
        total: 4,
        warnings: [],
        problem: null,
        startedAt: 1,
    };
    await act(async () => core.tell({ event: "job", value: job }));
    expect(screen.getByText("Reading a.pdf")).toBeTruthy();
    await user.click(button("Cancel preview"));
    expect(sent("job_cancel")).toEqual([{ job: "p1" }]);
    await act(async () => end(new Failure({ code: "cancelled", message: "cancelled", retryable: false })));
    expect(screen.getByText("Preview cancelled. You can still ingest.")).toBeTruthy();
    await user.click(button("Ingest"));
    expect(sent("base_ingest")).toEqual([REQUEST]);
});

test("an ingest in the middle of a look stops it and waits until the base is free", async () => {
    let end: (problem: Failure) => void = () => {};
    core.answers.base_preview = () => new Promise((_, reject) => (end = reject));
    core.answers.job_list = [
        {
            job: "p3",
            kind: "preview",
            subject: "audit-manual",
            status: "running",
            text: "",
            done: 0,
            total: 0,
            warnings: [],
            problem: null,
            startedAt: 1,
        },
    ];
    const { user } = await show();
    await user.click(button("Next"));
    await user.click(button("Preview"));
    await user.click(button("Ingest"));
    await waitFor(() => expect(sent("job_cancel")).toEqual([{ job: "p3" }]));
    expect(sent("base_ingest")).toEqual([]);
    await act(async () => end(new Failure({ code: "cancelled", message: "cancelled", retryable: false })));
    await waitFor(() => expect(sent("base_ingest")).toEqual([REQUEST]));
});

test("closing stops the look", async () => {
    core.answers.base_preview = () => new Promise(() => {});
    const { user, unmount } = await show();
    await user.click(button("Next"));
    await user.click(button("Preview"));
    await act(async () =>
        core.tell({
            event: "job",
            value: {
                job: "p2",
                kind: "preview",
                subject: "audit-manual",
                status: "running",
                text: "",
                done: 0,
                total: 0,
                warnings: [],
                problem: null,
                startedAt: 1,
            },
        }),
    );
    unmount();
    expect(sent("job_cancel")).toEqual([{ job: "p2" }]);
});

test("files that can't be looked at say why, and what to do", async () => {
    core.answers.base_preview = () => {
        throw new Failure({
            code: "invalid_input",
            message: "/home/eva/x does not exist",
            retryable: false,
            action: "Name another file.",
        });
    };
    const { user } = await show();
    await user.click(button("Next"));
    await user.click(button("Preview"));
    expect(await screen.findByText("/home/eva/x does not exist")).toBeTruthy();
    expect(screen.getByText("Name another file.")).toBeTruthy();
    expect(button("Ingest").hasAttribute("disabled")).toBe(true);
});

test("a preview can be left out; model, rules and watching are sent", async () => {
    const { user } = await show();
    await user.click(button("Next"));
    await user.click(screen.getByRole("combobox", { name: "Embedding model" }));
    await user.click(screen.getByRole("option", { name: /Mini/ }));
    await user.click(screen.getByRole("checkbox", { name: "Ingest again when the files change" }));
    await user.click(button("Ingest without a preview"));
    expect(sent("base_preview")).toEqual([]);
    expect(sent("base_ingest")).toEqual([{ ...REQUEST, model: "local:mini", watch: true }]);
});

test("a path where nothing lies is refused at the first step", async () => {
    core.answers.paths_check = [{ path: "/home/eva/Audit Manual", kind: "missing" }];
    const { user } = await show();
    await user.click(screen.getByRole("button", { name: "Next" }));
    await screen.findByText("“/home/eva/Audit Manual” does not exist, or you may not read it.");
    expect(screen.getByRole("button", { name: "Next" })).toBeTruthy();
});

test("nothing goes on while something is wrong, and it says what", async () => {
    const { user } = await show({});
    await user.click(button("Next"));
    expect(alerts()).toEqual(["Enter at least one file or folder."]);
    await user.click(screen.getByLabelText(/Files and folders/));
    await user.paste("/docs/---");
    await user.click(button("Next"));
    await user.click(button("Preview"));
    expect(alerts()).toEqual(["Enter a name."]);
    expect(sent("base_preview")).toEqual([]);
});

test("a base that ships with the program is not replaced", async () => {
    const { user } = await show({ paths: ["/docs"] });
    await user.click(button("Next"));
    await user.clear(screen.getByLabelText("Name"));
    await user.type(screen.getByLabelText("Name"), "isa-primer");
    await user.click(button("Ingest without a preview"));
    expect(alerts()[0]).toContain("built-in knowledge base");
    expect(sent("base_ingest")).toEqual([]);
});

test("what the core refuses is shown, and the dialog stays", async () => {
    core.answers.base_ingest = () => {
        throw new Failure({ code: "busy", message: "The base is being read already.", retryable: true });
    };
    const { user, onClose } = await show();
    await user.click(button("Next"));
    await user.click(button("Ingest without a preview"));
    expect(await screen.findByText(/is being read already/)).toBeTruthy();
    expect(onClose).not.toHaveBeenCalled();
});
