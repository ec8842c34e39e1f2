import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";

import type { RunState } from "@/backend";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { forget } from "@/backend/query";
import { TooltipProvider } from "@/shared";

import { RepeatRun } from "./RepeatRun";

let core: MockTransport;
beforeEach(() => {
    forget();
    core = mockTransport();
});

const stage = (id: string, title: string, kind: string) => ({ id, name: id, title, kind, phase: "completed" });

function show(over: Partial<RunState> = {}) {
    const stages = [
        stage("plan", "Plan", "model"),
        stage("write", "Answer", "model"),
        stage("doc", "Document", "render"),
    ];
    const run = { run: "run-1", status: "completed", stages, ...over } as unknown as RunState;
    render(
        <TooltipProvider>
            <RepeatRun run={run} />
        </TooltipProvider>,
    );
}

async function choose(label: string, option: string) {
    await userEvent.click(screen.getByRole("combobox", { name: label }));
    await userEvent.click(screen.getByRole("option", { name: option }));
    await act(async () => {});
}

const started = () => core.asked.filter((asked) => asked.name === "run_start").map((asked) => asked.params);

describe("a run that is repeated", () => {
    it("starts anew where something changed, or from a stage on", async () => {
        core.answers = { run_start: "run-2" };
        show();
        await userEvent.click(screen.getByRole("button", { name: "Run again" }));
        await choose("Rerun from", "Answer");
        await userEvent.click(screen.getByRole("button", { name: "Run again" }));
        expect(started()).toEqual([
            { base: { run: "run-1", edits: {} } },
            { base: { run: "run-1", edits: {}, from: "write" } },
        ]);
    });

    it("takes another output of a stage, and no text that is not JSON", async () => {
        core.answers = { run_start: "run-2", run_stage: { output: { queries: ["a"] } } };
        show();
        await choose("Edit the output of", "Plan");
        const field = screen.getByLabelText("Its output, as JSON");
        expect((field as HTMLTextAreaElement).value).toBe('{\n  "queries": [\n    "a"\n  ]\n}');
        await userEvent.clear(field);
        await userEvent.type(field, '{{"queries":');
        await userEvent.click(screen.getByRole("button", { name: "Run again" }));
        expect(screen.getByText(/^Not JSON/)).toBeTruthy();
        expect(started()).toEqual([]);
        await userEvent.type(field, "[[]}");
        await userEvent.click(screen.getByRole("button", { name: "Run again" }));
        expect(started()).toEqual([{ base: { run: "run-1", edits: { plan: { queries: [] } } } }]);
    });

    it("says what it took over and what that saved", () => {
        const reuse = {
            base: "run-0",
            callsReused: 5,
            callsMade: 2,
            costSaved: 310_000_000,
            tokensSaved: 42_000,
            edited: ["plan"],
        };
        show({ reuse });
        expect(
            screen.getByText(
                /^Took over 5 of 7 calls from an earlier run; \$0\.31 and 42,000 tokens saved\. Edited beforehand: plan\./,
            ),
        ).toBeTruthy();
        expect(screen.getByRole("link", { name: "Open that run" }).getAttribute("href")).toContain("run-0");
    });

    it("waits for a run that is under way", () => {
        show({ status: "running" });
        expect(screen.getByRole("button", { name: "Run again" }).hasAttribute("disabled")).toBe(true);
    });
});
