// Stage by stage what a run is likely to cost, and the sum at which it stops.

import type { ConnectionRow, Forecast, ForecastStage } from "@/backend";
import { formatMoney, formatTokens, shortTokens, tokensOf } from "@/domains/run";
import { Table, TextField, Tooltip, cx, dollarsOf, type Column } from "@/shared";

import type { Options } from "./options";

export interface ForecastDetailProps {
    forecast: Forecast | undefined;
    problem: string | undefined;
    options: Options;
    /** The connection that it goes over. */
    over: ConnectionRow | undefined;
}

export function ForecastDetail({ forecast, problem, options, over }: ForecastDetailProps) {
    return (
        <>
            {forecast === undefined ? (
                <p className="text-ink-2">{problem ?? "No forecast yet."}</p>
            ) : (
                <Detail
                    forecast={forecast}
                    over={over?.name ?? forecast.connection}
                    offline={over?.provider === "offline"}
                />
            )}
            <Limit options={options} forecast={forecast} wrong={dollarsOf(options.budget) === null} />
        </>
    );
}

const COLUMNS: Column<ForecastStage>[] = [
    { id: "stage", heading: "Stage", render: (stage) => stage.title || stage.stage },
    {
        id: "calls",
        heading: "Requests",
        numeric: true,
        render: (stage) => stage.calls.toLocaleString("en-GB", { maximumFractionDigits: 1 }),
    },
    {
        id: "tokens",
        heading: "Tokens",
        numeric: true,
        render: (stage) => (
            <Tooltip label={formatTokens(Math.round(tokensOf(stage.usage)))}>
                <span>{shortTokens(tokensOf(stage.usage))}</span>
            </Tooltip>
        ),
    },
];
const MONEY: Column<ForecastStage>[] = [
    { id: "cost", heading: "Likely", numeric: true, render: (stage) => formatMoney(stage.cost) },
    { id: "most", heading: "At most", numeric: true, render: (stage) => formatMoney(stage.most) },
];

function Detail({ forecast, over, offline }: { forecast: Forecast; over: string; offline: boolean }) {
    const { stages, unpriced, equivalent, runs } = forecast;
    const together: ForecastStage = {
        stage: " together",
        title: "Total",
        calls: stages.reduce((sum, stage) => sum + stage.calls, 0),
        usage: { input: forecast.tokens, output: 0 },
        cost: forecast.cost,
        most: forecast.most,
    };
    return (
        <>
            <p className="mb-2 text-small text-ink-2">
                {over}
                {forecast.model !== "" && !offline && `, ${forecast.model}`}
            </p>
            {offline ? (
                <p className="text-ink-2">
                    The offline engine selects and quotes on this machine. No model is asked, and nothing is billed.
                </p>
            ) : stages.length === 0 ? (
                <p className="text-ink-2">No stage of this agent calls a model.</p>
            ) : (
                <Table
                    label="Likely cost by stage"
                    columns={unpriced ? COLUMNS : [...COLUMNS, ...MONEY]}
                    rows={[...stages, ...(stages.length > 1 ? [together] : [])]}
                    keyOf={(stage) => stage.stage}
                />
            )}
            {!offline && (
                <p className="mt-2 text-small text-ink-3">
                    {runs > 0
                        ? `Likely: based on ${runs === 1 ? "one earlier run" : `${runs} earlier runs`} of this agent.`
                        : "Likely: estimated from the agent’s limits, as there are no earlier runs."}{" "}
                    At most: every stage at its limits, every repair used.
                    {equivalent && " Covered by your subscription: amounts show the pay-per-use price."}
                    {unpriced && " The model has no known price: enter one in the connection’s models."}
                </p>
            )}
        </>
    );
}

function Limit({ options, forecast, wrong }: { options: Options; forecast: Forecast | undefined; wrong: boolean }) {
    const own = forecast?.budget ?? null;
    return (
        <div className={cx("mt-3 border-t border-hairline pt-3")}>
            <TextField
                label="Pause at (US dollars, optional)"
                inputMode="decimal"
                value={options.budget}
                onChange={options.setBudget}
                placeholder={own === null ? "No limit" : formatMoney(own)}
                error={wrong ? "Enter an amount such as 2 or 0.50." : undefined}
                hint={
                    forecast?.equivalent === true
                        ? "Covered by your subscription; not counted against dollar budgets."
                        : "The run pauses before a request that could exceed this limit, and asks you."
                }
                className="max-w-60"
            />
        </div>
    );
}
