import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";

import type { SecretUse, SourceNeeds, SourceView } from "@/backend";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { Toasts, TooltipProvider } from "@/shared";

import { NewSource } from "./NewSource";
import { SourceForm } from "./SourceForm";
import { SourcePage } from "./SourcePage";

let core: MockTransport;

const secret = (changed: Partial<SecretUse> = {}): SecretUse => ({
    name: "apikey",
    present: false,
    label: "API key (header X-Key)",
    optional: false,
    unbound: false,
    storedAt: null,
    ...changed,
});

const needs = (changed: Partial<SourceNeeds> = {}): SourceNeeds => ({
    reaches: "https://api.example.org/",
    secrets: [secret()],
    signsIn: false,
    problems: [],
    ...changed,
});

const view = (changed: Partial<SourceView> = {}): SourceView => ({
    source: {
        slug: "desk",
        name: "Desk",
        description: "Keeps items.",
        kind: "api",
        usedBy: [],
        shipped: false,
        enabled: true,
        status: "needs_auth",
        statusDetail: "missing: API key",
        tools: 0,
        changedTools: [],
        problems: [],
    },
    guide: "",
    config: { type: "api", api: { baseUrl: "https://api.example.org/" } },
    folder: "/x",
    tools: [],
    leftOut: [],
    secrets: [secret()],
    reaches: "https://api.example.org/",
    reach: "digest-1",
    approved: true,
    signsIn: false,
    signedIn: false,
    ...changed,
});

const API = {
    slug: "desk",
    name: "Desk",
    description: "Keeps items.",
    type: "api",
    api: { baseUrl: "https://api.example.org/", authType: "header", headerName: "X-Key", timeoutSeconds: 9 },
};

beforeEach(() => {
    forget();
    core = mockTransport();
    core.answers = { source_needs: needs(), source_save: view(), source_log: { log: "", checks: [] } };
});

const sent = (command: string) => core.asked.filter(({ name }) => name === command).map(({ params }) => params);

async function form(config: unknown) {
    render(
        <TooltipProvider>
            <SourceForm config={JSON.stringify(config)} guide="" isNew />
            <Toasts />
        </TooltipProvider>,
    );
    await act(async () => {});
    return userEvent.setup();
}

async function page(shown: SourceView) {
    core.answers.source_show = shown;
    render(
        <TooltipProvider>
            <SourcePage slug="desk" />
            <Toasts />
        </TooltipProvider>,
    );
    return userEvent.setup();
}

test("the secrets that the core asks for have fields, and go with the source", async () => {
    const user = await form(API);
    await user.type(await screen.findByLabelText("API key (header X-Key)"), "canary-7319");
    expect(screen.getByRole("button", { name: "Save" })).toHaveProperty("disabled", true);
    expect(screen.getByText(/nobody has approved it yet/)).toBeTruthy();
    await user.click(screen.getByRole("checkbox", { name: /checked the address/ }));
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(sent("source_save")).toHaveLength(1));
    expect(sent("source_save")[0]).toMatchObject({
        config: API,
        secrets: { apikey: "canary-7319" },
        approved: true,
        isNew: true,
    });
});

test("a greyed Save says why, by the names of the fields", async () => {
    core.answers.source_needs = needs({
        problems: [{ file: "config.json", place: "/api/baseUrl", message: "replace the placeholder" }],
    });
    await form(API);
    expect(await screen.findByText("Base address: replace the placeholder")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Save" })).toHaveProperty("disabled", true);
});

test("a program is entered as command, arguments and variables", async () => {
    core.answers.source_needs = needs({ secrets: [] });
    const user = await form({ slug: "own", name: "Own", description: "Own.", type: "mcp", mcp: { command: "" } });
    await user.type(screen.getByLabelText("Command"), "node");
    await user.type(screen.getByLabelText("Arguments"), "a b.js{Enter}--x=1");
    await user.type(screen.getByLabelText("New name: Environment variables"), "API_KEY{Enter}");
    await user.click(screen.getByRole("checkbox", { name: "Secret" }));
    expect(screen.getByText('node "a b.js" --x=1')).toBeTruthy();
    await waitFor(() =>
        expect(sent("source_needs").at(-1)).toMatchObject({
            config: { mcp: { command: "node", args: ["a b.js", "--x=1"], env: { API_KEY: "${secret:API_KEY}" } } },
        }),
    );
});

test("servers of another program become a form with their secrets", async () => {
    core.answers.source_read = [
        { config: { ...API, name: "From there" }, secrets: { apikey: "canary-7319" }, leftOut: [] },
    ];
    const user = await form({ mcpServers: { there: { command: "x" } } });
    expect(screen.getByText(/configuration of another program/)).toBeTruthy();
    await user.click(await screen.findByRole("button", { name: "Use From there" }));
    expect(screen.getByLabelText("Name")).toHaveProperty("value", "From there");
    expect(await screen.findByLabelText("API key (header X-Key)")).toHaveProperty("value", "canary-7319");
});

test("a file of another program shows its servers, and why one of them can't be used", async () => {
    core.answers.source_presets = [];
    core.answers.source_read = [
        { config: { ...API, name: "From there" }, secrets: {}, leftOut: ["timeout"], notes: ["it is switched off"] },
        { config: { slug: "odd", name: "Odd" }, secrets: {}, leftOut: [], problem: "it has no command" },
    ];
    const user = userEvent.setup();
    render(
        <TooltipProvider>
            <NewSource />
            <Toasts />
        </TooltipProvider>,
    );
    const text = "[mcp_servers.there]\ncommand = 'x'";
    await user.upload(screen.getByLabelText("Settings file"), new File([text], "config.toml"));
    expect(screen.getByLabelText("Settings with MCP servers")).toHaveProperty("value", text);
    expect(await screen.findByText(/Odd can’t be used: it has no command/)).toBeTruthy();
    expect(screen.getByText("it is switched off")).toBeTruthy();
    expect(sent("source_read")).toEqual([{ text }]);
    await user.click(screen.getByRole("button", { name: "Use From there" }));
    expect(await screen.findByLabelText("Name")).toHaveProperty("value", "From there");
    expect(sent("source_save")).toEqual([]);
});

test("a missing secret is given on the page that says so", async () => {
    const user = await page(view());
    await user.type(await screen.findByLabelText("API key (header X-Key)"), "canary-7319");
    core.answers.source_secrets = view({ secrets: [secret({ present: true })] });
    await user.click(screen.getByRole("button", { name: "Store" }));
    await waitFor(() =>
        expect(sent("source_secrets")).toEqual([{ slug: "desk", secrets: { apikey: "canary-7319" }, stored: false }]),
    );
    expect(screen.queryByRole("button", { name: "Sign in" })).toBeNull();
});

test("a stored secret that was given for something else is allowed by a click", async () => {
    const user = await page(view({ secrets: [secret({ present: true, unbound: true, storedAt: 1 })] }));
    expect(await screen.findByText(/not used here/)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Use the stored values here" }));
    await waitFor(() => expect(sent("source_secrets")).toEqual([{ slug: "desk", secrets: {}, stored: true }]));
});

test("a source that was put there by hand is approved and tested on its page, as it was seen", async () => {
    core.answers.source_test = { ok: true, ms: 1, server: "", tools: [], leftOut: [], problem: null, log: "" };
    const user = await page(view({ approved: false, secrets: [] }));
    const button = await screen.findByRole("button", { name: "Approve and test" });
    expect(button).toHaveProperty("disabled", true);
    await user.click(screen.getByRole("checkbox", { name: /read this/ }));
    await user.click(button);
    await waitFor(() => expect(sent("source_test")).toEqual([{ slug: "desk", approve: "digest-1" }]));
});
