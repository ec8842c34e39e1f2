import { Check, CircleDashed, CircleDot, CirclePause, CircleX, Clock, SkipForward } from "lucide-react";
import type { ReactNode } from "react";

import { cx } from "./cx";

/** How something stands. Always shown as icon, word and colour together. */
export type State = "running" | "needs-you" | "done" | "failed" | "skipped" | "idle" | "queued";

const STATES: Record<State, { word: string; icon: typeof Check; text: string; soft: string }> = {
    running: { word: "Running", icon: CircleDot, text: "text-running", soft: "bg-running-soft text-running" },
    "needs-you": { word: "Needs you", icon: CirclePause, text: "text-needs", soft: "bg-needs-soft text-needs" },
    done: { word: "Done", icon: Check, text: "text-done", soft: "bg-done-soft text-done" },
    failed: { word: "Failed", icon: CircleX, text: "text-failed", soft: "bg-failed-soft text-failed" },
    skipped: { word: "Skipped", icon: SkipForward, text: "text-ink-3", soft: "bg-sunken text-ink-3" },
    idle: { word: "Idle", icon: CircleDashed, text: "text-ink-3", soft: "bg-sunken text-ink-3" },
    queued: { word: "Queued", icon: Clock, text: "text-ink-3", soft: "bg-sunken text-ink-3" },
};

export interface StateMarkProps {
    state: State;
    /** In place of the state's own word, e.g. "42 of 42 verified". */
    word?: string;
    /** `icon`: the word is only heard, for rows where colour and icon repeat what a heading says. */
    show?: "both" | "icon" | "badge";
    size?: 14 | 16;
    className?: string;
}

export function StateMark({ state, word, show = "both", size = 16, className }: StateMarkProps) {
    const { icon: Icon, text, soft, word: own } = STATES[state];
    const icon = (
        <Icon
            size={show === "badge" ? 14 : size}
            strokeWidth={state === "done" ? 2 : 1.5}
            aria-hidden
            className="shrink-0"
        />
    );
    if (show === "icon") {
        return (
            <span className={cx("inline-flex", text, className)} title={word ?? own}>
                {icon}
                <span className="sr-only">{word ?? own}</span>
            </span>
        );
    }
    return (
        <span
            className={cx(
                "inline-flex items-center gap-1 whitespace-nowrap text-small font-medium",
                show === "badge" ? cx("h-5 rounded-full px-2", soft) : text,
                className,
            )}
        >
            {icon}
            {word ?? own}
        </span>
    );
}

export interface BadgeProps {
    children: ReactNode;
    tone?: "plain" | "accent" | "needs" | "done" | "failed";
    icon?: ReactNode;
    className?: string;
}

const TONES = {
    plain: "border border-hairline bg-surface text-ink-2",
    accent: "bg-accent-soft text-accent",
    needs: "bg-needs-soft text-needs",
    done: "bg-done-soft text-done",
    failed: "bg-failed-soft text-failed",
};

/** A short label. For a state use `StateMark`. */
export function Badge({ children, tone = "plain", icon, className }: BadgeProps) {
    return (
        <span
            className={cx(
                "inline-flex h-5 items-center gap-1 rounded-full px-2 text-small whitespace-nowrap",
                TONES[tone],
                className,
            )}
        >
            {icon}
            {children}
        </span>
    );
}
