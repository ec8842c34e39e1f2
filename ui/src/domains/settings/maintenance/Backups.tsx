import { Ellipsis } from "lucide-react";
import { useState } from "react";

import {
    useCommand,
    useQuery,
    type BackupDifference,
    type BackupEvery,
    type BackupRow,
    type BackupSettings,
    type BackupView,
    type Settings,
} from "@/backend";
import {
    Badge,
    Button,
    Checkbox,
    Dialog,
    IconButton,
    Menu,
    AsyncBoundary,
    RelativeTime,
    Section,
    Select,
    Waiting,
    confirm,
    count,
    formatBytes,
    toast,
    toastProblem,
} from "@/shared";

import { SettingLine } from "../SettingLine";
import type { SettingsUse } from "../useSettings";
import { Job, useJobOf } from "./Job";

const EVERY: { value: BackupEvery; label: string }[] = [
    { value: "off", label: "Manual only" },
    { value: "daily", label: "Every day" },
    { value: "weekly", label: "Every week" },
];
const KINDS: Record<BackupRow["kind"], string> = {
    manual: "Manual",
    scheduled: "Scheduled",
    replaced: "Before a restore",
};
const DIFFERENCES: Record<BackupDifference, string> = {
    same: "Unchanged",
    newer: "Changed since",
    gone: "Only in the backup",
    added: "Not in the backup",
};

/** Backups: how often, which there are, and what bringing one back would change. */
export function Backups({ settings, change }: { settings: Settings; change: SettingsUse["change"] }) {
    const list = useQuery("backup_list", null);
    const now = useCommand("backup_now");
    const act = useCommand("backup_restore");
    const job = useJobOf("backup");
    const [looked, setLooked] = useState<string | undefined>();
    // What ships with the program comes back with it.
    const bases = (useQuery("base_list", null).data ?? []).filter((base) => !base.shipped);
    const leftOut =
        bases.length === 0
            ? ""
            : `${settings.backup.bases ? "Included" : "Not included"}: the knowledge ${bases.length === 1 ? "base" : "bases"} ${bases.map((base) => base.title || base.name).join(", ")} (${formatBytes(bases.reduce((sum, base) => sum + base.bytes, 0))}).${settings.backup.bases ? "" : " Documents stay readable without them, but their cited paragraphs can no longer be opened."}`;
    const set = (next: Partial<BackupSettings>) => void change({ backup: { ...settings.backup, ...next } });
    return (
        <Section
            title="Backups"
            note={list.data !== undefined && <span className="break-all">{list.data.folder}</span>}
        >
            <SettingLine name="Back up automatically" hint={`Includes the database and its files. ${leftOut}`}>
                <div className="flex flex-wrap justify-end gap-2">
                    <Checkbox
                        label="Include knowledge bases"
                        checked={settings.backup.bases}
                        onChange={(included) => set({ bases: included })}
                    />
                    <Select
                        label="Back up automatically"
                        className="w-36"
                        value={settings.backup.every}
                        options={EVERY}
                        onChange={(every) => set({ every })}
                    />
                    <Select
                        label="Backups to keep"
                        className="w-28"
                        value={String(settings.backup.keep)}
                        options={[...new Set([3, 7, 14, 30, settings.backup.keep])]
                            .sort((a, b) => a - b)
                            .map((keep) => ({ value: String(keep), label: `Keep ${keep}` }))}
                        onChange={(keep) => set({ keep: Number(keep) })}
                    />
                </div>
            </SettingLine>
            <div className="mt-3 flex gap-2">
                <Button
                    disabled={now.pending || job?.status === "running"}
                    onClick={() =>
                        void now
                            .run({})
                            .then(
                                ({ problem }) =>
                                    problem !== undefined && toastProblem(problem, "No backup was started"),
                            )
                    }
                >
                    Back up now
                </Button>
            </div>
            <Job job={job} failed="The backup failed" findings="note" />
            <AsyncBoundary of={list} what="the backups">
                {({ backups, due }) => (
                    <>
                        {due !== null && (
                            <p role="status" className="mt-3 rounded-card border border-needs-rule px-3 py-2">
                                At the next start: {due}.{" "}
                                <button
                                    type="button"
                                    className="text-accent hover:underline"
                                    disabled={act.pending}
                                    onClick={() => void act.run({ giveUp: true }).then(() => list.reload())}
                                >
                                    Cancel the restore
                                </button>
                            </p>
                        )}
                        {backups.length === 0 && <p className="mt-3 text-ui text-ink-2">No backups yet.</p>}
                        {backups.length > 0 && (
                            <ul aria-label="Backups" className="mt-3 border-y border-hairline">
                                {backups.map((row) => (
                                    <Line key={row.path} row={row} onLook={() => setLooked(row.name)} />
                                ))}
                            </ul>
                        )}
                    </>
                )}
            </AsyncBoundary>
            {looked !== undefined && <Look name={looked} onClose={() => setLooked(undefined)} />}
        </Section>
    );
}

function Line({ row, onLook }: { row: BackupRow; onLook: () => void }) {
    const verify = useCommand("backup_verify");
    const remove = useCommand("backup_remove");
    const job = useJobOf(`backup ${row.name}`);
    const tell = ({ problem }: { problem?: { message: string } }) => problem !== undefined && toastProblem(problem);
    async function take(): Promise<void> {
        if (
            await confirm({
                title: "Remove this backup?",
                body: "Files shared with other backups are kept.",
                confirmLabel: "Remove",
                danger: true,
            })
        )
            tell(await remove.run({ backup: row.name }));
    }
    return (
        <li className="border-b border-hairline py-2 last:border-b-0">
            <div className="flex flex-wrap items-center gap-3">
                <RelativeTime at={row.at} className="w-28 shrink-0" />
                <Badge>{KINDS[row.kind]}</Badge>
                <span className="min-w-0 flex-1 text-ink-2">
                    {row.problem === null
                        ? `${count(row.sessions, "session")}, ${formatBytes(row.bytes)}${row.shared > 0 ? `, ${formatBytes(row.shared)} shared with other backups` : ""}`
                        : row.problem.message}
                </span>
                {row.problem === null && (
                    <Button size="small" onClick={onLook}>
                        Inspect
                    </Button>
                )}
                <Menu
                    trigger={
                        <IconButton
                            label={`More actions for backup ${row.name}`}
                            icon={<Ellipsis size={16} strokeWidth={1.5} />}
                        />
                    }
                    align="end"
                    entries={[
                        {
                            id: "check",
                            label: "Check",
                            disabled: row.problem !== null,
                            onSelect: () => void verify.run({ backup: row.name }).then(tell),
                        },
                        { id: "remove", label: "Remove", danger: true, onSelect: () => void take() },
                    ]}
                />
            </div>
            <Job job={job} failed="The backup could not be checked" findings="finding" />
        </li>
    );
}

function Look({ name, onClose }: { name: string; onClose: () => void }) {
    const view = useQuery("backup_inspect", { backup: name });
    return (
        <Dialog open onOpenChange={(stays) => !stays && onClose()} title="Restore backup" width="large">
            <AsyncBoundary of={view} what="the backup" waiting={<Waiting what="Comparing with the current data" />}>
                {(data) => <Compared data={data} name={name} onClose={onClose} />}
            </AsyncBoundary>
        </Dialog>
    );
}

function Compared({ data, name, onClose }: { data: BackupView; name: string; onClose: () => void }) {
    const restore = useCommand("backup_restore");
    async function take(sessions: string[]): Promise<void> {
        const { value, problem } = await restore.run({ backup: name, sessions });
        toast(
            value === undefined
                ? { text: problem?.message ?? "Nothing was restored.", tone: "failed" }
                : { text: value.text },
        );
        if (value !== undefined && sessions.length === 0) onClose();
    }
    return (
        <>
            <p className="text-ui text-ink-2">
                {count(data.same, "session")} unchanged, {data.newer.toLocaleString("en-GB")} changed since,{" "}
                {data.gone.toLocaleString("en-GB")} only in the backup, {data.added.toLocaleString("en-GB")} not in the
                backup.
            </p>
            <ul aria-label="Sessions that differ" className="mt-3 max-h-72 overflow-y-auto border-y border-hairline">
                {data.differing.map((session) => (
                    <li
                        key={session.session}
                        className="flex items-center gap-3 border-b border-hairline py-1.5 last:border-b-0"
                    >
                        <span className="min-w-0 flex-1 truncate">{session.title}</span>
                        <span className="shrink-0 text-small text-ink-3">{DIFFERENCES[session.difference]}</span>
                        {session.difference !== "added" && (
                            <Button
                                size="small"
                                disabled={restore.pending}
                                onClick={() => void take([session.session])}
                            >
                                Restore
                            </Button>
                        )}
                    </li>
                ))}
            </ul>
            <p className="mt-3 text-small text-ink-3">
                A full restore takes effect at the next start. The current data is kept as a backup; keys in the vault
                do not change.
            </p>
            <div className="mt-4 flex justify-end gap-2">
                <Button onClick={onClose}>Close</Button>
                <Button variant="primary" disabled={restore.pending} onClick={() => void take([])}>
                    Restore everything
                </Button>
            </div>
        </>
    );
}
