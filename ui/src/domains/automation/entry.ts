// An automation as the form shows it, and as its file has it. What the form does not show is kept.

import type { Event } from "@/backend";

export type ActionKind = "prompt" | "run" | "webhook" | "command" | "veto";

/** An action in the form: texts by field, and what the form does not show. */
export interface ActionDraft {
    kind: ActionKind;
    rest: Readonly<Record<string, unknown>>;
}

export interface Draft {
    event: Event;
    name: string;
    cron: string;
    zone: string;
    missed: "skip" | "once";
    matcher: string;
    mode: "safe" | "ask" | "allow-all";
    labels: string;
    /** JSON, a list. */
    conditions: string;
    actions: readonly ActionDraft[];
    rest: Readonly<Record<string, unknown>>;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
    typeof value === "object" && value !== null && !Array.isArray(value);
const text = (value: unknown) => (typeof value === "string" ? value : "");

/** The words of the one field that an action can't do without. */
export const MAIN_FIELD: { readonly [K in ActionKind]: { name: string; label: string } } = {
    prompt: { name: "prompt", label: "Message" },
    run: { name: "input", label: "Question" },
    webhook: { name: "url", label: "Address" },
    command: { name: "command", label: "Command" },
    veto: { name: "reason", label: "Reason" },
};

const KINDS = Object.keys(MAIN_FIELD) as ActionKind[];

export const fieldOf = (action: ActionDraft, name: string) => text(action.rest[name]);

export function withField(action: ActionDraft, name: string, value: string): ActionDraft {
    const rest: Record<string, unknown> = { ...action.rest, [name]: value };
    if (value === "" && name !== MAIN_FIELD[action.kind].name) delete rest[name];
    return { ...action, rest };
}

/** With a mark that is written only where it is set. */
export function withFlag(action: ActionDraft, name: string, on: boolean): ActionDraft {
    const rest: Record<string, unknown> = { ...action.rest };
    if (on) rest[name] = true;
    else delete rest[name];
    return { ...action, rest };
}

export function draftOf(event: Event, entry: unknown): Draft {
    const said = isRecord(entry) ? entry : {};
    const { name, cron, timezone, missed, matcher, permissionMode, labels, conditions, actions, ...rest } = said;
    const list: unknown[] = Array.isArray(actions) ? actions : [];
    return {
        event,
        name: text(name),
        cron: text(cron),
        zone: text(timezone),
        missed: missed === "once" ? "once" : "skip",
        matcher: text(matcher),
        mode: permissionMode === "ask" || permissionMode === "allow-all" ? permissionMode : "safe",
        labels: Array.isArray(labels) ? labels.filter((label) => typeof label === "string").join(", ") : "",
        conditions: Array.isArray(conditions) && conditions.length > 0 ? JSON.stringify(conditions, null, 2) : "",
        actions: list
            .filter(isRecord)
            .map(({ type, ...fields }) => ({ kind: KINDS.find((kind) => kind === type) ?? "prompt", rest: fields })),
        rest,
    };
}

/** The entry for the file; a problem where the conditions are no JSON. */
export function entryOf(
    draft: Draft,
): { entry: Record<string, unknown>; problem?: undefined } | { problem: string; entry?: undefined } {
    let conditions: unknown;
    if (draft.conditions.trim() !== "") {
        try {
            conditions = JSON.parse(draft.conditions);
        } catch {
            return { problem: "The conditions are not valid JSON." };
        }
    }
    const labels = draft.labels
        .split(",")
        .map((label) => label.trim())
        .filter((label) => label !== "");
    const entry: Record<string, unknown> = { ...draft.rest };
    const set = (name: string, value: unknown, wanted: boolean) => {
        if (wanted) entry[name] = value;
    };
    set("name", draft.name.trim(), draft.name.trim() !== "");
    set("cron", draft.cron.trim(), draft.event === "tick");
    set("timezone", draft.zone.trim(), draft.zone.trim() !== "");
    set("missed", draft.missed, draft.event === "tick" && draft.missed === "once");
    set("matcher", draft.matcher, draft.event !== "tick" && draft.matcher !== "");
    set("permissionMode", draft.mode, true);
    set("labels", labels, labels.length > 0);
    set("conditions", conditions, conditions !== undefined);
    entry["actions"] = draft.actions.map((action) => ({ type: action.kind, ...action.rest }));
    return { entry };
}

/** What an empty page offers. */
export const TEMPLATES: readonly {
    id: string;
    title: string;
    line: string;
    event: Event;
    entry: Record<string, unknown>;
}[] = [
    {
        id: "morning",
        title: "A question every workday morning",
        line: "Starts a session in Explore at 9:00, Monday to Friday.",
        event: "tick",
        entry: {
            name: "Morning check",
            cron: "0 9 * * 1-5",
            permissionMode: "safe",
            actions: [{ type: "prompt", prompt: "What needs attention today?" }],
        },
    },
    {
        id: "urgent",
        title: "Notify another service of a label",
        line: "Sends a webhook request when a session is labelled urgent.",
        event: "label_added",
        entry: {
            name: "Notify of urgent sessions",
            matcher: "^urgent$",
            actions: [
                { type: "webhook", url: "https://example.org/hook", body: { text: "Urgent: ${AN_SESSION_NAME}" } },
            ],
        },
    },
    {
        id: "guard",
        title: "Block a tool call",
        line: "Blocks commands that reset or push, and tells the model why.",
        event: "tool_before",
        entry: {
            name: "No pushing",
            matcher: "^shell$",
            conditions: [
                {
                    condition: "or",
                    conditions: [
                        { condition: "state", field: "command", contains: "git push" },
                        { condition: "state", field: "command", contains: "git reset --hard" },
                    ],
                },
            ],
            actions: [{ type: "veto", reason: "Only a person may push or reset." }],
        },
    },
];
