import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";

import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { Toasts, TooltipProvider } from "@/shared";

import { WebSearch } from "./WebSearch";

let core: MockTransport;
const NONE = { service: "", address: "", environment: false, storedAt: null };

beforeEach(() => {
    forget();
    core = mockTransport();
    core.answers = { web_search_show: NONE, web_search_save: { ...NONE, service: "brave", storedAt: 1 } };
});

const saved = () => core.asked.filter(({ name }) => name === "web_search_save").map(({ params }) => params);

function show() {
    render(
        <TooltipProvider>
            <WebSearch />
            <Toasts />
        </TooltipProvider>,
    );
    return userEvent.setup();
}

test("a key is stored alone, and the address stays as it is", async () => {
    const user = show();
    await user.type(await screen.findByLabelText("Key of Brave Search"), "canary-7319");
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(saved()).toEqual([{ key: "canary-7319" }]));
});

test("what is set in the environment can't be removed here, and what is in the vault can", async () => {
    core.answers.web_search_show = { ...NONE, service: "brave", environment: true };
    show();
    await screen.findByText("Brave Search, set in the environment");
    expect(screen.queryByRole("button", { name: "Remove" })).toBeNull();
});

test("a locked vault is not taken for one that holds no web search", async () => {
    core.answers.web_search_show = { ...NONE, locked: true };
    show();
    expect(await screen.findByText(/^Not known: the vault is locked/)).toBeTruthy();
});

test("both are removed together", async () => {
    core.answers.web_search_show = { ...NONE, service: "searxng", address: "https://find.example" };
    const user = show();
    await user.click(await screen.findByRole("button", { name: "Remove" }));
    await waitFor(() => expect(saved()).toEqual([{ key: "", address: "" }]));
});
