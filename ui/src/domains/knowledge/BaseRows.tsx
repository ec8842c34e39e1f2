import { BookOpen } from "lucide-react";

import { useQuery, type BaseRow } from "@/backend";
import { hrefOf } from "@/routes";
import {
    Badge,
    Button,
    EmptyState,
    AsyncBoundary,
    RelativeTime,
    Row,
    Rows,
    Waiting,
    count,
    formatBytes,
} from "@/shared";

import { baseLabel } from "./labels";
import { TierMark } from "./TierMark";

/** All knowledge bases. */
export function BaseRows({ onAdd, onGet }: { onAdd: () => void; onGet: () => void }) {
    const bases = useQuery("base_list", null);
    return (
        <AsyncBoundary
            of={bases}
            what="the knowledge bases"
            waiting={<Waiting what="Loading knowledge bases. Built-in ones are created on first use." />}
        >
            {(rows) =>
                rows.length === 0 ? (
                    <EmptyState
                        title="No knowledge bases yet"
                        className="px-0"
                        actions={
                            <>
                                <Button variant="primary" onClick={onAdd}>
                                    Add documents…
                                </Button>
                                <Button onClick={onGet}>Download texts…</Button>
                            </>
                        }
                    >
                        A knowledge base splits your files into paragraphs that answers cite and checks compare against.
                        The files are not moved or changed.
                    </EmptyState>
                ) : (
                    <Rows label="Knowledge bases">
                        {rows.map((base) => (
                            <BaseLine key={base.name} base={base} among={rows} />
                        ))}
                    </Rows>
                )
            }
        </AsyncBoundary>
    );
}

function BaseLine({ base, among }: { base: BaseRow; among: readonly BaseRow[] }) {
    return (
        <Row
            href={hrefOf({ page: "base", base: base.name })}
            icon={<BookOpen size={16} strokeWidth={1.5} aria-hidden />}
            title={baseLabel(base, among)}
            marks={<BaseMarks base={base} />}
            line={
                <span className="tabular">
                    {count(base.documents, "document")}, {count(base.paragraphs, "paragraph")},{" "}
                    {count(base.references, "cross-reference")}
                </span>
            }
            end={
                <>
                    <span className="block">{formatBytes(base.bytes)}</span>
                    <span className="block">
                        <RelativeTime at={base.createdAt} />
                    </span>
                </>
            }
        />
    );
}

/** What a base is, at a glance. */
export function BaseMarks({ base }: { base: BaseRow }) {
    return (
        <>
            <TierMark tier={base.tier} />
            {base.shipped && <Badge>built-in</Badge>}
            {base.vectors !== null && <Badge>semantic search</Badge>}
            {base.watched && <Badge>watched</Badge>}
            {(base.sharedBy ?? null) !== null && <Badge>shared by {base.sharedBy}</Badge>}
            {(base.sharedWith ?? []).length > 0 && <Badge>shared with {(base.sharedWith ?? []).join(", ")}</Badge>}
        </>
    );
}
