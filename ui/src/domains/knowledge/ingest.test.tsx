import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";

import { Failure } from "@/backend";
import { forget } from "@/backend/query";
import { setStage, type Stage } from "@/backend/stage";
import { TooltipProvider } from "@/shared";

import { IngestDialog, type IngestSeed } from "./IngestDialog";

let stage: Stage;

beforeEach(() => {
    forget();
    stage = setStage();
    stage.answers = {
        base_list: [{ name: "isa-primer", title: "ISA Primer", shipped: true }],
        base_ingest: { job: "j", kind: "ingest", subject: "manual", status: "running", text: "", done: 0, total: 0, warnings: [], problem: null, startedAt: 0 },
    };
});

async function show(seed: IngestSeed = {}) {
    const onClose = vi.fn();
    render(
        <TooltipProvider>
            <IngestDialog seed={seed} onClose={onClose} />
        </TooltipProvider>,
    );
    await act(async () => {});
    return { user: userEvent.setup(), onClose };
}
const sent = () => stage.asked.filter(({ name }) => name === "base_ingest").map(({ params }) => params);
const read = () => screen.getByRole("button", { name: "Read the files" });

test("dropped files are filled in, and name the base", async () => {
    const { user, onClose } = await show({ paths: ["/home/eva/Audit Manual"] });
    await user.click(read());
    expect(sent()).toEqual([{ base: "audit-manual", title: "", tier: "guide", citation: "", paths: ["/home/eva/Audit Manual"] }]);
    expect(onClose).toHaveBeenCalledOnce();
});

test("nothing is sent while something is wrong, and it says what", async () => {
    const { user, onClose } = await show();
    await user.click(read());
    expect(screen.getAllByRole("alert").map((alert) => alert.textContent)).toEqual(["Name at least one file or folder.", "Give it a name."]);
    expect(sent()).toEqual([]);
    expect(onClose).not.toHaveBeenCalled();
});

test("a base that ships with the program is not replaced", async () => {
    const { user } = await show({ paths: ["/docs"] });
    await user.clear(screen.getByLabelText("Name"));
    await user.type(screen.getByLabelText("Name"), "isa-primer");
    await user.click(screen.getByRole("button", { name: "Make a new generation" }));
    expect(screen.getByRole("alert").textContent).toContain("ships with the program");
    expect(sent()).toEqual([]);
});

test("what the core refuses is shown, and the dialog stays", async () => {
    stage.answers.base_ingest = () => {
        throw new Failure({ code: "busy", message: "The base is being read already.", retryable: true });
    };
    const { user, onClose } = await show({ paths: ["/docs"] });
    await user.click(read());
    expect(await screen.findByText(/is being read already/)).toBeTruthy();
    expect(onClose).not.toHaveBeenCalled();
});
