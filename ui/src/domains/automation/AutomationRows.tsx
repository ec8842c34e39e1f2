// The list: how each stands, when it is due, what it may do.

import { CalendarClock } from "lucide-react";

import { useQuery, type AutomationRow } from "@/backend";
import { go, hrefOf } from "@/routes";
import { EmptyState, ErrorCard, AsyncBoundary, Row, Rows, Section, StateMark } from "@/shared";

import { TEMPLATES } from "./entry";
import { STATES, outcomeOf, timeIn } from "./labels";

export function AutomationRows() {
    const page = useQuery("automation_list", null);
    return (
        <AsyncBoundary of={page} what="the automations">
            {({ automations, problems, path, awake }) => (
                <>
                    {problems.length > 0 && (
                        <ErrorCard
                            title="The automations file can’t be read"
                            advice="The last valid version stays in use until the file is fixed."
                            className="mb-4"
                        >
                            {problems.join("\n")}
                        </ErrorCard>
                    )}
                    {automations.length === 0 ? <Templates /> : <List rows={automations} />}
                    <p className="mt-4 text-small text-ink-3">
                        {awake ? "Automations run while this program is open." : "This process runs no automations."}{" "}
                        They are stored in <code className="font-mono text-code break-all">{path}</code>.
                    </p>
                </>
            )}
        </AsyncBoundary>
    );
}

function List({ rows }: { rows: readonly AutomationRow[] }) {
    return (
        <Rows label="Automations">
            {rows.map((row) => (
                <Row
                    key={row.id}
                    href={hrefOf({ page: "schedule", id: row.id })}
                    icon={<CalendarClock size={16} strokeWidth={1.5} aria-hidden />}
                    title={row.title}
                    marks={<StateMark state={STATES[row.state].state} word={STATES[row.state].word} size={14} />}
                    line={row.when}
                    end={
                        <>
                            {row.next !== null && <span className="block">Next {timeIn(row.next, row.zone)}</span>}
                            {row.last !== null && (
                                <span className="block">Last: {outcomeOf(row.last).word.toLowerCase()}</span>
                            )}
                        </>
                    }
                />
            ))}
        </Rows>
    );
}

function Templates() {
    return (
        <>
            <EmptyState title="No automations yet" className="px-0">
                An automation runs on a schedule or when an event occurs. It does nothing until you review its
                permissions and enable it.
            </EmptyState>
            <Section title="Start from a template">
                <ul className="grid grid-cols-1 gap-2" aria-label="Templates">
                    {TEMPLATES.map((template) => (
                        <li key={template.id}>
                            <button
                                type="button"
                                onClick={() => go({ page: "schedule", adding: template.id })}
                                className="ring-inside block w-full rounded-card border border-hairline bg-surface px-3 py-2.5 text-left text-ui hover:bg-hover"
                            >
                                <span className="block font-medium">{template.title}</span>
                                <span className="block text-small text-ink-2">{template.line}</span>
                            </button>
                        </li>
                    ))}
                </ul>
            </Section>
        </>
    );
}
