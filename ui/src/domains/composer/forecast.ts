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

/** "$0.12 (at most $0.80)", or without a second figure where it says nothing more. */
function span(likely: NanoUsd, most: NanoUsd): string {
    const [low, high] = [formatMoney(likely), formatMoney(most)];
    return most > likely && low !== high ? `${low} (at most ${high})` : low;
}

/** `limit`: the most that the person set, in billionths of a dollar; `asksNone`: it goes over the engine that asks no model. */
export function forecastWords(forecast: Forecast, limit: NanoUsd | null, asksNone = false): ForecastWords {
    if (asksNone) return { money: "free: the offline engine calls no model", tokens: "", from: "", warning: "" };
    const { cost, most, tokens, runs, equivalent, unpriced, model } = forecast;
    const known = runs > 0;
    const free = !unpriced && !equivalent && cost === 0 && most === 0;
    const money = unpriced
        ? `no known price for ${model}`
        : free
          ? "free"
          : equivalent
            ? `subscription, worth ${known ? "" : "roughly "}${span(cost, most)}`
            : `${known ? "likely" : "roughly"} ${span(cost, most)}`;
    const bound = [limit, forecast.budget].filter((each): each is number => each !== null).sort((a, b) => a - b)[0];
    // A budget of money bounds only what is billed by use.
    const warned = bound !== undefined && !unpriced && !equivalent && cost > bound;
    return {
        money,
        tokens: tokens > 0 ? `about ${shortTokens(tokens)} tokens` : "",
        from:
            free && tokens === 0
                ? ""
                : known
                  ? `from ${runs === 1 ? "one earlier run" : `${runs} earlier runs`}`
                  : "from the agent’s limits alone",
        warning: warned ? `more than the limit of ${formatMoney(bound)}` : "",
    };
}
