// The statements and sources of two documents, matched.

import { useState, type ReactNode } from "react";

import type { ComparedStatement, SourcePair, StatementPair, WordSpan } from "@/backend";
import { Button, Table, count, type Column } from "@/shared";

import { Spans } from "./Spans";

const WORDS: Record<StatementPair["kind"], string> = {
    same: "Same words",
    reworded: "Reworded",
    left_only: "First alone",
    right_only: "Second alone",
};

/** `3 the same, 1 reworded, 1 only in the second`. */
export function tally(pairs: readonly StatementPair[]): string {
    const of = (kind: StatementPair["kind"]) => pairs.filter((pair) => pair.kind === kind).length;
    const parts = [
        [of("same"), "the same"],
        [of("reworded"), "reworded"],
        [of("left_only"), "only in the first"],
        [of("right_only"), "only in the second"],
    ] as const;
    return parts
        .filter(([number]) => number > 0)
        .map(([number, word]) => `${number} ${word}`)
        .join(", ");
}

export function Statements({ pairs }: { pairs: readonly StatementPair[] }) {
    const [all, setAll] = useState(false);
    const same = pairs.filter((pair) => pair.same).length;
    const shown = all ? pairs : pairs.filter((pair) => !pair.same);
    return (
        <>
            <p className="mb-2 text-ui text-ink-2">{tally(pairs)}</p>
            {shown.length > 0 && (
                <ol aria-label="Statements" className="divide-y divide-hairline border-y border-hairline">
                    {shown.map((pair, index) => (
                        <Pair key={index} pair={pair} />
                    ))}
                </ol>
            )}
            {same > 0 && (
                <Button size="small" variant="quiet" className="mt-1 -ml-2" onClick={() => setAll(!all)}>
                    {all
                        ? "Hide what is the same"
                        : `Show ${count(same, "statement")} that ${same === 1 ? "is" : "are"} the same`}
                </Button>
            )}
        </>
    );
}

function Pair({ pair }: { pair: StatementPair }) {
    return (
        <li className="py-2">
            <p className="text-small text-ink-3">
                {WORDS[pair.kind]}
                {pair.kind === "same" && !pair.same && ", verdict differs"}
            </p>
            <div className="grid gap-x-6 gap-y-2 min-[46rem]:grid-cols-2">
                <Side word="First" side={pair.left} spans={pair.leftWords ?? []} removed whole={pair.right === null} />
                <Side word="Second" side={pair.right} spans={pair.rightWords ?? []} whole={pair.left === null} />
            </div>
        </li>
    );
}

function Side({
    word,
    side,
    spans,
    removed = false,
    whole,
}: {
    word: string;
    side: ComparedStatement | null;
    spans: readonly WordSpan[];
    removed?: boolean;
    /** Whether the other side has nothing here. */
    whole: boolean;
}): ReactNode {
    if (side === null) return <p className="text-ui text-ink-3 max-[45.99rem]:hidden">–</p>;
    const words = spans.length > 0 ? spans : [{ text: side.text, changed: whole }];
    return (
        <div className="min-w-0">
            <span className="sr-only">{word}: </span>
            <p className="font-serif text-answer break-words">
                <Spans spans={words} removed={removed} />
            </p>
            <p className="text-small break-words text-ink-3">
                {side.word === "" ? "not checked" : side.word}
                {side.sources.map((source, index) => (
                    <span key={source}>
                        {" · "}
                        <span title={source}>{side.names[index] ?? source}</span>
                    </span>
                ))}
            </p>
        </div>
    );
}

/** What became of a cited paragraph. */
export function sourceWord(pair: SourcePair): string {
    if (pair.left === null) return "Second alone";
    if (pair.right === null) return "First alone";
    if (pair.left !== pair.right) return `${pair.left}, then ${pair.right}`;
    return pair.textDiffers ? "Its text changed in between" : "Both, the same";
}

const SOURCES: Column<SourcePair>[] = [
    {
        id: "source",
        heading: "Paragraph",
        render: (pair) => (
            <span className="break-words" title={pair.id}>
                {pair.reference}
            </span>
        ),
    },
    {
        id: "how",
        heading: "Cited",
        render: (pair) => <span className={pair.same ? "text-ink-3" : "font-medium"}>{sourceWord(pair)}</span>,
    },
    { id: "left", heading: "First", render: (pair) => pair.left ?? "–" },
    { id: "right", heading: "Second", render: (pair) => pair.right ?? "–" },
];

export function Sources({ pairs }: { pairs: readonly SourcePair[] }) {
    const sorted = [...pairs].sort((a, b) => Number(a.same) - Number(b.same));
    return <Table label="Sources" columns={SOURCES} rows={sorted} keyOf={(pair) => pair.id} />;
}
