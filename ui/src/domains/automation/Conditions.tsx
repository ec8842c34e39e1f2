// What else has to hold: a list of times and of what something is, with JSON for what says more.

import { Plus, X } from "lucide-react";
import { useState } from "react";

import { useQuery } from "@/backend";
import { useOrganisation } from "@/domains/organise";
import { Button, Checkbox, Fold, IconButton, Select, TextArea, TextField, type SelectOption } from "@/shared";

import { WEEKDAYS } from "./clock";
import {
    DAYS,
    FIELDS,
    TIME_ROW,
    conditionsOf,
    conditionsText,
    stateRow,
    valueText,
    type ConditionRow,
    type Join,
    type StateRow,
    type Test,
    type TimeRow,
} from "./conditions";
import { MODES, withOwn } from "./options";

const JOINS: SelectOption<Join>[] = [
    { value: "all", label: "All of these" },
    { value: "any", label: "At least one of these" },
    { value: "none", label: "None of these" },
];

const TESTS: SelectOption<Test>[] = [
    { value: "value", label: "is" },
    { value: "not_value", label: "is not" },
    { value: "contains", label: "contains" },
    { value: "to", label: "became" },
    { value: "from", label: "was before" },
];

export function Conditions({
    text,
    problem,
    onChange,
}: {
    text: string;
    problem: string | undefined;
    onChange: (text: string) => void;
}) {
    const list = conditionsOf(text);
    const [advanced, setAdvanced] = useState(list === undefined);
    const change = (part: { join?: Join; rows?: readonly ConditionRow[] }) =>
        list !== undefined && onChange(conditionsText({ ...list, ...part }));
    const put = (at: number, row: ConditionRow | undefined) =>
        list !== undefined &&
        change({
            rows: list.rows.flatMap((each, index) => (index !== at ? [each] : row === undefined ? [] : [row])),
        });
    const add = (row: ConditionRow) => list !== undefined && change({ rows: [...list.rows, row] });
    return (
        <fieldset className="flex flex-col gap-3">
            <legend className="mb-1 text-small text-ink-2">Conditions</legend>
            {list === undefined ? (
                <p className="text-small text-ink-3">These conditions can’t be shown as a list; edit the JSON.</p>
            ) : (
                <>
                    {list.rows.length === 0 && <p className="text-small text-ink-3">None: it always runs.</p>}
                    {(list.rows.length > 1 || list.join !== "all") && (
                        <Select
                            label="Conditions that must be met"
                            value={list.join}
                            options={JOINS}
                            onChange={(join) => change({ join })}
                            className="max-w-60"
                        />
                    )}
                    {list.rows.map((row, index) => (
                        <div key={index} className="rounded-card border border-hairline bg-surface p-3">
                            <div className="flex items-start gap-2">
                                <div className="min-w-0 flex-1">
                                    {row.kind === "time" ? (
                                        <TimeFields row={row} onChange={(changed) => put(index, changed)} />
                                    ) : (
                                        <StateFields row={row} onChange={(changed) => put(index, changed)} />
                                    )}
                                </div>
                                <IconButton
                                    label={`Remove condition ${index + 1}`}
                                    size="small"
                                    icon={<X size={16} strokeWidth={1.5} />}
                                    onClick={() => put(index, undefined)}
                                />
                            </div>
                        </div>
                    ))}
                    <div className="flex flex-wrap gap-2">
                        <Button size="small" icon={<Plus size={14} strokeWidth={1.5} />} onClick={() => add(TIME_ROW)}>
                            Add a time
                        </Button>
                        <Button
                            size="small"
                            icon={<Plus size={14} strokeWidth={1.5} />}
                            onClick={() => add(stateRow("labels"))}
                        >
                            Add a condition
                        </Button>
                    </div>
                </>
            )}
            <Fold label="Advanced: conditions as JSON" open={advanced} onToggle={setAdvanced}>
                <TextArea
                    className="mt-2"
                    label="Conditions as JSON"
                    mono
                    minRows={2}
                    maxRows={16}
                    value={text}
                    onChange={onChange}
                    error={problem}
                    hint="A list, with “and”, “or” and “not” around others. Leave empty for none."
                />
            </Fold>
        </fieldset>
    );
}

function TimeFields({ row, onChange }: { row: TimeRow; onChange: (row: TimeRow) => void }) {
    return (
        <div className="flex flex-col gap-2">
            <fieldset>
                <legend className="mb-1 text-small text-ink-2">Days (none: any day)</legend>
                <div className="flex flex-wrap gap-x-4 gap-y-1">
                    {DAYS.map((day, index) => (
                        <Checkbox
                            key={day}
                            label={WEEKDAYS[index] ?? day}
                            checked={row.days.includes(day)}
                            onChange={(on) =>
                                onChange({
                                    ...row,
                                    days: DAYS.filter((each) => (each === day ? on : row.days.includes(each))),
                                })
                            }
                        />
                    ))}
                </div>
            </fieldset>
            <div className="flex flex-wrap gap-3">
                <TextField
                    label="From"
                    type="time"
                    className="max-w-36"
                    value={row.after}
                    onChange={(after) => onChange({ ...row, after })}
                />
                <TextField
                    label="Until"
                    type="time"
                    className="max-w-36"
                    value={row.before}
                    onChange={(before) => onChange({ ...row, before })}
                />
            </div>
        </div>
    );
}

function StateFields({ row, onChange }: { row: StateRow; onChange: (row: StateRow) => void }) {
    return (
        <div className="flex flex-wrap gap-2">
            <Select
                label="What"
                value={row.field}
                options={withOwn(
                    FIELDS.map(({ value, label }) => ({ value, label })),
                    row.field,
                )}
                onChange={(field) => onChange(stateRow(field))}
                className="w-52"
            />
            <Select
                label="Comparison"
                value={row.test}
                options={TESTS}
                onChange={(test) => onChange({ ...row, test })}
                className="w-36"
            />
            <div className="min-w-40 flex-1">
                <Value row={row} onChange={(value) => onChange({ ...row, value })} />
            </div>
        </div>
    );
}

/** The value that a field is compared with: picked where the values are known. */
function Value({ row, onChange }: { row: StateRow; onChange: (value: unknown) => void }) {
    const { labels, statuses } = useOrganisation();
    const { data: agents = [] } = useQuery("agent_list", null);
    const text = valueText(row.value);
    const known: Readonly<Record<string, SelectOption[]>> = {
        labels: labels.map((label) => ({ value: label.id, label: label.path })),
        label: labels.map((label) => ({ value: label.id, label: label.path })),
        sessionStatus: statuses.map((status) => ({ value: status.id, label: status.label })),
        permissionMode: MODES.map(({ value, label }) => ({ value, label })),
        isFlagged: [
            { value: "true", label: "Flagged" },
            { value: "false", label: "Not flagged" },
        ],
        agent: agents.map((agent) => ({ value: agent.slug, label: agent.name })),
    };
    const options = known[row.field];
    if (options === undefined || options.length === 0)
        return <TextField label="Value" hideLabel value={text} onChange={onChange} />;
    return (
        <Select
            label="Value"
            value={text === "" ? undefined : text}
            placeholder="Choose…"
            options={withOwn(options, text)}
            onChange={(value) => onChange(row.field === "isFlagged" ? value === "true" : value)}
        />
    );
}
