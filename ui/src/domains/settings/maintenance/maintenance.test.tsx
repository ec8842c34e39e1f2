import { act, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";

import { Failure, type BackupRow, type JobState, type RetentionState, type Settings } from "@/backend";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { ConfirmHost, Toasts, TooltipProvider } from "@/shared";

import { DataSettings } from "../DataSettings";
import { forgetSettings } from "../useSettings";

let core: MockTransport;
let kept: Partial<Settings>;
let jobs: JobState[];
let age: RetentionState;

const backup = (row: Partial<BackupRow>): BackupRow => ({
    name: "2026-11-01T08-00-00Z",
    path: "/home/eva/backups/2026-11-01T08-00-00Z",
    kind: "manual",
    at: 1_793_520_000_000,
    version: "0.1.0",
    schema: 5,
    sessions: 12,
    runs: 30,
    files: 40,
    bytes: 2_000_000,
    shared: 0,
    problem: null,
    ...row,
});
const job = (state: Partial<JobState>): JobState => ({
    job: "job-1",
    kind: "check",
    subject: "data",
    status: "done",
    text: "",
    done: 1,
    total: 1,
    warnings: [],
    problem: null,
    startedAt: 1,
    ...state,
});

beforeEach(() => {
    forget();
    forgetSettings();
    jobs = [];
    kept = {
        backup: { every: "off", folder: "", keep: 7, bases: false },
        retention: { archiveDoneDays: 0, trashArchivedDays: 0, emptyTrashDays: 7, keepFlagged: true, keepLabels: [] },
    };
    age = { archive: 0, trash: 0, purge: 0, past: [] };
    core = mockTransport();
    core.answers = {
        settings_show: () => kept,
        settings_update: (patch: unknown) => (kept = { ...kept, ...(patch as Partial<Settings>) }),
        app_info: {
            version: "0.1.0",
            home: "/home/eva/data",
            logs: "/home/eva/data/logs",
            platform: "linux",
            databaseBytes: 1,
            knowledgeBytes: 1,
            sessions: 1,
            liveRuns: 0,
            upMs: 1,
        },
        app_check: [],
        job_list: () => jobs,
        data_show: {
            total: 9_000_000,
            database: [
                { name: "Conversations and runs", bytes: 4_000_000, clean: null },
                { name: "Free pages", bytes: 500_000, clean: "free" },
            ],
            files: [{ name: "Folders of sessions that are gone", bytes: 70_000, clean: "orphans" }],
            largest: [{ session: "261101-calm-arch", title: "A long one", stored: 3_000_000, files: 0 }],
            orphans: [],
        },
        backup_list: { folder: "/home/eva/data/backups/snapshots", backups: [backup({})], due: null, next: null },
        retention: () => age,
    };
});

async function show() {
    render(
        <TooltipProvider>
            <DataSettings />
            <ConfirmHost />
            <Toasts />
        </TooltipProvider>,
    );
    await act(async () => {});
    return userEvent.setup();
}

test("backups name the knowledge bases that they leave out", async () => {
    core.answers.base_list = [
        { name: "isa-primer", title: "Primer", shipped: true, bytes: 9_000_000 },
        { name: "handbook", title: "Handbook", shipped: false, bytes: 2_000_000 },
        { name: "manual", title: "", shipped: false, bytes: 1_000_000 },
    ];
    await show();
    expect(screen.getByText(/Not included: the knowledge bases Handbook, manual \(3\.0.MB\)/)).toBeTruthy();
    expect(screen.queryByText(/Primer/)).toBeNull();
});

test("knowledge bases go into backups where that is chosen", async () => {
    core.answers.base_list = [{ name: "handbook", title: "Handbook", shipped: false, bytes: 2_000_000 }];
    const user = await show();
    await user.click(screen.getByRole("checkbox", { name: "Include knowledge bases" }));
    const updates = core.asked.filter(({ name }) => name === "settings_update").map(({ params }) => params);
    expect(updates).toMatchObject([{ backup: { bases: true } }]);
});

test("what would be freed is said and asked before anything goes", async () => {
    core.answers.data_clean = (params: unknown) => [
        { what: "orphans", count: 2, bytes: 70_000, note: "", ...(params as object) },
    ];
    const user = await show();
    await user.click(screen.getByRole("button", { name: "Remove: Folders of sessions that are gone" }));
    const question = await screen.findByRole("alertdialog", { name: /Remove: 70\.0.KB/ });
    await user.click(within(question).getByRole("button", { name: "Cancel" }));
    const asked = () =>
        core.asked
            .filter(({ name }) => name === "data_clean")
            .map(({ params }) => (params as { preview: boolean }).preview);
    expect(asked()).toEqual([true]);
    await user.click(screen.getByRole("button", { name: "Remove: Folders of sessions that are gone" }));
    await user.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Remove" }));
    expect(await screen.findByText(/freed/)).toBeTruthy();
    expect(asked()).toEqual([true, true, false]);
});

test("a backup is looked into before it is brought back, and single sessions come back alone", async () => {
    core.answers.backup_inspect = {
        row: backup({}),
        differing: [
            { session: "s1", title: "Gone since", difference: "gone", updatedAt: 1, runs: 2, runsNow: 0 },
            { session: "s2", title: "New since", difference: "added", updatedAt: 1, runs: 0, runsNow: 1 },
        ],
        same: 10,
        newer: 0,
        gone: 1,
        added: 1,
        replaces: ["agentnative.db", "sessions"],
        vault: false,
    };
    core.answers.backup_restore = { sessions: ["s1"], atNextStart: false, text: "1 session is back" };
    const user = await show();
    await user.click(screen.getByRole("button", { name: "Inspect" }));
    const dialog = await screen.findByRole("dialog");
    expect(await within(dialog).findByText(/10 sessions unchanged/)).toBeTruthy();
    expect(within(dialog).getAllByRole("button", { name: "Restore" })).toHaveLength(1);
    await user.click(within(dialog).getByRole("button", { name: "Restore" }));
    expect(core.asked.filter(({ name }) => name === "backup_restore").map(({ params }) => params)).toEqual([
        { backup: "2026-11-01T08-00-00Z", sessions: ["s1"] },
    ]);
});

test("a backup that can't be used says why and can't be looked into", async () => {
    core.answers.backup_list = {
        folder: "/home/eva",
        backups: [backup({ problem: { code: "corrupt", message: "It was cut short.", retryable: false } })],
        due: "the backup of yesterday",
        next: null,
    };
    await show();
    expect(screen.getByText("It was cut short.")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Inspect" })).toBeNull();
    expect(screen.getByText(/At the next start: the backup of yesterday/)).toBeTruthy();
});

test("what the rules of age would do is shown, and what they did is taken back", async () => {
    age = {
        archive: 3,
        trash: 0,
        purge: 0,
        past: [{ number: 4, at: 1_793_520_000_000, archived: 2, trashed: 0, purged: 0, undone: false }],
    };
    const user = await show();
    expect(screen.getByText(/3 sessions archived, 0 moved/)).toBeTruthy();
    await user.click(screen.getByText("History"));
    await user.click(screen.getByRole("button", { name: "Undo" }));
    expect(
        core.asked.some(({ name, params }) => name === "retention" && (params as { undo?: number }).undo === 4),
    ).toBe(true);
    await user.click(screen.getByRole("combobox", { name: "Archive sessions that are done and read" }));
    await user.click(screen.getByRole("option", { name: "After 30 days" }));
    expect(kept.retention?.archiveDoneDays).toBe(30);
});

test("findings of a check are told in words", async () => {
    jobs = [
        job({
            text: "1 finding: 3 runs and 9 texts were looked at",
            warnings: ["run r1: its log goes on with event 5 where 4 belongs"],
        }),
    ];
    const user = await show();
    expect(screen.getByText(/3 runs and 9 texts/)).toBeTruthy();
    await user.click(screen.getByText("1 finding"));
    expect(screen.getByText(/its log goes on with event 5/)).toBeTruthy();
    core.answers.data_check = () => {
        throw new Failure({ code: "busy", message: "It is being checked already.", retryable: true });
    };
    await user.click(screen.getByRole("button", { name: "Check" }));
    expect(await screen.findByText(/being checked already/)).toBeTruthy();
});
