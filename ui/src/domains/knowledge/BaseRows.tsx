import { BookOpen } from "lucide-react";

import { useQuery, type BaseRow } from "@/backend";
import { hrefOf } from "@/routes";
import { Badge, Button, EmptyState, Outcome, RelativeTime, Row, Rows, Waiting, count, formatBytes } from "@/shared";

import { TierMark } from "./TierMark";

/** All knowledge bases. */
export function BaseRows({ onAdd, onGet }: { onAdd: () => void; onGet: () => void }) {
    const bases = useQuery("base_list", null);
    return (
        <Outcome of={bases} what="the knowledge bases" waiting={<Waiting what="Reading the bases. The first time, those that ship with the program are made." />}>
            {(rows) =>
                rows.length === 0 ? (
                    <EmptyState
                        title="No base yet"
                        className="px-0"
                        actions={
                            <>
                                <Button variant="primary" onClick={onAdd}>
                                    Add documents…
                                </Button>
                                <Button onClick={onGet}>Get texts…</Button>
                            </>
                        }
                    >
                        A base is made from your files: they are cut into paragraphs that answers can cite and that checks can compare with. The files stay where they are.
                    </EmptyState>
                ) : (
                    <Rows label="Knowledge bases">
                        {rows.map((base) => (
                            <BaseLine key={base.name} base={base} />
                        ))}
                    </Rows>
                )
            }
        </Outcome>
    );
}

function BaseLine({ base }: { base: BaseRow }) {
    return (
        <Row
            href={hrefOf({ page: "base", base: base.name })}
            icon={<BookOpen size={16} strokeWidth={1.5} aria-hidden />}
            title={base.title || base.name}
            marks={<BaseMarks base={base} />}
            line={
                <span className="tabular">
                    {count(base.documents, "document")}, {count(base.paragraphs, "paragraph")}, {count(base.references, "cross-reference")}
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
            {base.shipped && <Badge>shipped</Badge>}
            {base.vectors !== null && <Badge>compares meanings</Badge>}
            {base.watched && <Badge>watched</Badge>}
        </>
    );
}
