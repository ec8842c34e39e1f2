// What was used: one quiet line that opens to more. Its figures keep their width, so it never jumps.

import type { RunState } from "@/backend";
import { Duration, Popover, Properties } from "@/shared";

import { formatMoney, formatNumber, formatTokens, tokensOf } from "./words";

export function CostMeter({ runs }: { runs: readonly RunState[] }) {
    const sum = (part: (run: RunState) => number) => runs.reduce((total, run) => total + part(run), 0);
    const cost = sum((run) => run.cost);
    const tokens = sum((run) => tokensOf(run.usage));
    const doubtful = sum((run) => run.doubtful);
    const twice = sum((run) => run.maybePaidTwice);
    const last = runs[runs.length - 1];
    const budget = last?.budget;
    const limit = budget === undefined ? [] : [typeof budget.cost === "number" && formatMoney(budget.cost), typeof budget.tokens === "number" && formatTokens(budget.tokens), typeof budget.activeMs === "number" && `${Math.round(budget.activeMs / 60_000)} min`].filter((each) => each !== false);
    return (
        <Popover
            label="Cost and tokens"
            align="end"
            trigger={
                <button type="button" aria-label={`Cost and tokens: ${formatMoney(cost)}, ${formatTokens(tokens)}`} className="tabular flex h-6 shrink-0 items-center gap-1.5 rounded-control px-1.5 text-small text-ink-2 hover:bg-hover hover:text-ink">
                    <span>{formatMoney(cost)}</span>
                    <span aria-hidden className="text-ink-faint">
                        /
                    </span>
                    <span>{formatTokens(tokens)}</span>
                </button>
            }
        >
            <p className="mb-1 text-small text-ink-3">{runs.length > 1 ? `${runs.length} questions` : "This question"}</p>
            <Properties
                className="tabular min-w-60"
                items={[
                    { name: "Cost", value: formatMoney(cost) },
                    { name: "Input", value: formatNumber(sum((run) => run.usage.input)) },
                    { name: "From the cache", value: formatNumber(sum((run) => run.usage.cacheRead ?? 0)) },
                    { name: "Written to the cache", value: formatNumber(sum((run) => run.usage.cacheWrite ?? 0)) },
                    { name: "Output", value: formatNumber(sum((run) => run.usage.output)) },
                    { name: "Of it thinking", value: formatNumber(sum((run) => run.usage.thinking ?? 0)) },
                    { name: "Time at work", value: <Duration ms={sum((run) => run.activeMs)} /> },
                    ...(limit.length > 0 ? [{ name: "Budget", value: limit.join(", ") }] : []),
                    ...(doubtful > 0 ? [{ name: "In doubt", value: `at most ${formatMoney(doubtful)} more` }] : []),
                    ...(twice > 0 ? [{ name: "Paid twice, perhaps", value: `${twice} ${twice === 1 ? "call" : "calls"}` }] : []),
                ]}
            />
            {last !== undefined && (
                <p className="mt-2 text-small text-ink-3">
                    {last.connection}
                    {last.model !== "" && `, ${last.model}`}
                </p>
            )}
        </Popover>
    );
}
