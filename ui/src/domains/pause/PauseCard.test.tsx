import { act as settle, cleanup, fireEvent, render, screen, within, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { Failure } from "@/backend";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { ConfirmHost, TooltipProvider } from "@/shared";

import { pausedRun, planForm, sheetForm } from "./fixtures";
import { ListEditor } from "./ListEditor";
import { PauseCard } from "./PauseCard";

let core: MockTransport;

beforeEach(() => {
    forget();
    core = mockTransport();
    core.answers = {
        connection_list: [],
        draft_show: null,
        draft_save: null,
        run_answer: { result: "accepted", choice: "search" },
    };
});

async function show(form = planForm(), note?: string) {
    render(
        <TooltipProvider>
            <PauseCard run={pausedRun(form)} form={form} note={note} />
            <ConfirmHost />
        </TooltipProvider>,
    );
    await settle(async () => {});
    return userEvent.setup();
}

const reply = () =>
    core.asked.filter((each) => each.name === "run_answer").map((each) => (each.params as { reply: unknown }).reply);

// Many fields are drawn; a machine with few cores takes its time.
describe("the pause card", { timeout: 20_000 }, () => {
    it("says how clear the question is against the mark", async () => {
        await show();
        expect(screen.getByRole("meter").getAttribute("aria-valuetext")).toBe("64 %; below the threshold of 70 %");
    });

    it("brings the answer to a question about it into sight", async () => {
        const form = planForm();
        const seen: string[] = [];
        const scroll = vi.spyOn(Element.prototype, "scrollIntoView").mockImplementation(function (this: Element) {
            seen.push(this.textContent ?? "");
        });
        const card = (note?: string) => (
            <TooltipProvider>
                <PauseCard run={pausedRun(form)} form={form} note={note} />
            </TooltipProvider>
        );
        const { rerender } = render(card());
        await settle(async () => {});
        seen.length = 0;
        rerender(card("Nothing was decided: the run waits."));
        await waitFor(() => expect(seen).toEqual(["Nothing was decided: the run waits."]));
        scroll.mockRestore();
    });

    it("takes the focus when nobody is typing, and Enter takes the first choice", async () => {
        const user = await show();
        expect(document.activeElement).toBe(screen.getByRole("region", { name: /Research plan/ }));
        await user.keyboard("{Enter}");
        expect(reply()).toEqual([{ choice: "search" }]);
    });

    it("sends the choice of the button that is pressed, with the edited plan", async () => {
        const user = await show();
        const query = screen.getByRole("textbox", { name: "Query of query 1" });
        await user.clear(query);
        await user.click(query);
        await user.paste("what is materiality");
        await user.click(screen.getByRole("button", { name: "Move query 2 up" }));
        await user.click(screen.getByRole("button", { name: "Proceed without a web search" }));
        expect(reply()).toEqual([
            {
                choice: "skip_web",
                edit: {
                    clarity_score: 0.64,
                    sub_queries: [
                        { query: "performance materiality", role: "support" },
                        { query: "what is materiality", role: "core", target_standards: ["ISA 320"], weight: 2 },
                    ],
                },
            },
        ]);
    });

    it("leads to the settings that make a choice possible, where the choice names them", async () => {
        await show();
        expect(screen.queryByRole("link", { name: /Settings/ })).toBeNull();
        cleanup();
        const form = planForm();
        const [search] = form.choices;
        if (search !== undefined)
            search.next = `No web search is set up. Add one under Settings, Credentials. ${search.next}`;
        await show(form);
        const link = screen.getByRole("link", { name: "Open Settings, Credentials" });
        expect(link.getAttribute("href")).toBe("#/settings/credentials");
    });

    it("does not take a choice that is not to be had, and says why and where to change that", async () => {
        const form = planForm();
        const why = "No web search is set up. Add a Brave key under Settings > Credentials.";
        const [search, skip, ...more] = form.choices;
        if (search === undefined || skip === undefined) throw new Error("no choices");
        form.choices = [skip, { ...search, next: `${why} ${search.next}`, unavailable: why }, ...more];
        const user = await show(form);
        const button = screen.getByRole("button", { name: "Proceed, with a web search" });
        expect(button.getAttribute("aria-disabled")).toBe("true");
        await user.click(button);
        expect(reply()).toEqual([]);
        expect(screen.getByText(new RegExp(why))).toBeTruthy();
        expect(screen.getByRole("link", { name: "Open Settings, Credentials" })).toBeTruthy();
        screen.getByRole("region", { name: /Research plan/ }).focus();
        await user.keyboard("{Enter}");
        expect(reply()).toEqual([{ choice: "skip_web" }]);
    });

    it("keeps the words that go along with a choice when it is asked again, and not a refusal", async () => {
        core.answers.run_answer = { result: "still_open", message: "Nothing was decided.", words: "banks only" };
        const user = await show();
        await user.type(screen.getByRole("textbox", { name: "Remarks" }), "banks only");
        await user.keyboard("{Control>}{Enter}{/Control}");
        expect(screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Remarks" }).value).toBe("banks only");
        core.answers.run_answer = { result: "accepted", choice: "skip_web" };
        await user.click(screen.getByRole("button", { name: "Proceed without a web search" }));
        expect(reply()).toEqual([{ text: "banks only" }, { choice: "skip_web", text: "banks only" }]);
    });

    it("moves an item by the arrow keys on its handle and keeps the focus there", async () => {
        const user = await show();
        screen.getByRole("button", { name: /Query 1: drag/ }).focus();
        await user.keyboard("{ArrowDown}");
        expect(screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Query of query 2" }).value).toBe(
            "materiality",
        );
        expect(document.activeElement).toBe(screen.getByRole("button", { name: /Query 2: drag/ }));
        expect(screen.getByText("Query moved to position 2 of 2.")).toBeTruthy();
    });

    it("edits a sheet of facts in rows: corrected, removed and added, with what else a row holds, and signs it", async () => {
        const user = await show(sheetForm());
        // The page and how the fact stands are seen where the value is corrected.
        expect(screen.getByText("Single sourced \u00b7 orchard.md p. 2")).toBeTruthy();
        const value = screen.getByRole("combobox", { name: "Value of fact 1" });
        await user.clear(value);
        await user.click(value);
        await user.paste("$4,300,000");
        await user.click(screen.getByRole("button", { name: "Remove fact 2" }));
        await user.click(screen.getByRole("button", { name: "Add fact" }));
        await user.paste("Net revenue retention");
        await user.click(screen.getByRole("button", { name: /^Sign the fact sheet/ }));
        // Without its value the row is not sent; the field says so.
        expect(reply()).toEqual([]);
        const added = screen.getByRole("combobox", { name: "Value of fact 2" });
        await waitFor(() => expect(document.activeElement).toBe(added));
        await user.paste("104%");
        await user.click(screen.getByRole("textbox", { name: "Sources of fact 2" }));
        await user.paste("board.md, notes.md");
        await user.click(screen.getByRole("button", { name: /^Sign the fact sheet/ }));
        const [first] = (sheetForm().output as { facts: object[] }).facts;
        expect(reply()).toEqual([
            {
                choice: "proceed",
                edit: {
                    facts: [
                        { ...first, value: "$4,300,000" },
                        { fact: "Net revenue retention", value: "104%", sources: ["board.md", "notes.md"] },
                    ],
                    missing: [{ fact: "Net revenue retention" }],
                },
            },
        ]);
    });

    it(
        "shows a long list in pages, and leads to a row of another page that is not complete",
        { timeout: 60_000 },
        () => {
            const [list] = sheetForm().lists ?? [];
            if (list === undefined) throw new Error("the sheet has no list");
            const items = Array.from({ length: 105 }, (_, at) => ({
                id: `i${at}`,
                values: { fact: `Fact ${at + 1}` },
                rest: {},
            }));
            const faults = { "facts.i102.value": "Write something here or remove the row." };
            const same = { list, title: "Facts", items, original: items, changed: false, faults, disabled: false };
            render(
                <TooltipProvider>
                    <ListEditor {...same} act={() => undefined} />
                </TooltipProvider>,
            );
            const rows = () =>
                [...document.querySelectorAll<HTMLElement>("[data-item]")].map((row) => row.dataset["item"]);
            expect(rows().length).toBe(100);
            expect(screen.getByText("1 to 100 of 105")).toBeTruthy();
            expect(screen.getByText(/Fact 103 is not complete\./)).toBeTruthy();
            fireEvent.click(screen.getByText("Go there"));
            expect(rows()).toEqual(["i100", "i101", "i102", "i103", "i104"]);
            expect(screen.queryByText(/is not complete/)).toBeNull();
            const value = (id: string) => document.querySelector(`[data-item=${id}] [data-column=value] input`);
            expect(document.activeElement).toBe(value("i102"));

            // Enter crosses the edge of a page, and a button that turns pages keeps the focus.
            const press = (shiftKey: boolean) =>
                fireEvent.keyDown(document.activeElement ?? document.body, { key: "Enter", shiftKey });
            [1, 2, 3].forEach(() => press(true));
            expect(rows()[0]).toBe("i0");
            expect(document.activeElement).toBe(value("i99"));
            press(false);
            expect(document.activeElement).toBe(value("i100"));
            const previous = screen.getByText("Previous");
            previous.focus();
            fireEvent.click(previous);
            fireEvent.click(previous);
            expect(rows()[0]).toBe("i0");
            expect(screen.getByText("Facts 1 to 100 shown.")).toBeTruthy();
            expect(document.activeElement).toBe(previous);
            expect(previous.matches(":disabled")).toBe(false);
        },
    );

    it("goes from row to row by Enter in a field, and signs nothing by it", async () => {
        const user = await show(sheetForm());
        await user.click(screen.getByRole("combobox", { name: "Value of fact 1" }));
        await user.keyboard("{Enter}");
        expect(document.activeElement).toBe(screen.getByRole("combobox", { name: "Value of fact 2" }));
        await user.keyboard("{Shift>}{Enter}{/Shift}");
        expect(document.activeElement).toBe(screen.getByRole("combobox", { name: "Value of fact 1" }));
        await user.click(screen.getByRole("textbox", { name: "Fact of fact 2" }));
        await user.keyboard("{Enter}");
        expect(reply()).toEqual([]);
    });

    it("does not send an empty query, says where it is and goes there", async () => {
        const user = await show();
        const query = screen.getByRole("textbox", { name: "Query of query 2" });
        await user.clear(query);
        await user.click(screen.getByRole("button", { name: /^Proceed, with a web search/ }));
        expect(reply()).toEqual([]);
        expect(screen.getByRole("alert").textContent).toContain("remove the row");
        await waitFor(() => expect(document.activeElement).toBe(query));
    });

    it("gives an added query its role, so that nothing but the query has to be written", async () => {
        const form = planForm();
        form.lists?.[0]?.columns.forEach((column) => column.field === "role" && (column.default = "supporting"));
        const user = await show(form);
        await user.click(screen.getByRole("button", { name: "Add query" }));
        const role = screen.getByLabelText<HTMLInputElement>("Role of query 3");
        expect(role.value).toBe("supporting");
        await user.clear(role);
        await user.click(screen.getByRole("textbox", { name: "Query of query 3" }));
        await user.paste("component materiality");
        await user.click(screen.getByRole("button", { name: /^Proceed, with a web search/ }));
        const [sent] = reply() as { edit: { sub_queries: unknown[] } }[];
        expect(sent?.edit.sub_queries[2]).toEqual({ query: "component materiality", role: "supporting" });
    });

    it("lets a remark speak for itself on Ctrl+Enter and shows what stays open; the question does not go along with the choice", async () => {
        core.answers.run_answer = { result: "still_open", message: "Nothing was decided. What happens next:" };
        const user = await show();
        await user.type(screen.getByRole("textbox", { name: "Remarks" }), "why?");
        await user.keyboard("{Control>}{Enter}{/Control}");
        expect(reply()).toEqual([{ text: "why?" }]);
        expect(screen.getByText(/Nothing was decided/)).toBeTruthy();
        expect(screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Remarks" }).value).toBe("");
        core.answers.run_answer = { result: "accepted", choice: "search" };
        await user.click(screen.getByRole("button", { name: /^Proceed, with a web search/ }));
        expect(reply()).toEqual([{ text: "why?" }, { choice: "search" }]);
    });

    it("shows what a reply from the composer was answered with", async () => {
        await show(planForm(), "Nothing was decided.");
        expect(screen.getByText("Nothing was decided.")).toBeTruthy();
    });

    it("moves the run to another connection", async () => {
        const row = { provider: "anthropic", credential: "stored", problem: null };
        core.answers.connection_list = [
            { ...row, slug: "offline", name: "Offline engine", provider: "offline" },
            { ...row, slug: "seat", name: "Seat" },
        ];
        const user = await show();
        const box = await screen.findByLabelText("Connection");
        box.focus();
        await user.keyboard("{Enter}");
        await user.keyboard("{ArrowDown}{Enter}");
        await user.click(screen.getByRole("button", { name: /^Proceed, with a web search/ }));
        expect(reply()).toEqual([{ choice: "search", connection: "seat" }]);
    });

    it("asks before it ends the run", async () => {
        const user = await show();
        await user.click(screen.getByRole("button", { name: "Cancel" }));
        expect(reply()).toEqual([]);
        await user.click(within(screen.getByRole("alertdialog")).getByRole("button", { name: "End run" }));
        expect(reply()).toEqual([{ choice: "cancel" }]);
    });

    it("explains when it was answered elsewhere", async () => {
        core.answers.run_answer = () => {
            throw new Failure({
                code: "conflict",
                message: "pause p1 was already answered by a person",
                retryable: false,
            });
        };
        const user = await show();
        await user.keyboard("{Enter}");
        expect(screen.getByRole("alert").textContent).toContain("already answered elsewhere");
    });

    it("brings a draft back and keeps what is typed", async () => {
        const form = planForm();
        core.answers.draft_show = {
            key: "run-01/p1",
            text: JSON.stringify({
                lists: { sub_queries: [{ id: "0", values: { query: "kept", role: "core" }, rest: {} }] },
                answers: { "Which year?": "2026" },
            }),
            updatedAt: 1,
        };
        const user = await show(form);
        expect(screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Query of query 1" }).value).toBe("kept");
        expect(screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Which year?" }).value).toBe("2026");
        await user.type(screen.getByRole("textbox", { name: "Listed?" }), "yes");
        await user.tab();
        await waitFor(() =>
            expect(
                core.asked.some((each) => each.name === "draft_save" && JSON.stringify(each.params).includes("yes")),
            ).toBe(true),
        );
    });

    it("keeps no draft of what was sent", async () => {
        const user = await show();
        await user.type(screen.getByRole("textbox", { name: "Listed?" }), "yes");
        await user.click(screen.getByRole("button", { name: /^Proceed, with a web search/ }));
        const saved = core.asked.filter((each) => each.name === "draft_save");
        expect(saved[saved.length - 1]?.params).toEqual({ key: "run-01/p1", text: "" });
    });

    it("issues an interrupted call again only on its own button", async () => {
        const form = {
            ...planForm(),
            kind: "ambiguous" as const,
            lists: [],
            parts: [],
            questions: [],
            choices: [
                { id: "retry", label: "Issue it again", action: "proceed" as const, next: "Issues the call again." },
            ],
        };
        const user = await show(form);
        await user.keyboard("{Enter}");
        expect(reply()).toEqual([]);
        await user.click(screen.getByRole("button", { name: "Issue it again" }));
        expect(reply()).toEqual([{ choice: "retry" }]);
    });

    it("offers what a full conversation can do, without remarks and not on a key struck in passing", async () => {
        const form = {
            ...planForm(),
            kind: "handoff" as const,
            lists: [],
            parts: [],
            questions: [],
            choices: [
                { id: "hand_over", label: "Hand over", action: "proceed" as const, next: "Begins a fresh one." },
                { id: "go_on", label: "Go on in the same conversation", action: "proceed" as const, next: "Goes on." },
            ],
        };
        const user = await show(form);
        await user.keyboard("{Enter}");
        expect(reply()).toEqual([]);
        expect(screen.queryByRole("textbox", { name: "Remarks" })).toBeNull();
        await user.click(screen.getByRole("button", { name: "Go on in the same conversation" }));
        expect(reply()).toEqual([{ choice: "go_on" }]);
    });

    it("takes words along to one more attempt at a gate, and nothing on a key struck in passing", async () => {
        const form = {
            ...planForm(),
            kind: "gate" as const,
            lists: [],
            parts: [],
            questions: [],
            choices: [
                { id: "certify", label: "Accept as it stands", action: "proceed" as const, next: "Goes on." },
                { id: "again", label: "One more attempt", action: "proceed" as const, next: "Repairs once more." },
            ],
        };
        const user = await show(form);
        await user.keyboard("{Enter}");
        expect(reply()).toEqual([]);
        await user.type(screen.getByRole("textbox", { name: "Remarks" }), "mind groups");
        await user.click(screen.getByRole("button", { name: "One more attempt" }));
        expect(reply()).toEqual([{ choice: "again", text: "mind groups" }]);
    });

    it("permits nothing on a key struck in passing", async () => {
        const form = {
            ...planForm(),
            kind: "permission" as const,
            lists: [],
            parts: [],
            questions: [],
            markdown: "**Permission needed** - Worktree\n\n- Begin the task\n\n      git worktree add",
            choices: [
                { id: "allow", label: "Allow once", action: "proceed" as const, next: "Makes the calls." },
                { id: "refuse", label: "Deny", action: "proceed" as const, next: "The calls fail." },
            ],
        };
        const user = await show(form);
        await user.keyboard("{Enter}");
        expect(reply()).toEqual([]);
        expect(screen.queryByRole("textbox", { name: "Remarks" })).toBeNull();
        await user.click(screen.getByRole("button", { name: "Deny" }));
        expect(reply()).toEqual([{ choice: "refuse" }]);
    });
});
