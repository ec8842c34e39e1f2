// How automations are called.

import type { AutomationDone, AutomationState, Event } from "@/backend";
import { own, type SelectOption, type State, problemText } from "@/shared";

export const STATES: { readonly [S in AutomationState]: { word: string; state: State } } = {
    enabled: { word: "Enabled", state: "done" },
    disabled: { word: "Not enabled", state: "idle" },
    changed: { word: "Changed: enable again", state: "needs-you" },
    off: { word: "Disabled in the file", state: "skipped" },
    broken: { word: "Can’t be used", state: "failed" },
};

export const EVENTS: readonly SelectOption<Event>[] = [
    { value: "tick", label: "On a schedule" },
    { value: "session_before", label: "Before a session begins", hint: "Can block the session" },
    { value: "session_created", label: "A session is created" },
    { value: "session_archived", label: "A session is archived" },
    { value: "status_changed", label: "A session’s status changes" },
    { value: "label_added", label: "A label is added to a session" },
    { value: "label_removed", label: "A label is removed from a session" },
    { value: "flag_changed", label: "A session is flagged or unflagged" },
    { value: "mode_changed", label: "A session’s permission mode changes" },
    { value: "turn_before", label: "Before a message is sent", hint: "Can block the message" },
    { value: "turn_after", label: "A turn ends" },
    { value: "tool_before", label: "Before a tool is called", hint: "Can block the call" },
    { value: "tool_after", label: "A tool call ends" },
    { value: "tool_failed", label: "A tool call fails" },
    { value: "run_before", label: "Before a run starts", hint: "Can block the run" },
    { value: "run_after", label: "A run ends" },
    { value: "run_finished", label: "A run completes with a document" },
    { value: "run_failed", label: "A run fails" },
    {
        value: "pause_before",
        label: "Before a run waits for you",
        hint: "Can let the run go on with the proposed choice",
    },
    { value: "run_paused", label: "A run needs you" },
    { value: "pause_after", label: "A pause is answered" },
    { value: "stage_before", label: "Before a stage starts", hint: "Can block the stage" },
    { value: "stage_after", label: "A stage ends" },
    { value: "app_started", label: "The program starts" },
];

/** Whether it happens in a session. */
export const hasSession = (event: Event) => !["tick", "app_started", "session_before"].includes(event);

/** Whether it can be kept from happening. */
export const isBefore = (event: Event) =>
    ["session_before", "turn_before", "tool_before", "run_before", "stage_before", "pause_before"].includes(event);

const FIELDS: Readonly<Record<string, string>> = {
    name: "Name",
    cron: "Cron pattern",
    timezone: "Time zone",
    missed: "Runs missed while the program is closed",
    matcher: "Matcher",
    permissionMode: "Permission mode of new sessions",
    labels: "Labels of new sessions",
    conditions: "Conditions",
    prompt: "Message",
    input: "Question",
    agent: "Agent",
    url: "Address",
    command: "Command",
    reason: "Reason",
    folder: "Folder",
    method: "Method",
    corpus: "Knowledge base",
    depth: "Depth",
    connection: "Connection",
    session: "Session",
};

/** What is wrong with a part of an automation, by the names that the form has for it: `/actions/0/prompt` is a message. */
export function faultText({ place, message }: { place: string; message: string }): string {
    const parts = place.split("/").filter(Boolean);
    const [list, index, ...rest] = parts;
    const number = Number(index);
    const row = list === "actions" ? "Action" : list === "conditions" ? "Condition" : undefined;
    const named = row !== undefined && Number.isInteger(number) ? [`${row} ${number + 1}`, ...rest] : parts;
    const where = named.map((part) => own(FIELDS, part) ?? part).join(", ");
    return problemText({ message }, where === "" ? undefined : where);
}

const OUTCOMES: Readonly<Record<string, { word: string; state: State }>> = {
    done: { word: "Done", state: "done" },
    failed: { word: "Failed", state: "failed" },
    vetoed: { word: "Vetoed", state: "needs-you" },
    refused: { word: "Skipped", state: "skipped" },
    waiting: { word: "Retrying", state: "queued" },
    missed: { word: "Missed", state: "skipped" },
    would: { word: "Would run", state: "idle" },
};

export const outcomeOf = (done: AutomationDone) =>
    own(OUTCOMES, done.outcome) ?? { word: done.outcome, state: "idle" as State };

/** "Mon 30 Mar, 09:00" in the automation's own zone, so that it says what its pattern says. */
export function timeIn(at: number, zone: string): string {
    const form: Intl.DateTimeFormatOptions = {
        weekday: "short",
        day: "numeric",
        month: "short",
        hour: "2-digit",
        minute: "2-digit",
        hourCycle: "h23",
    };
    try {
        return new Date(at).toLocaleString("en-GB", { ...form, timeZone: zone });
    } catch {
        // The page may know fewer zones than the program.
        return new Date(at).toLocaleString("en-GB", form);
    }
}
