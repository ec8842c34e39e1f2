import { act, cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { Failure } from "@/backend";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { useRoute } from "@/routes";
import { ConfirmHost, Toasts, TooltipProvider } from "@/shared";

import { ConnectionSettings } from "./ConnectionSettings";
import { lacks } from "./labels";
import { OFFLINE, PRESET, modelOf, rowOf, testOf, viewOf } from "./fixtures";

const KEY = "sk-very-secret-1";
let core: MockTransport;

beforeEach(() => {
    forget();
    core = mockTransport();
    core.answers = {
        connection_list: [OFFLINE, rowOf()],
        connection_presets: [
            PRESET,
            {
                ...PRESET,
                preset: "local",
                name: "Local",
                asksKey: false,
                asksModel: false,
                keyHint: "",
                connection: {
                    slug: "local",
                    name: "Local",
                    provider: "ollama",
                    baseUrl: "http://127.0.0.1:11434",
                    auth: { kind: "none" },
                },
            },
        ],
        connection_show: viewOf(rowOf()),
        connection_try: testOf(),
        connection_test: testOf(),
        connection_save: (asked: unknown) =>
            viewOf(rowOf({ slug: (asked as { connection: { slug: string } }).connection.slug })),
        connection_remove: null,
        connection_models: viewOf(rowOf()),
        model_update: viewOf(rowOf()),
        settings_update: {},
        agent_list: [],
    };
});

const sent = (command: string) => core.asked.filter(({ name }) => name === command).map(({ params }) => params);

function Routed() {
    const route = useRoute();
    return route.page === "settings" ? <ConnectionSettings open={route.open} add={route.add} /> : null;
}

async function show(query = "") {
    location.hash = `/settings/connections${query}`;
    render(
        <TooltipProvider>
            <Routed />
            <ConfirmHost />
            <Toasts />
        </TooltipProvider>,
    );
    await act(async () => {});
    return userEvent.setup();
}

describe("the list of connections", () => {
    it("says of each where it asks, whether it has its key, and what its last test said", async () => {
        core.answers.connection_list = [
            OFFLINE,
            rowOf({ tested: testOf({ verdict: "no_credit" }), default: true }),
            rowOf({ slug: "b", name: "B", credential: "missing" }),
        ];
        await show();
        const [, acme, b] = within(await screen.findByRole("list", { name: "Connections" })).getAllByRole("link");
        expect(acme?.textContent).toMatch(
            /Acme.*default.*OpenAI Chat Completions.*api\.acme\.example.*big-1.*Key stored.*No credit.*3 m/,
        );
        expect(b?.textContent).toMatch(/Key missing/);
        expect(b?.textContent).not.toMatch(/Not tested/);
    });

    it("with no model leads to the first one, and says what answers meanwhile", async () => {
        core.answers.connection_list = [OFFLINE];
        const user = await show();
        expect(await screen.findByText(/offline engine answers for now/)).toBeTruthy();
        await user.click(screen.getByRole("button", { name: "Add connection" }));
        expect(await screen.findByRole("link", { name: /^Acme/ })).toBeTruthy();
    });

    it("that can't be read says so and can be read again", async () => {
        core.answers.connection_list = () => {
            throw new Failure({
                code: "invalid_config",
                message: "connections/acme.json, line 3: a comma is missing.",
                retryable: false,
                action: "Mend the file.",
            });
        };
        await show();
        expect(await screen.findByText(/a comma is missing/)).toBeTruthy();
        expect(screen.getByRole("button", { name: "Try again" })).toBeTruthy();
    });
});

describe("a new connection", () => {
    it("that is the first becomes the default, and its models are listed", async () => {
        core.answers.connection_list = [OFFLINE];
        const user = await show("?add=acme");
        await user.type(await screen.findByLabelText("Key"), KEY);
        await user.type(screen.getByLabelText("Model"), "big-1");
        await user.click(screen.getByRole("button", { name: "Save" }));
        await waitFor(() => expect(sent("connection_models")).toEqual([{ slug: "acme" }]));
        expect(sent("settings_update")).toEqual([{ defaultConnection: "acme" }]);
    });

    it("that is not the first leaves the default as it is", async () => {
        const user = await show("?add=acme");
        await user.type(await screen.findByLabelText("Key"), KEY);
        await user.type(screen.getByLabelText("Model"), "big-1");
        await user.click(screen.getByRole("button", { name: "Save" }));
        await waitFor(() => expect(sent("connection_models")).toHaveLength(1));
        expect(sent("settings_update")).toEqual([]);
    });

    it("asks only for what it needs", async () => {
        core.answers.connection_list = [OFFLINE];
        await show("?add=local");
        expect(await screen.findByLabelText("Address (optional)")).toHaveProperty("value", "http://127.0.0.1:11434");
        expect(screen.queryByLabelText("Key")).toBeNull();
        expect(screen.getByText("Requests are sent without a key.")).toBeTruthy();
    });

    it("is tested before it is saved, and says what to do where it does not work", async () => {
        core.answers.connection_list = [OFFLINE];
        core.answers.connection_try = testOf({
            verdict: "key_wrong",
            message: "Acme refused the key.",
            action: "Make a new one.",
            requestId: "req-9",
        });
        const user = await show("?add=acme");
        await user.type(await screen.findByLabelText("Key"), KEY);
        await user.type(screen.getByLabelText("Model"), "big-1");
        await user.click(screen.getByRole("button", { name: "Test" }));
        expect(await screen.findByText("Key refused")).toBeTruthy();
        expect(screen.getByText("Make a new one.")).toBeTruthy();
        expect(screen.getByText("req-9")).toBeTruthy();
        expect(sent("connection_try")).toEqual([
            { connection: expect.objectContaining({ slug: "acme", defaultModel: "big-1" }) as unknown, secret: KEY },
        ]);
        expect(sent("connection_save")).toEqual([]);
        // What was found speaks of the key that was tried.
        await user.type(screen.getByLabelText("Key"), "2");
        expect(screen.queryByText("Key refused")).toBeNull();
    });

    it("is saved by the keyboard alone; the key is in no address, no storage and no longer on the page", async () => {
        core.answers.connection_list = [OFFLINE];
        const user = await show("?add=acme");
        await user.type(await screen.findByLabelText("Key"), KEY);
        await user.type(screen.getByLabelText("Model"), "big-1{Enter}");
        await waitFor(() => expect(location.hash).toBe("#/settings/connections?open=acme"));
        expect(sent("connection_save")).toEqual([
            { connection: expect.objectContaining({ slug: "acme", auth: { kind: "key" } }) as unknown, secret: KEY },
        ]);
        expect(JSON.stringify({ ...localStorage, ...sessionStorage })).not.toContain(KEY);
        expect(document.documentElement.innerHTML).not.toContain(KEY);
    });

    it("shows what is missing at its field and sends nothing", async () => {
        core.answers.connection_list = [OFFLINE];
        const user = await show("?add=acme");
        await user.click(await screen.findByRole("button", { name: "Save" }));
        expect(screen.getByText(/Enter the key/)).toBeTruthy();
        expect(screen.getByText(/Enter a model id/)).toBeTruthy();
        await user.click(screen.getByRole("button", { name: "Test" }));
        expect([...sent("connection_save"), ...sent("connection_try")]).toEqual([]);
    });

    it("opens the folded part where the fault is in it", async () => {
        core.answers.connection_list = [OFFLINE];
        const user = await show("?add=acme");
        const proxy = await screen.findByLabelText("Proxy");
        fireEvent.change(proxy, { target: { value: "not a proxy" } });
        await user.click(screen.getByRole("button", { name: "Save" }));
        expect(proxy.closest("details")).toHaveProperty("open", true);
        expect(screen.getByText(/or “none”/)).toBeTruthy();
    });

    it("keeps what was typed where it can't be saved", async () => {
        core.answers.connection_list = [OFFLINE];
        core.answers.connection_save = () => {
            throw new Failure({ code: "busy", message: "The vault is locked.", retryable: true, action: "Unlock it." });
        };
        const user = await show("?add=acme");
        await user.type(await screen.findByLabelText("Key"), KEY);
        await user.type(screen.getByLabelText("Model"), "big-1");
        await user.click(screen.getByRole("button", { name: "Save" }));
        expect(await screen.findByText(/The vault is locked/)).toBeTruthy();
        expect(screen.getByLabelText("Key")).toHaveProperty("value", KEY);
    });

    it("hides the key while it is typed until the person looks", async () => {
        core.answers.connection_list = [OFFLINE];
        const user = await show("?add=acme");
        const key = await screen.findByLabelText("Key");
        await user.type(key, KEY);
        expect(key).toHaveProperty("type", "password");
        await user.click(screen.getByRole("button", { name: "Show the value" }));
        expect(key).toHaveProperty("type", "text");
    });

    it("may read its key from the environment", async () => {
        core.answers.connection_list = [OFFLINE];
        const user = await show("?add=acme");
        await user.click(await screen.findByRole("button", { name: "Read from an environment variable" }));
        await user.type(screen.getByLabelText("Environment variable"), "ACME_KEY");
        await user.type(screen.getByLabelText("Model"), "big-1{Enter}");
        await waitFor(() =>
            expect(sent("connection_save")).toEqual([
                { connection: expect.objectContaining({ auth: { kind: "key", env: "ACME_KEY" } }) as unknown },
            ]),
        );
    });

    it("gets a name of its own beside another of its kind", async () => {
        await show("?add=acme");
        expect(await screen.findByLabelText("Name")).toHaveProperty("value", "Acme 2");
    });

    it("of a kind that is not known leads back", async () => {
        await show("?add=nothing");
        expect(await screen.findByText(/Unknown provider “nothing”/)).toBeTruthy();
    });
});

describe("a connection", () => {
    it("is changed without its key being touched", async () => {
        const user = await show("?open=acme");
        await user.click(await screen.findByRole("button", { name: "Edit…" }));
        expect(screen.getByText("Stored in the vault")).toBeTruthy();
        await user.click(screen.getByRole("switch", { name: "Flat-rate subscription" }));
        await user.click(screen.getByRole("button", { name: "Save" }));
        await waitFor(() => expect(sent("connection_save")).toHaveLength(1));
        const [asked] = sent("connection_save") as [{ was: string; connection: { flatRate: boolean } }];
        expect(asked.was).toBe("acme");
        expect(asked.connection.flatRate).toBe(true);
        expect(asked).not.toHaveProperty("secret");
    });

    it("whose key is missing can be changed without giving it", async () => {
        core.answers.connection_show = viewOf(rowOf({ credential: "missing" }));
        const user = await show("?open=acme");
        await user.click(await screen.findByRole("button", { name: "Edit…" }));
        await user.click(screen.getByRole("button", { name: "Save" }));
        await waitFor(() => expect(sent("connection_save")).toHaveLength(1));
    });

    it("that is the first one paid by use asks once which limits on money hold", async () => {
        const limits = { all: { run: 5, day: 20, month: 100 }, asked: false };
        core.answers.connection_show = viewOf(rowOf({}));
        core.answers.settings_show = () => ({ limits });
        core.answers.settings_update = (patch: unknown) => {
            limits.asked = (patch as { limits: typeof limits }).limits.asked;
            return { limits };
        };
        const user = await show("?open=acme");
        await screen.findByText(/\$5 for a run, \$20 for a day, \$100 for a month/);
        await user.click(screen.getByRole("button", { name: "Keep these limits" }));
        expect(sent("settings_update")).toEqual([{ limits: { ...limits, asked: true } }]);
        await waitFor(() => expect(screen.queryByRole("button", { name: "Keep these limits" })).toBeNull());
    });

    it("is removed only when the person knows what uses it", async () => {
        core.answers.connection_show = viewOf(rowOf({ default: true }));
        const limits = { all: {}, asked: true };
        core.answers.settings_show = { agentConnections: { two: "acme", three: "other" }, limits };
        core.answers.agent_list = ["isa", "two", "three"].map((slug) => ({ slug }));
        core.answers.agent_show = (asked: unknown) => {
            const { slug } = asked as { slug: string };
            return {
                agent: { slug, name: slug.toUpperCase() },
                config: slug === "isa" ? { llm: { connection: "acme" } } : {},
            };
        };
        const user = await show("?open=acme");
        await user.click(await screen.findByRole("button", { name: "Remove…" }));
        const asked = await screen.findByRole("alertdialog");
        expect(asked.textContent).toMatch(
            /by default.*The agents “ISA”, “TWO” use this connection.*key is removed from the vault/,
        );
        await user.click(within(asked).getByRole("button", { name: "Keep" }));
        expect(sent("connection_remove")).toEqual([]);
        await user.click(screen.getByRole("button", { name: "Remove…" }));
        await user.click(await screen.findByRole("button", { name: "Remove" }));
        await waitFor(() => expect(sent("connection_remove")).toEqual([{ slug: "acme" }]));
        await waitFor(() => expect(location.hash).toBe("#/settings/connections"));
    });

    it("becomes the default of new questions", async () => {
        const user = await show("?open=acme");
        await user.click(await screen.findByRole("button", { name: "Set as default" }));
        expect(sent("settings_update")).toEqual([{ defaultConnection: "acme" }]);
    });

    it("that is part of the program can be looked at and not changed", async () => {
        core.answers.connection_show = viewOf(OFFLINE);
        await show("?open=offline");
        expect(await screen.findByText("Selects and quotes.")).toBeTruthy();
        expect(screen.queryByRole("button", { name: /Edit|Remove|Test/ })).toBeNull();
    });

    it("whose entry in the file is wrong says so, and goes on as it last was", async () => {
        const outdated = {
            code: "invalid_config" as const,
            message: "the entry of the connection `house` is wrong, and its last valid version is in use",
            action: "correct the file",
            retryable: false,
        };
        core.answers.connection_list = [OFFLINE, rowOf({ outdated })];
        core.answers.connection_show = viewOf(rowOf({ outdated }));
        await show();
        expect((await screen.findByRole("list", { name: "Connections" })).textContent).toContain(
            "The entry of the connection house is wrong, and its last valid version is in use.",
        );
        expect(lacks(rowOf({ outdated }))).toBeUndefined();
        cleanup();
        await show("?open=acme");
        expect(await screen.findByText(/correct the file/i)).toBeTruthy();
        expect(screen.getAllByRole("button", { name: /Edit/ }).length).toBeGreaterThan(0);
    });

    it("that is gone says so", async () => {
        core.answers.connection_show = () => {
            throw new Failure({ code: "not_found", message: "no such connection", retryable: false });
        };
        await show("?open=old");
        expect(await screen.findByText("No connection “old”.")).toBeTruthy();
    });

    it("lists its models with prices that can be the person's own and go back", async () => {
        core.answers.connection_show = viewOf(rowOf(), {
            config: {
                slug: "acme",
                provider: "openai-chat",
                auth: { kind: "key" },
                models: [{ id: "small-1", contextWindow: 4_000 }],
            },
            models: [
                modelOf(),
                modelOf({
                    id: "small-1",
                    inputPrice: null,
                    outputPrice: null,
                    cacheReadPrice: null,
                    cacheWritePrice: null,
                    contextWindow: 4_000,
                    knownFrom: "person",
                }),
            ],
        });
        const user = await show("?open=acme");
        const rows = within(await screen.findByRole("table", { name: "Models" })).getAllByRole("row");
        expect(rows[1]?.textContent).toMatch(/big-1structured · tools · thinking200k8k\$3\$0\.30\$15/);
        expect(rows[2]?.textContent).toMatch(/small-1.*yours4k8k–––/);
        await user.click(screen.getByRole("button", { name: "Edit the values of small-1" }));
        await user.type(screen.getByLabelText("Input"), "0.5");
        await user.click(screen.getByRole("button", { name: "Save" }));
        expect(screen.getByText("Enter both prices, or neither.")).toBeTruthy();
        await user.type(screen.getByLabelText("Output"), "2");
        await user.click(screen.getByRole("button", { name: "Save" }));
        await waitFor(() =>
            expect(sent("model_update")).toEqual([
                {
                    connection: "acme",
                    model: {
                        id: "small-1",
                        contextWindow: 4_000,
                        price: { input: 0.5, output: 2, cacheRead: null, cacheWrite: null },
                    },
                },
            ]),
        );
        await user.click(await screen.findByRole("button", { name: "Edit the values of small-1" }));
        await user.click(screen.getByRole("button", { name: "Reset to default values" }));
        expect(sent("model_update")[1]).toEqual({ connection: "acme", model: { id: "small-1" } });
    });
});

describe("a sign-in", () => {
    const oauth = () =>
        viewOf(rowOf({ credential: "missing" }), {
            config: {
                slug: "acme",
                provider: "openai-chat",
                auth: {
                    kind: "oauth",
                    service: { authorizeUrl: "https://id.example/a", tokenUrl: "https://id.example/t", clientId: "c" },
                },
            },
        });

    beforeEach(() => {
        core.answers.connection_show = oauth();
        core.answers.sign_in_begin = { id: "s1", url: "https://id.example/a?state=1", state: "waiting", message: "" };
        core.answers.sign_in_show = { id: "s1", url: "", state: "waiting", message: "" };
        core.answers.sign_in_cancel = null;
        vi.spyOn(window, "open").mockReturnValue(null);
    });

    it("opens the browser, waits, and can be given up", async () => {
        const user = await show("?open=acme");
        await user.click(await screen.findByRole("button", { name: "Sign in…" }));
        expect(await screen.findByText("Waiting for the browser")).toBeTruthy();
        expect(window.open).toHaveBeenCalledWith("https://id.example/a?state=1", "_blank", "noopener,noreferrer");
        await user.click(screen.getByRole("button", { name: "Cancel" }));
        expect(sent("sign_in_cancel")).toEqual([{ id: "s1" }]);
        expect(screen.getByRole("button", { name: "Sign in…" })).toBeTruthy();
    });

    it("that fails says why, and can be begun again", async () => {
        core.answers.sign_in_show = {
            id: "s1",
            url: "",
            state: "failed",
            message: "The service refused: access_denied.",
        };
        const user = await show("?open=acme");
        await user.click(await screen.findByRole("button", { name: "Sign in…" }));
        expect(await screen.findByText("The service refused: access_denied.", {}, { timeout: 4_000 })).toBeTruthy();
        expect(screen.getByRole("button", { name: "Sign in…" })).toBeTruthy();
    });
});
