// What the agents of a mission read.

import { AsyncBoundary, Badge, EmptyState } from "@/shared";

import { ListFoot } from "./ListFoot";
import { SourcePlace } from "./SourcePlace";
import { useItems } from "./graph";
import { sourceKind } from "./labels";
import type { PartProps } from "./props";

export function Sources({ mission, stamp }: PartProps) {
    const items = useItems(mission.mission, "source", stamp);
    return (
        <AsyncBoundary of={items.list} what="the sources">
            {({ items: all, total }) =>
                all.length === 0 ? (
                    <EmptyState title="No sources yet" className="px-0">
                        Documents and pages appear here as soon as a statement cites them.
                    </EmptyState>
                ) : (
                    <>
                        <ul aria-label="Sources">
                            {all.map((source) => {
                                const dates = [
                                    typeof source.published === "string" ? `published ${source.published}` : "",
                                    typeof source.retrieved === "string" ? `read ${source.retrieved}` : "",
                                    typeof source.generation === "string" ? `generation ${source.generation}` : "",
                                ].filter(Boolean);
                                return (
                                    <li
                                        key={source.id}
                                        className="border-b border-hairline py-2 text-ui last:border-b-0"
                                    >
                                        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
                                            <span className="min-w-0 font-medium break-words">{source.title}</span>
                                            <Badge>{sourceKind(source.kind)}</Badge>
                                        </p>
                                        <p className="flex flex-wrap gap-x-3 text-small text-ink-3">
                                            <SourcePlace source={source} />
                                            {dates.length > 0 && <span>{dates.join(", ")}</span>}
                                        </p>
                                    </li>
                                );
                            })}
                        </ul>
                        <ListFoot items={all.length} total={total} of={items} />
                    </>
                )
            }
        </AsyncBoundary>
    );
}
