// A schedule by time of day and weekday, and the cron pattern that says the same. Pure.

export const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;

/** A time of day on some days of the week. */
export interface ClockTime {
    /** `HH:MM`. */
    time: string;
    /** 1 is Monday, 7 is Sunday; in order. Never empty. */
    days: readonly number[];
}

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7] as const;

function daysOf(field: string): number[] | undefined {
    if (field === "*") return [...EVERY_DAY];
    const found = new Set<number>();
    for (const part of field.split(",")) {
        const hit = /^([0-7])(?:-([0-7]))?$/.exec(part);
        if (hit === null) return undefined;
        const from = Number(hit[1]);
        const to = Number(hit[2] ?? hit[1]);
        if (from > to) return undefined;
        // Sunday is 0 as well as 7.
        for (let day = from; day <= to; day += 1) found.add(day === 0 ? 7 : day);
    }
    return [...found].sort((a, b) => a - b);
}

/** What a cron pattern says, where it is a time of day on some weekdays; undefined for everything else. */
export function clockOf(cron: string): ClockTime | undefined {
    const [minute, hour, day, month, weekday, ...more] = cron.trim().split(/\s+/);
    if (more.length > 0 || day !== "*" || month !== "*") return undefined;
    if (!/^\d{1,2}$/.test(minute ?? "") || !/^\d{1,2}$/.test(hour ?? "")) return undefined;
    if (Number(minute) > 59 || Number(hour) > 23) return undefined;
    const days = daysOf(weekday ?? "");
    if (days === undefined || days.length === 0) return undefined;
    return { time: `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`, days };
}

/** The cron pattern of a time. */
export function cronOf({ time, days }: ClockTime): string {
    const [hour = "0", minute = "0"] = time.split(":");
    const list = [...days].sort((a, b) => a - b);
    const [first = 1] = list;
    const last = list[list.length - 1] ?? first;
    const weekday =
        list.length === 7
            ? "*"
            : list.length > 2 && last - first === list.length - 1
              ? `${first}-${last}`
              : list.join(",");
    return `${Number(minute)} ${Number(hour)} * * ${weekday}`;
}
