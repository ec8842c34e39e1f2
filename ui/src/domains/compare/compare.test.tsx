import { act, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";

import type { ComparedRun, RunComparison, RunRow, WordRow } from "@/backend";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { TooltipProvider } from "@/shared";

import { folded } from "./ComparedDocument";
import { ComparePage } from "./ComparePage";
import { tally } from "./Statements";

const run = (id: string, over: Partial<ComparedRun> = {}): ComparedRun => ({
    run: id,
    session: `session-${id}`,
    agent: "isa",
    request: "How long are papers kept?",
    depth: "standard",
    connection: "offline",
    model: "extract",
    corpus: null,
    status: "completed",
    createdAt: 0,
    cost: 0,
    equivalent: 0,
    usage: { input: 10, output: 5 },
    activeMs: 1_000,
    document: "Papers",
    headline: null,
    ...over,
});

const words = (text: string, changed = false) => [{ text, changed }];
const same = (text: string): WordRow => ({ same: true, left: words(text), right: null });
const rows: WordRow[] = [
    same("One"),
    same("Two"),
    same("Three"),
    {
        same: false,
        left: [...words("Kept for "), ...words("ten", true), ...words(" years.")],
        right: [...words("Kept for "), ...words("seven", true), ...words(" years.")],
    },
    same("Four"),
    same("Five"),
];

const statement = (n: number, text: string) => ({
    n,
    text,
    state: "unverified" as const,
    word: "unverified",
    sources: ["1.1"],
    names: ["1.1"],
});
const comparison: RunComparison = {
    same: false,
    left: run("run-a"),
    right: run("run-b", { depth: "deep" }),
    pins: [
        { what: "depth", left: "standard", right: "deep" },
        { what: "prompt write.md", left: "", right: "" },
    ],
    stages: [
        {
            name: "plan",
            title: "Plan",
            same: true,
            sameRequests: true,
            sameOutput: true,
            left: "completed",
            right: "completed",
            because: [],
            parts: [],
        },
        {
            name: "write",
            title: "Write",
            same: false,
            sameRequests: false,
            sameOutput: false,
            left: "completed",
            right: "completed",
            because: ["the depth"],
            parts: ["FOUND"],
        },
    ],
    statements: [
        {
            kind: "reworded",
            same: false,
            left: statement(1, "Kept for ten years."),
            right: statement(1, "Kept for seven years."),
            leftWords: [...words("Kept for "), ...words("ten", true), ...words(" years.")],
            rightWords: [...words("Kept for "), ...words("seven", true), ...words(" years.")],
        },
        { kind: "same", same: true, left: statement(2, "Signed."), right: statement(2, "Signed.") },
        { kind: "right_only", same: false, left: null, right: statement(3, "Nobody is told.") },
    ],
    sources: [
        { id: "1.1", reference: "Manual 1.1", left: "verified", right: "verified", textDiffers: false, same: true },
        { id: "4.7", reference: "Manual 4.7", left: null, right: "unverified", textDiffers: false, same: false },
    ],
    rows,
};

let core: MockTransport;
beforeEach(() => {
    forget();
    core = mockTransport();
    core.answers = { run_compare: comparison };
});

async function show(right: string | undefined, over: { onSwap?: () => void } = {}) {
    render(
        <TooltipProvider>
            <ComparePage left="run-a" right={right} onSwap={over.onSwap ?? (() => {})} onAgain={() => {}} />
        </TooltipProvider>,
    );
    await act(async () => {});
    return userEvent.setup();
}

test("a statement's sources are named as its document names them, with their ids as titles", async () => {
    const left = { ...statement(1, "Kept."), sources: ["guide:scope/p2", "9.9"], names: ["guide.md, Scope ¶2"] };
    const pair = { kind: "left_only", same: false, left, right: null } as const;
    core.answers = { run_compare: { ...comparison, statements: [pair] } };
    await show("run-b");
    expect((await screen.findByText("guide.md, Scope ¶2")).title).toBe("guide:scope/p2");
    // A program of an earlier version names none.
    expect(screen.getByText("9.9").title).toBe("9.9");
});

test("what differs is named, stage by stage, with its cause, and marked word by word", async () => {
    await show("run-b");
    expect((await screen.findByRole("status")).textContent).toBe("1 stage of 2 differs.");
    const pins = screen.getByRole("table", { name: "What they started from" });
    expect(within(pins).getByText("Depth")).toBeTruthy();
    const stages = screen.getByRole("table", { name: "Stages" });
    expect(within(stages).getByRole("row", { name: /Write/ }).textContent).toContain("The depth");
    const statements = screen.getByRole("region", { name: "Statements" });
    expect(statements.textContent).toContain("1 the same, 1 reworded, 1 only in the second");
    expect([...statements.querySelectorAll("del")].map((part) => part.textContent)).toEqual(["ten"]);
    expect([...statements.querySelectorAll("ins")].map((part) => part.textContent)).toEqual([
        "seven",
        "Nobody is told.",
    ]);
    expect(within(screen.getByRole("table", { name: "Sources" })).getByText("Second alone")).toBeTruthy();
});

test("what is the same is folded away and can be shown", async () => {
    const user = await show("run-b");
    const pages = await screen.findByRole("group", { name: "Documents, first and second" });
    expect(pages.textContent).not.toContain("One");
    expect(pages.textContent).toContain("Three");
    await user.click(within(pages).getByRole("button", { name: "2 blocks are the same. Show them" }));
    expect(pages.textContent).toContain("One");
    await user.click(screen.getByRole("button", { name: "Show 1 statement that is the same" }));
    expect(screen.getByRole("list", { name: "Statements" }).textContent).toContain("Signed.");
});

test("two runs that differ in nothing but time and cost say so", async () => {
    core.answers = {
        run_compare: {
            ...comparison,
            same: true,
            pins: [],
            stages: comparison.stages.slice(0, 1),
            statements: comparison.statements.slice(1, 2),
            sources: comparison.sources.slice(0, 1),
            rows: rows.slice(0, 2),
        },
    };
    await show("run-b");
    expect((await screen.findByRole("status")).textContent).toBe("Nothing differs but time and cost.");
});

test("the second run is chosen from a list: those of the session first, and never the run itself", async () => {
    const row = (id: string, session: string, agent: string): RunRow => ({
        run: id,
        session,
        agent,
        status: "completed",
        title: `Question of ${id}`,
        createdAt: 0,
        updatedAt: 0,
    });
    core.answers = {
        run_list: {
            runs: [row("run-c", "s2", "other"), row("run-b", "s1", "isa"), row("run-a", "s1", "isa")],
            next: null,
        },
    };
    const user = await show(undefined);
    const list = await screen.findByRole("list", { name: "Runs" });
    const links = within(list).getAllByRole("link");
    expect(links.map((link) => link.getAttribute("href"))).toEqual([
        "#/compare/run-a?with=run-b",
        "#/compare/run-a?with=run-c",
    ]);
    await user.type(screen.getByRole("textbox", { name: "Find a run" }), "run-c");
    expect(within(screen.getByRole("list", { name: "Runs" })).getAllByRole("link")).toHaveLength(1);
});

test("the sides are swapped on demand", async () => {
    const onSwap = vi.fn();
    const user = await show("run-b", { onSwap });
    await user.click(screen.getByRole("button", { name: "Swap" }));
    expect(onSwap).toHaveBeenCalledOnce();
});

test("stretches that are the same are put together but for a block beside a difference", () => {
    expect(folded(rows).map((part) => (part.kind === "row" ? part.at : part.rows.length * -1))).toEqual([
        -2, 2, 3, 4, -1,
    ]);
    expect(tally(comparison.statements)).toBe("1 the same, 1 reworded, 1 only in the second");
});

test("the second document is exported with its changes since the first", async () => {
    core.answers = { ...core.answers, session_export: { name: "b.docx", path: "/b.docx", text: null, data: null } };
    const user = await show("run-b");
    await user.click(await screen.findByRole("button", { name: "Export as tracked changes for Word" }));
    expect(core.asked.at(-1)).toEqual({
        name: "session_export",
        params: { session: comparison.right.session, format: "docx", run: "run-b", changesFrom: "run-a" },
    });
});
