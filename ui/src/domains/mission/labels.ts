// How a mission's values are said: states, criteria, limits, verdicts.

import type { ForecastBounds, InvocationState, LimitUse, MissionForecast, MissionPhase, MissionView } from "@/backend";
import { formatMoney, formatNumber, runStatus, titled, type StatusLabel } from "@/domains/run";
import { count, formatDuration, own, type State } from "@/shared";

import type { Citation, Claim, ClosedBy, Contradiction, Gap, SourceKind } from "./graph";

/** How a mission stands. One that ended without all criteria met says so. */
export function missionStatus(mission: Pick<MissionView, "status" | "outcome">): StatusLabel {
    if (mission.status === "completed" && mission.outcome === "partial")
        return { state: "done", word: "Finished, partial report" };
    return runStatus(mission.status);
}

/** Of a mission that nobody drives any more although it was not stopped. */
export const INTERRUPTED = "The program closed during this mission. What was found is kept.";

const PHASES: { readonly [phase in MissionPhase]: string } = {
    split: "Reading the request",
    plan: "Planning",
    research: "Researching",
    report: "Writing the report",
};

/** What it does now, in words. */
export function phaseWord({ phase, iteration }: Pick<MissionView, "phase" | "iteration">): string {
    const word = PHASES[phase];
    return phase === "research" && iteration > 0 ? `${word}, iteration ${iteration}` : word;
}

/** A criterion on a scale, or as something that may not be open. */
export interface Measure {
    label: string;
    /** 0 to 1; absent where nothing may be left. */
    share?: number;
    tick?: number;
    text: string;
    met: boolean;
}

const SHARES: ReadonlySet<string> = new Set(["confidence", "coverage", "quality"]);
/** Said where nothing may be left, and nothing is. */
const NONE_LEFT: { readonly [name: string]: string } = {
    "critical gaps": "none open",
    "unsupported claims": "none",
};
const MILLION = 1_000_000;
const percent = (share: number) => `${Math.round(share * 100)} %`;

export function measureOf(name: string, { value, target, met }: MissionView["criteria"][string]): Measure {
    const label = titled(name);
    if (SHARES.has(name)) {
        const [share, tick] = [value / MILLION, target / MILLION];
        return { label, share, tick, text: `${percent(share)}, at least ${percent(tick)}`, met };
    }
    const none = NONE_LEFT[name];
    if (none !== undefined) return { label, text: value === 0 ? none : `${formatNumber(value)} left`, met };
    if (name.startsWith("validation ")) {
        const condition = titled(name.slice("validation ".length));
        return { label: condition, text: met ? "holds" : "does not hold yet", met };
    }
    const scale = Math.max(value, target, 1);
    return {
        label,
        share: value / scale,
        tick: target / scale,
        text: `${formatNumber(value)}, at least ${formatNumber(target)}`,
        met,
    };
}

const LIMITS: { readonly [dimension: string]: string } = {
    money: "Money",
    tokens: "Tokens",
    minutes: "Time",
    invocations: "Agents invoked",
    iterations: "Iterations",
};

export function limitLabel({ dimension }: LimitUse): string {
    return LIMITS[dimension] ?? titled(dimension);
}

/** The active time by now: what the log knows of, and what passed since. No more than the limit, as the core counts. */
export function activeMsAt(
    { activeMs, workingSince, limits }: Pick<MissionView, "activeMs" | "workingSince" | "limits">,
    now: number,
): number {
    if (workingSince === null) return activeMs;
    const limit = limits.find(({ dimension }) => dimension === "minutes")?.limit ?? Infinity;
    return Math.max(activeMs, Math.min(activeMs + now - workingSince, limit));
}

/** A value of a dimension in its unit: money, time or a count. */
export function amount(dimension: string, value: number): string {
    if (dimension === "money") return formatMoney(value);
    if (dimension === "minutes") return formatDuration(value);
    return formatNumber(value);
}

/** An amount between two ends; an end that is absent is unknown. */
function bounds({ low, high }: ForecastBounds, shown: (value: number) => string): string | undefined {
    if (low === null) return high === null ? undefined : `at most ${shown(high)}`;
    if (high === null) return `at least ${shown(low)}`;
    return low === high ? shown(high) : `${shown(low)} to ${shown(high)}`;
}

/** What a mission is likely to use, in words. What is not known is said to be unknown. */
export function forecastWords({ outline, forecast, equivalent }: MissionForecast): string {
    const { fewest, most, cost, tokens, unknown } = forecast;
    const often = `${fewest === most ? "" : `${formatNumber(fewest)} to `}${count(most, "invocation")}`;
    if (outline.offline) return `${often}; nothing is paid, there is no model`;
    const [money, used] = [bounds(cost, formatMoney), bounds(tokens, formatNumber)];
    const name = (agent: string) => outline.agents.find((each) => each.agent === agent)?.name ?? agent;
    return [
        often,
        money === undefined ? "the cost is unknown" : `${money}${equivalent ? ", as an equivalent" : ""}`,
        used === undefined ? undefined : `${used} tokens`,
        unknown.length === 0 ? undefined : `no run is known of ${unknown.map(name).join(", ")}`,
    ]
        .filter((part) => part !== undefined)
        .join("; ");
}

const INVOCATIONS: { readonly [status in InvocationState]: StatusLabel } = {
    waiting: { state: "queued", word: "Waiting" },
    running: { state: "running", word: "Running" },
    asking: { state: "needs-you", word: "Asks you" },
    done: { state: "done", word: "Done" },
    failed: { state: "failed", word: "Failed" },
    dropped: { state: "skipped", word: "Dropped" },
};

export function invocationStatus(status: InvocationState): StatusLabel {
    return INVOCATIONS[status];
}

const ROLES: { readonly [role: string]: string } = {
    split: "Reads the request",
    plan: "Plans",
    coordinate: "Decides what is next",
    research: "Researches",
    check: "Settles a contradiction",
    synthesise: "Writes the report",
    review: "Reviews the report",
};

export function roleWord(role: string): string {
    return own(ROLES, role) ?? titled(role);
}

/** The iteration that an invocation belongs to: its key is "3.0" for the first one of the third iteration. */
export function iterationWord(key: string): string {
    const iteration = /^([1-9]\d*)\.\d+$/.exec(key)?.[1];
    return iteration === undefined ? "" : `iteration ${iteration}`;
}

const CLAIMS: { readonly [status in Claim["status"]]: StatusLabel } = {
    supported: { state: "done", word: "Supported" },
    unsupported: { state: "idle", word: "Unsupported" },
    disputed: { state: "needs-you", word: "Disputed" },
    rejected: { state: "skipped", word: "Rejected" },
    superseded: { state: "skipped", word: "Superseded" },
};

export function claimStatus(status: Claim["status"]): StatusLabel {
    return CLAIMS[status];
}

export const CLAIM_STATUSES = Object.keys(CLAIMS) as Claim["status"][];

/** A share in millionths as "55 %". */
export function shareWord(millionths: number | undefined): string {
    return percent((millionths ?? 0) / MILLION);
}

const VERDICTS: { readonly [verdict: string]: readonly [State, string] } = {
    verified: ["done", "Verified word for word"],
    judged_supported: ["done", "A judge found it supported"],
    unverified: ["needs-you", "To be checked by a reader"],
    mismatch: ["failed", "Not in the source"],
    withdrawn: ["failed", "The paragraph is withdrawn"],
    missing: ["failed", "The paragraph does not exist"],
    uncited: ["failed", "No citation"],
};

export function verdictOf({ verdict, proof }: Pick<Citation, "verdict" | "proof">): StatusLabel {
    const [state, word] = VERDICTS[verdict] ?? ["idle", titled(verdict)];
    return verdict === "unverified" && proof === "named_things"
        ? { state, word: "Names and numbers found; to be checked by a reader" }
        : { state, word };
}

/** Why a gap is closed, in words; ids of claims are left to links. */
export function closingWord(closing: ClosedBy): string {
    switch (closing.by) {
        case "evidence":
            return closing.claims.length === 1 ? "Answered by" : "Answered together by";
        case "person":
            return `Closed by you: ${closing.reason}`;
        case "superseded":
            return `Another gap asks the same (${closing.other})`;
        case "moot":
            return `No longer asked: ${closing.of} no longer holds`;
    }
}

export function gapSources(gap: Gap): string {
    return (gap.raised_by ?? []).map((by) => by.replace(/-/g, " ")).join(", ");
}

const CONFLICTS: { readonly [kind: string]: string } = {
    number: "Different numbers",
    unit: "Different units",
    date: "Different dates",
    bound: "At least against at most",
    modal: "Must against may",
    negation: "One says the opposite",
    name: "Different names",
    stated: "Stated by an agent",
};

export function conflictWord(kind: string): string {
    return CONFLICTS[kind] ?? titled(kind);
}

export function settlementWord({ status }: Contradiction): string {
    if (status.state === "open") return "Open";
    const { settlement } = status;
    switch (settlement.by) {
        case "preferred":
            return `Settled: ${settlement.claim} stands, by ${settlement.evidence.join(", ")}`;
        case "compatible":
            return `Settled: both stand, by ${settlement.evidence.join(", ")}`;
        case "person":
            return `Settled by you, ${standsWord(settlement.claim ?? undefined)}: ${settlement.reason}`;
    }
}

function standsWord(claim: string | undefined): string {
    return claim === undefined ? "both stand" : `${claim} stands`;
}

const KINDS: { readonly [kind: string]: string } = {
    standard: "Standard",
    law: "Law",
    peer_reviewed: "Reviewed publication",
    official: "Official",
    primary: "Original document",
    news: "News",
    trade: "Trade publication",
    blog: "Blog or forum",
    person: "What you said",
    unknown: "Unknown",
};

export const SOURCE_KINDS = Object.keys(KINDS) as SourceKind[];

export function sourceKind(kind: string): string {
    return own(KINDS, kind) ?? titled(kind);
}

/** What connects two entities: `is_part_of` as "is part of". */
export const relationWord = (kind: string) => kind.replace(/_/g, " ");

/** The title of the pause at the plan. */
export const PLAN = "Plan";

/** What a choice at a pause is called. */
export function choiceWord(choice: string, title: string): string {
    switch (choice) {
        case "proceed":
            return title === PLAN ? "Start research" : "Go on";
        case "again":
            return "Research again";
        case "write":
            return "Write the report now";
        case "raise":
            return "Raise limits…";
        case "cancel":
            return "End mission";
        default:
            return titled(choice);
    }
}
