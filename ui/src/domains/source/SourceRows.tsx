import { Plug } from "lucide-react";

import { useQuery, type SourceRow } from "@/backend";
import { ProblemList } from "@/domains/agent";
import { hrefOf } from "@/routes";
import { Badge, EmptyState, AsyncBoundary, Row, Rows, StateMark, count } from "@/shared";

import { kindWord, statusOf } from "./labels";

/** All sources, those that can't be used included. */
export function SourceRows() {
    const sources = useQuery("source_list", null);
    return (
        <AsyncBoundary of={sources} what="the sources">
            {(rows) =>
                rows.length === 0 ? (
                    <EmptyState title="No sources" className="px-0">
                        Sources provide the tools that agents use. Some are built in; if none is listed, the program’s
                        files are incomplete.
                    </EmptyState>
                ) : (
                    <Rows label="Sources">
                        {rows.map((source) => (
                            <SourceLine key={source.slug} source={source} />
                        ))}
                    </Rows>
                )
            }
        </AsyncBoundary>
    );
}

/** The emoji or letter of a source; without one the sign of all sources. */
function SourceIcon({ source }: { source: Pick<SourceRow, "icon"> }) {
    const sign = [...(source.icon ?? "").trim()].slice(0, 4).join("");
    if (sign === "") return <Plug size={16} strokeWidth={1.5} aria-hidden />;
    return (
        <span
            aria-hidden
            className="inline-flex size-4 shrink-0 items-center justify-center overflow-hidden text-[0.8125rem] leading-none"
        >
            {sign}
        </span>
    );
}

function SourceLine({ source }: { source: SourceRow }) {
    const status = statusOf(source.status);
    return (
        <Row
            href={hrefOf({ page: "source", slug: source.slug })}
            icon={<SourceIcon source={source} />}
            title={source.name || source.slug}
            marks={
                <>
                    <Badge>{kindWord(source.kind)}</Badge>
                    <StateMark state={status.state} word={status.word} size={14} />
                    {!source.shipped && <Badge>yours</Badge>}
                </>
            }
            line={source.description}
            end={source.usedBy.length === 0 ? "not used" : `used by ${count(source.usedBy.length, "agent")}`}
            below={
                source.problems.length > 0 && (
                    <div className="ml-7 border-l-2 border-failed pl-3">
                        <ProblemList problems={source.problems} />
                    </div>
                )
            }
        />
    );
}
