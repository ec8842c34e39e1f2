// What a mission decided and why, the newest first.

import { useQuery } from "@/backend";
import { AsyncBoundary, EmptyState, isoOf } from "@/shared";

import { useFresh } from "./graph";
import type { PartProps } from "./props";

const TIME = { hour: "2-digit", minute: "2-digit", second: "2-digit" } as const;

export function Journal({ mission, stamp }: PartProps) {
    const journal = useFresh(useQuery("mission_journal", { mission: mission.mission }), stamp);
    return (
        <AsyncBoundary of={journal} what="the journal">
            {(lines) =>
                lines.length === 0 ? (
                    <EmptyState title="Nothing has happened yet" className="px-0">
                        Decisions appear here, each with its reason.
                    </EmptyState>
                ) : (
                    <ol aria-label="Journal, the newest first">
                        {[...lines].reverse().map(({ seq, at, text, why, alternatives, saw }) => (
                            <li
                                key={seq}
                                className="flex gap-3 border-b border-hairline py-1.5 text-ui last:border-b-0"
                            >
                                <time
                                    dateTime={isoOf(at)}
                                    title={new Date(at).toLocaleString("en-GB")}
                                    className="tabular w-16 shrink-0 text-small leading-5 text-ink-3"
                                >
                                    {new Date(at).toLocaleTimeString("en-GB", TIME)}
                                </time>
                                <div className="min-w-0 flex-1">
                                    <p className="break-words">{text}</p>
                                    {typeof why === "string" && why !== "" && (
                                        <p className="mt-0.5 break-words whitespace-pre-wrap text-ink-2">{why}</p>
                                    )}
                                    {alternatives.length > 0 && (
                                        <div className="mt-0.5 text-ink-2">
                                            Not chosen:
                                            <ul className="list-disc pl-5 break-words">
                                                {alternatives.map((each) => (
                                                    <li key={each}>{each}</li>
                                                ))}
                                            </ul>
                                        </div>
                                    )}
                                    {typeof saw === "number" && (
                                        <p className="text-small text-ink-3">Based on version {saw} of the graph</p>
                                    )}
                                </div>
                            </li>
                        ))}
                    </ol>
                )
            }
        </AsyncBoundary>
    );
}
