// How well finished runs were foreseen when they began.

import { useQuery, type AgentForecasts } from "@/backend";
import { hrefOf } from "@/routes";
import { AsyncBoundary, Section, Table, type Column } from "@/shared";

/** `80 %`; a dash where nothing was forecast from earlier runs. */
export function shareWord(share: number | null): string {
    return share === null ? "–" : `${Math.round(share * 100)} %`;
}

/** `1.12 ×`; a dash where nothing was expected. */
export function ratioWord(ratio: number | null): string {
    return ratio === null ? "–" : `${ratio.toFixed(2)} ×`;
}

const COLUMNS: Column<AgentForecasts>[] = [
    {
        id: "agent",
        heading: "Agent",
        render: (row) =>
            row.agent === "" ? (
                <span className="font-medium">{row.title}</span>
            ) : (
                <a href={hrefOf({ page: "agent", slug: row.agent })} className="text-accent hover:underline">
                    {row.title}
                </a>
            ),
    },
    { id: "runs", heading: "Runs", numeric: true, render: (row) => row.runs.toLocaleString("en-GB") },
    {
        id: "history",
        heading: "From history",
        numeric: true,
        render: (row) => row.from_history.toLocaleString("en-GB"),
    },
    { id: "coverage", heading: "Within range", numeric: true, render: (row) => shareWord(row.coverage) },
    { id: "ratio", heading: "Used / likely", numeric: true, render: (row) => ratioWord(row.median_ratio) },
];

export function Forecasts() {
    const report = useQuery("usage_forecasts", { agent: null });
    return (
        <Section title="Forecasts" note="Of the newest 1,000 finished runs; target: 80 % within range">
            <AsyncBoundary of={report} what="the forecasts">
                {(report) =>
                    report.runs === 0 ? (
                        <p className="text-ui text-ink-2">
                            No finished run has a forecast yet. Each new run gets one when it starts.
                        </p>
                    ) : (
                        <Table
                            label="Forecasts"
                            columns={COLUMNS}
                            rows={[
                                ...report.agents,
                                ...(report.agents.length > 1 ? [{ ...report, agent: "", title: "All" }] : []),
                            ]}
                            keyOf={(row) => row.agent}
                        />
                    )
                }
            </AsyncBoundary>
        </Section>
    );
}
