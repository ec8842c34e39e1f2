import { act, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { Failure, type MissionView } from "@/backend";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { ConfirmHost, TooltipProvider } from "@/shared";

import { MissionCard } from "./MissionCard";
import { MissionComposer } from "./MissionComposer";
import { claim, mission, provenance } from "./fixtures";

let core: MockTransport;
beforeEach(() => {
    core = mockTransport();
});

const entity = (id: string, name: string) => ({
    item: "entity",
    id,
    key: name,
    name,
    aliases: [],
    kind: "standard",
    description: "",
});
const around = () => ({
    entities: [entity("e1", "ISA 320"), entity("e2", "Auditor")],
    relations: [{ id: "r1", from: "e2", to: "e1", kind: "applies", note: "", citations: [] }],
    claims: [claim()],
    is_cut: false,
});
const page = (...items: unknown[]) => ({ version: 4, items, total: items.length, next: null });
const REPORT =
    "# Materiality\n\nIt is set in planning.[^1]\n\n[^1]: 4.1 (Primer): “Materiality is set when planning.” [c1]\n";

async function show(shown: MissionView = mission(), graph: { readonly [kind: string]: unknown } = {}) {
    core.answers = {
        mission_show: () => shown,
        mission_journal: [
            { seq: 1, at: 1_000, text: "The mission began.", why: null, alternatives: [], saw: null },
            {
                seq: 2,
                at: 2_000,
                text: "The coordinator decided: Library Researcher.",
                why: "Nobody has begun.",
                alternatives: ["To write at once: nothing is known yet."],
                saw: 1,
            },
        ],
        mission_report: shown.report === null ? null : REPORT,
        mission_graph: ({ kind }: { kind: string }) => graph[kind] ?? page(),
        claim_show: provenance(),
        entity_show: around(),
        mission_start: "run-n",
        mission_steer: null,
        mission_resume: null,
        mission_export: { name: "report.md", path: "/x/report.md", text: null, data: null },
        ...core.answers,
    };
    render(
        <TooltipProvider>
            <MissionCard mission={shown} newest={false} />
            <ConfirmHost />
        </TooltipProvider>,
    );
    await act(async () => {});
    return userEvent.setup();
}

const reads = (name: string) => core.asked.filter((each) => each.name === name).length;
const told = (over: object = {}) => ({
    event: "run" as const,
    value: { run: "run-m", seq: 9, kind: "progress", stage: 0, text: "Reading", done: 0, total: 0, ...over } as never,
});
const steered = () => core.asked.filter(({ name }) => name === "mission_steer").map(({ params }) => params);
const said = (steer: unknown) => ({ mission: "run-m", steer });
const refused = () => {
    throw new Failure({
        code: "conflict",
        message: "the mission is completed already",
        action: "start a new mission",
    } as never);
};

describe("a mission's card", () => {
    it("tells what it is after, how far each criterion is and what is used of each limit", async () => {
        const user = await show();
        expect(screen.getByRole("heading", { name: "What is materiality?" })).toBeTruthy();
        expect(screen.getByText("a table")).toBeTruthy();
        await user.click(screen.getByText("What you wrote"));
        expect(screen.getByText("What is materiality? Format: a table")).toBeTruthy();
        expect(screen.getByRole("meter", { name: "Coverage" }).getAttribute("aria-valuetext")).toBe(
            "40 %, at least 80 %; below the threshold of 80 %",
        );
        expect(screen.getByText("3, at least 2")).toBeTruthy();
        expect(screen.getByText("1 left")).toBeTruthy();
        expect(screen.getByRole("meter", { name: "Money" }).getAttribute("aria-valuetext")).toBe("$0.25 of $1.00");
        expect(screen.queryByRole("meter", { name: "Tokens" })).toBeNull();
        expect(screen.getByText("Researching, iteration 2")).toBeTruthy();
    });

    it("tells the tokens that models were given", async () => {
        await show();
        expect(screen.getByRole("heading", { name: /^Used: .*20,000 tokens/ })).toBeTruthy();
    });

    it("tells of no tokens where no model is asked", async () => {
        await show(mission({ noModel: true }));
        expect(screen.getByRole("heading", { name: /^Used: .*no model/ })).toBeTruthy();
        expect(screen.queryByText(/tokens$/)).toBeNull();
    });

    it("is stopped, told things and asked for its report", async () => {
        const user = await show();
        await user.type(screen.getByRole("textbox", { name: "Guidance for the mission" }), "Prefer numbers.{Enter}");
        await user.click(screen.getByRole("button", { name: "Write the report now" }));
        await user.click(screen.getByRole("button", { name: "Stop" }));
        expect(steered()).toEqual([
            said({ say: "guide", text: "Prefer numbers." }),
            said({ say: "write" }),
            said({ say: "suspend" }),
        ]);
        expect(screen.getByRole("button", { name: "Stopping…" }).hasAttribute("disabled")).toBe(true);
    });

    it("goes on after a stop, and ends only when asked twice", async () => {
        const user = await show(mission({ status: "suspended" }));
        await user.click(screen.getByRole("button", { name: "Go on" }));
        expect(core.asked.some(({ name }) => name === "mission_resume")).toBe(true);
        await user.click(screen.getByRole("button", { name: "End mission" }));
        expect(steered()).toEqual([]);
        await user.click(within(screen.getByRole("alertdialog")).getByRole("button", { name: "End mission" }));
        expect(steered()).toEqual([said({ say: "cancel" })]);
    });

    it("offers to go on where the program closed meanwhile", async () => {
        const user = await show(mission({ status: "interrupted" }));
        expect(screen.getByText(/^The program closed during this mission/)).toBeTruthy();
        await user.click(screen.getByRole("button", { name: "Go on" }));
        expect(core.asked.some(({ name }) => name === "mission_resume")).toBe(true);
    });

    describe("at its plan", () => {
        const asked = (id: string, text: string, over: object = {}) => ({
            item: "question",
            id,
            key: text.toLowerCase(),
            text,
            required: true,
            depends_on: [],
            ...over,
        });
        const pauses = [
            { pause: "p1", title: "Plan", markdown: "1. As it was", choices: ["proceed", "write", "cancel"] },
        ];
        const plan = (...questions: unknown[]) => ({ question: page(...questions) });
        const edits = (...all: object[]) => said({ say: "plan", edits: all });

        it("shows the questions, and takes another one, other words and what is no longer asked", async () => {
            const questions = plan(asked("t1", "Who sets it?", { section: "Roles" }), asked("t2", "What is it?"));
            const user = await show(mission({ status: "paused", iteration: 0, pauses }), questions);
            const form = within(screen.getByRole("region", { name: "Plan" }));
            const rows = await form.findAllByRole("listitem");
            expect(rows.map((row) => row.textContent)).toEqual(["Who sets it? for Roles ", "What is it?  "]);
            expect(form.queryByText("As it was")).toBeNull();
            await user.click(form.getByRole("button", { name: "No longer ask: Who sets it?" }));
            await user.type(form.getByRole("textbox", { name: "Another question" }), " When? {Enter}");
            await user.click(form.getByRole("button", { name: "Ask in other words: What is it?" }));
            const field = screen.getByRole("textbox", { name: "Question" });
            await user.clear(field);
            await user.type(field, "What is meant?{Control>}{Enter}{/Control}");
            await user.click(form.getByRole("button", { name: "Start research" }));
            expect(steered()).toEqual([
                edits({ edit: "drop", question: "t1" }),
                edits({ edit: "add", text: "When?", required: true }),
                edits({ edit: "reword", question: "t2", text: "What is meant?" }),
                said({ say: "proceed" }),
            ]);
        });

        it("keeps the last question, and asks a dropped one again", async () => {
            const gone = asked("t1", "Who sets it?", { dropped: "you dropped it", required: false });
            const user = await show(mission({ status: "paused", pauses }), plan(gone, asked("t2", "What is it?")));
            const form = within(screen.getByRole("region", { name: "Plan" }));
            const last = await form.findByRole("button", { name: "A plan asks at least one question" });
            expect(last.hasAttribute("disabled")).toBe(true);
            await user.click(form.getByText("No longer asked (1)"));
            await user.click(form.getByRole("button", { name: "Ask again" }));
            expect(steered()).toEqual([edits({ edit: "add", text: "Who sets it?", required: false })]);
        });

        it("tells which questions claims answer, once research has begun", async () => {
            const item = { id: "t2", kind: "question", priority: 8, capability: "research", fingerprint: "f" };
            const facts = { ...mission().facts, agenda: [{ ...item, status: "pending" }] } as MissionView["facts"];
            const user = await show(mission({ facts }), plan(asked("t1", "What is it?"), asked("t2", "Who sets it?")));
            await user.click(screen.getByRole("tab", { name: "Plan" }));
            const rows = await within(screen.getByRole("list", { name: "Questions of the plan" })).findAllByRole(
                "listitem",
            );
            expect(rows.map((row) => row.textContent?.trim())).toEqual([
                "Claims answer itWhat is it?",
                "No claim answers itWho sets it?",
            ]);
        });

        it("can't be changed once the report is written", async () => {
            const user = await show(mission({ phase: "report" }), plan(asked("t1", "What is it?")));
            await user.click(screen.getByRole("tab", { name: "Plan" }));
            expect(await screen.findByText("The plan can be changed while research goes on.")).toBeTruthy();
            expect(screen.queryByRole("textbox", { name: "Another question" })).toBeNull();
        });
    });

    it("has hosts decided about where it waits for them", async () => {
        const host = (name: string) => ({ host: name, times: 1, url: `https://${name}/a`, at: 1_000 });
        core.answers = {
            web_policy: {
                profile: "strict",
                allow: [],
                block: [],
                only: [],
                waiting: [host("a.example"), host("b.example")],
            },
            web_decide: null,
        };
        const pauses = [
            {
                pause: "p1",
                title: "Web hosts",
                markdown: "Pages were left out.",
                choices: ["again", "proceed", "write", "cancel"],
                hosts: ["a.example"],
            },
        ];
        const user = await show(mission({ status: "paused", pauses }));
        const form = within(screen.getByRole("region", { name: "Web hosts" }));
        expect((await form.findAllByRole("listitem")).length).toBe(1);
        await user.click(form.getByRole("button", { name: "Allow" }));
        await user.click(form.getByRole("button", { name: "Research again" }));
        expect(core.asked.filter(({ name }) => name === "web_decide").map(({ params }) => params)).toEqual([
            { sources: ["a.example"], decision: "allow" },
        ]);
        expect(steered()).toEqual([said({ say: "again" })]);
    });

    it("leads to the run of an agent that asks", async () => {
        const pauses = [
            {
                pause: "p1",
                title: "An agent asks",
                markdown: "It stopped.",
                choices: ["write", "cancel"],
                run: "run-c",
            },
        ];
        await show(mission({ status: "paused", pauses }));
        const link = screen.getByRole("link", { name: "Open the agent’s run to answer" });
        expect(link.getAttribute("href")).toBe("#/run/run-c");
    });

    it("offers the choices of a pause, and takes higher limits as numbers", async () => {
        const pauses = [
            {
                pause: "p1",
                title: "Limit reached",
                markdown: "The limit of money is reached.",
                choices: ["write", "raise", "cancel"],
            },
        ];
        const user = await show(mission({ status: "paused", pauses }));
        const form = within(screen.getByRole("region", { name: "Limit reached" }));
        expect(form.getAllByRole("button").map((button) => button.textContent)).toEqual([
            "Write the report now",
            "Raise limits…",
            "End mission",
        ]);
        await user.click(form.getByRole("button", { name: "Raise limits…" }));
        // What it has no limit of can't be raised.
        const hints = form.getAllByRole("textbox").map((field) => field.getAttribute("placeholder"));
        expect(hints).toEqual(["now $1.00", "now 24"]);
        await user.type(form.getByRole("textbox", { name: "Agents invoked" }), "1.5");
        expect(form.getByRole("alert").textContent).toMatch(/^Agents invoked: write a whole number/);
        await user.clear(form.getByRole("textbox", { name: "Agents invoked" }));
        await user.type(form.getByRole("textbox", { name: "Agents invoked" }), "1,000");
        await user.type(form.getByRole("textbox", { name: "Money, US dollars" }), "2.5");
        await user.click(form.getByRole("button", { name: "Raise and go on" }));
        expect(steered()).toEqual([said({ say: "raise", limits: { usd: 2.5, invocations: 1_000 } })]);
    });

    it("says what went wrong and what to do", async () => {
        core.answers.mission_steer = refused;
        const user = await show();
        await user.click(screen.getByRole("button", { name: "Stop" }));
        const alert = await screen.findByRole("alert");
        expect(alert.textContent).toMatch(/completed already.*start a new mission/i);
    });

    it("is read again when the core tells of it", async () => {
        let shown = mission();
        core.answers.mission_show = () => shown;
        await show(shown);
        shown = mission({ iteration: 3 });
        core.answers.mission_show = () => shown;
        await act(async () => core.tell(told()));
        expect(await screen.findByText("Reading")).toBeTruthy();
        const before = reads("mission_show");
        await act(async () => core.tell(told({ run: "run-x" })));
        expect(reads("mission_show")).toBe(before);
    });

    it("is read once for all that is told at a time, and never while nothing is told", async () => {
        vi.useFakeTimers();
        try {
            await show();
            const before = reads("mission_show");
            await act(async () => core.tell(told(), told({ stage: 1 }), told({ stage: 2 })));
            await act(() => vi.advanceTimersByTimeAsync(10_000));
            expect(reads("mission_show")).toBe(before + 1);
        } finally {
            vi.useRealTimers();
        }
    });
});

describe("the parts of a mission", () => {
    it("shows the journal with reasons, the newest first", async () => {
        await show();
        const lines = within(screen.getByRole("list", { name: /^Journal/ })).getAllByRole("listitem");
        expect(lines[0]?.textContent).toContain(
            "The coordinator decided: Library Researcher.Nobody has begun.Not chosen:To write at once: nothing is known yet.Based on version 1",
        );
        expect(lines.at(-1)?.textContent).toContain("The mission began.");
    });

    it("leads from an invocation to its run", async () => {
        const user = await show();
        await user.click(screen.getByRole("tab", { name: /^Agents/ }));
        expect(screen.getByRole("link", { name: "Library Researcher" }).getAttribute("href")).toBe("#/run/run-c");
    });

    it("names the agents that it does without, with why", async () => {
        const user = await show(mission({ leftOut: ["web-researcher: the source web is not allowed"] }));
        await user.click(screen.getByRole("tab", { name: /^Agents/ }));
        await user.click(screen.getByText("1 agent of the profile can't be used now"));
        expect(screen.getByText(/the source web is not allowed/)).toBeTruthy();
    });

    it("filters claims in the core, and a row opens quote, source and page", async () => {
        const user = await show(mission(), { claim: page(claim()) });
        await user.click(screen.getByRole("tab", { name: /^Claims/ }));
        const row = (await screen.findByText("Materiality is set in planning.")).closest("tr");
        expect(row?.textContent).toMatch(/55 %.*Supported.*1/);
        await user.type(screen.getByRole("searchbox", { name: "Words in claims" }), "planning");
        await user.click(screen.getByRole("combobox", { name: "Status" }));
        await user.click(screen.getByRole("option", { name: "Disputed" }));
        await act(() => new Promise((resolve) => setTimeout(resolve, 300)));
        const asked = () => core.asked.filter(({ name }) => name === "mission_graph").at(-1)?.params;
        const wanted = { mission: "run-m", kind: "claim", status: "disputed", text: "planning", sort: "found" };
        expect(asked()).toEqual({ ...wanted, limit: 100 });
        await user.click(screen.getByRole("combobox", { name: "Sources" }));
        await user.click(screen.getByRole("option", { name: "Official" }));
        expect(asked()).toMatchObject({ status: "disputed", scope: { kinds: ["official"] } });
        await user.click(screen.getByRole("combobox", { name: "Order" }));
        await user.click(screen.getByRole("option", { name: "Surest first" }));
        expect(asked()).toMatchObject({ status: "disputed", sort: "confidence" });
        await user.click(screen.getByText("Materiality is set in planning."));
        const dialog = within(await screen.findByRole("dialog", { name: "Where claim c1 comes from" }));
        expect(await dialog.findByText("Materiality is set when planning.")).toBeTruthy();
        expect(dialog.getByText(/Paragraph 4.1, Page 12/)).toBeTruthy();
        expect(dialog.getByText("Verified word for word")).toBeTruthy();
        expect(dialog.getByText("The bytes that were read: SHA-256 ddfc157521ee")).toBeTruthy();
        expect(dialog.getByText(/citations carry 60 %, contradictions take 5 %/)).toBeTruthy();
        expect(dialog.getByRole("link").getAttribute("href")).toBe("#/knowledge/isa-primer?paragraph=4.1");
    });

    it("opens a page of the web as it was read, at the block that was cited", async () => {
        const { claim: of, citations, contradictions } = provenance();
        const [cited] = citations.map(({ citation, source }) => ({
            citation: { ...citation, paragraph: "block 12", page: 3 },
            source: { ...source, title: "Tides", address: "https://example.org/tides", object: "ab12" },
        }));
        core.answers.claim_show = { claim: of, citations: [cited], contradictions };
        core.answers.web_show = {
            page: { title: "Tides", finalUrl: "https://example.org/tides", retrieved: "2026-03-01", sha256: "ab12" },
            earlier: true,
            blocks: [11, 12].map((number) => ({ number, page: 3, text: `Block ${number} of the tide.` })),
            left: 0,
        };
        const user = await show(mission(), { claim: page(claim()) });
        await user.click(screen.getByRole("tab", { name: /^Claims/ }));
        await user.click(await screen.findByText("Materiality is set in planning."));
        const dialog = within(await screen.findByRole("dialog", { name: "Where claim c1 comes from" }));
        expect(await dialog.findByText(/, Block 12, Page 3/)).toBeTruthy();
        expect(dialog.getByRole("link").getAttribute("href")).toBe("https://example.org/tides");
        await user.click(dialog.getByRole("button", { name: "Open as it was read" }));
        const text = within(await screen.findByRole("dialog", { name: "Tides" }));
        expect((await text.findByText("Block 12 of the tide.")).closest("li")?.getAttribute("aria-current")).toBe(
            "true",
        );
        expect(text.getByText(/newer version since.*SHA-256 ab12/)).toBeTruthy();
        expect(core.asked.at(-1)).toEqual({ name: "web_show", params: { url: "ab12", block: 12 } });
    });

    it("shows what changed while another part or filter was shown, and reads nothing twice", async () => {
        let shown = mission();
        const graph: { claim: unknown } = { claim: page(claim()) };
        core.answers.mission_show = () => shown;
        const user = await show(shown, graph);
        const claims = () => core.asked.filter(({ params }) => (params as { kind?: string } | null)?.kind === "claim");
        const changed = async (text: string) => {
            graph.claim = page(claim({ text }));
            shown = mission({ facts: { ...shown.facts, version: shown.facts.version + 1 } });
            await act(async () => core.tell(told()));
        };
        await user.click(screen.getByRole("tab", { name: /^Claims/ }));
        expect(await screen.findByText("Materiality is set in planning.")).toBeTruthy();
        expect(claims()).toHaveLength(1);
        await user.click(screen.getByRole("tab", { name: /^Journal/ }));
        await changed("It is revised.");
        await user.click(screen.getByRole("tab", { name: /^Claims/ }));
        expect(await screen.findByText("It is revised.")).toBeTruthy();
        expect(claims()).toHaveLength(2);
        const filter = async (status: string) => {
            await user.click(screen.getByRole("combobox", { name: "Status" }));
            await user.click(screen.getByRole("option", { name: status }));
        };
        await filter("Disputed");
        expect(claims()).toHaveLength(3);
        await changed("It is revised again.");
        await filter("Every status");
        expect(await screen.findByText("It is revised again.")).toBeTruthy();
    });

    it("says where the claim is shown that it could not be kept", async () => {
        const user = await show(mission(), { claim: page(claim()) });
        await user.click(screen.getByRole("tab", { name: /^Claims/ }));
        await user.click(await screen.findByText("Materiality is set in planning."));
        core.answers.mission_steer = refused;
        const dialog = within(await screen.findByRole("dialog"));
        await user.click(await dialog.findByRole("button", { name: "Keep this claim" }));
        expect((await dialog.findByRole("alert")).textContent).toMatch(/completed already.*start a new mission/i);
        await user.click(dialog.getAllByRole("button", { name: "Close" }).at(-1) as HTMLElement);
        expect(screen.queryByRole("dialog")).toBeNull();
        expect(screen.queryByRole("alert")).toBeNull();
    });

    it("keeps a claim, and rejects one only with a reason", async () => {
        const user = await show(mission(), { claim: page(claim()) });
        await user.click(screen.getByRole("tab", { name: /^Claims/ }));
        await user.click(await screen.findByRole("button", { name: "Actions for c1" }));
        await user.click(screen.getByRole("menuitem", { name: "Keep it" }));
        await user.click(screen.getByRole("button", { name: "Actions for c1" }));
        await user.click(screen.getByRole("menuitem", { name: "Reject…" }));
        const reject = screen.getByRole("button", { name: /^Reject claim/ });
        expect(reject.hasAttribute("disabled")).toBe(true);
        await user.type(screen.getByRole("textbox", { name: "Why it is wrong" }), "Out of date");
        core.answers.mission_steer = refused;
        await user.click(reject);
        expect((await within(screen.getByRole("dialog")).findByRole("alert")).textContent).toMatch(/completed already/);
        core.answers.mission_steer = null;
        await user.click(reject);
        expect(screen.queryByRole("dialog")).toBeNull();
        expect(steered().slice(0, 2)).toEqual([
            said({ say: "pin", claim: "c1" }),
            said({ say: "reject", claim: "c1", why: "Out of date" }),
        ]);
    });

    it("changes no claim and closes no gap after the end", async () => {
        const gap = { item: "gap", id: "g1", question: "Who reviews it?", status: { state: "open" }, raised_by: [] };
        const user = await show(mission({ status: "completed", outcome: "satisfied" }), {
            claim: page(claim()),
            gap: page(gap),
        });
        await user.click(screen.getByRole("tab", { name: /^Claims/ }));
        await user.click(await screen.findByRole("button", { name: "Actions for c1" }));
        expect(screen.getByText("The mission is complete. What it found is fixed.")).toBeTruthy();
        expect(screen.getByRole("menuitem", { name: "Reject…" }).getAttribute("aria-disabled")).toBe("true");
        await user.keyboard("{Escape}");
        await user.click(screen.getByRole("tab", { name: /^Gaps/ }));
        expect((await screen.findByRole("button", { name: "Close…" })).hasAttribute("disabled")).toBe(true);
    });

    it("says what closed a gap", async () => {
        const closed = (id: string, closing: unknown) => ({
            item: "gap",
            id,
            question: `Question ${id}`,
            status: { state: "closed", closing },
            raised_by: ["analysis"],
        });
        const user = await show(mission(), {
            gap: page(
                closed("g1", { by: "evidence", claims: ["c1"] }),
                closed("g2", { by: "person", reason: "Not asked." }),
            ),
        });
        await user.click(screen.getByRole("tab", { name: /^Gaps/ }));
        expect(await screen.findByText("Closed by you: Not asked.")).toBeTruthy();
        await user.click(await screen.findByRole("button", { name: "Materiality is set in planning." }));
        expect(await screen.findByRole("dialog")).toBeTruthy();
    });

    it("names both sides of a contradiction and how it was settled", async () => {
        const one = (id: string, status: unknown) => ({
            item: "contradiction",
            id,
            claims: ["c1", "c2"],
            kind: "number",
            about: "5 % / 10 %",
            status,
            by: "analysis",
        });
        const settlement = { by: "preferred", claim: "c1", evidence: ["q1"] };
        const user = await show(mission(), {
            contradiction: page(one("x1", { state: "open" }), one("x2", { state: "settled", settlement })),
        });
        await user.click(screen.getByRole("tab", { name: /^Contradictions/ }));
        expect(await screen.findByText("Settled: c1 stands, by q1")).toBeTruthy();
        expect(screen.getAllByText("Different numbers: 5 % / 10 %")).toHaveLength(2);
        expect(await screen.findAllByRole("button", { name: "Materiality is set in planning." })).toHaveLength(4);
    });

    it("settles a contradiction by hand, with what stands and why", async () => {
        const one = {
            item: "contradiction",
            id: "x1",
            claims: ["c1", "c2"],
            kind: "number",
            about: "",
            by: "analysis",
        };
        const user = await show(mission(), { contradiction: page({ ...one, status: { state: "open" } }) });
        await user.click(screen.getByRole("tab", { name: /^Contradictions/ }));
        await user.click(await screen.findByRole("button", { name: "Settle…" }));
        const dialog = within(screen.getByRole("dialog", { name: "Settle this contradiction" }));
        await user.click(dialog.getAllByRole("radio")[0] as HTMLElement);
        expect(dialog.getByRole("button", { name: /^Settle/ }).hasAttribute("disabled")).toBe(true);
        await user.type(dialog.getByRole("textbox", { name: "Why" }), "The standard binds.");
        await user.click(dialog.getByRole("button", { name: /^Settle/ }));
        expect(steered()).toEqual([
            said({ say: "settle", contradiction: "x1", claim: "c1", why: "The standard binds." }),
        ]);
    });

    it("draws what an entity is connected with, and lists it", async () => {
        const user = await show(mission(), { entity: page(entity("e1", "ISA 320"), entity("e2", "Auditor")) });
        await user.click(screen.getByRole("tab", { name: /^Entities/ }));
        await user.click(await screen.findByRole("button", { name: /^ISA 320/ }));
        const picture = within(await screen.findByRole("group", { name: "What ISA 320 is connected with" }));
        await user.click(picture.getByRole("button", { name: "Auditor" }));
        expect(core.asked.at(-1)).toMatchObject({ name: "entity_show", params: { mission: "run-m", entity: "e2" } });
        await user.click(await screen.findByRole("button", { name: "Materiality is set in planning." }));
        expect(await screen.findByRole("dialog", { name: "Where claim c1 comes from" })).toBeTruthy();
    });

    it("shows the report with footnotes that lead to claims, and exports the graph with it", async () => {
        const user = await show(mission({ status: "completed", outcome: "satisfied", report: "/x/report.md" }));
        await user.click(screen.getByRole("button", { name: "Export" }));
        await user.click(screen.getByRole("menuitem", { name: "Export graph as JSON lines" }));
        expect(core.asked).toContainEqual({ name: "mission_export", params: { mission: "run-m", format: "jsonl" } });
        expect(await screen.findByRole("heading", { name: "Materiality" })).toBeTruthy();
        await user.click(screen.getByRole("button", { name: "Footnote 1" }));
        await user.click(screen.getAllByRole("button", { name: "Where claim c1 comes from" })[0] as HTMLElement);
        expect(await screen.findByRole("dialog", { name: "Where claim c1 comes from" })).toBeTruthy();
    });

    it("says why there is no report yet", async () => {
        const user = await show();
        await user.click(screen.getByRole("tab", { name: "Report" }));
        expect(await screen.findByText("No report yet")).toBeTruthy();
    });
});

describe("after the end of a mission", () => {
    const ended = mission({ status: "completed", outcome: "satisfied", report: "/x/report.md" });
    const started = () => core.asked.filter(({ name }) => name === "mission_start").map(({ params }) => params);

    it("goes on with what was found, on a further objective", async () => {
        const user = await show(ended);
        await user.click(screen.getByRole("button", { name: "Follow-up…" }));
        const dialog = within(screen.getByRole("dialog", { name: "Follow-up mission" }));
        core.answers.mission_start = refused;
        await user.type(
            dialog.getByRole("textbox", { name: "Objective" }),
            "Who reviews it?{Control>}{Enter}{/Control}",
        );
        expect((await dialog.findByRole("alert")).textContent).toMatch(/What you wrote is kept/);
        core.answers.mission_start = "run-n";
        await user.click(dialog.getByRole("button", { name: /^Start mission/ }));
        expect(started().at(-1)).toEqual({ request: "Who reviews it?", previous: "run-m", reportOnly: false });
        expect(location.hash).toBe("#/session/s1?run=run-n");
    });

    it("goes on with one that is still at work, as soon as something is known", async () => {
        await show(mission({ status: "running" }));
        expect(screen.getByRole("button", { name: "Follow-up…" })).toBeTruthy();
        expect(screen.queryByRole("button", { name: "Run again" })).toBeNull();
    });

    it("has another report written from what is known", async () => {
        const user = await show(ended);
        await user.click(screen.getByRole("button", { name: "Another report…" }));
        await user.type(screen.getByRole("textbox", { name: "Form of the report" }), "A list");
        await user.click(screen.getByRole("button", { name: /^Write report/ }));
        expect(started()).toEqual([{ request: "A list", previous: "run-m", reportOnly: true }]);
    });

    it("has a claim rejected that was read in the report, and the report written again without it", async () => {
        const user = await show(ended, { claim: page(claim()) });
        await user.click(screen.getByRole("button", { name: "Footnote 1" }));
        await user.click(screen.getAllByRole("button", { name: "Where claim c1 comes from" })[0] as HTMLElement);
        await user.click(await screen.findByRole("button", { name: "Reject and write again…" }));
        const dialog = within(screen.getByRole("dialog", { name: "Reject and write again" }));
        expect(dialog.getByText("Materiality is set in planning.")).toBeTruthy();
        await user.type(dialog.getByRole("textbox", { name: "Why it is wrong" }), "Outdated");
        await user.click(dialog.getByRole("button", { name: /^Write report/ }));
        const without = [{ claim: "c1", why: "Outdated" }];
        expect(started()).toEqual([{ previous: "run-m", reportOnly: true, without }]);
        expect(location.hash).toBe("#/session/s1?run=run-n");
        expect(screen.queryByRole("dialog")).toBeNull();
        await user.click(screen.getByRole("tab", { name: /^Claims/ }));
        await user.click(await screen.findByRole("button", { name: "Actions for c1" }));
        await user.click(screen.getByRole("menuitem", { name: "Reject and write again…" }));
        expect(screen.getByRole("dialog", { name: "Reject and write again" })).toBeTruthy();
    });

    it("is started again as it was, and says when that can't be done", async () => {
        const user = await show(ended);
        core.answers.mission_start = refused;
        await user.click(screen.getByRole("button", { name: "Run again" }));
        expect((await screen.findByRole("alert")).textContent).toMatch(/completed already/);
        core.answers.mission_start = "run-n";
        await user.click(screen.getByRole("button", { name: "Run again" }));
        expect(started().at(-1)).toEqual({ base: "run-m" });
        expect(location.hash).toBe("#/session/s1?run=run-n");
    });

    it("says which results were taken over, and where an agent's findings are", async () => {
        const path = "data/findings-2/library-researcher-1-0.json";
        const file = { kind: "findings", name: "library-researcher-1-0.json", path, sha256: "ab", by: "1.0" };
        const [one] = ended.invocations;
        const again = {
            ...ended,
            base: "run-a",
            files: [file],
            invocations: [{ ...one!, reused: "run-a", run: null }],
        };
        const user = await show(again);
        await user.click(screen.getByRole("tab", { name: /^Agents/ }));
        expect(await screen.findByText("Taken over")).toBeTruthy();
        expect(screen.getByText(path)).toBeTruthy();
        const link = screen.getByRole("link", { name: "Repeats an earlier mission" });
        expect(link.getAttribute("href")).toBe("#/session/s1?run=run-a");
    });

    it("says of a partial report why research ended and what stayed open", async () => {
        await show({ ...ended, unmet: ["coverage"], ended: "nothing new was found", open: ["Who reviews it?"] });
        const told = screen.getByText(/Research ended/).textContent;
        expect(told).toMatch(/Research ended: nothing new was found\..*Open: Who reviews it\?/);
    });

    it("says before its first analysis what it begins with", async () => {
        const { facts } = mission();
        await show(mission({ status: "paused", previous: "run-a", facts: { ...facts, version: 0 } }));
        expect(screen.getByText("Begins with what the earlier mission found")).toBeTruthy();
        expect(screen.queryByText(/supported claim/)).toBeNull();
    });

    it("leads back to the mission that it goes on with", async () => {
        await show(mission({ previous: "run-a" }));
        const link = screen.getByRole("link", { name: "Goes on with an earlier mission" });
        expect(link.getAttribute("href")).toBe("#/session/s1?run=run-a");
    });
});

describe("where a mission's session is written to", () => {
    it("takes words for the mission, and the usual field after its end", async () => {
        let shown = mission();
        core.answers = { mission_show: () => shown, mission_steer: refused };
        const view = render(
            <TooltipProvider>
                <MissionComposer mission={shown}>Reply</MissionComposer>
            </TooltipProvider>,
        );
        await act(async () => {});
        expect(screen.queryByText("Reply")).toBeNull();
        await userEvent.type(screen.getByRole("textbox"), "More{Enter}");
        expect((await screen.findByRole("alert")).textContent).toMatch(/^Not told: the mission is completed already/);
        expect(screen.getByRole<HTMLTextAreaElement>("textbox").value).toBe("More");
        view.unmount();
        shown = mission({ status: "completed" });
        mockTransport().answers = { mission_show: () => shown };
        render(<MissionComposer mission={shown}>Reply</MissionComposer>);
        expect(screen.getByText("Reply")).toBeTruthy();
    });
});
