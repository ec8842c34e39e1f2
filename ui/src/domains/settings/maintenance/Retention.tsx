import { useCommand, useQuery, type RetentionSettings, type Settings } from "@/backend";
import {
    Button,
    Fold,
    AsyncBoundary,
    RelativeTime,
    Section,
    Select,
    Switch,
    count,
    toast,
    toastProblem,
} from "@/shared";

import { SettingLine } from "../SettingLine";
import type { SettingsUse } from "../useSettings";

const DAYS = [0, 7, 14, 30, 90, 180, 365];

function Days({
    label,
    value,
    never,
    onChange,
}: {
    label: string;
    value: number;
    never: string;
    onChange: (days: number) => void;
}) {
    const all = DAYS.includes(value) ? DAYS : [...DAYS, value].sort((a, b) => a - b);
    const options = all.map((days) => ({
        value: String(days),
        label: days === 0 ? never : `After ${count(days, "day")}`,
    }));
    return (
        <Select
            label={label}
            className="w-40"
            value={String(value)}
            options={options}
            onChange={(days) => onChange(Number(days))}
        />
    );
}

/** What happens to sessions as they grow old. */
export function Retention({ settings, change }: { settings: Settings; change: SettingsUse["change"] }) {
    const state = useQuery("retention", {});
    const act = useCommand("retention");
    const rules = settings.retention;
    const set = (next: Partial<RetentionSettings>) =>
        void change({ retention: { ...rules, ...next } }).then(state.reload);
    async function take(params: { undo?: number; apply?: boolean }, done: string): Promise<void> {
        const { problem } = await act.run(params);
        if (problem === undefined) toast({ text: done });
        else toastProblem(problem);
        state.reload();
    }
    return (
        <Section title="Old sessions">
            <SettingLine
                name="Archive sessions that are done and read"
                hint="Except flagged sessions and sessions with a draft."
            >
                <Days
                    label="Archive sessions that are done and read"
                    value={rules.archiveDoneDays}
                    never="Never"
                    onChange={(archiveDoneDays) => set({ archiveDoneDays })}
                />
            </SettingLine>
            <SettingLine name="Move archived sessions to the trash">
                <Days
                    label="Move archived sessions to the trash"
                    value={rules.trashArchivedDays}
                    never="Never"
                    onChange={(trashArchivedDays) => set({ trashArchivedDays })}
                />
            </SettingLine>
            <SettingLine name="Empty the trash">
                <Days
                    label="Empty the trash"
                    value={rules.emptyTrashDays}
                    never="Never"
                    onChange={(emptyTrashDays) => set({ emptyTrashDays })}
                />
            </SettingLine>
            <Switch
                label="Keep flagged sessions in place"
                checked={rules.keepFlagged}
                onChange={(keepFlagged) => set({ keepFlagged })}
            />
            <AsyncBoundary of={state} what="the retention preview">
                {({ archive, trash, purge, past }) => (
                    <div className="mt-3">
                        <p className="text-ui text-ink-2">
                            {archive + trash + purge === 0
                                ? "No sessions match the retention rules yet."
                                : `If applied now: ${count(archive, "session")} archived, ${trash.toLocaleString("en-GB")} moved to the trash, ${purge.toLocaleString("en-GB")} deleted permanently.`}
                        </p>
                        {archive + trash + purge > 0 && (
                            <Button
                                size="small"
                                className="mt-2"
                                disabled={act.pending}
                                onClick={() => void take({ apply: true }, "Retention rules applied.")}
                            >
                                Apply now
                            </Button>
                        )}
                        {past.length > 0 && (
                            <Fold label="History" className="mt-2">
                                <ul aria-label="History" className="mt-1">
                                    {past.map((run) => (
                                        <li key={run.number} className="flex items-center gap-3 py-1">
                                            <RelativeTime at={run.at} className="w-28 shrink-0 text-ink-3" />
                                            <span className="min-w-0 flex-1">
                                                {run.archived.toLocaleString("en-GB")} archived,{" "}
                                                {run.trashed.toLocaleString("en-GB")} moved to the trash,{" "}
                                                {run.purged.toLocaleString("en-GB")} deleted
                                            </span>
                                            {run.undone && <span className="text-ink-3">Undone</span>}
                                            {!run.undone && run.archived + run.trashed > 0 && (
                                                <Button
                                                    size="small"
                                                    disabled={act.pending}
                                                    onClick={() =>
                                                        void take({ undo: run.number }, "Sessions restored.")
                                                    }
                                                >
                                                    Undo
                                                </Button>
                                            )}
                                        </li>
                                    ))}
                                </ul>
                            </Fold>
                        )}
                    </div>
                )}
            </AsyncBoundary>
        </Section>
    );
}
