import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";

import type { ChatState } from "@/backend";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { turnHead } from "@/backend/turn-fixtures";
import { ConfirmHost, Toasts, TooltipProvider } from "@/shared";

import { refusal, MAX_FILE_BYTES, MAX_FILES } from "./attachments";
import { Composer, type ComposerProps } from "./Composer";

const chat = (over: Partial<ChatState> = {}): ChatState => ({
    setup: { mode: "ask", folders: [], sources: [], agent: "", whenBusy: "queue" },
    queue: [],
    shells: [],
    ...over,
});
const acme = {
    slug: "acme",
    name: "Acme",
    provider: "anthropic",
    credential: "stored",
    defaultModel: "big-1",
    models: ["big-1"],
    problem: null,
    default: true,
    builtIn: false,
};

let core: MockTransport;

beforeEach(() => {
    forget();
    localStorage.clear();
    core = mockTransport();
    core.answers = {
        draft_show: null,
        draft_save: null,
        settings_show: { enterSends: true, defaultAgent: "", defaultDepth: "" },
        agent_list: [
            {
                slug: "a",
                name: "A",
                description: "",
                stages: 3,
                depths: [],
                defaultDepth: null,
                defaultCorpus: null,
                needsCorpus: false,
                examples: [],
                problems: [],
            },
        ],
        base_list: [],
        connection_list: [acme],
        source_list: [
            {
                slug: "bank",
                name: "Bank",
                description: "Statements",
                status: "failed",
                statusDetail: "its program is missing",
                enabled: true,
                problems: [],
            },
        ],
        mention_complete: (asked: { sigil: string; text: string }) =>
            asked.sigil === "@"
                ? [
                      { kind: "file", name: "src/post.rs", title: "post.rs", detail: "src" },
                      { kind: "agent", name: "a", title: "A", detail: "" },
                  ].filter((each) => each.name.startsWith(asked.text))
                : [],
        turn_send: { session: "s2", turn: "run-9", run: null, queued: null, steered: null, notes: [] },
        turn_stop: null,
        session_setup: null,
        session_compact: { session: "s", turn: "run-9", run: null, queued: null, steered: null, notes: [] },
        queue_change: null,
        attachment_add: (asked: { name: string }) => ({
            id: `id-${asked.name}`,
            name: asked.name,
            mediaType: "text/plain",
            bytes: 3,
        }),
    };
});

async function show(props: Partial<ComposerProps>) {
    render(
        <TooltipProvider>
            <Composer {...props} />
            <ConfirmHost />
            <Toasts />
        </TooltipProvider>,
    );
    await act(async () => {});
    return userEvent.setup();
}
const asked = (name: string) => core.asked.filter((each) => each.name === name).map((each) => each.params);
const field = () => screen.getByRole<HTMLTextAreaElement>("textbox");

describe("a conversation", () => {
    it("begins where no agent is chosen and there is a model to talk to", async () => {
        const user = await show({});
        await user.type(field(), "Tidy the notes{Enter}");
        expect(asked("turn_send")).toEqual([
            {
                session: null,
                message: { text: "Tidy the notes", mentions: [], attachments: [] },
                setup: { mode: "ask", folders: [], sources: [], agent: "", effort: null },
            },
        ]);
        await waitFor(() => expect(location.hash).toBe("#/session/s2"));
    });

    it("is begun by what was sent before the settings were read, and no agent's run is", async () => {
        let tell: (settings: unknown) => void = () => undefined;
        core.answers.settings_show = () => new Promise((resolve) => (tell = resolve));
        const user = await show({});
        await user.type(screen.getByRole("textbox"), "Tidy the notes{Enter}");
        expect(asked("run_start")).toEqual([]);
        await act(async () => tell({ enterSends: true, defaultAgent: "", defaultDepth: "" }));
        await waitFor(() => expect(asked("turn_send")).toMatchObject([{ message: { text: "Tidy the notes" } }]));
        expect(asked("run_start")).toEqual([]);
    });

    it("leaves the field to an agent with stages where one is the person's own", async () => {
        core.answers.settings_show = { enterSends: true, defaultAgent: "a", defaultDepth: "" };
        await show({});
        expect(screen.queryByRole("button", { name: /^Mode/ })).toBeNull();
        expect(screen.getByRole("button", { name: /^Ask/ })).toBeTruthy();
    });

    it("gives a run that a message begins its depth and its files", async () => {
        const [agent] = core.answers.agent_list as object[];
        core.answers.agent_list = [{ ...agent, depths: ["quick", "deep"], defaultDepth: "quick" }];
        const user = await show({ session: "s", turn: turnHead(), chat: chat() });
        expect(screen.queryByLabelText("Depth")).toBeNull();
        await user.type(field(), "@a");
        await user.click(await screen.findByRole("option"));
        await user.type(field(), "when?");
        screen.getByLabelText("Depth").focus();
        await user.keyboard("{Enter}{ArrowDown}{ArrowDown}{Enter}");
        await user.upload(screen.getByLabelText("Files to attach"), new File(["abc"], "b.txt"));
        await user.click(screen.getByRole("button", { name: /^Send/ }));
        const [sent] = asked("turn_send") as { depth: string; corpus: null; message: { attachments: unknown[] } }[];
        expect([sent?.depth, sent?.corpus, sent?.message.attachments.length]).toEqual(["deep", null, 1]);
    });

    it("completes names where there is room: below the text at the top of the window, above it elsewhere", async () => {
        const at = vi.spyOn(Element.prototype, "getBoundingClientRect");
        const user = await show({ session: "s", turn: turnHead(), chat: chat() });
        for (const [top, place] of [
            [60, "top-full"],
            [600, "bottom-full"],
        ] as const) {
            at.mockReturnValue(new DOMRect(0, top, 400, 40));
            await user.type(field(), "@a");
            const menu = (await screen.findByRole("listbox", { name: "Agents, sources, files" })).parentElement;
            expect(menu?.className).toContain(place);
            await user.keyboard("{Escape}");
            await user.clear(field());
        }
        at.mockRestore();
    });

    it("changes its mode with Shift+Tab; Auto is asked about", async () => {
        const user = await show({ session: "s", turn: turnHead(), chat: chat() });
        await user.click(field());
        await user.keyboard("{Shift>}{Tab}{/Shift}");
        await user.click(await screen.findByRole("button", { name: "Cancel" }));
        expect(asked("session_setup")).toEqual([]);
        expect(screen.getByRole("button", { name: "Mode: Ask to edit" })).toBeTruthy();
        await user.click(field());
        await user.keyboard("{Shift>}{Tab}{/Shift}");
        await user.click(await screen.findByRole("button", { name: "Turn Auto on" }));
        expect(asked("session_setup")).toEqual([{ session: "s", patch: { mode: "allow-all" } }]);
        expect(screen.getByRole("button", { name: "Mode: Auto" })).toBeTruthy();
    });

    it("completes names by keyboard and sends what they are and where they stand", async () => {
        const user = await show({ session: "s", turn: turnHead(), chat: chat() });
        await user.type(field(), "Look at @src");
        await screen.findByRole("option", { name: /post\.rs/ });
        await user.keyboard("{Enter}");
        expect(field().value).toBe("Look at @src/post.rs ");
        await user.keyboard("now{Enter}");
        expect(asked("turn_send")).toEqual([
            {
                session: "s",
                message: {
                    text: "Look at @src/post.rs now",
                    mentions: [{ kind: "file", name: "src/post.rs", title: "post.rs", range: [8, 20] }],
                    attachments: [],
                },
            },
        ]);
    });

    it("takes a name that fits while names for more letters are still looked for, and sends nothing", async () => {
        const user = await show({ session: "s", turn: turnHead(), chat: chat() });
        await user.type(field(), "Look at @sr");
        await screen.findByRole("option", { name: /post\.rs/ });
        core.answers.mention_complete = () => new Promise(() => {});
        await user.keyboard("c");
        await waitFor(() => expect(asked("mention_complete").at(-1)).toEqual(expect.objectContaining({ text: "src" })));
        await user.keyboard("{Enter}");
        expect(field().value).toBe("Look at @src/post.rs ");
        expect(asked("turn_send")).toEqual([]);
        // What does not fit any more is not offered.
        await user.type(field(), "@srx");
        expect(screen.queryByRole("option")).toBeNull();
    });

    it("closes the menu of names with Escape and stops nothing by it", async () => {
        const user = await show({ session: "s", turn: turnHead({ status: "running" }), chat: chat() });
        await user.type(field(), "@");
        await screen.findByRole("listbox");
        await user.keyboard("{Escape}");
        expect(screen.queryByRole("listbox")).toBeNull();
        expect(asked("turn_stop")).toEqual([]);
    });

    it("stops with two Escapes", async () => {
        const user = await show({ session: "s", turn: turnHead({ status: "running" }), chat: chat() });
        await user.click(field());
        await user.keyboard("{Escape}");
        expect(asked("turn_stop")).toEqual([]);
        expect(screen.getByText(/again to stop the turn/)).toBeTruthy();
        await user.keyboard("{Escape}");
        expect(asked("turn_stop")).toEqual([{ run: "run-1" }]);
        expect(screen.queryByText(/again to stop the turn/)).toBeNull();
        expect(screen.getByRole("button", { name: "Stopping…" })).toBeTruthy();
    });

    it("can stop a turn again that was stopped and goes on", async () => {
        const of = (status: "running" | "stopped") => (
            <TooltipProvider>
                <Composer session="s" turn={turnHead({ status })} chat={chat()} />
            </TooltipProvider>
        );
        const { rerender } = render(of("running"));
        const user = userEvent.setup();
        await user.click(screen.getByRole("button", { name: "Stop" }));
        await screen.findByRole("button", { name: "Stopping…" });
        rerender(of("stopped"));
        rerender(of("running"));
        await user.click(await screen.findByRole("button", { name: "Stop" }));
        expect(asked("turn_stop")).toHaveLength(2);
    });

    it("brings back what was written before, and the empty field", async () => {
        const user = await show({
            session: "s",
            turn: turnHead(),
            chat: chat(),
            history: [{ text: "first" }, { text: "second" }],
        });
        await user.click(field());
        await user.keyboard("{ArrowUp}");
        expect(field().value).toBe("second");
        await user.keyboard("{ArrowUp}{ArrowUp}");
        expect(field().value).toBe("first");
        await user.keyboard("{ArrowDown}{ArrowDown}");
        expect(field().value).toBe("");
        await user.keyboard("own{ArrowUp}");
        expect(field().value).toBe("own");
    });

    it("brings a message back with the names that it had", async () => {
        const mention = {
            kind: "skill" as const,
            name: "compare",
            title: "compare",
            range: [0, 8] as [number, number],
        };
        const user = await show({
            session: "s",
            turn: turnHead(),
            chat: chat(),
            history: [{ text: "/compare both", mentions: [mention] }],
        });
        await user.click(field());
        await user.keyboard("{ArrowUp}{Enter}");
        expect(asked("turn_send")).toMatchObject([{ message: { text: "/compare both", mentions: [mention] } }]);
    });

    it("keeps what is written and attached while a message is sent", async () => {
        let sent: (value: unknown) => void = () => undefined;
        core.answers.turn_send = () => new Promise((resolve) => (sent = resolve));
        const user = await show({ session: "s2", turn: turnHead(), chat: chat() });
        await user.type(field(), "First.{Enter}");
        await user.type(field(), " Then the second");
        const file = new File(["abc"], "late.txt", { type: "text/plain" });
        fireEvent.paste(field(), { clipboardData: { files: [file], types: ["Files"] } });
        await screen.findByText("late.txt");
        await act(async () =>
            sent({ session: "s2", turn: "run-9", run: null, queued: null, steered: null, notes: [] }),
        );
        expect(field().value).toBe("Then the second");
        expect(screen.getByText("late.txt")).toBeTruthy();
        expect(asked("draft_save").at(-1)).toEqual({ key: "s2", text: "Then the second" });
    });

    it("keeps the files and names of a draft with its text", async () => {
        core.answers.draft_show = { key: "s", text: "@a compare these", updatedAt: 1 };
        const parts = {
            text: "@a compare these",
            mentions: [{ kind: "agent", name: "a", title: "A", range: [0, 2] }],
            files: [{ id: "id-one.txt", name: "one.txt", mediaType: "text/plain", bytes: 3 }],
        };
        localStorage.setItem("drafts.parts", JSON.stringify({ s: parts }));
        const user = await show({ session: "s", turn: turnHead(), chat: chat() });
        await screen.findByText("one.txt");
        await user.click(field());
        await user.keyboard("{Enter}");
        expect(asked("turn_send")).toMatchObject([
            { message: { text: parts.text, mentions: parts.mentions, attachments: parts.files } },
        ]);
        // Sent: nothing of it is left for the next message.
        expect(JSON.parse(localStorage.getItem("drafts.parts") ?? "{}")).toEqual({});
    });

    it.each(["null", "[1]", '{"s":null}', '{"s":{"text":"a","mentions":[]}}', "{"])(
        "passes over what was kept in another shape: %s",
        async (kept) => {
            localStorage.setItem("drafts.parts", kept);
            core.answers.draft_show = { key: "s", text: "As it was", updatedAt: 1 };
            await show({ session: "s", turn: turnHead(), chat: chat() });
            await waitFor(() => expect(field().value).toBe("As it was"));
        },
    );

    it("takes the focus over from the composer that stood in its place", async () => {
        const page = (at: string) => (
            <TooltipProvider>
                <Composer key={at} session={at} turn={turnHead()} chat={chat()} />
            </TooltipProvider>
        );
        const { rerender } = render(page("s"));
        await act(async () => {});
        field().focus();
        rerender(page("t"));
        expect(document.activeElement).toBe(field());
        field().blur();
        rerender(page("u"));
        expect(document.activeElement).not.toBe(field());
    });

    it("puts what was said into fewer words by a command", async () => {
        const user = await show({ session: "s", turn: turnHead(), chat: chat() });
        await user.type(field(), "/compact ");
        await user.keyboard("{Enter}");
        expect(asked("session_compact")).toEqual([{ session: "s" }]);
        expect(asked("turn_send")).toEqual([]);
    });

    it("says what its sources lack", async () => {
        await show({ session: "s", turn: turnHead(), chat: chat({ setup: { ...chat().setup, sources: ["bank"] } }) });
        expect(await screen.findByRole("button", { name: "Sources: Bank; Bank does not work" })).toBeTruthy();
    });

    it("takes folders by their path, which is looked at, and offers them again", async () => {
        core.answers.folder_look = ({ path }: { path: string }) =>
            path === "/home/eva/ledger"
                ? { folder: path, problem: null, below: [] }
                : { folder: null, problem: `there is no folder ${path}`, below: ["/home/eva/ledger"] };
        const user = await show({ session: "s", turn: turnHead(), chat: chat() });
        await user.click(screen.getByRole("button", { name: "Working folders: No folder" }));
        const path = await screen.findByRole<HTMLInputElement>("textbox", { name: "Folder path" });
        await user.type(path, "/home/eva/ledg{Enter}");
        expect((await screen.findByRole("alert")).textContent).toBe("There is no folder /home/eva/ledg");
        expect(asked("session_setup")).toEqual([]);
        await user.click(await screen.findByRole("button", { name: "/home/eva/ledger" }));
        expect(path.value).toBe("/home/eva/ledger/");
        await user.type(path, "{Backspace}{Enter}");
        expect(asked("session_setup")).toEqual([{ session: "s", patch: { folders: ["/home/eva/ledger"] } }]);
        expect(localStorage.getItem("folders-recent")).toBe('["/home/eva/ledger"]');
    });

    it("keeps the text and says why when it could not be sent", async () => {
        core.answers.turn_send = () => {
            throw new Error("The connection has no key.");
        };
        const user = await show({ session: "s", turn: turnHead(), chat: chat() });
        await user.type(field(), "Go{Enter}");
        expect((await screen.findByRole("alert")).textContent).toContain("The connection has no key.");
        expect(field().value).toBe("Go");
    });
});

describe("files", () => {
    it("are pasted, shown, removed and sent", async () => {
        const user = await show({ session: "s", turn: turnHead(), chat: chat() });
        await user.click(field());
        await user.paste({
            files: [new File(["abc"], "a.txt"), new File(["def"], "b.txt")] as unknown as FileList,
            getData: () => "",
            types: ["Files"],
        } as unknown as DataTransfer);
        expect(await screen.findByText("b.txt")).toBeTruthy();
        await user.click(screen.getByRole("button", { name: "Remove a.txt" }));
        await user.type(field(), "Look{Enter}");
        expect(asked("attachment_add")).toEqual([
            { session: "s", name: "a.txt", data: "YWJj" },
            { session: "s", name: "b.txt", data: "ZGVm" },
        ]);
        expect(asked("turn_send")).toEqual([
            expect.objectContaining({
                message: {
                    text: "Look",
                    mentions: [],
                    attachments: [{ id: "id-b.txt", name: "b.txt", mediaType: "text/plain", bytes: 3 }],
                },
            }),
        ]);
    });

    it("are dropped on the field", async () => {
        await show({ session: "s", turn: turnHead(), chat: chat() });
        fireEvent.drop(field(), { dataTransfer: { files: [new File(["abc"], "a.txt")], types: ["Files"] } });
        expect(await screen.findByText("a.txt")).toBeTruthy();
    });

    it("that can't go are named with the reason", () => {
        expect(refusal("a", 3, 0)).toBeUndefined();
        expect(refusal("a", 0, 0)).toContain("empty");
        expect(refusal("a", MAX_FILE_BYTES + 1, 0)).toContain("Mention its path");
        expect(refusal("a", 3, MAX_FILES)).toContain("20 files");
    });
});

describe("while a turn goes on", () => {
    const queue = [{ id: "q1", message: { text: "And then this" }, at: 1 }];

    it("a message waits, or steers where the session is set so", async () => {
        const user = await show({ session: "s", turn: turnHead({ status: "running" }), chat: chat() });
        await user.type(field(), "Next");
        expect(screen.getByRole("button", { name: /^Queue/ })).toBeTruthy();
        await user.click(screen.getByRole("combobox", { name: "Messages sent during a turn" }));
        await user.click(screen.getByRole("option", { name: /Steer with messages/ }));
        expect(asked("session_setup")).toEqual([{ session: "s", patch: { whenBusy: "steer" } }]);
        expect(screen.getByRole("button", { name: /^Steer/ })).toBeTruthy();
    });

    it("messages that wait are changed, sent first and removed", async () => {
        const user = await show({ session: "s", turn: turnHead({ status: "running" }), chat: chat({ queue }) });
        await user.click(screen.getByRole("button", { name: "Send now, before the others" }));
        await user.click(screen.getByRole("button", { name: "Edit message" }));
        await user.type(screen.getByRole("textbox", { name: "Queued message" }), ", please{Enter}");
        await user.click(await screen.findByRole("button", { name: "Remove message" }));
        expect(asked("queue_change")).toEqual([
            { session: "s", id: "q1", first: true },
            { session: "s", id: "q1", text: "And then this, please" },
            { session: "s", id: "q1", text: "" },
        ]);
    });

    it("messages wait for the person where the turn before them did not end by itself", async () => {
        const user = await show({ session: "s", turn: turnHead({ status: "stopped" }), chat: chat({ queue }) });
        await user.click(screen.getByRole("button", { name: "Send next" }));
        expect(asked("queue_change")).toEqual([{ session: "s", id: "q1", first: true }]);
    });

    it("commands in the background show their output and can be ended", async () => {
        const shell = { id: "b1", session: "s", command: "npm run dev", startedAt: 1, exit: null, running: true };
        core.answers.shell_show = { shell, text: "listening", bytes: 9 };
        core.answers.shell_kill = null;
        const user = await show({ session: "s", turn: turnHead(), chat: chat({ shells: [shell] }) });
        await user.click(screen.getByRole("button", { name: /npm run dev/ }));
        expect(await screen.findByText("listening")).toBeTruthy();
        await user.click(screen.getByRole("button", { name: "Stop command" }));
        expect(asked("shell_kill")).toEqual([{ id: "b1" }]);
    });
});
