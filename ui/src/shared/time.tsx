import { cx } from "./cx";
import { useOverTime } from "./hooks";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "0.8 s", "12 s", "1 m 12 s", "2 h 05 m". */
export function formatDuration(ms: number): string {
    if (ms < 1_000) return ms < 100 ? `${Math.max(0, Math.round(ms))} ms` : `${(ms / 1_000).toFixed(1)} s`;
    if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
    if (ms < MINUTE) return `${Math.floor(ms / 1_000)} s`;
    const two = (n: number) => String(n).padStart(2, "0");
    if (ms < HOUR) return `${Math.floor(ms / MINUTE)} m ${two(Math.floor((ms % MINUTE) / 1_000))} s`;
    return `${Math.floor(ms / HOUR)} h ${two(Math.floor((ms % HOUR) / MINUTE))} m`;
}

/** How many minutes the person's clock is ahead of UTC: for the days of filters and groups. */
export const offsetMinutes = () => -new Date().getTimezoneOffset();

/** A span of time, in figures that do not jump. */
export function Duration({ ms, className }: { ms: number; className?: string }) {
    return <span className={cx("tabular whitespace-nowrap", className)}>{formatDuration(ms)}</span>;
}

/** "now", "3 m", "2 h", "yesterday", "4 d", "12 Mar", "12 Mar 2024". */
export function formatRelative(at: number, now: number): string {
    const ago = now - at;
    if (ago < MINUTE) return "now";
    if (ago < HOUR) return `${Math.floor(ago / MINUTE)} m`;
    if (ago < DAY) return `${Math.floor(ago / HOUR)} h`;
    if (ago < 2 * DAY) return "yesterday";
    if (ago < 7 * DAY) return `${Math.floor(ago / DAY)} d`;
    const date = new Date(at);
    const sameYear = date.getFullYear() === new Date(now).getFullYear();
    return date.toLocaleDateString("en-GB", {
        day: "numeric",
        month: "short",
        ...(sameYear ? {} : { year: "numeric" }),
    });
}

/** The time for a machine; undefined where it is none that a calendar knows: it may come from a file that was imported. */
export function isoOf(at: number): string | undefined {
    const date = new Date(at);
    return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** How long ago; the full date on hover. */
export function RelativeTime({ at, className }: { at: number; className?: string }) {
    const words = useOverTime((now) => formatRelative(at, now));
    const date = new Date(at);
    return (
        <time
            dateTime={isoOf(at)}
            title={date.toLocaleString("en-GB")}
            className={cx("tabular whitespace-nowrap", className)}
        >
            {words}
        </time>
    );
}

/** "Today", "Yesterday", "Earlier this week", "March 2026": headings of a list by time. */
export function dayHeading(at: number, now: number): string {
    const midnight = new Date(now).setHours(0, 0, 0, 0);
    if (at >= midnight) return "Today";
    if (at >= midnight - DAY) return "Yesterday";
    if (at >= midnight - 6 * DAY) return "Earlier this week";
    return new Date(at).toLocaleDateString("en-GB", { month: "long", year: "numeric" });
}
