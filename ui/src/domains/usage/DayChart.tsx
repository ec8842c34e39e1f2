// Bars by day, drawn with the page's own colours; the same as a table for who does not see them.

import { useEffect, useRef, useState, type KeyboardEvent } from "react";

import type { UsageSum } from "@/backend";
import { formatMoney, formatTokens, shortTokens, tokensOf } from "@/domains/run";
import { Select, Table, cx, type Column } from "@/shared";

import { ceilingOf, dayWord } from "./range";

type Bar = UsageSum & { to: string };
type Measure = "cost" | "tokens" | "calls";

const HEIGHT = 180;
const LEFT = 56;
const BOTTOM = 22;
const TOP = 8;
/** The room that a day's name wants, and the widest that a bar gets. */
const LABEL = 76;
const WIDEST = 44;

const WORDS = { day: "day", week: "seven days", month: "month" } as const;

export function DayChart({ bars, step }: { bars: readonly Bar[]; step: "day" | "week" | "month" }) {
    const paid = bars.some((bar) => bar.cost > 0);
    const flat = bars.some((bar) => bar.equivalent > 0);
    const [chosen, setMeasure] = useState<Measure | undefined>();
    const used = bars.some((bar) => tokensOf(bar.usage) > 0);
    // What is nothing on every day is no picture: the offline engine has neither prices nor tokens.
    const measure = chosen ?? (paid ? "cost" : used ? "tokens" : "calls");
    const [asTable, setAsTable] = useState(false);
    return (
        <div>
            <div className="mb-2 flex flex-wrap items-center gap-2">
                <Select
                    label="Measure"
                    variant="quiet"
                    className="-ml-2"
                    value={measure}
                    onChange={setMeasure}
                    options={[
                        { value: "cost", label: "Billed", hint: flat ? "Without subscription usage." : undefined },
                        { value: "tokens", label: "Tokens" },
                        { value: "calls", label: "Requests" },
                    ]}
                />
                <span className="text-small text-ink-3">by {WORDS[step]}</span>
                <button
                    type="button"
                    aria-pressed={asTable}
                    onClick={() => setAsTable(!asTable)}
                    className="ml-auto rounded-[4px] text-small text-ink-2 hover:text-ink hover:underline"
                >
                    {asTable ? "Show as bars" : "Show as table"}
                </button>
            </div>
            {asTable ? <Days bars={bars} /> : <Bars bars={bars} measure={measure} />}
        </div>
    );
}

function valueOf(bar: Bar, measure: Measure): number {
    return measure === "cost" ? bar.cost / 1e9 : measure === "tokens" ? tokensOf(bar.usage) : bar.calls + bar.failed;
}

function axisWord(value: number, measure: Measure): string {
    if (measure === "cost")
        return `$${value.toLocaleString("en-GB", { minimumFractionDigits: Number.isInteger(value) ? 0 : 2, maximumFractionDigits: 6 })}`;
    return measure === "tokens" ? shortTokens(value) : value.toLocaleString("en-GB", { maximumFractionDigits: 1 });
}

/** What is drawn before the room is known. */
const USUAL = 960;

/** The room that an element has, in pixels: text in a picture that is scaled would be scaled too. */
function useWidth() {
    const box = useRef<HTMLDivElement>(null);
    const [width, setWidth] = useState(USUAL);
    useEffect(() => {
        const element = box.current;
        if (element === null) return;
        const watcher = new ResizeObserver(() => element.clientWidth > 0 && setWidth(element.clientWidth));
        watcher.observe(element);
        return () => watcher.disconnect();
    }, []);
    return { box, width };
}

function Bars({ bars, measure }: { bars: readonly Bar[]; measure: Measure }) {
    const [at, setAt] = useState<number | undefined>();
    const chart = useRef<SVGSVGElement>(null);
    const top = ceilingOf(Math.max(0, ...bars.map((bar) => valueOf(bar, measure))));
    const inside = HEIGHT - TOP - BOTTOM;
    const { box, width } = useWidth();
    const pitch = (width - LEFT) / Math.max(1, bars.length);
    const wide = Math.max(1, Math.min(WIDEST, pitch - Math.min(6, pitch * 0.25)));
    // Half a request is none.
    const marks = measure !== "cost" && top < 2 ? [0, 1] : [0, 0.5, 1];
    const every = Math.max(1, Math.ceil((bars.length * LABEL) / (width - LEFT)));
    const seen = at === undefined ? undefined : bars[Math.min(at, bars.length - 1)];
    const onKeyDown = (event: KeyboardEvent) => {
        const now = at ?? bars.length - 1;
        const next = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: bars.length - 1 }[event.key];
        if (next === undefined) return;
        event.preventDefault();
        setAt(Math.min(bars.length - 1, Math.max(0, next)));
    };
    return (
        <div ref={box}>
            <svg
                ref={chart}
                width={width}
                height={HEIGHT}
                role="img"
                aria-label={`${measure === "cost" ? "Billed" : measure === "tokens" ? "Tokens" : "Requests"} by day; use the arrow keys to move between days`}
                tabIndex={0}
                onKeyDown={onKeyDown}
                onFocus={() => setAt((before) => before ?? bars.length - 1)}
                onBlur={() => setAt(undefined)}
                onPointerLeave={() => document.activeElement !== chart.current && setAt(undefined)}
                className="block max-w-full rounded-control"
            >
                {marks.map((mark) => {
                    const y = TOP + inside * (1 - mark);
                    return (
                        <g key={mark}>
                            <line x1={LEFT} x2={width} y1={y} y2={y} className="stroke-hairline" strokeWidth={1} />
                            <text x={LEFT - 8} y={y + 4} textAnchor="end" className="tabular fill-ink-3 text-small">
                                {axisWord(top * mark, measure)}
                            </text>
                        </g>
                    );
                })}
                {bars.map((bar, index) => {
                    const value = valueOf(bar, measure);
                    const height = value <= 0 ? 0 : Math.max(1.5, (value / top) * inside);
                    const x = LEFT + index * pitch;
                    return (
                        <g key={bar.key} onPointerEnter={() => setAt(index)}>
                            {/* The whole column answers to the pointer, not the bar alone. */}
                            <rect
                                x={x}
                                y={TOP}
                                width={pitch}
                                height={inside}
                                className={index === at ? "fill-hover" : "fill-transparent"}
                            />
                            {height > 0 && (
                                <rect
                                    x={x + (pitch - wide) / 2}
                                    y={TOP + inside - height}
                                    width={wide}
                                    height={height}
                                    rx={Math.min(2, wide / 4)}
                                    className={cx("fill-accent", index !== at && at !== undefined && "opacity-60")}
                                />
                            )}
                            {(bars.length - 1 - index) % every === 0 && (
                                <text
                                    x={x + pitch / 2}
                                    y={HEIGHT - 5}
                                    textAnchor={index === bars.length - 1 && pitch < LABEL ? "end" : "middle"}
                                    dx={index === bars.length - 1 && pitch < LABEL ? pitch / 2 : 0}
                                    className="fill-ink-3 text-small"
                                >
                                    {dayWord(bar.key)}
                                </text>
                            )}
                        </g>
                    );
                })}
            </svg>
            <p aria-live="polite" className="tabular mt-1 min-h-4 text-small text-ink-2">
                {seen === undefined ? (
                    <span className="text-ink-3">Hover over a bar, or use the arrow keys.</span>
                ) : (
                    <DayLine bar={seen} />
                )}
            </p>
        </div>
    );
}

function DayLine({ bar }: { bar: Bar }) {
    return (
        <>
            <span className="font-medium text-ink">{dayWord(bar.key, bar.to)}</span>: {formatMoney(bar.cost)} billed
            {bar.equivalent > 0 && `, worth ${formatMoney(bar.equivalent)} covered by subscriptions`},{" "}
            {formatTokens(tokensOf(bar.usage))}, {bar.calls} {bar.calls === 1 ? "request" : "requests"}
            {bar.failed > 0 && `, ${bar.failed} failed`}
            {bar.unpriced > 0 && `, ${bar.unpriced} without a known price`}
        </>
    );
}

const COLUMNS: Column<Bar>[] = [
    { id: "day", heading: "Day", render: (bar) => dayWord(bar.key, bar.to) },
    { id: "calls", heading: "Requests", numeric: true, render: (bar) => bar.calls },
    { id: "failed", heading: "Failed", numeric: true, render: (bar) => bar.failed },
    { id: "tokens", heading: "Tokens", numeric: true, render: (bar) => tokensOf(bar.usage).toLocaleString("en-GB") },
    {
        id: "equivalent",
        heading: "Subscription",
        numeric: true,
        render: (bar) => (bar.equivalent === 0 ? "–" : formatMoney(bar.equivalent)),
    },
    { id: "cost", heading: "Billed", numeric: true, render: (bar) => formatMoney(bar.cost) },
];

function Days({ bars }: { bars: readonly Bar[] }) {
    return (
        <Table
            label="By day"
            columns={COLUMNS}
            rows={bars.filter((bar) => bar.calls + bar.failed > 0).reverse()}
            keyOf={(bar) => bar.key}
            empty="No requests."
        />
    );
}
