// What was used: one quiet line that opens to more. Its figures keep their width, so it never jumps.

import { skip, useQuery, type RunState, type StageRow, type TurnHead, type Usage } from "@/backend";
import { Duration, Popover, Properties, Table, cx, type Column } from "@/shared";

import { formatMoney, formatNumber, formatTokens, shortTokens, spentOf, spentWord, tokensOf } from "./words";

/** `head`: of the turn that came last, where that is no run. Its context is what the next request begins with. */
export function CostMeter({ runs, turns = [], head }: { runs: readonly RunState[]; turns?: readonly TurnHead[]; head?: TurnHead }) {
    const all: readonly (RunState | TurnHead)[] = [...runs, ...turns];
    const sum = (part: (one: RunState | TurnHead) => number) => all.reduce((total, one) => total + part(one), 0);
    const spent = spentOf(all);
    const tokens = sum((run) => tokensOf(run.usage));
    const doubtful = sum((run) => run.doubtful);
    const twice = runs.reduce((total, run) => total + run.maybePaidTwice, 0);
    const last = head === undefined ? runs[runs.length - 1] : undefined;
    const budget = last?.budget;
    const limit = budget === undefined ? [] : [typeof budget.cost === "number" && formatMoney(budget.cost), typeof budget.tokens === "number" && formatTokens(budget.tokens), typeof budget.activeMs === "number" && `${Math.round(budget.activeMs / 60_000)} min`].filter((each) => each !== false);
    const asked = useContextShare(last);
    const context = head === undefined ? asked : head.window > 0 && head.context > 0 ? { used: head.context, window: head.window, share: Math.min(1, head.context / head.window) } : undefined;
    return (
        <Popover
            label="Context, cost and tokens"
            align="end"
            trigger={
                <button
                    type="button"
                    className="tabular flex h-6 shrink-0 items-center gap-1.5 rounded-control px-1.5 text-small text-ink-2 hover:bg-hover hover:text-ink"
                >
                    {context !== undefined && (
                        <>
                            <Bar share={context.share} className="w-10" />
                            <span>
                                <span className="sr-only">Context </span>
                                {percent(context.share)}
                                <span className="sr-only"> full</span>
                            </span>
                            <Slash />
                        </>
                    )}
                    <span>
                        <span className="sr-only">Cost and tokens: </span>
                        {spentWord(spent)}
                    </span>
                    <Slash />
                    <span>{formatTokens(tokens)}</span>
                </button>
            }
        >
            {context !== undefined && (
                <div className="mb-3">
                    <p className="flex justify-between gap-4 text-small">
                        <span className="text-ink-3">Context of the last request</span>
                        <span className={cx("tabular", context.share >= NEARLY && "text-needs")}>
                            {shortTokens(context.used)} of {shortTokens(context.window)} tokens
                        </span>
                    </p>
                    <Bar share={context.share} className="mt-1 w-full" />
                </div>
            )}
            <p className="mb-1 text-small text-ink-3">{all.length > 1 ? `${all.length} questions` : "This question"}</p>
            <Properties
                className="tabular min-w-60"
                items={[
                    { name: "Billed", value: spent.unpriced && spent.cost === 0 ? "no price known" : `${formatMoney(spent.cost)}${spent.unpriced ? " and what has no known price" : ""}` },
                    ...(spent.equivalent > 0 ? [{ name: "Flat rate, worth", value: formatMoney(spent.equivalent) }] : []),
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
            {last !== undefined && <Stages run={last} />}
            {(head ?? last) !== undefined && (
                <p className="mt-2 text-small text-ink-3">
                    {(head ?? last)?.connection}
                    {(head ?? last)?.model !== "" && `, ${(head ?? last)?.model}`}
                </p>
            )}
        </Popover>
    );
}

/** From this share on a window counts as nearly full. */
const NEARLY = 0.85;

const percent = (share: number) => `${Math.round(share * 100)} %`;

const Slash = () => (
    <>
        <span aria-hidden className="text-ink-faint">
            /
        </span>
        <span className="sr-only">, </span>
    </>
);

function Bar({ share, className }: { share: number; className: string }) {
    return (
        <span aria-hidden className={cx("relative block h-1 overflow-hidden rounded-full bg-hairline", className)}>
            <span className={cx("absolute inset-y-0 left-0 rounded-full", share >= NEARLY ? "bg-needs-rule" : "bg-accent")} style={{ width: `${Math.min(100, share * 100)}%` }} />
        </span>
    );
}

/** What stood in the window after a request: everything that was read and what was written. */
export function contextOf(usage: Usage, window: number): { used: number; window: number; share: number } | undefined {
    const used = tokensOf(usage);
    return window > 0 && used > 0 ? { used, window, share: Math.min(1, used / window) } : undefined;
}

/** How full the window of the run's model was at its last request; undefined where the one or the other is not known. */
function useContextShare(run: RunState | undefined): ReturnType<typeof contextOf> {
    const asks = run !== undefined && run.model !== "" && run.connection !== "offline";
    const { data: calls } = useQuery("usage_list", asks ? { query: { run: run.run }, limit: 1 } : skip);
    const { data: connection } = useQuery("connection_show", asks ? { slug: run.connection } : skip);
    const call = calls?.[0];
    const model = connection?.models.find((each) => each.id === call?.model) ?? connection?.models.find((each) => each.id === run?.model);
    return call === undefined || model === undefined ? undefined : contextOf(call.usage, model.contextWindow);
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
            <p className="text-small text-ink-3">By stage, the newest question</p>
            <Table label="Cost by stage" columns={COLUMNS} rows={asked} keyOf={(stage) => String(stage.id)} />
        </div>
    );
}
