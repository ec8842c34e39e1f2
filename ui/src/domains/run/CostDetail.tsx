// What was used, figure by figure.

import type { RunState, StageRow, TurnHead, Usage } from "@/backend";
import { Duration, Properties, Table, cx, type Column } from "@/shared";

import type { ContextShare } from "./CostMeter";
import { NEARLY, ShareBar } from "./ShareBar";
import { asksNone, formatMoney, formatNumber, formatTokens, shortTokens, spentOf, tokensOf } from "./labels";

export interface CostDetailProps {
    runs: readonly RunState[];
    all: readonly (RunState | TurnHead)[];
    /** The run that came last, where that is no turn. */
    last: RunState | undefined;
    head: TurnHead | undefined;
    context: ContextShare | undefined;
}

export function CostDetail({ runs, all, last, head, context }: CostDetailProps) {
    const sum = (part: (one: RunState | TurnHead) => number) => all.reduce((total, one) => total + part(one), 0);
    const asking = all.filter((one) => !asksNone(one));
    const used = (part: (usage: Usage) => number) => asking.reduce((total, one) => total + part(one.usage), 0);
    const spent = spentOf(all);
    const doubtful = sum((run) => run.doubtful);
    const twice = runs.reduce((total, run) => total + run.maybePaidTwice, 0);
    const budget = last?.budget;
    const limit =
        budget === undefined
            ? []
            : [
                  typeof budget.cost === "number" && formatMoney(budget.cost),
                  typeof budget.tokens === "number" && formatTokens(budget.tokens),
                  typeof budget.activeMs === "number" && `${Math.round(budget.activeMs / 60_000)} min`,
              ].filter((each) => each !== false);
    return (
        <>
            {context !== undefined && (
                <div className="mb-3">
                    <p className="flex justify-between gap-4 text-small">
                        <span className="text-ink-3">Context of the last request</span>
                        <span className={cx("tabular", context.share >= NEARLY && "text-needs")}>
                            {shortTokens(context.used)} of {shortTokens(context.window)} tokens
                        </span>
                    </p>
                    <ShareBar share={context.share} className="mt-1 w-full" />
                </div>
            )}
            <p className="mb-1 text-small text-ink-3">{all.length > 1 ? `${all.length} questions` : "This question"}</p>
            <Properties
                className="tabular min-w-60"
                items={[
                    {
                        name: "Billed",
                        value:
                            spent.unpriced && spent.cost === 0
                                ? "no price known"
                                : `${formatMoney(spent.cost)}${spent.unpriced ? " plus unpriced requests" : ""}`,
                    },
                    ...(spent.equivalent > 0
                        ? [{ name: "Covered by subscription", value: formatMoney(spent.equivalent) }]
                        : []),
                    ...(asking.length === 0
                        ? [{ name: "Tokens", value: "no model was asked" }]
                        : [
                              { name: "Input", value: formatNumber(used((usage) => usage.input)) },
                              { name: "Cache read", value: formatNumber(used((usage) => usage.cacheRead ?? 0)) },
                              { name: "Cache write", value: formatNumber(used((usage) => usage.cacheWrite ?? 0)) },
                              { name: "Output", value: formatNumber(used((usage) => usage.output)) },
                              { name: "Of which thinking", value: formatNumber(used((usage) => usage.thinking ?? 0)) },
                          ]),
                    { name: "Active time", value: <Duration ms={sum((run) => run.activeMs)} /> },
                    ...(limit.length > 0 ? [{ name: "Budget", value: limit.join(", ") }] : []),
                    ...(doubtful > 0 ? [{ name: "Unconfirmed", value: `up to ${formatMoney(doubtful)} more` }] : []),
                    ...(twice > 0
                        ? [{ name: "Possibly paid twice", value: `${twice} ${twice === 1 ? "call" : "calls"}` }]
                        : []),
                ]}
            />
            {last !== undefined && !asksNone(last) && <Stages run={last} />}
            {(head ?? last) !== undefined && (
                <p className="mt-2 text-small text-ink-3">
                    {(head ?? last)?.connection}
                    {(head ?? last)?.model !== "" && `, ${(head ?? last)?.model}`}
                </p>
            )}
        </>
    );
}

const COLUMNS: Column<StageRow>[] = [
    { id: "stage", heading: "Stage", render: (stage) => stage.title },
    { id: "tokens", heading: "Tokens", numeric: true, render: (stage) => formatNumber(tokensOf(stage.usage)) },
    { id: "cost", heading: "Cost", numeric: true, render: (stage) => formatMoney(stage.cost) },
];

function Stages({ run }: { run: RunState }) {
    const asked = run.stages.filter((stage) => tokensOf(stage.usage) > 0);
    if (asked.length === 0) return null;
    return (
        <div className="mt-3">
            <p className="text-small text-ink-3">By stage, latest question</p>
            <Table label="Cost by stage" columns={COLUMNS} rows={asked} keyOf={(stage) => String(stage.id)} />
        </div>
    );
}
