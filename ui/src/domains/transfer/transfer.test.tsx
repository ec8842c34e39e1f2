import { act, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";

import type { ExportPreview, Finding, ImportDone, ImportView, JobState, Report, ShareRow } from "@/backend";
import { Failure } from "@/backend/problem";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { ConfirmHost, Toasts, TooltipProvider } from "@/shared";

import ExportDialog from "./ExportDialog";
import ImportDialog from "./ImportDialog";
import ShareDialog from "./ShareDialog";

let core: MockTransport;
const onClose = vi.fn();

beforeEach(() => {
    forget();
    core = mockTransport();
    onClose.mockClear();
    location.hash = "#/view/inbox";
});

async function show(what: React.ReactNode) {
    render(
        <TooltipProvider>
            {what}
            <ConfirmHost />
            <Toasts />
        </TooltipProvider>,
    );
    await act(async () => {});
    return userEvent.setup();
}
const asked = (name: string) => core.asked.filter((each) => each.name === name).map((each) => each.params);
const refuse = (message: string, action?: string) => () => {
    throw new Failure({ code: "storage", message, action: action ?? null, retryable: false });
};

const finding = (id: string, part: Partial<Finding> = {}): Finding => ({
    id,
    kind: "email",
    shown: `${id}@example.org`,
    replacement: "[e-mail 1]",
    count: 2,
    places: ["message 1"],
    ...part,
});
const preview = (part: Partial<ExportPreview> = {}): ExportPreview => ({
    sessions: 1,
    messages: 4,
    findings: [finding("ada"), finding("key", { kind: "api_key", shown: "sk-…f3", replacement: "[key 1]", count: 1 })],
    more: 0,
    notes: [],
    ...part,
});
const report = (part: Partial<Report> = {}): Report => ({
    counts: { session: { kept: 2, changed: 0, leftOut: 0 } },
    lines: [],
    more: 0,
    ...part,
});

describe("the export", () => {
    beforeEach(() => {
        core.answers.export_preview = preview();
        core.answers.export_write = {
            path: "/home/eva/a.html",
            files: 1,
            sessions: 1,
            bytes: 10,
            redacted: 1,
            notes: [],
        };
    });

    it("shows what is taken out, leaves in what is unticked, and tells where the file is", async () => {
        const user = await show(<ExportDialog sessions={["s1"]} onClose={onClose} />);
        expect(asked("export_preview")).toEqual([{ sessions: ["s1"], format: "html" }]);
        const list = within(await screen.findByRole("region", { name: "Redactions" }));
        expect(list.getByText("Key")).toBeTruthy();
        expect(list.getByText("2 places, first in message 1")).toBeTruthy();
        await user.click(list.getByRole("checkbox", { name: /ada@example\.org/ }));
        await user.click(screen.getByRole("button", { name: "Export" }));
        expect(asked("export_write")).toEqual([
            {
                sessions: ["s1"],
                format: "html",
                redact: true,
                keep: ["ada"],
                unchecked: false,
                workspaceFiles: false,
                path: null,
            },
        ]);
        expect(await screen.findByText("Exported to /home/eva/a.html")).toBeTruthy();
        expect(onClose).toHaveBeenCalledOnce();
    });

    it("looks through the sessions once, whatever the form, and takes nothing out of a bundle", async () => {
        const user = await show(<ExportDialog sessions={["s1", "s2"]} onClose={onClose} />);
        expect(screen.getByRole("dialog", { name: "Export 2 sessions" })).toBeTruthy();
        const choose = async (name: RegExp) => {
            await user.click(screen.getByRole("combobox", { name: "Format" }));
            await user.click(await screen.findByRole("option", { name }));
        };
        await choose(/JSON Lines/);
        expect(await screen.findByRole("region", { name: "Redactions" })).toBeTruthy();
        await choose(/Bundle/);
        expect(screen.queryByRole("region", { name: "Redactions" })).toBeNull();
        await user.click(screen.getByRole("checkbox", { name: /agents, sources, skills/ }));
        await user.type(screen.getByLabelText("File"), "/home/eva/all.bundle{Enter}");
        expect(asked("export_write")).toEqual([
            {
                sessions: ["s1", "s2"],
                format: "bundle",
                redact: false,
                keep: [],
                unchecked: false,
                workspaceFiles: true,
                path: "/home/eva/all.bundle",
            },
        ]);
        expect(asked("export_preview")).toHaveLength(1);
    });

    it("writes nothing before it has shown what it takes out, unless nothing is to be", async () => {
        core.answers.export_preview = () => new Promise(() => {});
        const user = await show(<ExportDialog sessions={["s1"]} onClose={onClose} />);
        expect(screen.getByText("Looking for private data")).toBeTruthy();
        expect(screen.getByRole("button", { name: "Export" }).hasAttribute("disabled")).toBe(true);
        await user.click(screen.getByRole("switch", { name: "Redact private data" }));
        await user.click(screen.getByRole("button", { name: "Export" }));
        expect(asked("export_write")).toEqual([expect.objectContaining({ redact: false })]);
    });

    it("says when nothing private was found, what is not listed, and what should be known", async () => {
        core.answers.export_preview = preview({
            findings: [],
            more: 3,
            notes: ["The vault is locked: its secrets are not looked for."],
        });
        await show(<ExportDialog sessions={["s1"]} onClose={onClose} />);
        expect(await screen.findByText("No private data found.")).toBeTruthy();
        expect(screen.getByText(/^3 more places not listed/)).toBeTruthy();
        expect(screen.getByText(/The vault is locked/)).toBeTruthy();
    });

    it("says why it was not exported and stays open", async () => {
        core.answers.export_write = refuse("/home/eva/a.html is there already", "Choose another name.");
        const user = await show(<ExportDialog sessions={["s1"]} onClose={onClose} />);
        await screen.findByRole("region", { name: "Redactions" });
        await user.click(screen.getByRole("button", { name: "Export" }));
        expect(await screen.findByText("/home/eva/a.html is there already")).toBeTruthy();
        expect(screen.getByText("Choose another name.")).toBeTruthy();
        expect(onClose).not.toHaveBeenCalled();
        await user.keyboard("{Escape}");
        expect(onClose).toHaveBeenCalledOnce();
    });

    it("says why it could not be looked through, and does not export", async () => {
        core.answers.export_preview = refuse("no such session");
        await show(<ExportDialog sessions={["gone"]} onClose={onClose} />);
        expect(await screen.findByText("No such session")).toBeTruthy();
        expect(screen.getByRole("button", { name: "Export" }).hasAttribute("disabled")).toBe(true);
    });
});

const view = (part: Partial<ImportView> = {}): ImportView => ({
    kind: "craft",
    path: "/home/eva/.craft-agent",
    workspaces: [
        { slug: "work", name: "Work", sessions: 3 },
        { slug: "home", name: "Home", sessions: 1 },
    ],
    sessions: 4,
    known: 1,
    messages: 40,
    secrets: ["linear-token"],
    sameAsBuiltIn: [],
    report: report({
        counts: { session: { kept: 3, changed: 0, leftOut: 1 } },
        lines: [
            {
                kind: "session",
                what: "Broken one",
                fate: "left_out",
                why: "its first line is no JSON",
                place: "/home/eva/.craft-agent/a.jsonl:1",
            },
        ],
    }),
    ...part,
});
const job = (part: Partial<JobState> = {}): JobState => ({
    job: "j1",
    kind: "import",
    subject: "",
    status: "running",
    text: "Reading sessions",
    done: 1,
    total: 4,
    warnings: [],
    problem: null,
    startedAt: 0,
    ...part,
});
const done = (part: Partial<ImportDone> = {}): ImportDone => ({
    sessions: ["new-1"],
    imported: 3,
    known: 1,
    messages: 30,
    report: report(),
    problem: null,
    ...part,
});

describe("the import", () => {
    beforeEach(() => {
        core.answers.import_inspect = view();
        core.answers.import_run = job();
        core.answers.import_show = done();
    });
    const look = async () => {
        const user = await show(<ImportDialog onClose={onClose} />);
        await user.type(screen.getByLabelText("File or folder"), " /home/eva/.craft-agent{Enter}");
        await screen.findByRole("region", { name: "Report" });
        return user;
    };

    it("asks for a path first", async () => {
        const user = await show(<ImportDialog onClose={onClose} />);
        await user.type(screen.getByLabelText("File or folder"), "   {Enter}");
        expect(screen.getByRole("button", { name: "Preview" }).hasAttribute("disabled")).toBe(true);
        expect(asked("import_inspect")).toEqual([]);
        await user.click(screen.getByRole("button", { name: "Cancel" }));
        expect(onClose).toHaveBeenCalledOnce();
    });

    it("shows what would come over before anything is written, and takes only what is ticked", async () => {
        const user = await look();
        expect(asked("import_inspect")).toEqual([{ path: "/home/eva/.craft-agent" }]);
        expect(asked("import_run")).toEqual([]);
        expect(screen.getByText("4 sessions with 40 messages, 1 already imported")).toBeTruthy();
        await user.click(screen.getByText("session: 3 kept, 1 left out"));
        expect(screen.getByText("its first line is no JSON")).toBeTruthy();
        await user.click(screen.getByRole("checkbox", { name: "Home: 1 session" }));
        await user.click(screen.getByRole("checkbox", { name: /^Move 1 plain-text secret/ }));
        await user.click(screen.getByRole("button", { name: "Import 3 sessions" }));
        expect(asked("import_run")).toEqual([
            { path: "/home/eva/.craft-agent", workspaces: ["work"], takeSecrets: true },
        ]);
    });

    it("replaces what is built in only where that is ticked, and shows the report of that choice", async () => {
        const says = (why: string) =>
            view({
                sameAsBuiltIn: ["agent isa-deep-research"],
                report: report({
                    counts: { agent: { kept: 1, changed: 1, leftOut: 0 } },
                    lines: [
                        { kind: "agent", what: "isa-deep-research", fate: "changed", why, place: "/a" },
                        { kind: "agent", what: "helper", fate: "kept", why: "new here", place: "/b" },
                    ],
                }),
            });
        core.answers.import_inspect = (from: unknown) =>
            says((from as { replaceBuiltIn?: boolean }).replaceBuiltIn === true ? "replaces it" : "both are kept");
        const user = await look();
        await user.click(screen.getByText("agent: 1 kept, 1 changed"));
        expect(screen.getByText("both are kept")).toBeTruthy();
        expect(screen.getByText("New")).toBeTruthy();
        await user.click(screen.getByRole("checkbox", { name: /^Replace built-in agents/ }));
        expect(await screen.findByText("replaces it")).toBeTruthy();
        await user.click(screen.getByRole("button", { name: "Import 4 sessions" }));
        expect(asked("import_run")).toEqual([
            { path: "/home/eva/.craft-agent", workspaces: [], takeSecrets: false, replaceBuiltIn: true },
        ]);
    });

    it("brings over agents that come without a session", async () => {
        core.answers.import_inspect = view({
            workspaces: [{ slug: "work", name: "Work", sessions: 0 }],
            sessions: 0,
            report: report({ counts: { agent: { kept: 2, changed: 0, leftOut: 0 } } }),
        });
        const user = await look();
        await user.click(screen.getByRole("button", { name: "Import" }));
        expect(asked("import_run")).toHaveLength(1);
    });

    it("takes all where all are ticked, and nothing where none is", async () => {
        const user = await look();
        await user.click(screen.getByRole("checkbox", { name: "Home: 1 session" }));
        await user.click(screen.getByRole("checkbox", { name: "Work: 3 sessions" }));
        expect(screen.getByRole("button", { name: "Import 0 sessions" }).hasAttribute("disabled")).toBe(true);
        await user.click(screen.getByRole("checkbox", { name: "Home: 1 session" }));
        await user.click(screen.getByRole("checkbox", { name: "Work: 3 sessions" }));
        await user.click(screen.getByRole("button", { name: "Import 4 sessions" }));
        expect(asked("import_run")).toEqual([{ path: "/home/eva/.craft-agent", workspaces: [], takeSecrets: false }]);
    });

    it("offers the folders of other programs, and says which one it looks at", async () => {
        core.answers.import_places = [{ program: "Claude Code", path: "/home/eva/.claude", sessions: 12 }];
        core.answers.import_inspect = view({ kind: "program", program: "Claude Code", workspaces: [], secrets: [] });
        const user = await show(<ImportDialog onClose={onClose} />);
        await user.click(await screen.findByRole("button", { name: "Claude Code: 12 sessions" }));
        expect(asked("import_inspect")).toEqual([{ path: "/home/eva/.claude" }]);
        expect(screen.getByLabelText("File or folder")).toHaveProperty("value", "/home/eva/.claude");
        expect(await screen.findByText(/1 already imported \(Claude Code\)/)).toBeTruthy();
        core.answers.import_run = job({ status: "done" });
        core.answers.import_show = done({ imported: 0, known: 4, renewed: 2, messages: 0 });
        await user.click(screen.getByRole("button", { name: "Import 4 sessions" }));
        expect(await screen.findByText(/4 were already imported, 2 of them renewed\./)).toBeTruthy();
    });

    it("looks anew when the path is changed", async () => {
        const user = await look();
        await user.type(screen.getByLabelText("File or folder"), "2");
        expect(screen.queryByRole("region", { name: "Report" })).toBeNull();
        expect(screen.getByRole("button", { name: "Preview" })).toBeTruthy();
    });

    it("shows how far it is, stops it, and tells what came over", async () => {
        const user = await look();
        await user.click(screen.getByRole("button", { name: "Import 4 sessions" }));
        expect(await screen.findByText("1 of 4")).toBeTruthy();
        act(() =>
            core.tell(
                { event: "job", value: job({ job: "other", status: "done" }) },
                { event: "job", value: job({ done: 2 }) },
            ),
        );
        expect(await screen.findByText("2 of 4")).toBeTruthy();
        await user.click(screen.getByRole("button", { name: "Stop" }));
        expect(asked("job_cancel")).toEqual([{ job: "j1" }]);
        act(() => core.tell({ event: "job", value: job({ status: "done", done: 4 }) }));
        expect(await screen.findByText("3 sessions with 30 messages imported, 1 were already imported.")).toBeTruthy();
        expect(asked("import_show")).toEqual([{ job: "j1" }]);
        await user.click(screen.getByRole("button", { name: "Open first session" }));
        expect(location.hash).toBe("#/session/new-1");
        expect(onClose).toHaveBeenCalledOnce();
    });

    it("sees the end of a job that was over before its beginning was answered", async () => {
        core.answers.import_run = () => {
            core.tell({ event: "job", value: job({ status: "done", done: 4 }) });
            return job();
        };
        const user = await look();
        await user.click(screen.getByRole("button", { name: "Import 4 sessions" }));
        expect(await screen.findByText(/messages? imported/)).toBeTruthy();
    });

    it("says why nothing can be read there, and why it ended early", async () => {
        core.answers.import_inspect = refuse("/home/eva/none is not there", "Check the path.");
        const user = await show(<ImportDialog onClose={onClose} />);
        await user.type(screen.getByLabelText("File or folder"), "/home/eva/none");
        await user.click(screen.getByRole("button", { name: "Preview" }));
        expect(await screen.findByText("/home/eva/none is not there")).toBeTruthy();
        expect(screen.getByText("Check the path.")).toBeTruthy();
        core.answers.import_inspect = view();
        core.answers.import_run = job({ status: "failed" });
        core.answers.import_show = done({
            sessions: [],
            imported: 0,
            problem: {
                code: "storage",
                message: "the disk is full",
                action: "Run it again: it goes on.",
                retryable: true,
            },
        });
        await user.click(screen.getByRole("button", { name: "Preview" }));
        await user.click(await screen.findByRole("button", { name: "Import 4 sessions" }));
        expect(await screen.findByText("The disk is full")).toBeTruthy();
        expect(screen.queryByRole("button", { name: "Open first session" })).toBeNull();
    });

    it("offers nothing where there is no session", async () => {
        core.answers.import_inspect = view({
            workspaces: [],
            sessions: 0,
            known: 0,
            messages: 0,
            secrets: [],
            report: report({ counts: {} }),
        });
        await look();
        expect(screen.getByText("0 sessions with 0 messages")).toBeTruthy();
        expect(screen.getByRole("button", { name: "Import 0 sessions" }).hasAttribute("disabled")).toBe(true);
    });
});

const page = (id: string, part: Partial<ShareRow> = {}): ShareRow => ({
    id,
    session: "s1",
    title: "Going concern",
    createdAt: 0,
    updatedAt: 0,
    expiresAt: Date.UTC(2030, 0, 2, 12),
    bytes: 10,
    path: `/s/${id}`,
    token: null,
    ...part,
});

describe("the share", () => {
    beforeEach(() => {
        core.answers.export_preview = preview();
        core.answers.share_list = [];
        core.answers.share_add = [page("p1", { token: "owner-1" })];
    });

    it("makes a page for the days that are chosen, and tells the owner's token once", async () => {
        const user = await show(<ShareDialog session="s1" onClose={onClose} />);
        await user.click(await screen.findByRole("checkbox", { name: /sk-…f3/ }));
        await user.click(screen.getByRole("combobox", { name: "Available for" }));
        await user.click(await screen.findByRole("option", { name: "30 days" }));
        core.answers.share_list = [page("p1"), page("other", { session: "s2" })];
        await user.click(screen.getByRole("button", { name: "Create page" }));
        expect(asked("share_add")).toEqual([{ session: "s1", days: 30, keep: ["key"] }]);
        expect((await screen.findByText("owner-1")).tagName).toBe("CODE");
        const pages = within(await screen.findByRole("list", { name: "Shared pages of this session" }));
        expect(pages.getAllByRole("listitem")).toHaveLength(1);
        expect(pages.getByText("/s/p1")).toBeTruthy();
        expect(pages.getByText(/^until .*2030/)).toBeTruthy();
        expect(screen.getByText(/A page’s link is the address .* followed by the path below/)).toBeTruthy();
    });

    it("ends a page when that is confirmed, and not before", async () => {
        core.answers.share_list = [page("p1")];
        const user = await show(<ShareDialog session="s1" onClose={onClose} />);
        await user.click(await screen.findByRole("button", { name: "End /s/p1" }));
        await user.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Cancel" }));
        expect(asked("share_revoke")).toEqual([]);
        await user.click(await screen.findByRole("button", { name: "End /s/p1" }));
        core.answers.share_list = [];
        await user.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "End share" }));
        expect(asked("share_revoke")).toEqual([{ id: "p1" }]);
        await waitFor(() => expect(screen.queryByText("/s/p1")).toBeNull());
    });

    it("says that a page was not ended, and goes on listing it", async () => {
        core.answers.share_list = [page("p1")];
        core.answers.share_revoke = refuse("the page could not be removed");
        const user = await show(<ShareDialog session="s1" onClose={onClose} />);
        await user.click(await screen.findByRole("button", { name: "End /s/p1" }));
        await user.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "End share" }));
        expect(await screen.findByText("The page could not be removed")).toBeTruthy();
        expect(screen.getByText("/s/p1")).toBeTruthy();
    });

    it("says why no page was made, and shares nothing that could not be looked through", async () => {
        core.answers.share_add = refuse("the page would have 80 MB", "Share a part of it.");
        const user = await show(<ShareDialog session="s1" onClose={onClose} />);
        await screen.findByRole("region", { name: "Redactions" });
        await user.click(screen.getByRole("button", { name: "Create page" }));
        expect(await screen.findByText("The page would have 80 MB")).toBeTruthy();
        expect(screen.queryByRole("list", { name: "Shared pages of this session" })).toBeNull();
        await user.keyboard("{Escape}");
        expect(onClose).toHaveBeenCalledOnce();
    });

    it("makes no page before it was looked through", async () => {
        core.answers.export_preview = refuse("no such session");
        await show(<ShareDialog session="gone" onClose={onClose} />);
        expect(await screen.findByText("No such session")).toBeTruthy();
        expect(screen.getByRole("button", { name: "Create page" }).hasAttribute("disabled")).toBe(true);
    });
});
