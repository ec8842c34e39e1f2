// Under the text: what the run is likely to cost, and what it may cost at most.

import { useState } from "react";

import { skip, useQuery, type Forecast, type ForecastQuery } from "@/backend";
import { formatMoney } from "@/domains/run";
import { hrefOf } from "@/routes";
import { Popover, Skeleton, dollarsOf, lazyPart, useDebounced } from "@/shared";

import { forecastWords } from "./forecast";
import type { Options } from "./options";

const ForecastDetail = lazyPart(
    () => import("./ForecastDetail").then((part) => part.ForecastDetail),
    <Skeleton lines={6} />,
);

/** A forecast is made anew when typing pauses for so long. */
const DEBOUNCE_MS = 500;

/** What a run with these options and this text is likely to use. The last one stays while the next is made. */
export function useForecast(
    options: Options,
    text: string,
    agent: string | undefined,
    wanted: boolean,
): { forecast: Forecast | undefined; problem: string | undefined } {
    const request = useDebounced(text, DEBOUNCE_MS);
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

export function ForecastLine({
    forecast,
    problem,
    options,
}: {
    forecast: Forecast | undefined;
    problem: string | undefined;
    options: Options;
}) {
    const dollars = dollarsOf(options.budget);
    const limit = typeof dollars === "number" ? Math.round(dollars * 1e9) : null;
    const over = options.connections.find((row) => row.slug === forecast?.connection);
    const words = forecast === undefined ? undefined : forecastWords(forecast, limit, over?.provider === "offline");
    if (words === undefined && problem === undefined && limit === null) return null;
    const shown = words === undefined ? "" : [words.money, words.tokens].filter((part) => part !== "").join(", ");
    return (
        <span className="ml-auto flex max-w-full min-w-0 items-center gap-2">
            {forecast?.noWebSearch === true && <NoWebSearch />}
            <Popover
                label="Likely cost"
                align="end"
                side="top"
                className="w-[26rem]"
                trigger={
                    <button
                        type="button"
                        className="tabular flex h-6 max-w-full min-w-0 items-center rounded-control px-1.5 text-small text-ink-2 hover:bg-hover hover:text-ink"
                    >
                        <span className="min-w-0 truncate">
                            {words === undefined ? "No forecast" : shown.charAt(0).toUpperCase() + shown.slice(1)}
                            {words !== undefined && words.from !== "" && (
                                <span className="hidden @min-[40rem]:inline">, {words.from}</span>
                            )}
                            {limit !== null && words?.warning === "" && (
                                <span className="text-ink-3">, pauses at {formatMoney(limit)}</span>
                            )}
                            {words !== undefined && words.warning !== "" && (
                                <span className="text-needs">, {words.warning}</span>
                            )}
                        </span>
                    </button>
                }
            >
                <ForecastDetail forecast={forecast} problem={problem} options={options} over={over} />
            </Popover>
        </span>
    );
}

/** Why nothing is searched in the web, with the way to where that is changed. */
function NoWebSearch() {
    const { data } = useQuery("web_search_show", null);
    return (
        <a
            href={hrefOf({ page: "settings", section: "credentials" })}
            className="min-w-0 truncate rounded-[4px] text-small text-needs hover:underline"
        >
            {data?.locked === true ? "No web search: unlock the vault" : "No web search is set up"}
        </a>
    );
}
