// How a run's values are said: states, money, tokens.

import type { CallState, MissionView, NanoUsd, RunState, RunStatus, StagePhase, TurnHead, Usage } from "@/backend";
import type { State } from "@/shared";

export interface StatusLabel {
    state: State;
    word: string;
}

const RUNS: { readonly [status in RunStatus]: StatusLabel } = {
    running: { state: "running", word: "Running" },
    paused: { state: "needs-you", word: "Waiting for you" },
    waiting: { state: "needs-you", word: "Waiting for you" },
    planned: { state: "needs-you", word: "Plan needs approval" },
    stopped: { state: "skipped", word: "Stopped" },
    suspended: { state: "needs-you", word: "Stopped" },
    interrupted: { state: "needs-you", word: "Interrupted" },
    completed: { state: "done", word: "Finished" },
    failed: { state: "failed", word: "Failed" },
    cancelled: { state: "skipped", word: "Cancelled" },
};

const PHASES: { readonly [phase in StagePhase]: StatusLabel } = {
    pending: { state: "idle", word: "Pending" },
    running: { state: "running", word: "Running" },
    paused: { state: "needs-you", word: "Waiting for you" },
    completed: { state: "done", word: "Done" },
    skipped: { state: "skipped", word: "Skipped" },
    failed: { state: "failed", word: "Failed" },
};

const CALLS: { readonly [status in CallState]: StatusLabel } = {
    planned: { state: "queued", word: "Planned" },
    running: { state: "running", word: "Running" },
    completed: { state: "done", word: "Done" },
    failed: { state: "failed", word: "Failed" },
    unknown: { state: "needs-you", word: "Outcome unknown" },
    waiting: { state: "needs-you", word: "Waiting for you" },
    paused: { state: "needs-you", word: "Waiting for you" },
};

export function runStatus(status: RunStatus): StatusLabel {
    return RUNS[status];
}

export function stageStatus(phase: StagePhase): StatusLabel {
    return PHASES[phase];
}

export function callStatus(status: CallState): StatusLabel {
    return CALLS[status];
}

/** A call that a run of another agent carries out stands like a stage. */
export function childStatus(status: CallState): StatusLabel {
    switch (status) {
        case "planned":
            return stageStatus("pending");
        case "waiting":
        case "unknown":
            return stageStatus("paused");
        default:
            return stageStatus(status);
    }
}

/** Whether nothing can happen in a run any more. */
export function isOver(status: RunStatus): boolean {
    return status === "completed" || status === "cancelled";
}

/** Whether a run was stopped on the way and can go on. */
export function canGoOn(status: RunStatus): boolean {
    return status === "suspended" || status === "interrupted" || status === "failed";
}

/** "$0.00", "$0.0042", "$1.27": sums below ten cents keep four places. */
export function formatMoney(nano: NanoUsd): string {
    const usd = nano / 1e9;
    if (usd > 0 && usd < 0.0001) return "< $0.0001";
    const places = usd < 0.1 ? 4 : 2;
    return `$${usd.toLocaleString("en-GB", { minimumFractionDigits: 2, maximumFractionDigits: places })}`;
}

/** Money of runs or calls: what is billed, what a flat rate paid for, and whether no price was known. */
export interface Spent {
    cost: NanoUsd;
    equivalent?: NanoUsd;
    unpriced?: boolean;
}

export function spentOf(runs: readonly Spent[]): Required<Spent> {
    const sum = (part: (run: Spent) => number | undefined) => runs.reduce((total, run) => total + (part(run) ?? 0), 0);
    return {
        cost: sum((run) => run.cost),
        equivalent: sum((run) => run.equivalent),
        unpriced: runs.some((run) => run.unpriced === true),
    };
}

/** What was billed. Where nothing was, what a flat rate paid for is said as such, and an unknown price is never a zero. */
export function spentWord(spent: Spent): string {
    const { cost, equivalent = 0, unpriced = false } = spent;
    if (cost > 0) return `${formatMoney(cost)}${unpriced ? " + unpriced" : ""}`;
    if (equivalent > 0) return `subscription, worth ${formatMoney(equivalent)}`;
    return unpriced ? "no price known" : formatMoney(cost);
}

/** "85k", "1.2M": tokens where the size counts and not the figure. */
export function shortTokens(tokens: number): string {
    if (tokens < 1_000) return String(Math.round(tokens));
    if (tokens < 9_950) return `${(tokens / 1_000).toFixed(1).replace(/\.0$/, "")}k`;
    if (tokens < 999_500) return `${Math.round(tokens / 1_000)}k`;
    return `${(tokens / 1_000_000).toFixed(1).replace(/\.0$/, "")}M`;
}

/** All tokens of a usage: read, cached, written. */
export function tokensOf(usage: Usage): number {
    return usage.input + usage.output + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
}

export function formatNumber(value: number): string {
    return value.toLocaleString("en-GB");
}

/** "1 token", "1,204 tokens". */
export function formatTokens(tokens: number): string {
    return `${formatNumber(tokens)} ${tokens === 1 ? "token" : "tokens"}`;
}

/** Whether nothing but the offline engine answered: what it counts are texts that no model was given. A turn is never moved. */
export function asksNone(one: RunState | TurnHead | MissionView): boolean {
    return "stages" in one || "mission" in one ? one.noModel === true : one.connection === "offline";
}

/** The tokens of a run, a turn or a mission, or that no model was asked. */
export function tokensWord(one: RunState | TurnHead | MissionView, usage: Usage = one.usage): string {
    return asksNone(one) ? "no model" : formatTokens(tokensOf(usage));
}

/** "quick" as "Quick". */
export function titled(word: string): string {
    return word === "" ? word : `${word.charAt(0).toUpperCase()}${word.slice(1).replace(/[_-]+/g, " ")}`;
}

/** A knowledge base's name without its generation. */
export function baseName(corpus: string): string {
    return corpus.split(/[@/]/)[0] ?? corpus;
}

/** What a finished run was expected to use beside what it used; undefined while it goes on, and for runs without a forecast. */
export function forecastWord(run: RunState): string | undefined {
    const { forecast } = run;
    if (forecast === undefined || forecast === null || run.status !== "completed" || asksNone(run)) return undefined;
    const cost = run.cost + (run.equivalent ?? 0);
    const tokens = tokensOf(run.usage);
    const money = forecast.unpriced !== true && forecast.cost.likely > 0 && cost > 0;
    const [range, used, word] = money
        ? ([forecast.cost, cost, formatMoney] as const)
        : ([forecast.tokens, tokens, formatTokens] as const);
    const from =
        forecast.runs === 0
            ? "from the agent’s limits"
            : `from ${forecast.runs === 1 ? "one earlier run" : `${forecast.runs} earlier runs`}`;
    const within = used >= range.low && used <= range.high ? "within it" : "outside of it";
    return `Forecast: likely ${word(range.likely)}, ${word(range.low)} to ${word(range.high)} (${from}). Used ${word(used)}, ${within}.`;
}
