// Under the text: what the run is likely to cost, and what it may cost at most.

import { useState } from "react";

import { skip, useQuery, type Forecast, type ForecastQuery, type ForecastStage } from "@/backend";
import { formatMoney, formatTokens, shortTokens, tokensOf } from "@/domains/run";
import { Popover, Table, TextField, Tooltip, cx, useSettled, type Column } from "@/shared";

import { dollarsOf, forecastWords } from "./forecast";
import type { Options } from "./options";

/** A forecast is made anew when typing pauses for so long. */
const SETTLE_MS = 500;

/** What a run with these options and this text is likely to use. The last one stays while the next is made. */
export function useForecast(options: Options, text: string, agent: string | undefined, wanted: boolean): { forecast: Forecast | undefined; problem: string | undefined } {
    const request = useSettled(text, SETTLE_MS);
    const slug = agent ?? options.agent?.slug;
    const query: ForecastQuery | undefined =
        slug === undefined || !wanted
            ? undefined
            : {
                  agent: slug,
                  depth: options.depth === "" ? null : options.depth,
                  connection: options.choice?.connection ?? null,
                  model: options.choice?.model ?? null,
                  request,
              };
    const { data, problem } = useQuery("run_forecast", query ?? skip);
    const [last, setLast] = useState<Forecast | undefined>();
    if (data !== undefined && data !== last) setLast(data);
    return { forecast: data ?? (problem === undefined ? last : undefined), problem: problem?.message };
}

export function ForecastLine({ forecast, problem, options }: { forecast: Forecast | undefined; problem: string | undefined; options: Options }) {
    const dollars = dollarsOf(options.budget);
    const limit = typeof dollars === "number" ? Math.round(dollars * 1e9) : null;
    const over = options.connections.find((row) => row.slug === forecast?.connection);
    const words = forecast === undefined ? undefined : forecastWords(forecast, limit, over?.provider === "offline");
    if (words === undefined && problem === undefined && limit === null) return null;
    const shown = words === undefined ? "" : [words.money, words.tokens].filter((part) => part !== "").join(", ");
    return (
        <Popover
            label="What it is likely to cost"
            align="end"
            side="top"
            className="w-[26rem]"
            trigger={
                <button type="button" className="tabular ml-auto flex h-6 max-w-full min-w-0 items-center rounded-control px-1.5 text-small text-ink-2 hover:bg-hover hover:text-ink">
                    <span className="min-w-0 truncate">
                        {words === undefined ? "No forecast" : shown.charAt(0).toUpperCase() + shown.slice(1)}
                        {words !== undefined && words.from !== "" && <span className="hidden @min-[40rem]:inline">, {words.from}</span>}
                        {limit !== null && words?.warning === "" && <span className="text-ink-3">, stops at {formatMoney(limit)}</span>}
                        {words !== undefined && words.warning !== "" && <span className="text-needs">, {words.warning}</span>}
                    </span>
                </button>
            }
        >
            {forecast === undefined ? <p className="text-ink-2">{problem ?? "Nothing is known yet."}</p> : <Detail forecast={forecast} over={over?.name ?? forecast.connection} offline={over?.provider === "offline"} />}
            <Limit options={options} forecast={forecast} wrong={dollars === null} />
        </Popover>
    );
}

const COLUMNS: Column<ForecastStage>[] = [
    { id: "stage", heading: "Stage", render: (stage) => stage.title || stage.stage },
    { id: "calls", heading: "Requests", numeric: true, render: (stage) => stage.calls.toLocaleString("en-GB", { maximumFractionDigits: 1 }) },
    { id: "tokens", heading: "Tokens", numeric: true, render: (stage) => <Tooltip label={formatTokens(Math.round(tokensOf(stage.usage)))}><span>{shortTokens(tokensOf(stage.usage))}</span></Tooltip> },
];
const MONEY: Column<ForecastStage>[] = [
    { id: "cost", heading: "Likely", numeric: true, render: (stage) => formatMoney(stage.cost) },
    { id: "most", heading: "At most", numeric: true, render: (stage) => formatMoney(stage.most) },
];

function Detail({ forecast, over, offline }: { forecast: Forecast; over: string; offline: boolean }) {
    const { stages, unpriced, equivalent, runs } = forecast;
    const together: ForecastStage = {
        stage: " together",
        title: "Together",
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
            {stages.length === 0 ? (
                <p className="text-ink-2">None of its stages asks a model.</p>
            ) : (
                <Table label="Likely cost by stage" columns={unpriced ? COLUMNS : [...COLUMNS, ...MONEY]} rows={[...stages, ...(stages.length > 1 ? [together] : [])]} keyOf={(stage) => stage.stage} />
            )}
            <p className="mt-2 text-small text-ink-3">
                {offline && "It selects and quotes on this machine. Its tokens are those of the texts that it reads. "}
                {runs > 0 ? `Likely: as ${runs === 1 ? "one earlier run" : `${runs} earlier runs`} of this agent went.` : "No earlier run to go by: estimated from the agent’s limits."} At most: every stage at its limits, every repair used.
                {equivalent && " A flat rate pays: the sums are what it would cost by use."}
                {unpriced && " Without a price no sum can be told: give one in the connection’s models."}
            </p>
        </>
    );
}

function Limit({ options, forecast, wrong }: { options: Options; forecast: Forecast | undefined; wrong: boolean }) {
    const own = forecast?.budget ?? null;
    return (
        <div className={cx("mt-3 border-t border-hairline pt-3")}>
            <TextField
                label="Stop at (US dollars, optional)"
                inputMode="decimal"
                value={options.budget}
                onChange={options.setBudget}
                placeholder={own === null ? "No limit" : formatMoney(own)}
                error={wrong ? "A sum such as 2 or 0.50." : undefined}
                hint={forecast?.equivalent === true ? "A flat rate pays: what it is worth counts in no limit of money." : "The run stops before a request that could go over it, and asks you."}
                className="max-w-60"
            />
        </div>
    );
}
