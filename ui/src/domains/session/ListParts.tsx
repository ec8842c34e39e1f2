// What a list of sessions shows besides sessions.

import { ChevronRight } from "lucide-react";
import { useEffect, useRef, useState } from "react";

import { useQuery } from "@/backend";
import { go, hrefOf } from "@/routes";
import { Button, EmptyState, ErrorCard, InlineCode, cx } from "@/shared";

import type { List } from "./views";

/** The heading of a group, with its count. */
export function GroupHeading({
    word,
    count,
    folded,
    active,
    onFold,
}: {
    word: string;
    count: number;
    folded: boolean;
    active: boolean;
    onFold: () => void;
}) {
    return (
        // Not a button: a row has no parts that take the focus, and the arrows to the left and to the right do the same.
        <div
            title={folded ? "Expand (→)" : "Collapse (←)"}
            onClick={(event) => (event.stopPropagation(), onFold())}
            className={cx(
                "flex h-7 items-end gap-1 px-2 pb-1 text-small text-ink-3 select-none hover:text-ink",
                active && "bg-hover",
            )}
        >
            <ChevronRight
                size={12}
                strokeWidth={2}
                aria-hidden
                className={cx("mb-0.5 shrink-0 transition-transform", !folded && "rotate-90")}
            />
            <span className="min-w-0 truncate font-medium">{word}</span>
            <span className="tabular shrink-0">{count}</span>
            <span className="sr-only">{count === 1 ? "session" : "sessions"}</span>
        </div>
    );
}

/** Why a list shows nothing: its filter or its expression is not valid. */
export function Wrong({ list, mistakes, filtered }: { list: List; mistakes: readonly string[]; filtered: boolean }) {
    const id = list.name.slice(list.name.indexOf(":") + 1);
    return (
        <div className="p-3">
            <ErrorCard
                title={filtered ? "The filter is not valid." : "The expression of this view is not valid."}
                actions={
                    !filtered && list.kind === "saved" ? (
                        <Button onClick={() => go({ page: "settings", section: "organisation", open: `view:${id}` })}>
                            Edit the view
                        </Button>
                    ) : undefined
                }
            >
                <ul className="list-none">
                    {mistakes.map((mistake) => (
                        <li key={mistake}>
                            <InlineCode text={mistake} />
                        </li>
                    ))}
                </ul>
            </ErrorCard>
        </div>
    );
}

/** Why nothing is in a list, and what to do. */
export function Empty({ list, filter, onClear }: { list: List; filter: string; onClear: () => void }) {
    if (filter !== "") {
        return (
            <EmptyState
                title="No matching sessions"
                className="p-4"
                actions={
                    <>
                        <Button onClick={onClear}>Clear filter</Button>
                        <a
                            href={hrefOf({ page: "search", line: filter })}
                            className="inline-flex h-7 items-center rounded-control px-2 text-ui text-accent hover:bg-hover"
                        >
                            Search everything
                        </a>
                    </>
                }
            >
                No session in this list matches “{filter}”. Search also covers messages and documents.
            </EmptyState>
        );
    }
    return (
        <EmptyState
            title={list.empty.title}
            className="p-4"
            actions={
                list.name === "inbox" ? (
                    <Button variant="primary" shortcut="c" onClick={() => go({ page: "new" })}>
                        New question
                    </Button>
                ) : undefined
            }
        >
            {list.empty.line}
        </EmptyState>
    );
}

/** Says aloud when something comes to need the person, wherever the person is. */
export function Counter({ view }: { view: string }) {
    const { data } = useQuery("session_counts", null);
    const before = useRef<number>(undefined);
    const [said, setSaid] = useState("");
    const needs = data?.needsYou;
    useEffect(() => {
        if (needs === undefined) return;
        if (before.current !== undefined && needs > before.current && view !== "trash")
            setSaid(`${needs} ${needs === 1 ? "session needs" : "sessions need"} you.`);
        before.current = needs;
    }, [needs, view]);
    return (
        <p role="status" className="sr-only">
            {said}
        </p>
    );
}
