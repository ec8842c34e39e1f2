import { shell, toProblem, useQuery } from "@/backend";
import { hrefOf } from "@/routes";
import { Button, CopyButton, AsyncBoundary, Properties, Section, count, formatBytes, toast } from "@/shared";

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
