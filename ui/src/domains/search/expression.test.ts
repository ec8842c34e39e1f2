import { expect, it } from "vitest";

import type { StatusRow } from "@/backend";

import { expressionOf } from "./expression";

const status = (id: string, label: string, category: "open" | "closed"): StatusRow => ({
    id,
    label,
    category,
    icon: null,
    color: null,
    shortcut: null,
    fixed: false,
    sessions: 0,
});
const statuses = [
    status("todo", "Todo", "open"),
    status("in-progress", "In Progress", "open"),
    status("done", "Done", "closed"),
    status("cancelled", "Cancelled", "closed"),
];
const of = (line: string) => expressionOf(line, statuses).expression;

it.each([
    ["status:todo", 'sessionStatus == "todo"'],
    ['status:todo,"in progress"', 'sessionStatus in ("todo", "in-progress")'],
    ["-label:bug", 'not (hasLabel("bug"))'],
    ["label:priority::3", 'contains(labels, "priority::3")'],
    ["label:priority<=2", 'labelValue("priority") <= 2'],
    ["label:due<2026-05-01", 'labelValue("due") < date("2026-05-01")'],
    ["after:7d before:2w", "daysSince(lastUsedAt) <= 7 and daysSince(lastUsedAt) > 14"],
    ["before:2026-06", 'lastUsedAt < date("2026-06-01")'],
    ["is:open is:unread", 'sessionStatus not in ("done", "cancelled") and hasUnread'],
    ["has:documents mode:safe", 'hasDocument and permissionMode == "safe"'],
    ["model:Sonnet", 'contains(lower(model), "sonnet")'],
    ['"going concern"', '(contains(lower(name), "going concern") or contains(lower(preview), "going concern"))'],
    ['say"', '(contains(lower(name), "say") or contains(lower(preview), "say"))'],
    ["", ""],
])("%j becomes %j", (line, expression) => {
    expect(of(line)).toBe(expression);
});

it("tells what a view can't test", () => {
    expect(expressionOf("is:lost bug", statuses)).toEqual({
        expression: '(contains(lower(name), "bug") or contains(lower(preview), "bug"))',
        left: ["is:lost"],
    });
});

it("keeps what a person typed inside of its quotes", () => {
    expect(of("agent:a\\b")).toBe('agent == "a\\\\b"');
});
