// A mission's report: its text, with footnotes that lead to the claim they rest on.

import { Download, Waypoints } from "lucide-react";
import { useCallback, useMemo, type ReactNode } from "react";

import { useQuery, type ExportFormat } from "@/backend";
import { FootnoteList, FootnoteMark, exportEntries, exportMission } from "@/domains/answer";
import { isOver } from "@/domains/run";
import { AsyncBoundary, Button, CopyButton, EmptyState, Menu } from "@/shared";
import { Markdown } from "@/shared/markdown";

import { useFresh } from "./graph";
import { readReport, type Note } from "./report";
import type { PartProps } from "./props";

export function Report({ mission, stamp, onClaim }: PartProps) {
    const exportAs = (format: ExportFormat) => void exportMission(mission.mission, format);
    const report = useFresh(useQuery("mission_report", { mission: mission.mission }), stamp);
    // Nothing and not known yet are told apart.
    const shown = { ...report, data: report.data === undefined ? undefined : { text: report.data } };
    return (
        <AsyncBoundary of={shown} what="the report">
            {({ text }) =>
                text === null || text === "" ? (
                    <EmptyState title="No report yet" className="px-0">
                        {isOver(mission.status)
                            ? "The mission ended without a report. Its findings are under Claims."
                            : "The report is written when every criterion is met, a limit is reached, or you choose “Write the report now”."}
                    </EmptyState>
                ) : (
                    <>
                        <div className="mb-3 flex flex-wrap items-center gap-2">
                            <Menu
                                trigger={
                                    <Button size="small" icon={<Download size={14} strokeWidth={1.5} />}>
                                        Export
                                    </Button>
                                }
                                entries={[
                                    ...exportEntries(exportAs, "Export report"),
                                    {
                                        id: "graph",
                                        label: "Export graph as JSON lines",
                                        icon: <Waypoints size={16} strokeWidth={1.5} />,
                                        onSelect: () => exportAs("jsonl"),
                                    },
                                ]}
                            />
                            <CopyButton text={text} label="Copy as Markdown" />
                        </div>
                        <ReportBody text={text} onClaim={onClaim} />
                    </>
                )
            }
        </AsyncBoundary>
    );
}

function ReportBody({ text, onClaim }: { text: string; onClaim: (claim: string) => void }) {
    const { markdown, notes } = useMemo(() => readReport(text), [text]);
    const contents = useMemo(
        () =>
            notes.map((note) => ({
                label: note.label,
                content: (
                    <>
                        <Markdown text={note.text} />
                        <ClaimButton note={note} onClaim={onClaim} />
                    </>
                ),
            })),
        [notes, onClaim],
    );
    const renderLink = useCallback(
        (href: string, children: ReactNode) => {
            const label = /^#note-([\w-]+)$/.exec(href)?.[1];
            const note = contents.find((each) => each.label === label);
            return note === undefined ? undefined : <FootnoteMark {...note} sign={children} />;
        },
        [contents],
    );
    return (
        <>
            <Markdown text={markdown} voice="answer" renderLink={renderLink} />
            <FootnoteList notes={contents} />
        </>
    );
}

function ClaimButton({ note, onClaim }: { note: Note; onClaim: (claim: string) => void }) {
    const { claim } = note;
    if (claim === undefined) return null;
    return (
        <button
            type="button"
            className="mt-1 cursor-pointer rounded-[4px] text-small text-accent hover:underline"
            onClick={() => onClaim(claim)}
        >
            Where claim {claim} comes from
        </button>
    );
}
