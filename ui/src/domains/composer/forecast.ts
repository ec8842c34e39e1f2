// What a run is likely to cost, in words that promise no more than is known. Pure.

import type { Forecast, NanoUsd } from "@/backend";
import { formatMoney, shortTokens } from "@/domains/run";

export interface ForecastWords {
    /** The money, or why there is none. */
    money: string;
    tokens: string;
    /** Where the figures come from. */
    from: string;
    /** What the person should know before asking. */
    warning: string;
}

/** "likely $0.12, at most $0.80"; what is likely, only runs of the same depth tell. */
function span(likely: NanoUsd | null, most: NanoUsd | null): string {
    const [low, high] = [likely, most].map((amount) => (amount === null ? null : formatMoney(amount)));
    if (likely !== null && most !== null && (most <= likely || low === high)) return `likely ${low}`;
    const parts = [low === null ? "" : `likely ${low}`, high === null ? "" : `at most ${high}`];
    return parts.filter((part) => part !== "").join(", ") || "no limit on money stops it";
}

/** `limit`: the most that the person set, in billionths of a dollar; `asksNone`: it goes over the engine that asks no model. */
export function forecastWords(forecast: Forecast, limit: NanoUsd | null, asksNone = false): ForecastWords {
    if (asksNone) return { money: "free: the offline engine calls no model", tokens: "", from: "", warning: "" };
    const { range, equivalent, unpriced, model } = forecast;
    const known = range.runs > 0;
    const likely = known ? range.cost.likely : null;
    const most = [forecast.most ?? null, limit]
        .filter((each): each is number => each !== null)
        .sort((a, b) => a - b)[0];
    const tokens = known ? range.tokens.likely : 0;
    const free = !unpriced && !equivalent && forecast.most === 0;
    const money = unpriced
        ? `no known price for ${model}`
        : free
          ? "free"
          : equivalent
            ? `subscription${likely === null ? "" : `, worth ${formatMoney(likely)}`}`
            : span(likely, most ?? null);
    const bound = [limit, forecast.budget].filter((each): each is number => each !== null).sort((a, b) => a - b)[0];
    // A budget of money bounds only what is billed by use.
    const warned = bound !== undefined && !unpriced && !equivalent && likely !== null && likely > bound;
    return {
        money,
        tokens: tokens > 0 ? `about ${shortTokens(tokens)} tokens` : "",
        from: free
            ? ""
            : known
              ? `from ${range.runs === 1 ? "one run" : `${range.runs} runs`} like it`
              : "no earlier run at this depth",
        warning: warned ? `more than the limit of ${formatMoney(bound)}` : "",
    };
}
