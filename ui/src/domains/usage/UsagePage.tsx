// What was used and what it cost: sums, days, and by whom.

import { Download } from "lucide-react";
import { useState, type ReactNode } from "react";

import { send, shell, toProblem, useQuery, type UsageQuery, type UsageSum, type UsageSummary } from "@/backend";
import { formatMoney, formatNumber, titled, tokensOf } from "@/domains/run";
import { go, hrefOf } from "@/routes";
import {
    Button,
    EmptyState,
    AsyncBoundary,
    Page,
    Section,
    Skeleton,
    cx,
    saveText,
    toast,
    useToday,
    toastProblem,
} from "@/shared";

import { DayChart } from "./DayChart";
import { Forecasts } from "./Forecasts";
import { RANGES, barsOf, queryOf, type RangeId } from "./range";
import { SumTable } from "./SumTable";

export function UsagePage({ range, onRange }: { range: RangeId; onRange: (range: RangeId) => void }) {
    const midnight = useToday();
    const query = queryOf(range, midnight);
    const summary = useQuery("usage_show", query);
    // The sums stay in sight while those of another time are read.
    const [last, setLast] = useState<{ data: UsageSummary; range: RangeId } | undefined>();
    if (summary.data !== undefined && last?.data !== summary.data) setLast({ data: summary.data, range });
    const shown = summary.data === undefined && summary.problem === undefined ? last : undefined;
    return (
        <Page
            title="Usage"
            lead="All model requests of this workspace, with tokens as counted by the provider."
            actions={
                <Export
                    query={query}
                    empty={
                        (summary.data ?? last?.data)?.total.calls === 0 &&
                        (summary.data ?? last?.data)?.total.failed === 0
                    }
                />
            }
        >
            <Ranges range={range} onRange={onRange} />
            <div
                className={cx("mt-5", shown !== undefined && "opacity-60")}
                aria-busy={shown !== undefined || undefined}
            >
                <AsyncBoundary
                    of={shown === undefined ? summary : { ...summary, data: shown.data }}
                    what="the usage"
                    waiting={<Skeleton lines={8} className="max-w-xl" />}
                >
                    {(data) => <Sums summary={data} range={shown?.range ?? range} midnight={midnight} />}
                </AsyncBoundary>
            </div>
        </Page>
    );
}

function Ranges({ range, onRange }: { range: RangeId; onRange: (range: RangeId) => void }) {
    return (
        <div
            role="radiogroup"
            aria-label="Time"
            className="inline-flex gap-0.5 rounded-control border border-hairline bg-surface p-0.5"
            onKeyDown={(event) => {
                const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
                if (step === undefined) return;
                event.preventDefault();
                const at = (RANGES.findIndex(({ id }) => id === range) + step + RANGES.length) % RANGES.length;
                event.currentTarget.querySelectorAll<HTMLElement>("[role=radio]")[at]?.focus();
                onRange(RANGES[at]?.id ?? range);
            }}
        >
            {RANGES.map(({ id, word }) => (
                <button
                    key={id}
                    type="button"
                    role="radio"
                    aria-checked={id === range}
                    tabIndex={id === range ? 0 : -1}
                    onClick={() => onRange(id)}
                    className={cx(
                        "h-6 rounded-[4px] px-2.5 text-ui",
                        id === range
                            ? "bg-accent-soft font-medium text-accent"
                            : "text-ink-2 hover:bg-hover hover:text-ink",
                    )}
                >
                    {word}
                </button>
            ))}
        </div>
    );
}

function Export({ query, empty }: { query: UsageQuery; empty: boolean }) {
    const [pending, setPending] = useState(false);
    const write = async () => {
        setPending(true);
        try {
            const { name, path, text } = await send("usage_export", query);
            const desktop = shell();
            if (desktop === undefined && text !== null) {
                saveText(name, text, "text/csv");
                return;
            }
            toast({
                text: `Written to ${path}`,
                ...(desktop === undefined
                    ? {}
                    : { action: { label: "Show", onSelect: () => void desktop.openPath(path) } }),
            });
        } catch (thrown) {
            toastProblem(toProblem(thrown), "Not written");
        } finally {
            setPending(false);
        }
    };
    return (
        <Button
            icon={<Download size={16} strokeWidth={1.5} />}
            disabled={pending || empty}
            onClick={() => void write()}
        >
            {pending ? "Writing…" : "Export as CSV"}
        </Button>
    );
}

function Sums({ summary, range, midnight }: { summary: UsageSummary; range: RangeId; midnight: number }) {
    const { total } = summary;
    if (total.calls === 0 && total.failed === 0) {
        return (
            <EmptyState
                className="px-0"
                title={range === "all" ? "No usage yet" : "No usage in this period"}
                actions={
                    <>
                        <Button variant="primary" onClick={() => go({ page: "new" })}>
                            Ask a question
                        </Button>
                        <Button onClick={() => go({ page: "settings", section: "connections" })}>
                            Show connections
                        </Button>
                    </>
                }
            >
                Model requests appear here with tokens and cost, by agent, model, connection, stage and session.
            </EmptyState>
        );
    }
    const { bars, step } = barsOf(summary.days, range, midnight);
    return (
        <>
            <Totals
                total={total}
                offlineOnly={summary.connections.length === 1 && summary.connections[0]?.key === "offline"}
            />
            <Section title="Over time">
                <DayChart bars={bars} step={step} />
            </Section>
            <By
                title="By agent"
                heading="Agent"
                rows={summary.agents}
                name={(row) =>
                    row.key === "" ? (
                        "Conversations without an agent"
                    ) : (
                        <Link href={hrefOf({ page: "agent", slug: row.key })}>{row.title || row.key}</Link>
                    )
                }
            />
            <By
                title="By model"
                heading="Model"
                rows={summary.models}
                name={(row) => <code className="font-mono text-code break-all">{row.title || row.key}</code>}
            />
            <By
                title="By connection"
                heading="Connection"
                note={
                    summary.connections.some(({ key }) => key === "offline")
                        ? "The offline engine asks no model: its requests have no tokens"
                        : undefined
                }
                rows={summary.connections}
                name={(row) => (
                    <Link href={hrefOf({ page: "settings", section: "connections", open: row.key })}>
                        {row.title || row.key}
                    </Link>
                )}
            />
            <By title="By stage" heading="Stage" rows={summary.stages} name={stageName} />
            <By
                title="By session"
                heading="Session"
                rows={summary.sessions}
                name={(row) => <Link href={hrefOf({ page: "session", session: row.key })}>{row.title || row.key}</Link>}
                note={summary.sessions.length >= 50 ? "The 50 most expensive" : undefined}
            />
            <Forecasts />
        </>
    );
}

/** `agent/stage` as a stage with its agent behind it. */
function stageName(row: UsageSum): ReactNode {
    const at = row.key.lastIndexOf("/");
    if (at < 0 || (row.title !== "" && row.title !== row.key)) return row.title || row.key;
    return (
        <>
            {titled(row.key.slice(at + 1))} <span className="text-ink-3">{row.key.slice(0, at)}</span>
        </>
    );
}

function Link({ href, children }: { href: string; children: ReactNode }) {
    return (
        <a href={href} className="rounded-[4px] hover:underline">
            {children}
        </a>
    );
}

function By({
    title,
    note,
    ...rest
}: {
    title: string;
    heading: string;
    rows: readonly UsageSum[];
    name: (row: UsageSum) => ReactNode;
    note?: string;
}) {
    if (rest.rows.length === 0) return null;
    return (
        <Section title={title} note={note}>
            <SumTable label={title} {...rest} />
        </Section>
    );
}

function Totals({ total, offlineOnly }: { total: UsageSum; offlineOnly: boolean }) {
    const { usage } = total;
    const cached = usage.cacheRead ?? 0;
    const read = usage.input + cached + (usage.cacheWrite ?? 0);
    return (
        <section aria-label="Totals">
            <dl className="grid grid-cols-[repeat(auto-fit,minmax(13rem,1fr))] gap-x-8 gap-y-4 border-y border-hairline py-4">
                <Figure
                    name="Billed"
                    value={formatMoney(total.cost)}
                    note={
                        total.unpriced > 0
                            ? `excluding ${formatNumber(total.unpriced)} ${total.unpriced === 1 ? "request" : "requests"} without a known price`
                            : "at list prices or your own prices"
                    }
                    strong
                />
                {total.equivalent > 0 && (
                    <Figure
                        name="Covered by subscription"
                        value={formatMoney(total.equivalent)}
                        note="pay-per-use price, not billed"
                    />
                )}
                <Figure
                    name="Requests"
                    value={formatNumber(total.calls)}
                    note={total.failed > 0 ? `plus ${formatNumber(total.failed)} failed` : "none failed"}
                />
                <Figure
                    name="Tokens"
                    value={offlineOnly ? "no model" : formatNumber(tokensOf(usage))}
                    note={
                        read > 0 && cached > 0
                            ? `${Math.round((cached / read) * 100)} % of input read from the cache`
                            : undefined
                    }
                />
            </dl>
            <p className="tabular mt-2 flex flex-wrap gap-x-5 gap-y-1 text-small text-ink-2">
                <Kind name="Input" tokens={usage.input} />
                <Kind name="Cache read" tokens={cached} />
                <Kind name="Cache write" tokens={usage.cacheWrite ?? 0} />
                <Kind name="Output" tokens={usage.output} />
                <Kind name="of which thinking" tokens={usage.thinking ?? 0} />
            </p>
        </section>
    );
}

function Figure({
    name,
    value,
    note,
    strong = false,
}: {
    name: string;
    value: string;
    note?: string;
    strong?: boolean;
}) {
    return (
        <div>
            <dt className="text-small text-ink-3">{name}</dt>
            <dd className={cx("tabular mt-0.5 text-page tracking-[-0.01em]", strong ? "font-semibold" : "font-medium")}>
                {value}
            </dd>
            {note !== undefined && <dd className="mt-0.5 text-small text-ink-3">{note}</dd>}
        </div>
    );
}

function Kind({ name, tokens }: { name: string; tokens: number }) {
    return (
        <span className="whitespace-nowrap">
            <span className="text-ink-3">{name}</span> {formatNumber(tokens)}
        </span>
    );
}
