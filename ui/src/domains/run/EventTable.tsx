// The log as it is: one line an event, filtered by any word in it, with all its fields on demand.

import { Search } from "lucide-react";
import { useMemo, useState } from "react";

import type { Record as RunEvent } from "@/backend";
import { JsonView, TextField, VirtualList, count, cx } from "@/shared";

import { eventHas, eventLine, eventName, eventStage } from "./events";

export interface EventTableProps {
    events: readonly RunEvent[];
    /** Stage titles by id. */
    titles?: { readonly [id: string]: string };
    /** In a narrow pane: without the stage and without a filter. */
    compact?: boolean;
    className?: string;
}

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

export function EventTable({ events, titles = {}, compact = false, className }: EventTableProps) {
    const [text, setText] = useState("");
    const [active, setActive] = useState<string | undefined>();
    const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
    const shown = useMemo(() => events.filter((event) => eventHas(event, text)), [events, text]);
    const toggle = (event: RunEvent) => {
        const key = String(event.seq);
        setOpen((before) => {
            const after = new Set(before);
            if (!after.delete(key)) after.add(key);
            return after;
        });
    };
    if (events.length === 0) return <p className="pb-4 text-ui text-ink-2">No events yet.</p>;
    return (
        <div className={cx("flex min-h-0 flex-col", className)}>
            {!compact && (
                <div className="mb-2 flex items-center gap-3">
                    <TextField
                        label="Filter events"
                        hideLabel
                        type="search"
                        placeholder="Filter events"
                        value={text}
                        onChange={setText}
                        icon={<Search size={14} strokeWidth={1.5} />}
                        className="w-72"
                    />
                    <span role="status" className="tabular text-small text-ink-3">
                        {shown.length === events.length
                            ? count(events.length, "event")
                            : `${shown.length} of ${count(events.length, "event")}`}
                    </span>
                </div>
            )}
            {shown.length === 0 ? (
                <p className="py-2 text-ui text-ink-2">No matching events.</p>
            ) : (
                <VirtualList
                    label="Events"
                    items={shown}
                    keyOf={(event) => String(event.seq)}
                    estimate={(event) => (open.has(String(event.seq)) ? 240 : 28)}
                    active={active}
                    onActive={setActive}
                    onOpen={toggle}
                    className={
                        compact ? "h-[60vh] flex-none" : "h-[28rem] flex-none rounded-control border border-hairline"
                    }
                    render={(event, { active: here }) => (
                        <div className={cx("border-b border-hairline", here && "bg-hover")}>
                            <div className="flex h-7 items-center gap-3 px-2 text-small">
                                <span className="tabular w-8 shrink-0 text-right text-ink-3">{event.seq}</span>
                                {!compact && (
                                    <span className="tabular shrink-0 text-ink-3">{clock.format(event.at)}</span>
                                )}
                                <span className="shrink-0 text-ui">{eventName(event)}</span>
                                {!compact && (
                                    <span className="shrink-0 text-ink-3">
                                        {titles[eventStage(event)] ?? eventStage(event)}
                                    </span>
                                )}
                                <span className="min-w-0 flex-1 truncate text-ink-2">{eventLine(event)}</span>
                            </div>
                            {open.has(String(event.seq)) && (
                                // A click inside is about the JSON, not about the row.
                                <div className="px-2 pb-2" onClick={(click) => click.stopPropagation()}>
                                    <JsonView value={event} label={`Event ${event.seq}`} open={2} height="max-h-72" />
                                </div>
                            )}
                        </div>
                    )}
                />
            )}
        </div>
    );
}
