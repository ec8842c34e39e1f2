import { useId, type ReactNode } from "react";

import { Button } from "./Button";
import { cx } from "./cx";
import { useElapsed } from "./hooks";
import { Duration } from "./time";

export interface MeterProps {
    /** What it measures. */
    label: string;
    /** 0 to 1. */
    value: number;
    /** 0 to 1: a tick; at or above it counts as enough. */
    threshold?: number;
    /** In place of "64 %". */
    valueText?: string;
    hideLabel?: boolean;
    className?: string;
}

/** A measure against a mark. */
export function Meter({ label, value, threshold, valueText, hideLabel = false, className }: MeterProps) {
    const id = useId();
    const share = Math.min(1, Math.max(0, value));
    const text = valueText ?? `${Math.round(share * 100)} %`;
    const enough = threshold === undefined || share >= threshold;
    return (
        <div className={cx("flex items-center gap-2 text-small", className)}>
            <span id={id} className={hideLabel ? "sr-only" : "text-ink-2"}>
                {label}
            </span>
            <span
                role="meter"
                aria-labelledby={id}
                aria-valuemin={0}
                aria-valuemax={100}
                aria-valuenow={Math.round(share * 100)}
                aria-valuetext={
                    threshold === undefined
                        ? text
                        : `${text}; ${enough ? "at or above" : "below"} the threshold of ${Math.round(threshold * 100)} %`
                }
                className="relative h-1.5 w-24 rounded-full bg-hairline"
            >
                <span
                    className={cx("absolute inset-y-0 left-0 rounded-full", enough ? "bg-accent" : "bg-needs-rule")}
                    style={{ width: `${share * 100}%` }}
                />
                {threshold !== undefined && (
                    <span className="absolute -inset-y-1 w-px bg-ink-2" style={{ left: `${threshold * 100}%` }} />
                )}
            </span>
            <span className="tabular text-ink">{text}</span>
        </div>
    );
}

/** How far something is; without `value` only that it goes on. */
export function ProgressBar({
    label,
    value,
    text,
    className,
}: {
    label: string;
    value?: number;
    text?: ReactNode;
    className?: string;
}) {
    const id = useId();
    const share = value === undefined ? undefined : Math.min(1, Math.max(0, value));
    return (
        <div className={cx("min-w-0", className)}>
            <div className="mb-1 flex justify-between gap-3 text-small text-ink-2">
                <span id={id} className="min-w-0 truncate">
                    {label}
                </span>
                <span className="tabular shrink-0 text-ink-3">
                    {text ?? (share === undefined ? null : `${Math.round(share * 100)} %`)}
                </span>
            </div>
            <div
                role="progressbar"
                aria-labelledby={id}
                aria-valuemin={0}
                aria-valuemax={100}
                aria-valuenow={share === undefined ? undefined : Math.round(share * 100)}
                className="h-1.5 overflow-hidden rounded-full bg-hairline"
            >
                <div className="h-full rounded-full bg-accent" style={{ width: `${(share ?? 0) * 100}%` }} />
            </div>
        </div>
    );
}

export interface WaitingProps {
    /** What it waits for, in words: "Searching 3 of 5". */
    what: string;
    /** When it began, in milliseconds since 1970: the time counts up beside the words. */
    since?: number;
    onStop?: () => void;
    stopLabel?: string;
    className?: string;
}

/** A wait with words and a clock instead of something that turns. */
export function Waiting({ what, since, onStop, stopLabel = "Stop", className }: WaitingProps) {
    const elapsed = useElapsed(since);
    return (
        <div className={cx("flex min-w-0 items-center gap-2 text-ui text-ink-2", className)}>
            <span aria-hidden className="size-1.5 shrink-0 rounded-full bg-running" />
            <span role="status" className="min-w-0 truncate">
                {what}
            </span>
            {/* A clock that begins to count says nothing yet. */}
            {elapsed >= 1_000 && <Duration ms={elapsed} className="text-small text-ink-3" />}
            {onStop !== undefined && (
                <Button size="small" variant="quiet" onClick={onStop}>
                    {stopLabel}
                </Button>
            )}
        </div>
    );
}

/** The room that something will take, while it is not there. Still. */
export function Skeleton({ lines = 3, className }: { lines?: number; className?: string }) {
    const widths = ["w-full", "w-11/12", "w-4/5", "w-full", "w-2/3"];
    return (
        <div role="status" aria-label="Loading" className={cx("flex flex-col gap-2 py-1", className)}>
            {Array.from({ length: lines }, (_, index) => (
                <div key={index} className={cx("h-3 rounded-[4px] bg-hover", widths[index % widths.length])} />
            ))}
        </div>
    );
}
