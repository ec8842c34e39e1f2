// Words of a text, with those marked that the other side does not have.

import type { WordSpan } from "@/backend";

export function Spans({ spans, removed }: { spans: readonly WordSpan[]; removed: boolean }) {
    return (
        <span className="whitespace-pre-wrap">
            {spans.map((span, index) => {
                if (span.changed !== true) return <span key={index}>{span.text}</span>;
                return removed ? (
                    <del key={index} className="rounded-[3px] bg-failed-soft text-failed no-underline">
                        {span.text}
                    </del>
                ) : (
                    <ins key={index} className="rounded-[3px] bg-done-soft text-done no-underline">
                        {span.text}
                    </ins>
                );
            })}
        </span>
    );
}
