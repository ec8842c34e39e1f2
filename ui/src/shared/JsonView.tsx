import { ChevronRight } from "lucide-react";
import { useState } from "react";

import { Button } from "./Button";
import { CopyButton } from "./CopyButton";
import { cx } from "./cx";
import { writtenOut } from "./unseen";

export interface JsonViewProps {
    value: unknown;
    /** What it is, for who does not see the heading above it. */
    label: string;
    /** How many levels are open at first. */
    open?: number;
    /** A Tailwind height, e.g. "max-h-96". */
    height?: string;
    className?: string;
}

/** How many entries of one value are drawn before "more". */
const STEP = 100;
/** How much of a long text is drawn before "more". */
const LONG_TEXT = 2_000;

/** JSON as a tree with colours. What is folded is not drawn, so a big value costs what is seen of it. */
export function JsonView({ value, label, open = 1, height = "max-h-96", className }: JsonViewProps) {
    return (
        <div className={cx("relative rounded-control border border-hairline bg-sunken", className)}>
            <div
                role="group"
                tabIndex={0}
                aria-label={label}
                className={cx("ring-inside overflow-auto rounded-control p-2 pr-9 font-mono text-code", height)}
            >
                <Node value={value} open={open} />
            </div>
            <CopyButton
                text={() => JSON.stringify(value, null, 2)}
                label="Copy as JSON"
                className="absolute top-1 right-1"
            />
        </div>
    );
}

function Node({ name, value, open }: { name?: string; value: unknown; open: number }) {
    if (value !== null && typeof value === "object") return <Branch name={name} value={value} open={open} />;
    return (
        <div className="pl-4 break-words whitespace-pre-wrap">
            <Name name={name} />
            <Leaf value={value} />
        </div>
    );
}

function Name({ name }: { name?: string }) {
    return name === undefined ? null : <span className="text-code-name">{writtenOut(name)}: </span>;
}

function Leaf({ value }: { value: unknown }) {
    const [all, setAll] = useState(false);
    if (typeof value === "string") {
        const cut = !all && value.length > LONG_TEXT;
        return (
            <>
                <span className="text-code-string">
                    {writtenOut(JSON.stringify(cut ? value.slice(0, LONG_TEXT) : value))}
                </span>
                {cut && (
                    <Button size="small" variant="quiet" onClick={() => setAll(true)}>
                        {`${value.length - LONG_TEXT} more characters`}
                    </Button>
                )}
            </>
        );
    }
    return (
        <span className={typeof value === "number" ? "text-code-number" : "text-code-keyword"}>{String(value)}</span>
    );
}

/** The first entries of a list or an object. */
function firstOf(value: object, count: number): [string, unknown][] {
    if (Array.isArray(value)) return value.slice(0, count).map((item: unknown, index) => [String(index), item]);
    return Object.entries(value).slice(0, count);
}

function Branch({ name, value, open }: { name?: string; value: object; open: number }) {
    const [shown, setShown] = useState(open > 0);
    const [count, setCount] = useState(STEP);
    const brackets = Array.isArray(value) ? "[]" : "{}";
    const length = Array.isArray(value) ? value.length : Object.keys(value).length;
    const noun = brackets === "[]" ? (length === 1 ? "item" : "items") : length === 1 ? "field" : "fields";
    if (length === 0) {
        return (
            <div className="pl-4">
                <Name name={name} />
                {brackets}
            </div>
        );
    }
    return (
        <div>
            <button
                type="button"
                aria-expanded={shown}
                onClick={() => setShown(!shown)}
                className="ring-inside flex items-center rounded-[4px] text-left"
            >
                <ChevronRight
                    size={14}
                    strokeWidth={1.5}
                    aria-hidden
                    className={cx("mr-0.5 shrink-0 text-ink-3 transition-transform", shown && "rotate-90")}
                />
                <Name name={name} />
                <span className="ml-1 text-ink-3">
                    {brackets[0]} {length} {noun} {brackets[1]}
                </span>
            </button>
            {shown && (
                <div className="ml-[6px] border-l border-hairline pl-2">
                    {firstOf(value, count).map(([key, item]) => (
                        <Node key={key} name={key} value={item} open={open - 1} />
                    ))}
                    {length > count && (
                        <Button size="small" variant="quiet" onClick={() => setCount(count + STEP * 5)}>
                            {`${length - count} more`}
                        </Button>
                    )}
                </div>
            )}
        </div>
    );
}
