import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";

import type { JobState } from "@/backend";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { Toasts, TooltipProvider } from "@/shared";

import { JobNews } from "./JobNews";
import { JobRows } from "./JobRows";

const job = (over: Partial<JobState>): JobState => ({
    job: "j1",
    kind: "ingest",
    subject: "manual",
    status: "running",
    text: "Indexing paragraphs",
    done: 3,
    total: 12,
    warnings: [],
    problem: null,
    startedAt: 1,
    ...over,
});

let core: MockTransport;

beforeEach(() => {
    forget();
    core = mockTransport();
    core.tell({ event: "lagged" });
    core.answers = { job_list: [job({})], job_cancel: null };
    location.hash = "/view/inbox";
});

async function show() {
    render(
        <TooltipProvider>
            <JobNews />
            <JobRows />
            <Toasts />
        </TooltipProvider>,
    );
    await act(async () => {});
    return userEvent.setup();
}
const tell = (state: JobState) => act(async () => core.tell({ event: "job", value: state }));

test("an ingest shows what it does and how far it is, and can be stopped", async () => {
    const user = await show();
    expect(await screen.findByText("Indexing paragraphs")).toBeTruthy();
    expect(screen.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("25");
    await tell(job({ done: 9 }));
    expect(screen.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("75");
    await user.click(screen.getByRole("button", { name: "Stop" }));
    expect(core.asked.filter(({ name }) => name === "job_cancel").map(({ params }) => params)).toEqual([{ job: "j1" }]);
});

test("an ingest that ends elsewhere is told once, with what could not be read", async () => {
    const user = await show();
    await tell(job({ job: "j2", status: "done", warnings: ["a.bin: a binary file"] }));
    await tell(job({ job: "j2", status: "done", warnings: ["a.bin: a binary file"] }));
    expect(screen.getAllByText("Knowledge base “manual” is ready, with 1 warning.")).toHaveLength(1);
    await user.click(screen.getByRole("button", { name: "Ask this base" }));
    await waitFor(() => expect(location.hash).toBe("#/new?base=manual"));
});

test("an ingest that was stopped says what is kept", async () => {
    await show();
    await tell(job({ job: "j4", status: "cancelled" }));
    expect(screen.getByText("Ingest into “manual” stopped. Its earlier content is unchanged.")).toBeTruthy();
});

test("a failed ingest says why, what is kept, and goes when it was read", async () => {
    const user = await show();
    await tell(
        job({
            job: "j3",
            status: "failed",
            problem: { code: "storage", message: "The disk is full.", retryable: true, action: null },
        }),
    );
    expect(screen.getByText("The disk is full.")).toBeTruthy();
    expect(screen.getByText(/is kept and stays in use/)).toBeTruthy();
    await user.click(screen.getAllByRole("button", { name: "Close" })[0] as HTMLElement);
    expect(screen.queryByText("The disk is full.")).toBeNull();
});

test("other jobs are called what they are", async () => {
    await show();
    await tell(job({ job: "j5", kind: "backup", subject: "backup", status: "done" }));
    expect(screen.getByText("The backup is complete.")).toBeTruthy();
    await tell(job({ job: "j6", kind: "import", subject: "/home/eva/craft", status: "cancelled" }));
    expect(screen.getByText("The import stopped. What was imported is kept.")).toBeTruthy();
});
