// Spans of time that usage is looked at, the days in them, and their bars. Pure.

import type { Usage, UsageQuery, UsageSum } from "@/backend";

export const RANGES = [
    { id: "7", word: "7 days" },
    { id: "30", word: "30 days" },
    { id: "90", word: "90 days" },
    { id: "all", word: "All" },
] as const;

export type RangeId = (typeof RANGES)[number]["id"];

export function rangeOf(text: string | undefined): RangeId {
    return RANGES.find((range) => range.id === text)?.id ?? "30";
}

/** What is asked for. `midnight`: the last one here, in milliseconds since 1970. */
export function queryOf(range: RangeId, midnight: number): UsageQuery {
    const utcOffsetMinutes = -new Date(midnight).getTimezoneOffset();
    if (range === "all") return { utcOffsetMinutes };
    const day = new Date(midnight);
    day.setDate(day.getDate() - (Number(range) - 1));
    return { from: day.getTime(), utcOffsetMinutes };
}

const NOTHING: Usage = { input: 0, output: 0 };

/** `2026-03-09` of a moment, here. */
export function dayOf(at: number): string {
    const date = new Date(at);
    const two = (number: number) => String(number).padStart(2, "0");
    return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** How many bars one chart has at most: beyond it days are put together. */
const MAX_BARS = 92;

/** Every day of the range, those without usage too. A long time is put together into weeks or months: `to` is then the last day of each. */
export function barsOf(
    days: readonly UsageSum[],
    range: RangeId,
    midnight: number,
): { bars: (UsageSum & { to: string })[]; step: "day" | "week" | "month" } {
    const first = range === "all" ? days[0]?.key : dayOf(queryOf(range, midnight).from ?? midnight);
    if (first === undefined) return { bars: [], step: "day" };
    const known = new Map(days.map((day) => [day.key, day]));
    const all: UsageSum[] = [];
    const [year = 1970, month = 1, date = 1] = first.split("-").map(Number);
    const at = new Date(year, month - 1, date);
    for (; at.getTime() <= midnight && all.length < 20_000; at.setDate(at.getDate() + 1)) {
        const key = dayOf(at.getTime());
        all.push(
            known.get(key) ?? {
                key,
                title: key,
                calls: 0,
                failed: 0,
                usage: NOTHING,
                cost: 0,
                equivalent: 0,
                unpriced: 0,
            },
        );
    }
    if (all.length <= MAX_BARS) return { bars: all.map((day) => ({ ...day, to: day.key })), step: "day" };
    const step = all.length <= MAX_BARS * 7 ? "week" : "month";
    const bars: (UsageSum & { to: string })[] = [];
    all.forEach((day, index) => {
        const begins = step === "week" ? (all.length - 1 - index) % 7 === 6 : day.key.endsWith("-01");
        const last = bars[bars.length - 1];
        if (last === undefined || begins) bars.push({ ...day, to: day.key });
        else bars[bars.length - 1] = { ...sum(last, day), to: day.key };
    });
    return { bars, step };
}

/** Two sums as one, under the first one's name. */
export function sum(a: UsageSum, b: UsageSum): UsageSum {
    const both = (part: (usage: Usage) => number | undefined) => (part(a.usage) ?? 0) + (part(b.usage) ?? 0);
    return {
        ...a,
        calls: a.calls + b.calls,
        failed: a.failed + b.failed,
        cost: a.cost + b.cost,
        equivalent: a.equivalent + b.equivalent,
        unpriced: a.unpriced + b.unpriced,
        usage: {
            input: both((usage) => usage.input),
            output: both((usage) => usage.output),
            thinking: both((usage) => usage.thinking),
            cacheRead: both((usage) => usage.cacheRead),
            cacheWrite: both((usage) => usage.cacheWrite),
            cacheWriteLong: both((usage) => usage.cacheWriteLong),
        },
    };
}

/** A round number that is at least `most`: 1, 2 or 5 times a power of ten. */
export function ceilingOf(most: number): number {
    if (most <= 0) return 1;
    const power = 10 ** Math.floor(Math.log10(most));
    const factor = [1, 2, 5, 10].find((each) => each * power >= most * 0.999_999) ?? 10;
    return factor * power;
}

/** "9 Mar", and for several days "9–15 Mar" or "26 Feb – 4 Mar". */
export function dayWord(from: string, to: string = from): string {
    const word = (day: string, options: Intl.DateTimeFormatOptions) => {
        const [year = 1970, month = 1, date = 1] = day.split("-").map(Number);
        return new Date(year, month - 1, date).toLocaleDateString("en-GB", options);
    };
    const short = { day: "numeric", month: "short" } as const;
    if (from === to) return word(from, short);
    if (from.slice(0, 7) === to.slice(0, 7)) return `${word(from, { day: "numeric" })}–${word(to, short)}`;
    return `${word(from, short)} – ${word(to, short)}`;
}
