import { act, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";

import type { JobState } from "@/backend";
import { Failure } from "@/backend";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { TooltipProvider } from "@/shared";

import { RegistryDialog } from "./RegistryDialog";

const entry = (name: string, over = {}) => ({
    name,
    title: `Title of ${name}`,
    publisher: "A publisher",
    license: "Open",
    licenseAddress: "https://example.org/license",
    licenseSummary: "Free to keep.",
    addresses: [`https://example.org/${name}.xml`],
    megabytes: 12,
    installed: false,
    ...over,
});
const job = (over: Partial<JobState>): JobState => ({
    job: "j1",
    kind: "download",
    subject: "law",
    status: "running",
    text: "Downloading law.xml",
    done: 2_500_000,
    total: 10_000_000,
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
    core.answers = {
        base_list: [],
        job_list: [],
        job_cancel: null,
        base_add: job({}),
        model_add: job({ subject: "mini" }),
        knowledge_catalog: {
            corpora: [entry("law"), entry("controls", { installed: true })],
            models: [entry("mini"), entry("here", { installed: true })],
            rules: [],
            endings: [],
        },
    };
});

async function show(wanted?: { name: string; base: string }) {
    render(
        <TooltipProvider>
            <RegistryDialog wanted={wanted} onClose={() => {}} />
        </TooltipProvider>,
    );
    await act(async () => {});
    return userEvent.setup();
}
const sent = (command: string) => core.asked.filter(({ name }) => name === command).map(({ params }) => params);
const tell = (state: JobState) => act(async () => core.tell({ event: "job", value: state }));

test("a text is downloaded only when its licence was accepted", async () => {
    const user = await show();
    await user.click(await screen.findByRole("button", { name: /Title of law/ }));
    expect(screen.getByText("Free to keep.")).toBeTruthy();
    expect(screen.getByRole("link", { name: /example\.org\/license/ })).toBeTruthy();
    const download = screen.getByRole("button", { name: "Download" });
    expect(download.hasAttribute("disabled")).toBe(true);
    await user.click(screen.getByRole("checkbox", { name: /I have read the licence “Open”/ }));
    await user.click(download);
    expect(sent("base_add")).toEqual([{ name: "law", accepted: true, model: "" }]);
});

test("a download shows its bytes and can be stopped; without a network it says what to do", async () => {
    const user = await show({ name: "law", base: "law" });
    await tell(job({}));
    expect(await screen.findByText(/2\.5\sMB of 10\.0\sMB/)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Stop" }));
    expect(sent("job_cancel")).toEqual([{ job: "j1" }]);
    await tell(
        job({
            status: "failed",
            problem: {
                code: "source",
                message: "example.org cannot be reached.",
                retryable: true,
                action: "Fetch it on another machine and ingest the file.",
            },
        }),
    );
    expect(screen.getByText("example.org cannot be reached.")).toBeTruthy();
    expect(screen.getByText("Fetch it on another machine and ingest the file.")).toBeTruthy();
});

test("what is here already is marked, and can be opened", async () => {
    const user = await show();
    const controls = await screen.findByRole("button", { name: /Title of controls ?in your knowledge bases/ });
    await user.click(controls);
    expect(screen.getByRole("link", { name: "Open knowledge base" }).getAttribute("href")).toBe("#/knowledge/controls");
    expect(screen.getByRole("button", { name: "Download again" })).toBeTruthy();
});

test("an address needs a name and a word about its terms", async () => {
    const user = await show();
    await user.click(await screen.findByRole("tab", { name: /address/ }));
    await user.click(screen.getByLabelText("Address"));
    await user.paste("http://example.org/Some%20Guide.pdf");
    await user.click(screen.getByRole("button", { name: "Download" }));
    expect(screen.getAllByRole("alert").map((alert) => alert.textContent)).toEqual([
        "Only https:// addresses can be downloaded.",
        "Read the publisher’s terms and confirm that you may keep a copy.",
    ]);
    await user.clear(screen.getByLabelText("Address"));
    await user.click(screen.getByLabelText("Address"));
    await user.paste("https://example.org/guide-2.pdf");
    await user.click(screen.getByRole("checkbox", { name: "I may keep a copy of this text" }));
    await user.click(screen.getByRole("button", { name: "Download" }));
    expect(sent("base_add")).toEqual([
        { name: "https://example.org/guide-2.pdf", base: "guide-2", accepted: true, model: "" },
    ]);
});

test("a model is downloaded in the same way, and what the core refuses is shown", async () => {
    core.answers.model_add = () => {
        throw new Failure({
            code: "busy",
            message: "4 jobs are under way.",
            retryable: true,
            action: "Wait until one has ended.",
        });
    };
    const user = await show();
    await user.click(await screen.findByRole("tab", { name: /Models/ }));
    const models = within(screen.getByRole("list", { name: "Models" }));
    await user.click(models.getByRole("button", { name: /Title of mini/ }));
    await user.click(models.getByRole("checkbox"));
    await user.click(models.getByRole("button", { name: "Download" }));
    expect(sent("model_add")).toEqual([{ name: "mini", accepted: true }]);
    expect(await screen.findByText(/4 jobs are under way\. Wait until one has ended\./)).toBeTruthy();
});
