// How automations are called.

import type { AutomationDone, AutomationState, Event } from "@/backend";
import type { SelectOption, State } from "@/shared";

export const STATES: { readonly [S in AutomationState]: { word: string; state: State } } = {
    enabled: { word: "Enabled", state: "done" },
    disabled: { word: "Not enabled", state: "idle" },
    changed: { word: "Changed: enable again", state: "needs-you" },
    off: { word: "Off in its file", state: "skipped" },
    broken: { word: "Can't be used", state: "failed" },
};

export const EVENTS: readonly SelectOption<Event>[] = [
    { value: "tick", label: "At certain times", hint: "A schedule" },
    { value: "session_created", label: "A session begins" },
    { value: "session_archived", label: "A session is archived" },
    { value: "status_changed", label: "A session gets another status" },
    { value: "label_added", label: "A session gets a label" },
    { value: "label_removed", label: "A session loses a label" },
    { value: "flag_changed", label: "A session is flagged or no longer" },
    { value: "mode_changed", label: "A session gets another mode" },
    { value: "turn_before", label: "Before a message is sent", hint: "May keep it from being sent" },
    { value: "turn_after", label: "A turn has ended" },
    { value: "tool_before", label: "Before a tool is called", hint: "May keep it from being called" },
    { value: "tool_after", label: "A call of a tool has ended" },
    { value: "tool_failed", label: "A call of a tool has failed" },
    { value: "run_before", label: "Before a run begins", hint: "May keep it from beginning" },
    { value: "run_after", label: "A run has ended" },
    { value: "run_finished", label: "A run has ended with its document" },
    { value: "run_failed", label: "A run has failed" },
    { value: "run_paused", label: "A run waits for you" },
    { value: "stage_before", label: "Before a stage begins", hint: "May keep it from beginning" },
    { value: "stage_after", label: "A stage has ended" },
    { value: "app_started", label: "The program starts" },
];

/** Whether it can be kept from happening. */
export const isBefore = (event: Event) => ["turn_before", "tool_before", "run_before", "stage_before"].includes(event);

const OUTCOMES: Readonly<Record<string, { word: string; state: State }>> = {
    done: { word: "Done", state: "done" },
    failed: { word: "Failed", state: "failed" },
    vetoed: { word: "Vetoed", state: "needs-you" },
    refused: { word: "Held back", state: "skipped" },
    waiting: { word: "Tries again", state: "queued" },
    missed: { word: "Missed", state: "skipped" },
    would: { word: "Would happen", state: "idle" },
};

export const outcomeOf = (done: AutomationDone) => OUTCOMES[done.outcome] ?? { word: done.outcome, state: "idle" as State };

/** "Mon 30 Mar, 09:00" in the automation's own zone, so that it says what its pattern says. */
export function timeIn(at: number, zone: string): string {
    const form: Intl.DateTimeFormatOptions = { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
    try {
        return new Date(at).toLocaleString("en-GB", { ...form, timeZone: zone });
    } catch {
        // The page may know fewer zones than the program.
        return new Date(at).toLocaleString("en-GB", form);
    }
}
