import { CircleCheck, CircleX, Info } from "lucide-react";
import type { ReactNode } from "react";

import { shell, toProblem, useQuery, type Check } from "@/backend";
import { hrefOf } from "@/routes";
import {
    Button,
    CopyButton,
    AsyncBoundary,
    Properties,
    Section,
    InlineCode,
    Waiting,
    count,
    formatBytes,
    toast,
} from "@/shared";

import { Retention } from "./maintenance/Retention";
import { Backups } from "./maintenance/Backups";
import { Integrity } from "./maintenance/Integrity";
import { DiskUsage } from "./maintenance/DiskUsage";
import { useSettings } from "./useSettings";

export function DataSettings() {
    const { settings, change } = useSettings();
    const info = useQuery("app_info", null);
    return (
        <>
            <Section title="Locations">
                <AsyncBoundary of={info} what="the locations">
                    {(app) => (
                        <Properties
                            items={[
                                { name: "Data directory", value: <Place path={app.home} /> },
                                { name: "Log files", value: <Place path={app.logs} /> },
                                {
                                    name: "Database",
                                    value: <span className="tabular">{formatBytes(app.databaseBytes)}</span>,
                                },
                                {
                                    name: "Knowledge bases",
                                    value: (
                                        <span className="tabular">
                                            {formatBytes(app.knowledgeBytes)}{" "}
                                            <a
                                                href={hrefOf({ page: "knowledge" })}
                                                className="ml-2 text-accent underline"
                                            >
                                                Show
                                            </a>
                                        </span>
                                    ),
                                },
                                {
                                    name: "Sessions",
                                    value: (
                                        <span className="tabular">
                                            {count(app.sessions, "session")}
                                            {app.liveRuns > 0 && `, ${count(app.liveRuns, "active run")}`}
                                        </span>
                                    ),
                                },
                                {
                                    name: "Not in the inbox",
                                    value: (
                                        <span className="flex flex-wrap gap-x-4">
                                            <a
                                                href={hrefOf({ page: "inbox", view: "archived" })}
                                                className="text-accent hover:underline"
                                            >
                                                Archived sessions
                                            </a>
                                            <a
                                                href={hrefOf({ page: "inbox", view: "trash" })}
                                                className="text-accent hover:underline"
                                            >
                                                Deleted sessions
                                            </a>
                                        </span>
                                    ),
                                },
                            ]}
                        />
                    )}
                </AsyncBoundary>
                <p className="mt-3 max-w-[38rem] text-small text-ink-3">
                    All data is stored in this directory on this machine.
                </p>
            </Section>
            <DiskUsage />
            {settings !== undefined && <Backups settings={settings} change={change} />}
            {settings !== undefined && <Retention settings={settings} change={change} />}
            <Integrity />
            <Checks />
        </>
    );
}

function Place({ path }: { path: string }) {
    const desktop = shell();
    return (
        <span className="flex flex-wrap items-center gap-2">
            <code className="min-w-0 font-mono text-code break-all">{path}</code>
            {desktop === undefined ? (
                <CopyButton text={path} label="Copy the path" />
            ) : (
                <Button
                    size="small"
                    onClick={() =>
                        void desktop.openPath(path).catch((thrown: unknown) =>
                            toast({
                                text: `The folder could not be opened: ${toProblem(thrown).message}`,
                                tone: "failed",
                            }),
                        )
                    }
                >
                    Open
                </Button>
            )}
        </span>
    );
}

const STATES: Record<Check["state"], { word: string; icon: ReactNode }> = {
    ok: { word: "OK", icon: <CircleCheck size={16} strokeWidth={1.5} aria-hidden className="text-done" /> },
    note: { word: "Optional", icon: <Info size={16} strokeWidth={1.5} aria-hidden className="text-needs" /> },
    broken: { word: "Broken", icon: <CircleX size={16} strokeWidth={1.5} aria-hidden className="text-failed" /> },
};
const ORDER: Check["state"][] = ["broken", "note", "ok"];

function Checks() {
    const checks = useQuery("app_check", null);
    return (
        <Section
            title="Diagnostics"
            note={
                checks.data !== undefined &&
                `${checks.data.filter((check) => check.state === "ok").length} of ${checks.data.length} OK`
            }
        >
            <AsyncBoundary of={checks} what="the diagnostics" waiting={<Waiting what="Running diagnostics" />}>
                {(all) => (
                    <>
                        <ul aria-label="Diagnostics" className="border-y border-hairline">
                            {[...all]
                                .sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state))
                                .map((check) => (
                                    <li
                                        key={`${check.name} ${check.message}`}
                                        className="flex items-start gap-3 border-b border-hairline py-2 last:border-b-0"
                                    >
                                        <span className="mt-0.5 shrink-0">{STATES[check.state].icon}</span>
                                        <div className="min-w-0 flex-1">
                                            <div className="flex flex-wrap items-baseline gap-x-2">
                                                <span className="inline-block font-medium first-letter:uppercase">
                                                    {check.name}
                                                </span>
                                                <span className="text-small text-ink-3">
                                                    {STATES[check.state].word}
                                                </span>
                                            </div>
                                            <p className="break-words text-ink-2">
                                                <InlineCode text={check.message} />
                                            </p>
                                            {check.action !== null && (
                                                <p className="mt-0.5 break-words first-letter:uppercase">
                                                    <InlineCode text={check.action} />
                                                </p>
                                            )}
                                        </div>
                                    </li>
                                ))}
                        </ul>
                        <Button size="small" className="mt-3" disabled={checks.loading} onClick={checks.reload}>
                            {checks.loading ? "Running…" : "Run again"}
                        </Button>
                    </>
                )}
            </AsyncBoundary>
        </Section>
    );
}
