// What a mission would begin with, before it is started: what it is likely to cost, when it is done, within which limits, and which
// agents it would do without.

import { useState } from "react";

import { skip, useQuery, type Params } from "@/backend";
import { Fold, problemText, useDebounced } from "@/shared";

import { amount, forecastWords, limitLabel, measureOf } from "./labels";

/** A forecast is made anew when typing pauses for so long. */
const DEBOUNCE_MS = 500;

/** `start` is undefined while it can't be started. */
export function StartForecast({ start }: { start: Params<"mission_forecast"> | undefined }) {
    // Compared by its words: it is made anew with every rendering.
    const settled = useDebounced(start === undefined ? "" : JSON.stringify(start), DEBOUNCE_MS);
    const wanted = settled === "" ? skip : (JSON.parse(settled) as Params<"mission_forecast">);
    const query = useQuery("mission_forecast", wanted);
    const { problem } = query;
    // The last one stays while the next is made.
    const [last, setLast] = useState(query.data);
    if (query.data !== undefined && query.data !== last) setLast(query.data);
    const data = query.data ?? (problem === undefined ? last : undefined);
    if (data === undefined)
        return problem === undefined ? null : (
            <p className="text-small text-ink-3">{problemText(problem, "No forecast")}</p>
        );
    const { agents, leftOut, criteria, limits } = data.outline;
    const set = limits.flatMap(({ dimension, limit, used }) =>
        limit === null ? [] : [`${limitLabel({ dimension, limit, used })} ${amount(dimension, limit)}`],
    );
    const rows = [
        { name: "Done when", words: Object.entries(criteria).map(([name, one]) => targetWords(name, one)) },
        { name: "Limits", words: set },
        { name: "Agents", words: agents.map(({ name, base }) => (base === null ? name : `${name} (${base})`)) },
        { name: "Without", words: leftOut },
    ].filter(({ words }) => words.length > 0);
    return (
        <Fold label="Forecast" note={<span className="tabular text-small text-ink-2">{forecastWords(data)}</span>}>
            <dl className="mt-2 grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1 text-ui">
                {rows.map(({ name, words }) => (
                    <div key={name} className="contents">
                        <dt className="text-ink-3">{name}</dt>
                        <dd className="min-w-0 break-words">{words.join("; ")}</dd>
                    </div>
                ))}
            </dl>
        </Fold>
    );
}

/** What a criterion has to reach. */
function targetWords(name: string, criterion: Parameters<typeof measureOf>[1]): string {
    const { label, text } = measureOf(name, { ...criterion, value: 0 });
    if (name.startsWith("validation ")) return label;
    return criterion.target === 0 ? `${label}: none` : `${label}: ${text.replace(/^.*, /, "")}`;
}
