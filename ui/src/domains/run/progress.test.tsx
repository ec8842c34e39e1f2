import { fireEvent, render, screen, within } from "@testing-library/react";
import { expect, it } from "vitest";

import type { CheckpointRow, RunState } from "@/backend";

import { Checkpoints } from "./Checkpoints";
import { Drafts } from "./Drafts";
import { OutputTables } from "./OutputTables";

const run = { run: "run-a", session: "s", status: "failed" } as RunState;
const row = (seq: number, over: Partial<CheckpointRow>): CheckpointRow => ({
    seq,
    at: 1_000 * seq,
    trigger: "stage_complete",
    digest: `${seq}`.padStart(2, "0").repeat(32),
    ...over,
});

it("lists the checkpoints, the newest first, with what made them and how to go on from there", () => {
    const checkpoints = [
        row(1, { trigger: "stage_started", title: "Plan", resume: { how: "stage", stage: "plan" } }),
        row(2, { trigger: "item_complete", title: "Sections", item: "A" }),
        row(3, { trigger: "words_written", title: "Analysis", item: "2", words: 500 }),
        row(4, { trigger: "repair_started", title: "Review", resume: { how: "run" } }),
    ];
    render(<Checkpoints run={run} checkpoints={checkpoints} stateFile="state.md" />);
    const items = within(screen.getByRole("list", { name: "4 checkpoints" })).getAllByRole("listitem");
    expect(items.map((item) => item.textContent)).toEqual([
        expect.stringMatching(/^Repair started: Review040404040404.*Resume from here$/),
        expect.stringMatching(/^Words written: Analysis, 2, 500 words030303030303/),
        expect.stringMatching(/^Part complete: Sections, A020202020202/),
        expect.stringMatching(/^Stage started: Plan010101010101.*Rerun from here$/),
    ]);
    expect(items[2]?.textContent).not.toMatch(/from here/);
    expect(screen.getByText("state.md")).toBeTruthy();
});

it("leads to the pause where the run waits for an answer, and shows more on request", () => {
    const checkpoints = Array.from({ length: 15 }, (_, at) => row(at + 1, at === 14 ? { resume: { how: "run" } } : {}));
    render(<Checkpoints run={{ ...run, status: "paused" }} checkpoints={checkpoints} />);
    expect(screen.getByRole("link", { name: "Answer to go on" }).getAttribute("href")).toContain("run-a");
    expect(screen.getAllByRole("listitem")).toHaveLength(12);
    fireEvent.click(screen.getByRole("button", { name: "Show all 15" }));
    expect(screen.getAllByRole("listitem")).toHaveLength(15);
});

it("aligns a column of numbers, each with as many decimals as the most exact one", () => {
    const figures = {
        title: "Figures",
        columns: ["Figure", "Value", "Weight"],
        rows: [
            [{ value: "Shares" }, { value: 10_000_000 }, { value: 0.1 }],
            [{ value: "Fee" }, { value: 4_200_000 }, { value: 0.05 }],
        ],
    };
    render(<OutputTables tables={[figures]} />);
    const cells = screen.getAllByRole("cell").map((cell) => cell.textContent);
    expect(cells).toEqual(["Shares", "10,000,000", "0.10", "Fee", "4,200,000", "0.05"]);
    expect(screen.getByRole("columnheader", { name: "Value" }).className).toContain("text-right");
    expect(screen.getByRole("columnheader", { name: "Figure" }).className).not.toContain("text-right");
});

it("groups no number of four digits, which may be a year", () => {
    const years = {
        title: "Years",
        columns: ["Year", "Amount", "Mixed"],
        rows: [
            [{ value: 2024 }, { value: 1500.5 }, { value: 2024 }],
            [{ value: 1999 }, { value: 12500 }, { value: "none" }],
        ],
    };
    render(<OutputTables tables={[years]} />);
    const cells = screen.getAllByRole("cell").map((cell) => cell.textContent);
    expect(cells).toEqual(["2024", "1500.5", "2024", "1999", "12,500.0", "none"]);
});

it("rounds no number, however small", () => {
    const rates = {
        title: "Rates",
        columns: ["Rate", "Mixed"],
        rows: [
            [{ value: 0.0000001 }, { value: "none" }],
            [{ value: 2 }, { value: 4.25751 }],
        ],
    };
    render(<OutputTables tables={[rates]} />);
    const cells = screen.getAllByRole("cell").map((cell) => cell.textContent);
    expect(cells).toEqual(["0.0000001", "none", "2", "4.25751"]);
});

it("shows what is being written", () => {
    const text = "## In short\n\nThe fee is paid back";
    render(<Drafts drafts={[{ run: "run-b", title: "Sections, A: Analysis, 1", words: 7, text }]} />);
    fireEvent.click(screen.getByText("Sections, A: Analysis, 1 (7 words)"));
    expect(screen.getByText(/The fee is paid back/)).toBeTruthy();
});

it("shows scores as bars and lists as text", () => {
    const scores = {
        title: "Score by dimension",
        columns: ["Dimension", "Points", "Deductions"],
        rows: [[{ value: "Citations" }, { value: 9, max: 12 }, { value: ["missing pincites", "missing tags"] }]],
    };
    render(<OutputTables tables={[scores]} />);
    const table = within(screen.getByRole("table", { name: "Score by dimension" }));
    const bar = table.getByRole("meter", { name: "9 of 12" });
    expect(bar.getAttribute("aria-valuemax")).toBe("12");
    expect(table.getByText("missing pincites, missing tags")).toBeTruthy();
});
