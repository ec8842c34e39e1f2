// The runs of other agents that a stage started, each with where it stands.

import type { ChildRow } from "@/backend";
import { hrefOf } from "@/routes";
import { StateMark } from "@/shared";

import { childStatus } from "./labels";

/** How many have ended, of how many. */
export function childrenWord(runs: readonly ChildRow[]): string {
    const ended = runs.filter((child) => child.status === "completed" || child.status === "failed").length;
    return `${ended} of ${runs.length} ${runs.length === 1 ? "run" : "runs"} ended`;
}

/** What a run is called among those of its stage: the item behind the agent's name, where it has one. */
export function partName(title: string): string {
    const at = title.indexOf(": ");
    return at === -1 ? title : title.slice(at + 2);
}

export function ChildRuns({ runs }: { runs: readonly ChildRow[] }) {
    if (runs.length === 0) return <p className="text-ui text-ink-2">No runs yet.</p>;
    return (
        <ul aria-label={`Runs, ${childrenWord(runs)}`} className="flex flex-col">
            {runs.map((child, index) => {
                // A call that waits to be made stands where a stage that waits does.
                const standing = childStatus(child.status);
                return (
                    <li
                        key={child.run ?? index}
                        className="flex min-w-0 items-center gap-2 border-b border-hairline py-1.5 last:border-b-0"
                    >
                        <StateMark state={standing.state} word={standing.word} show="icon" size={14} />
                        {child.run === undefined || child.run === null ? (
                            <span className="min-w-0 flex-1 truncate text-ui text-ink-2">{child.title}</span>
                        ) : (
                            <a
                                href={hrefOf({ page: "run", run: child.run })}
                                className="min-w-0 flex-1 truncate text-ui text-accent hover:underline"
                            >
                                {child.title}
                            </a>
                        )}
                        <span className="shrink-0 text-small text-ink-2">{standing.word}</span>
                    </li>
                );
            })}
        </ul>
    );
}
