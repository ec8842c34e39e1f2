// Events in one line each, for a person.

import type { Record as RunEvent } from "@/backend";

/** "stage_completed" as "Stage completed". */
export function eventName(event: RunEvent): string {
    const words = event.type.replaceAll("_", " ");
    return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The stage that an event belongs to; empty when it belongs to the run. */
export function eventStage(event: RunEvent): string {
    if ("stage" in event) return String(event.stage);
    return "key" in event ? String(event.key.stage) : "";
}

/** What an event says besides its name. */
export function eventLine(event: RunEvent): string {
    switch (event.type) {
        case "run_started":
            return event.request;
        case "stage_started":
            return [
                event.attempt > 1 ? `attempt ${event.attempt}` : "",
                event.conversation ? `in conversation ${event.conversation}` : "",
            ]
                .filter(Boolean)
                .join(", ");
        case "context_handoff_requested":
            return event.window
                ? `${event.used ?? 0} of ${event.window} tokens used, ${event.needed ?? 0} needed`
                : `${Math.round(event.fill * 100)} % used`;
        case "stage_planned":
            return event.calls
                .map((call) => call.title ?? "")
                .filter(Boolean)
                .join("; ");
        case "stage_completed":
            return event.summary ?? "";
        case "stage_skipped":
            return event.why;
        case "stage_failed":
        case "run_failed":
        case "model_call_failed":
        case "tool_call_failed":
            return event.problem.message;
        case "model_call_completed":
            return `${event.model}, ${event.ms} ms`;
        case "model_call_accepted":
            return `goes on at the provider as ${event.response_id}`;
        case "model_call_drafted":
            return `${event.words} words so far`;
        case "tool_call_completed":
            return `${event.ms} ms`;
        case "resumed":
            return event.decision.text ? `${event.decision.choice}: ${event.decision.text}` : event.decision.choice;
        case "amended":
            return event.feedback;
        case "guidance_queued":
            return event.text;
        case "repinned":
            return "moved to another connection or model";
        case "repair_started":
            return `repair ${event.iteration}`;
        case "repair_ended":
            return event.reason;
        default:
            return "";
    }
}

/** Whether an event has the text, in any of its fields. */
export function eventHas(event: RunEvent, text: string): boolean {
    const wanted = text.trim().toLowerCase();
    return (
        wanted === "" ||
        JSON.stringify(event).toLowerCase().includes(wanted) ||
        eventName(event).toLowerCase().includes(wanted)
    );
}
