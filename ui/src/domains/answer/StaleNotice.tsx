// That sentences of this document no longer rest on what their sources say: knowledge bases have changed since.

import type { RunCheck } from "@/backend";
import { Fold, count } from "@/shared";

/** Nothing while every citation stands; what became of them otherwise. */
export function StaleNotice({ check: { stale, citations } }: { check: RunCheck }) {
    if (citations.length === 0) return null;
    const moved = citations.filter((one) => one.holds).length;
    return (
        <div role="status" className="rounded-control border border-hairline bg-needs-soft px-3 py-2 print:hidden">
            <Fold
                label={
                    <span className="text-ui font-medium text-needs">
                        {stale > 0
                            ? `${count(stale, "statement")} no longer ${stale === 1 ? "rests" : "rest"} on what ${stale === 1 ? "its" : "their"} sources say`
                            : `${count(moved, "cited paragraph")} moved; the text is the same`}
                    </span>
                }
            >
                <ul className="mt-1 list-disc pl-5 text-ui">
                    {citations.map((one, index) => (
                        <li key={index}>
                            {one.sentence}{" "}
                            <span className="text-ink-2">
                                {one.citation} {one.words}.
                            </span>
                        </li>
                    ))}
                </ul>
            </Fold>
        </div>
    );
}
