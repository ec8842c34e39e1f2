// The text of a fetched page in numbered blocks, one of them marked where it is what was cited.

import { useEffect, useRef } from "react";

import type { WebText } from "@/backend";
import { count, cx } from "@/shared";

export function PageText({ text: { page, blocks, left }, marked }: { text: WebText; marked?: number }) {
    const row = useRef<HTMLLIElement>(null);
    useEffect(() => {
        if (marked !== undefined) row.current?.scrollIntoView({ block: "center" });
    }, [marked, page.sha256]);
    if (blocks.length === 0)
        return <p className="text-ui text-ink-2">{`No text: ${page.unreadable ?? "the page is empty"}.`}</p>;
    return (
        <>
            <ol aria-label="Text">
                {blocks.map((block) => {
                    const isMarked = block.number === marked;
                    return (
                        <li
                            key={block.number}
                            ref={isMarked ? row : undefined}
                            aria-current={isMarked || undefined}
                            className={cx("flex gap-3 rounded-[4px] py-1 text-ui", isMarked && "bg-accent-soft")}
                        >
                            <span className="tabular w-14 shrink-0 text-right text-small text-ink-3">
                                {block.page === null ? block.number : `p. ${block.page}`}
                            </span>
                            <span className="min-w-0 break-words whitespace-pre-wrap">{block.text}</span>
                        </li>
                    );
                })}
            </ol>
            {left > 0 && <p className="mt-2 text-small text-ink-3">{`${count(left, "block")} more are not shown.`}</p>}
        </>
    );
}
