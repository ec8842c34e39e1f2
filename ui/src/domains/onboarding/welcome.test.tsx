import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";

import { Failure } from "@/backend";
import { setTransport } from "@/backend/client";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { takeCarried } from "@/domains/knowledge";
import { forgetSettings } from "@/domains/settings";
import { TooltipProvider } from "@/shared";

import read from "../../../../src-tauri/crates/library/src/bases/add.rs?raw";

import { FirstRun } from "./FirstRun";
import { WelcomePage } from "./WelcomePage";

const QUESTION = "How is materiality set for a group?";
const agent = {
    slug: "isa",
    name: "ISA",
    description: "",
    stages: 2,
    defaultDepth: null,
    depths: [],
    defaultCorpus: "primer",
    needsCorpus: true,
    examples: [QUESTION],
    shipped: true,
    problems: [],
};
const stop = {
    id: "0",
    name: "plan",
    title: "Plan",
    kind: "model",
    dependsOn: [],
    pauses: true,
    when: null,
    tools: [],
    maxIterations: 0,
};

let core: MockTransport;

beforeEach(() => {
    forget();
    forgetSettings();
    location.hash = "/";
    core = mockTransport();
    core.answers = {
        settings_show: {
            mode: "system",
            theme: "paper",
            zoom: 1,
            notifications: true,
            closeToTray: false,
            defaultAgent: "",
            defaultDepth: "",
            defaultConnection: "",
            agentConnections: {},
            enterSends: true,
            welcomed: false,
        },
        settings_update: (patch: unknown) => ({ ...(core.answers.settings_show as object), ...(patch as object) }),
        agent_list: [agent],
        agent_show: { agent, stages: [stop, { ...stop, id: "1" }] },
        run_start: "run-1",
        run_show: { session: "s-1" },
        run_cancel: null,
        connection_presets: [
            {
                preset: "ollama",
                name: "Ollama",
                description: "Models on this machine.",
                keyHint: "",
                connection: { slug: "ollama", provider: "ollama", auth: { kind: "none" } },
                asksAddress: false,
                asksModel: false,
                asksKey: false,
                addressExample: "",
            },
        ],
    };
});

const names = () => core.asked.map(({ name }) => name);

async function show() {
    render(
        <TooltipProvider>
            <FirstRun />
            <WelcomePage />
        </TooltipProvider>,
    );
    await act(async () => {});
    return userEvent.setup();
}

test("who never saw it is led there", async () => {
    await show();
    expect(location.hash).toBe("#/welcome");
});

test("who opens the window at a certain place stays there", async () => {
    location.hash = "/session/s-9";
    await show();
    expect(location.hash).toBe("#/session/s-9");
});

test("one click starts a run and opens its session", async () => {
    const user = await show();
    await screen.findByText(/two pauses for your decision/);
    await user.click(screen.getByRole("button", { name: QUESTION }));
    await waitFor(() => expect(location.hash).toBe("#/session/s-1?run=run-1"));
    expect(core.asked.find(({ name }) => name === "run_start")?.params).toEqual({ agent: "isa", request: QUESTION });
});

test("a run whose first event is still being stored is waited for", async () => {
    let looks = 0;
    core.answers.run_show = () => {
        looks += 1;
        if (looks < 3) throw new Failure({ code: "not_found", message: "no such run", retryable: false });
        return { session: "s-1" };
    };
    const user = await show();
    await user.click(await screen.findByRole("button", { name: QUESTION }));
    await waitFor(() => expect(location.hash).toBe("#/session/s-1?run=run-1"));
});

test("whichever way the page is left, it was seen", async () => {
    const page = render(<WelcomePage />);
    await act(async () => {});
    page.unmount();
    expect(core.asked.filter(({ name }) => name === "settings_update").map(({ params }) => params)).toEqual([
        { welcomed: true },
    ]);
});

test("a model is connected from here", async () => {
    await show();
    expect((await screen.findByRole("link", { name: /Ollama/ })).getAttribute("href")).toBe(
        "#/settings/connections?add=ollama",
    );
});

test("what leaves this machine is said as it is", async () => {
    core.answers.connection_list = [{ slug: "acme", name: "Acme", provider: "anthropic", default: true }];
    await show();
    expect(
        await screen.findByText(/^With Acme: the question and the paragraphs it needs are sent to the provider/),
    ).toBeTruthy();
    expect(screen.queryByText(/nothing leaves this machine/)).toBeNull();
});

test("a start that is given up ends its run", async () => {
    let begin: (run: string) => void = () => {};
    core.answers.run_start = () => new Promise((resolve) => (begin = resolve));
    const user = await show();
    await user.click(await screen.findByRole("button", { name: QUESTION }));
    await user.click(screen.getByRole("button", { name: "Stop" }));
    begin("run-1");
    await waitFor(() => expect(names()).toContain("run_cancel"));
    expect(location.hash).not.toContain("session");
});

test("a start that fails says so, and the question can be asked again", async () => {
    core.answers.run_start = () => {
        throw new Failure({ code: "storage", message: "The disk is full.", retryable: true });
    };
    const user = await show();
    await user.click(await screen.findByRole("button", { name: QUESTION }));
    expect(await screen.findByText("The disk is full.")).toBeTruthy();
    expect(screen.getByRole("button", { name: QUESTION })).toHaveProperty("disabled", false);
});

test("every format that documents are read from is named", async () => {
    await show();
    const list = /const ENDINGS: \[&str; \d+\] = \[([^\]]+)\]/.exec(read)?.[1] ?? "";
    const endings = [...list.matchAll(/"(\w+)"/g)].map(([, ending]) => ending ?? "");
    expect(endings.length).toBeGreaterThan(10);
    // Other endings of a format that is named.
    const same: Record<string, string> = {
        htm: "html",
        jpeg: "jpg",
        xhtml: "html",
        markdown: "md",
        text: "txt",
        tsv: "csv",
        json: "jsonl",
        ndjson: "jsonl",
    };
    const page = document.body.textContent ?? "";
    for (const ending of endings) expect(page).toContain(`(.${same[ending] ?? ending})`);
});

test("a folder is asked in one step: its path goes along to the question", async () => {
    core.answers.folder_look = ({ path }: { path: string }) =>
        path === "/home/eva/manuals"
            ? { folder: path, problem: null, below: [] }
            : { folder: null, problem: "there is no folder /home/eva/manual", below: [] };
    const user = await show();
    const field = screen.getByRole("textbox", { name: "Path of a folder" });
    await user.type(field, "/home/eva/manual{Enter}");
    expect(await screen.findByText(/There is no folder/)).toBeTruthy();
    expect(location.hash).toBe("#/welcome");
    await user.type(field, "s{Enter}");
    await waitFor(() => expect(location.hash).toBe("#/new"));
    expect(takeCarried()).toEqual(["/home/eva/manuals"]);
});

test("the window opens the system's dialog for a folder, and stays where none is chosen", async () => {
    const picked = [[], ["/home/eva/manuals"]];
    const asked: string[] = [];
    const inDesktop = {
        pickPaths: (what: string) => {
            asked.push(what);
            return Promise.resolve(picked.shift() ?? []);
        },
    };
    setTransport({
        call: (name: keyof typeof core.answers, params: unknown) => {
            const answer = core.answers[name];
            return Promise.resolve(
                typeof answer === "function" ? (answer as (given: unknown) => unknown)(params) : answer,
            );
        },
        listen: () => {},
        reconnect: () => {},
        shell: inDesktop,
    } as never);
    const user = await show();
    const button = screen.getByRole("button", { name: "Ask a folder…" });
    await user.click(button);
    expect(location.hash).toBe("#/welcome");
    await user.click(button);
    await waitFor(() => expect(location.hash).toBe("#/new"));
    expect(takeCarried()).toEqual(["/home/eva/manuals"]);
    expect(asked).toEqual(["folder", "folder"]);
});
