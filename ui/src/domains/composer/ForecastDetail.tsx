// Stage by stage what a run is likely to cost, and the sum at which it stops.

import type { ConnectionRow, Forecast, ForecastStage } from "@/backend";
import { formatMoney, formatTokens, shortTokens, tokensOf } from "@/domains/run";
import { Table, TextField, Tooltip, count, cx, dollarsOf, type Column } from "@/shared";

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

/** What is shown of a stage. */
type StageRow = Omit<ForecastStage, "most">;

const COLUMNS: Column<StageRow>[] = [
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
const MONEY: Column<StageRow>[] = [
    { id: "cost", heading: "Likely", numeric: true, render: (stage) => formatMoney(stage.cost) },
];

function Detail({ forecast, over, offline }: { forecast: Forecast; over: string; offline: boolean }) {
    const { stages, unpriced, equivalent, range, most, limit } = forecast;
    const known = range.runs > 0;
    const together: StageRow = {
        stage: " together",
        title: "Total",
        calls: stages.reduce((sum, stage) => sum + stage.calls, 0),
        usage: { input: forecast.tokens, output: 0 },
        cost: forecast.cost,
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
            ) : known ? (
                <Table
                    label="Likely cost by stage"
                    columns={unpriced ? COLUMNS : [...COLUMNS, ...MONEY]}
                    rows={[...stages, ...(stages.length > 1 ? [together] : [])]}
                    keyOf={(stage) => stage.stage}
                />
            ) : (
                <p className="text-ink-2">{count(stages.length, "stage")} call a model.</p>
            )}
            {!offline && (
                <p className="mt-2 text-small text-ink-3">
                    {known
                        ? `Likely: based on ${range.runs === 1 ? "one run" : `${range.runs} runs`} of this agent at this depth.`
                        : "What is likely is not known: no run of this agent at this depth has finished with this model."}
                    {typeof most === "number" &&
                        !unpriced &&
                        ` At most ${formatMoney(most)}${!limit ? "" : ": there a limit in Settings stops it"}.`}
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
