import { act, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";

import { useDraft } from "@/backend";
import { Failure } from "@/backend/problem";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { Toasts, TooltipProvider } from "@/shared";

import { EarlierDrafts } from "./EarlierDrafts";

let core: MockTransport;

beforeEach(() => {
    forget();
    core = mockTransport();
    core.answers = {
        draft_show: { key: "s", text: "what stands there now", updatedAt: 3 },
        draft_save: null,
        draft_earlier: [],
    };
});

function Field() {
    const draft = useDraft("s");
    return (
        <>
            <textarea aria-label="Text" value={draft.text} onChange={(event) => draft.setText(event.target.value)} />
            <EarlierDrafts draft={draft} onWrite={draft.setText} />
        </>
    );
}

async function show() {
    render(
        <TooltipProvider>
            <Field />
            <Toasts />
        </TooltipProvider>,
    );
    await act(async () => {});
    return userEvent.setup();
}
const text = () => screen.getByLabelText<HTMLTextAreaElement>("Text").value;

it("brings an earlier draft back, and what stood there with one step", async () => {
    core.answers.draft_earlier = [
        { key: "s", text: "what stands there now", updatedAt: 3 },
        { key: "s", text: "How is materiality set?", updatedAt: 2 },
        { key: "s", text: "  ", updatedAt: 1 },
    ];
    const user = await show();
    await user.click(screen.getByRole("button", { name: "Earlier drafts" }));
    const list = within(await screen.findByRole("list", { name: "Earlier drafts" }));
    expect(core.asked.filter((each) => each.name === "draft_earlier").map((each) => each.params)).toEqual([
        { key: "s" },
    ]);
    expect(list.getAllByRole("button")).toHaveLength(1);
    await user.click(list.getByRole("button", { name: /^How is materiality set\?/ }));
    expect(text()).toBe("How is materiality set?");
    expect(screen.queryByRole("list", { name: "Earlier drafts" })).toBeNull();
    await user.click(screen.getByRole("button", { name: "Undo" }));
    expect(text()).toBe("what stands there now");
});

it("says that there is none, and why they can't be read", async () => {
    const user = await show();
    await user.click(screen.getByRole("button", { name: "Earlier drafts" }));
    expect(await screen.findByText(/^No earlier draft/)).toBeTruthy();
    await user.keyboard("{Escape}");
    forget();
    core.answers.draft_earlier = () => {
        throw new Failure({ code: "storage", message: "the database is locked", retryable: true });
    };
    await user.click(screen.getByRole("button", { name: "Earlier drafts" }));
    expect(await screen.findByText("The database is locked")).toBeTruthy();
    expect(text()).toBe("what stands there now");
});
