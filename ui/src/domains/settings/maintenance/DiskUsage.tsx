import { useState } from "react";

import { useCommand, useQuery, type CleanKind, type Cleaned, type DataPart, type DataSizes } from "@/backend";
import { hrefOf } from "@/routes";
import {
    Button,
    Fold,
    AsyncBoundary,
    Section,
    Waiting,
    confirm,
    count,
    formatBytes,
    toast,
    toastProblem,
} from "@/shared";

const WORDS: Record<CleanKind, { does: string; warns?: string }> = {
    free: { does: "Free up" },
    trash: { does: "Empty trash", warns: "Sessions in the trash are deleted permanently, with their files." },
    undo: { does: "Remove old", warns: "Turns older than 30 days can no longer be undone." },
    orphans: { does: "Remove", warns: "These folders belong to no session. They are deleted with their content." },
    attachments: { does: "Remove old", warns: "Attachments not used in any message for a week are removed." },
    exports: { does: "Remove", warns: "Exported files are removed. Sessions are kept and can be exported again." },
    cache: { does: "Remove" },
    copies: { does: "Remove old", warns: "All copies made before updates are removed, except the newest." },
    rewrite: { does: "Rewrite" },
};

/** What takes space, and how to get it back. */
export function DiskUsage() {
    const sizes = useQuery("data_show", null);
    return (
        <Section title="Disk usage" note={sizes.data !== undefined && `${formatBytes(sizes.data.total)} total`}>
            <AsyncBoundary of={sizes} what="the disk usage" waiting={<Waiting what="Measuring" />}>
                {(data) => <Sizes data={data} reload={sizes.reload} />}
            </AsyncBoundary>
        </Section>
    );
}

function Sizes({ data, reload }: { data: DataSizes; reload: () => void }) {
    const clean = useCommand("data_clean");
    const [working, setWorking] = useState<CleanKind | undefined>();
    const most = Math.max(1, ...data.database.map((part) => part.bytes), ...data.files.map((part) => part.bytes));
    async function run(kind: CleanKind): Promise<void> {
        setWorking(kind);
        try {
            const seen = await clean.run({ what: [kind], preview: true });
            const preview = seen.value?.[0];
            if (preview === undefined) return void toastProblem(seen.problem ?? { message: "The preview failed." });
            const { does, warns } = WORDS[kind];
            if (warns !== undefined && preview.count > 0) {
                const sure = await confirm({
                    title: `${does}: ${told(preview)}?`,
                    body: warns,
                    confirmLabel: does,
                    danger: true,
                });
                if (!sure) return;
            }
            const done = await clean.run({ what: [kind], preview: false });
            const freed = done.value?.[0];
            if (freed !== undefined) toast({ text: `${told(freed)} freed. ${freed.note}`.trim() });
            else toastProblem(done.problem ?? { message: "there was no result" }, "Nothing was cleaned up");
            reload();
        } finally {
            setWorking(undefined);
        }
    }
    const list = (title: string, parts: DataPart[]) => (
        <div className="mt-4 first:mt-0">
            <h3 className="mb-1 text-small text-ink-3">{title}</h3>
            <ul aria-label={title} className="border-y border-hairline">
                {parts
                    .filter((part) => part.bytes > 0)
                    .sort((a, b) => b.bytes - a.bytes)
                    .map((part) => (
                        <li
                            key={part.name}
                            className="flex items-center gap-3 border-b border-hairline py-1.5 last:border-b-0"
                        >
                            <span className="min-w-0 flex-1 break-words">{part.name}</span>
                            <span
                                aria-hidden
                                className="h-1.5 w-32 shrink-0 overflow-hidden rounded-full bg-hairline max-[39.99rem]:hidden"
                            >
                                <span
                                    className="block h-full rounded-full bg-accent"
                                    style={{ width: `${Math.max(1, (part.bytes / most) * 100)}%` }}
                                />
                            </span>
                            <span className="tabular w-20 shrink-0 text-right">{formatBytes(part.bytes)}</span>
                            <span className="w-24 shrink-0 text-right max-[39.99rem]:empty:hidden">
                                {part.clean !== null && (
                                    <Clean kind={part.clean} name={part.name} working={working} run={run} />
                                )}
                            </span>
                        </li>
                    ))}
            </ul>
        </div>
    );
    return (
        <>
            {list("Database", data.database)}
            {list("Files", data.files)}
            {data.largest.length > 0 && (
                <Fold label="Largest sessions" className="mt-3">
                    <ul aria-label="Largest sessions" className="mt-1">
                        {data.largest.map((session) => (
                            <li key={session.session} className="flex gap-3 py-1">
                                <a
                                    href={hrefOf({ page: "session", session: session.session })}
                                    className="min-w-0 flex-1 truncate hover:underline"
                                >
                                    {session.title}
                                </a>
                                <span className="tabular text-ink-2">
                                    {formatBytes(session.stored + session.files)}
                                </span>
                            </li>
                        ))}
                    </ul>
                </Fold>
            )}
            <p className="mt-3 max-w-[38rem] text-small text-ink-3">
                Text from deleted sessions can stay in unused parts of the database for a while.{" "}
                <button
                    type="button"
                    disabled={working !== undefined}
                    onClick={() => void run("rewrite")}
                    className="text-accent hover:underline disabled:opacity-50"
                >
                    Rewrite the database
                </button>{" "}
                to erase it; backups are not affected.
            </p>
        </>
    );
}

function told({ count: things, bytes }: Cleaned): string {
    return bytes > 0 ? formatBytes(bytes) : count(things, "item");
}

function Clean({
    kind,
    name,
    working,
    run,
}: {
    kind: CleanKind;
    name: string;
    working: CleanKind | undefined;
    run: (kind: CleanKind) => Promise<void>;
}) {
    return (
        <Button
            size="small"
            disabled={working !== undefined}
            aria-label={`${WORDS[kind].does}: ${name}`}
            onClick={() => void run(kind)}
        >
            {working === kind ? "Working…" : WORDS[kind].does}
        </Button>
    );
}
