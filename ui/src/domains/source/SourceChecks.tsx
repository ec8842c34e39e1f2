// Whether sources work, those included that nobody uses at the moment.

import { Play } from "lucide-react";
import { useState } from "react";

import { call, toProblem, useQuery, type SourceRow } from "@/backend";
import { hrefOf } from "@/routes";
import { Button, AsyncBoundary, Section, StateMark, count, formatDuration } from "@/shared";

import { statusOf } from "./labels";

/** What a check of a source found: a line on it, and whether it works. */
interface Finding {
    works: boolean;
    text: string;
}

/** Sources that can be started or asked without anything else: what is off, broken or not approved says so itself. */
const canBeChecked = ({ status }: SourceRow) => ["ready", "idle", "failed"].includes(status);

export function SourceChecks({ onChecked }: { onChecked: () => void }) {
    const sources = useQuery("source_list", null);
    const [found, setFound] = useState<Readonly<Record<string, Finding>>>({});
    const [checking, setChecking] = useState<string>();
    const check = async (rows: readonly SourceRow[]) => {
        setFound({});
        // One after the other: each is a process or a request.
        for (const { slug } of rows.filter(canBeChecked)) {
            setChecking(slug);
            const finding = await tried(slug);
            setFound((before) => ({ ...before, [slug]: finding }));
        }
        setChecking(undefined);
        sources.reload();
        onChecked();
    };
    return (
        <Section title="Sources">
            <AsyncBoundary of={sources} what="the sources">
                {(rows) =>
                    rows.length === 0 ? (
                        <p className="text-ink-2">There is no source.</p>
                    ) : (
                        <>
                            <ul aria-label="Sources" className="border-y border-hairline">
                                {rows.map((row) => (
                                    <Row
                                        key={row.slug}
                                        row={row}
                                        finding={found[row.slug]}
                                        checking={checking === row.slug}
                                    />
                                ))}
                            </ul>
                            <Button
                                size="small"
                                className="mt-3"
                                icon={<Play size={14} strokeWidth={1.5} />}
                                disabled={checking !== undefined || !rows.some(canBeChecked)}
                                onClick={() => void check(rows)}
                            >
                                {checking === undefined ? "Check all sources" : "Checking…"}
                            </Button>
                        </>
                    )
                }
            </AsyncBoundary>
        </Section>
    );
}

async function tried(slug: string): Promise<Finding> {
    try {
        const test = await call("source_test", { slug });
        return test.ok
            ? { works: true, text: `Works, ${count(test.tools.length, "tool")}, ${formatDuration(test.ms)}` }
            : { works: false, text: test.problem?.message ?? "It does not work." };
    } catch (thrown) {
        return { works: false, text: toProblem(thrown).message };
    }
}

function Row({ row, finding, checking }: { row: SourceRow; finding: Finding | undefined; checking: boolean }) {
    const status = statusOf(row.status);
    const state = checking ? "running" : finding === undefined ? status.state : finding.works ? "done" : "failed";
    const detail = row.statusDetail === "" ? status.word : `${status.word}: ${row.statusDetail}`;
    return (
        <li className="flex items-start gap-3 border-b border-hairline py-2 last:border-b-0">
            <span className="mt-0.5 shrink-0">
                <StateMark state={state} />
            </span>
            <div className="min-w-0 flex-1">
                <a
                    href={hrefOf({ page: "source", slug: row.slug })}
                    className="font-medium text-accent underline-offset-2 hover:underline"
                >
                    {row.name}
                </a>
                <p className="break-words text-ink-2">{checking ? "Checking…" : (finding?.text ?? detail)}</p>
            </div>
        </li>
    );
}
