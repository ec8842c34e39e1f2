// Two runs beside each other: what they started from, which stages differ because of what, what their documents say.

import { ArrowLeftRight, Download } from "lucide-react";
import { useState, type ReactNode } from "react";

import { useQuery, type ComparedRun, type RunComparison, type RunRow } from "@/backend";
import { exportSession } from "@/domains/answer";
import { baseName, formatMoney, formatTokens, runStatus, titled, tokensOf } from "@/domains/run";
import { hrefOf } from "@/routes";
import {
    Button,
    Duration,
    AsyncBoundary,
    Page,
    RelativeTime,
    Row,
    Rows,
    Section,
    Skeleton,
    StateMark,
    TextField,
    count,
} from "@/shared";

import { ComparedDocument } from "./ComparedDocument";
import { Pins, Stages } from "./Beginnings";
import { Sources, Statements } from "./Statements";

export interface ComparePageProps {
    left: string;
    right: string | undefined;
    onSwap: () => void;
    onAgain: () => void;
}

export function ComparePage({ left, right, onSwap, onAgain }: ComparePageProps) {
    return (
        <Page
            title="Compare runs"
            lead={
                right === undefined
                    ? "Choose the run that this one is compared with."
                    : "What two runs have in common and where they differ, apart from time and cost."
            }
            back={{ label: "Run", href: hrefOf({ page: "run", run: left }) }}
            actions={
                right !== undefined && (
                    <>
                        <Button icon={<ArrowLeftRight size={14} strokeWidth={1.5} />} onClick={onSwap}>
                            Swap
                        </Button>
                        <Button onClick={onAgain}>Choose another</Button>
                    </>
                )
            }
        >
            {right === undefined ? <Choice left={left} /> : <Compared left={left} right={right} />}
        </Page>
    );
}

/** How many runs are offered. */
const OFFERED = 200;

/** The runs to choose from: those of the same session first, then those of the same agent, the newest first. */
function Choice({ left }: { left: string }) {
    const [words, setWords] = useState("");
    const page = useQuery("run_list", { limit: OFFERED, agent: null, status: null, before: null });
    return (
        <AsyncBoundary of={page} what="the runs">
            {({ runs }) => {
                const own = runs.find((run) => run.run === left);
                const wanted = words.trim().toLowerCase();
                const fits = (run: RunRow) =>
                    run.run !== left &&
                    (wanted === "" || `${run.title} ${run.agent} ${run.run}`.toLowerCase().includes(wanted));
                const rank = (run: RunRow) => (run.session === own?.session ? 0 : run.agent === own?.agent ? 1 : 2);
                const offered = runs.filter(fits).sort((a, b) => rank(a) - rank(b));
                return (
                    <>
                        <TextField label="Find a run" value={words} onChange={setWords} className="mb-3 max-w-md" />
                        {offered.length === 0 ? (
                            <p className="text-ui text-ink-2">
                                {wanted === "" ? "There is no other run yet." : "No run has these words."}
                            </p>
                        ) : (
                            <Rows label="Runs">
                                {offered.map((run) => (
                                    <Choosable key={run.run} left={left} run={run} near={rank(run) === 0} />
                                ))}
                            </Rows>
                        )}
                    </>
                );
            }}
        </AsyncBoundary>
    );
}

function Choosable({ left, run, near }: { left: string; run: RunRow; near: boolean }) {
    const { state, word } = runStatus(run.status);
    return (
        <Row
            href={hrefOf({ page: "compare", left, right: run.run })}
            icon={<StateMark state={state} word={word} show="icon" />}
            title={run.title}
            end={<RelativeTime at={run.updatedAt} />}
            line={<span className="text-small">{near ? `${run.agent}, same session` : run.agent}</span>}
        />
    );
}

function Compared({ left, right }: { left: string; right: string }) {
    const found = useQuery("run_compare", { left: { id: left }, right: { id: right } });
    return (
        <AsyncBoundary of={found} what="the comparison" waiting={<Skeleton lines={10} className="max-w-xl" />}>
            {(found) => <Found found={found} />}
        </AsyncBoundary>
    );
}

function Found({ found }: { found: RunComparison }) {
    const stages = found.stages.filter((stage) => !stage.same).length;
    return (
        <>
            <div className="grid gap-3 min-[46rem]:grid-cols-2">
                <Head run={found.left} word="First" />
                <Head run={found.right} word="Second" />
            </div>
            <p role="status" className="mt-4 text-ui font-medium">
                {found.same
                    ? "Nothing differs but time and cost."
                    : `${count(stages, "stage")} of ${found.stages.length} ${stages === 1 ? "differs" : "differ"}.`}
            </p>
            {found.pins.length > 0 && (
                <Section title="What they started from">
                    <Pins pins={found.pins} />
                </Section>
            )}
            <Section title="Stages">
                <Stages stages={found.stages} />
            </Section>
            {found.statements.length > 0 && (
                <Section title="Statements">
                    <Statements pairs={found.statements} />
                </Section>
            )}
            {found.sources.length > 0 && (
                <Section title="Sources">
                    <Sources pairs={found.sources} />
                </Section>
            )}
            {found.rows.length > 0 && (
                <Section title="Documents" note="Words that the other does not have are marked">
                    {!found.same && (
                        <Button
                            className="mb-3"
                            icon={<Download size={14} strokeWidth={1.5} />}
                            onClick={() =>
                                void exportSession(found.right.session, "docx", found.right.run, found.left.run)
                            }
                        >
                            Export as tracked changes for Word
                        </Button>
                    )}
                    <ComparedDocument rows={found.rows} />
                </Section>
            )}
        </>
    );
}

function Head({ run, word }: { run: ComparedRun; word: string }) {
    const facts: ReactNode[] = [
        run.depth === null ? run.agent : `${run.agent}, ${titled(run.depth)}`,
        `${run.connection}${run.model === "" ? "" : `, ${run.model}`}`,
        ...(run.corpus === null ? [] : [<span title={run.corpus}>{baseName(run.corpus)}</span>]),
    ];
    const standing = runStatus(run.status);
    return (
        <section aria-label={`${word} run`} className="rounded-control border border-hairline bg-surface px-3 py-2">
            <p className="flex items-center gap-2 text-small text-ink-3">
                {word}
                <StateMark state={standing.state} word={standing.word} size={14} />
                <span className="ml-auto">{new Date(run.createdAt).toLocaleString("en-GB")}</span>
            </p>
            <a
                href={hrefOf({ page: "session", session: run.session, run: run.run })}
                className="line-clamp-2 text-ui font-medium hover:underline"
            >
                {run.request}
            </a>
            <ul className="mt-1 text-small text-ink-2">
                {facts.map((fact, index) => (
                    <li key={index}>{fact}</li>
                ))}
                <li className="tabular">
                    {formatMoney(run.cost + run.equivalent)},{" "}
                    {run.connection === "offline" && run.cost + run.equivalent === 0
                        ? "no model"
                        : formatTokens(tokensOf(run.usage))}
                    , <Duration ms={run.activeMs} />
                </li>
                {run.headline !== null && <li>{run.headline.text}</li>}
            </ul>
        </section>
    );
}
