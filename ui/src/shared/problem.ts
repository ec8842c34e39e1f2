// What went wrong, in sentences: what happened, and what to do.

import { sentence } from "./plainText";

/** A problem as the core tells it. */
export interface ProblemWords {
    message: string;
    /** What the person can do. */
    action?: string | null;
    /** Whether the same may succeed later. */
    retryable?: boolean;
}

/** With a full stop, unless a sign ends it already. */
function ended(text: string): string {
    const whole = text.trim();
    return whole === "" || /[.!?:…]["”’)]?$/.test(whole) ? whole : `${whole}.`;
}

/** "Not merged: the branch has moved. Merge it again." `what`: what did not happen, before it. */
export function problemText({ message, action }: ProblemWords, what?: string): string {
    const happened = what === undefined ? sentence(message.trim()) : `${what}: ${message.trim()}`;
    const remedy = (action ?? "").trim();
    // Some messages name the remedy themselves.
    const isSaid = remedy === "" || message.toLowerCase().includes(remedy.toLowerCase());
    return isSaid ? ended(happened) : `${ended(happened)} ${ended(sentence(remedy))}`;
}
