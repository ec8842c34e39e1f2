import type { Report } from "@/backend";
import { Fold, StateMark, type State } from "@/shared";

/** How a line's fate is shown. */
const FATES = {
    kept: ["done", "New"],
    changed: ["needs-you", "Changed"],
    left_out: ["skipped", "Left out"],
} as const satisfies Record<Report["lines"][number]["fate"], readonly [State, string]>;

/** What was kept, changed and left out, by kind; what is not as it was stands first. */
export function ReportView({ report }: { report: Report }) {
    const kinds = Object.entries(report.counts).sort(([a], [b]) => a.localeCompare(b));
    return (
        <section aria-label="Report" className="mt-3">
            {kinds.map(([kind, counts]) => {
                const lines = report.lines.filter((line) => line.kind === kind);
                const words = [
                    `${counts.kept} kept`,
                    counts.changed > 0 ? `${counts.changed} changed` : "",
                    counts.leftOut > 0 ? `${counts.leftOut} left out` : "",
                ]
                    .filter(Boolean)
                    .join(", ");
                if (lines.length === 0) {
                    return (
                        <p key={kind} className="py-1 text-ui">
                            <span className="font-medium">{kind}</span> <span className="text-ink-2">{words}</span>
                        </p>
                    );
                }
                return (
                    <Fold key={kind} label={`${kind}: ${words}`}>
                        <ul className="space-y-1.5 pl-4">
                            {lines.slice(0, 200).map((line, index) => (
                                <li key={index} className="text-ui">
                                    <StateMark state={FATES[line.fate][0]} word={FATES[line.fate][1]} /> {line.what}{" "}
                                    <span className="text-ink-2">{line.why}</span>
                                    <div className="truncate font-mono text-small text-ink-3" title={line.place}>
                                        {line.place}
                                    </div>
                                </li>
                            ))}
                        </ul>
                    </Fold>
                );
            })}
        </section>
    );
}
