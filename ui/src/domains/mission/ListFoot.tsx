// The end of a list of which more may exist.

import { Button } from "@/shared";

import type { Items } from "./graph";

export function ListFoot({
    items,
    total,
    of,
}: {
    items: number;
    total: number;
    of: Pick<Items<unknown>, "more" | "isCut">;
}) {
    if (!of.isCut) return null;
    return (
        <p className="mt-2 flex flex-wrap items-center gap-3 text-small text-ink-3">
            <span className="tabular">
                {items.toLocaleString("en-GB")} of {total.toLocaleString("en-GB")}
            </span>
            {of.more === undefined ? (
                "Filter by words to see the others."
            ) : (
                <Button size="small" onClick={of.more}>
                    Show more
                </Button>
            )}
        </p>
    );
}
