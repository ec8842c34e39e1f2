// Conditions as the form shows them: one list of times and of what something is. What says more stays JSON. Pure.

import { own } from "@/shared";

/** Which of the listed conditions have to hold. */
export type Join = "all" | "any" | "none";

/** How a field is compared. */
export type Test = "value" | "not_value" | "contains" | "to" | "from";

export interface TimeRow {
    kind: "time";
    /** `mon` to `sun`; empty: any day. */
    days: readonly string[];
    /** `HH:MM`, or empty. */
    after: string;
    before: string;
    /** What the form does not show, such as a time zone. */
    rest: Readonly<Record<string, unknown>>;
}

export interface StateRow {
    kind: "state";
    field: string;
    test: Test;
    value: unknown;
}

export type ConditionRow = TimeRow | StateRow;

export interface ConditionList {
    join: Join;
    rows: readonly ConditionRow[];
}

export const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

const JOINS: Readonly<Record<string, Join>> = { and: "all", or: "any", not: "none" };
const TESTS: readonly Test[] = ["value", "not_value", "contains", "to", "from"];

const isRecord = (value: unknown): value is Record<string, unknown> =>
    typeof value === "object" && value !== null && !Array.isArray(value);

/** "9:05" as "09:05"; undefined for what is no time that a field can show. */
function clock(value: unknown): string | undefined {
    if (value === undefined) return "";
    const found = typeof value === "string" ? /^(\d{1,2}):(\d{2})$/.exec(value) : null;
    const [, hour = "", minute = ""] = found ?? [];
    return found !== null && Number(hour) < 24 && Number(minute) < 60
        ? `${hour.padStart(2, "0")}:${minute}`
        : undefined;
}

function timeOf({ weekday, after, before, ...rest }: Record<string, unknown>): TimeRow | undefined {
    const words: unknown[] = weekday === undefined ? [] : Array.isArray(weekday) ? weekday : [weekday];
    const days = words.map((word) =>
        DAYS.find((day) => typeof word === "string" && word.toLowerCase().startsWith(day)),
    );
    const [from, to] = [clock(after), clock(before)];
    if (from === undefined || to === undefined || days.includes(undefined)) return undefined;
    return { kind: "time", days: DAYS.filter((day) => days.includes(day)), after: from, before: to, rest };
}

function stateOf(condition: Record<string, unknown>): StateRow | undefined {
    const { field, notValue, ...rest } = condition;
    const fields: Record<string, unknown> = notValue === undefined ? rest : { not_value: notValue, ...rest };
    const [name, ...more] = Object.keys(fields);
    const test = TESTS.find((each) => each === name);
    if (typeof field !== "string" || test === undefined || more.length > 0) return undefined;
    const value = fields[test];
    return typeof value === "object" && value !== null ? undefined : { kind: "state", field, test, value };
}

function rowOf(value: unknown): ConditionRow | undefined {
    if (!isRecord(value)) return undefined;
    const { condition, ...fields } = value;
    return condition === "time" ? timeOf(fields) : condition === "state" ? stateOf(fields) : undefined;
}

/** The list that a text says; undefined where it says more than a list shows, or is no JSON. */
export function conditionsOf(text: string): ConditionList | undefined {
    let said: unknown = [];
    try {
        if (text.trim() !== "") said = JSON.parse(text);
    } catch {
        return undefined;
    }
    if (!Array.isArray(said)) return undefined;
    const items: unknown[] = said;
    const [only, ...others] = items;
    const join = others.length === 0 && isRecord(only) ? own(JOINS, valueText(only["condition"])) : undefined;
    const inner: unknown = join === undefined || !isRecord(only) ? items : only["conditions"];
    if (!Array.isArray(inner)) return undefined;
    const rows = inner.map(rowOf);
    return rows.includes(undefined)
        ? undefined
        : { join: join ?? "all", rows: rows.filter((row) => row !== undefined) };
}

/** The list as the file has it; empty where nothing has to hold. */
export function conditionsText({ join, rows }: ConditionList): string {
    if (rows.length === 0) return "";
    const list = rows.map((row) => {
        if (row.kind === "state") return { condition: "state", field: row.field, [row.test]: row.value };
        return {
            condition: "time",
            ...(row.days.length === 0 ? {} : { weekday: row.days }),
            ...(row.after === "" ? {} : { after: row.after }),
            ...(row.before === "" ? {} : { before: row.before }),
            ...row.rest,
        };
    });
    const outer = join === "all" ? list : [{ condition: join === "any" ? "or" : "not", conditions: list }];
    return JSON.stringify(outer, null, 2);
}

/** What can be asked of, how it is called, and how it is usually compared. */
export const FIELDS: readonly { value: string; label: string; test: Test }[] = [
    { value: "labels", label: "Labels of the session", test: "contains" },
    { value: "label", label: "The label of the event", test: "value" },
    { value: "sessionStatus", label: "Status of the session", test: "value" },
    { value: "permissionMode", label: "Permission mode", test: "value" },
    { value: "isFlagged", label: "Flag", test: "value" },
    { value: "sessionName", label: "Title of the session", test: "contains" },
    { value: "message", label: "Message", test: "contains" },
    { value: "agent", label: "Agent", test: "value" },
    { value: "stage", label: "Stage", test: "value" },
    { value: "status", label: "How it ended", test: "value" },
    { value: "tool", label: "Tool", test: "value" },
    { value: "command", label: "Command", test: "contains" },
    { value: "path", label: "File", test: "contains" },
    { value: "url", label: "Address", test: "contains" },
];

/** A new row about a field. */
export function stateRow(field: string): StateRow {
    return { kind: "state", field, test: FIELDS.find((each) => each.value === field)?.test ?? "value", value: "" };
}

export const TIME_ROW: TimeRow = { kind: "time", days: [], after: "09:00", before: "17:00", rest: {} };

/** A value as a field shows it. */
export function valueText(value: unknown): string {
    return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
}
