/** A button under the message field that says what is set. */
export const QUIET =
    "flex h-7 max-w-40 min-w-0 items-center gap-1.5 rounded-control px-2 text-ink-2 hover:bg-hover hover:text-ink disabled:opacity-50";
