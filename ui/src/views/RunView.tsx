// A run from the inside: when what happened, what each stage was shown and gave, what it cost, and the log itself.

import { Download, GitCompare, Square } from "lucide-react";
import { useEffect, useState } from "react";

import {
    call,
    learnTurn,
    toProblem,
    useCommand,
    useQuery,
    useRun,
    type Problem,
    type Record as RunEvent,
    type Result,
    type RunState,
    type StageRow,
} from "@/backend";
import { AnsweredLine } from "@/domains/pause";
import {
    CapsuleCheck,
    Checkpoints,
    Drafts,
    ChildRuns,
    GateAttempts,
    hasAttempts,
    EventTable,
    OutputTables,
    RepeatRun,
    ReplayCheck,
    RunProblem,
    StageCosts,
    StageTabs,
    StageStrip,
    Timeline,
    TokenLedger,
    baseName,
    forecastWord,
    formatMoney,
    asksNone,
    canGoOn,
    runStatus,
    spentWord,
    titled,
    tokensWord,
} from "@/domains/run";
import { TaskLink } from "@/domains/task";
import { TurnCard } from "@/domains/turn";
import { go, hrefOf, useRoute } from "@/routes";
import {
    AsyncBoundary,
    Button,
    Duration,
    problemText,
    ErrorCard,
    JsonView,
    Page,
    Properties,
    Section,
    Skeleton,
    StateMark,
    toast,
    toastProblem,
    useTitle,
} from "@/shared";

import { Adopted } from "./Adopted";

export default function RunView() {
    const route = useRoute();
    const run = route.page === "run" ? route.run : undefined;
    return run === undefined ? null : <Run key={run} id={run} />;
}

function Run({ id }: { id: string }) {
    const live = useRun(id);
    const { state, problem, reload } = live;
    if (state === undefined) {
        if (problem === undefined) return <Skeleton lines={8} className="max-w-xl p-6" />;
        return <Missing id={id} problem={problem} reload={reload} />;
    }
    return (
        <Loaded live={{ progress: live.progress, waits: live.waits }} run={state} problem={problem} onReload={reload} />
    );
}

/** A mission is no run with stages: it is shown in its session. Anything else could not be read. */
function Missing({ id, problem, reload }: { id: string; problem: Problem; reload: () => void }) {
    const mission = useQuery("mission_show", { mission: id });
    const session = mission.data?.session;
    useEffect(() => {
        if (session !== undefined) go({ page: "session", session, run: id }, { replace: true });
    }, [session, id]);
    if (mission.problem === undefined) return <Skeleton lines={8} className="max-w-xl p-6" />;
    const again = () => {
        reload();
        mission.reload();
    };
    return (
        <div className="p-6">
            <ErrorCard
                title={problem.code === "not_found" ? "This run does not exist." : "Could not load the run."}
                advice={problem.action ?? undefined}
                actions={<Button onClick={again}>Try again</Button>}
                details={problem.message}
            />
        </div>
    );
}

interface LoadedProps {
    run: RunState;
    live: Parameters<typeof StageStrip>[0]["live"];
    /** Why the newest state is not known. */
    problem: Problem | undefined;
    onReload: () => void;
}

function Loaded({ run, live, problem, onReload }: LoadedProps) {
    const [stage, setStage] = useState<string>();
    useTitle(run.request);
    const log = useEventLog(run.run, run.seq);
    const exporting = useCommand("run_export");
    const stopping = useCommand("run_suspend");
    const standing = runStatus(run.status);
    const foreseen = forecastWord(run);
    const parent = run.parent ?? undefined;
    const shown =
        run.stages.find((each) => String(each.id) === stage) ??
        run.stages.find((each) => each.phase === "running") ??
        run.stages.find((each) => each.phase === "failed") ??
        run.stages[0];
    const taken = run.answered.filter((each) => each.decision.followUp === true);
    const titles = Object.fromEntries(run.stages.map((each) => [String(each.id), each.title]));
    const open = (row: StageRow) => setStage(String(row.id));
    const stop = async () => {
        const { problem: refused } = await stopping.run({ run: run.run });
        if (refused !== undefined) toastProblem(refused, "Not stopped", () => void stop());
    };
    const write = async () => {
        const { value, problem: refused } = await exporting.run({ run: { id: run.run } });
        if (refused !== undefined) toastProblem(refused, "Not written", () => void write());
        else toast({ text: value === null || value === undefined ? "Run files written." : `Written to ${value}` });
    };
    return (
        <Page
            title={<span className="line-clamp-2">{run.request}</span>}
            lead={`${run.agentName || run.agent}${run.depth === null ? "" : `, ${titled(run.depth)}`}`}
            marks={<StateMark state={standing.state} word={standing.word} show="badge" />}
            back={
                parent === undefined
                    ? { label: "Session", href: hrefOf({ page: "session", session: run.session, run: run.run }) }
                    : { label: "The run that it is part of", href: hrefOf({ page: "run", run: parent }) }
            }
            actions={
                <>
                    {run.status === "running" && (
                        <Button
                            icon={<Square size={12} strokeWidth={1.5} />}
                            disabled={stopping.pending}
                            onClick={() => void stop()}
                            title="Stop the run, even while it waits to retry. You can resume it later."
                        >
                            {stopping.pending ? "Stopping…" : "Stop"}
                        </Button>
                    )}
                    <TaskLink run={run} />
                    <Button
                        icon={<GitCompare size={16} strokeWidth={1.5} />}
                        onClick={() => go({ page: "compare", left: run.run })}
                    >
                        Compare with…
                    </Button>
                    <Button
                        icon={<Download size={16} strokeWidth={1.5} />}
                        disabled={exporting.pending}
                        onClick={() => void write()}
                    >
                        Write the run files again
                    </Button>
                </>
            }
        >
            {problem !== undefined && (
                <p role="alert" className="mb-4 text-ui text-failed">
                    {problemText(problem, "Could not reload the run; its earlier state is shown")}{" "}
                    <Button size="small" onClick={onReload}>
                        Try again
                    </Button>
                </p>
            )}
            {run.inputs !== undefined && run.inputs !== null && (
                <Section title="Inputs">
                    <JsonView label="Inputs" value={run.inputs} open={2} />
                </Section>
            )}
            <Adopted inputs={run.inputs} />
            <Section title="Stages">
                <StageStrip
                    run={run}
                    live={live}
                    open={shown === undefined ? undefined : String(shown.id)}
                    onOpen={open}
                />
                {taken.map((answered, index) => (
                    <AnsweredLine
                        key={answered.form.pause}
                        answered={answered}
                        again={index === taken.length - 1 ? "run it again below" : undefined}
                    />
                ))}
            </Section>
            {canGoOn(run.status) && <RunProblem run={run} />}
            <Section title="Timeline" note="Includes time waiting for you">
                <Timeline run={run} onOpen={open} />
            </Section>
            {shown !== undefined && (
                <Section title={shown.title} note={shown.summary}>
                    <StagePart run={run.run} stage={shown} seq={run.seq} />
                </Section>
            )}
            <Progress run={run} />
            <Section title="Cost" note={<span className="tabular">{`${spentWord(run)}, ${tokensWord(run)}`}</span>}>
                {asksNone(run) ? (
                    <p className="text-ui text-ink-2">The offline engine answered. No model was asked.</p>
                ) : (
                    <StageCosts run={run} />
                )}
                {foreseen !== undefined && <p className="tabular mt-2 text-small text-ink-2">{foreseen}</p>}
            </Section>
            {!asksNone(run) && (
                <Section title="Tokens" note="What each model request was made of">
                    <TokenLedger run={run.run} />
                </Section>
            )}
            <Section title="Events" note="The stored log">
                {log.problem !== undefined && (
                    <ErrorCard
                        title={
                            log.events.length === 0 ? "Could not load the events." : "Could not load the newest events."
                        }
                        advice={log.problem.action ?? undefined}
                        actions={<Button onClick={log.reload}>Try again</Button>}
                        className="mb-3"
                    >
                        {log.problem.message}
                    </ErrorCard>
                )}
                {(log.problem === undefined || log.events.length > 0) && (
                    <EventTable events={log.events} titles={titles} />
                )}
            </Section>
            {parent === undefined && (
                <Section title="Run again" note="Calls with unchanged requests reuse their results">
                    <RepeatRun run={run} />
                </Section>
            )}
            <Section title="Replay" note="Every local step computed again and compared with the log">
                <ReplayCheck run={run.run} />
                <CapsuleCheck />
            </Section>
            <Section title="About this run">
                <Properties
                    items={[
                        { name: "Run", value: <code className="font-mono text-code break-all">{run.run}</code> },
                        { name: "Session", value: <code className="font-mono text-code">{run.session}</code> },
                        {
                            name: "Knowledge base",
                            value:
                                run.corpus === null ? "None" : <span title={run.corpus}>{baseName(run.corpus)}</span>,
                        },
                        ...(run.attached === undefined || run.attached.length === 0
                            ? []
                            : [{ name: "Attached", value: run.attached.map((file) => file.name).join(", ") }]),
                        { name: "Connection", value: `${run.connection}${run.model === "" ? "" : `, ${run.model}`}` },
                        { name: "Started", value: new Date(run.createdAt).toLocaleString("en-GB") },
                        { name: "Last event", value: new Date(run.updatedAt).toLocaleString("en-GB") },
                        { name: "Active time", value: <Duration ms={run.activeMs} /> },
                        ...(run.previous === null
                            ? []
                            : [
                                  {
                                      name: "Follow-up to",
                                      value: (
                                          <a
                                              className="text-accent hover:underline"
                                              href={hrefOf({ page: "run", run: run.previous })}
                                          >
                                              {run.previous}
                                          </a>
                                      ),
                                  },
                              ]),
                        ...(run.doubtful > 0
                            ? [{ name: "Unconfirmed", value: `up to ${formatMoney(run.doubtful)} more` }]
                            : []),
                    ]}
                />
            </Section>
        </Page>
    );
}

/** The checkpoints of a run, and the tables of what it has put out. */
function Progress({ run }: { run: RunState }) {
    const query = useQuery("run_progress", { run: { id: run.run } }, `${run.seq} ${run.status}`);
    if (query.data === undefined && query.problem === undefined) return null;
    return (
        <AsyncBoundary of={query} what="the checkpoints">
            {({ tables, drafts = [], checkpoints, stateFile }) => (
                <>
                    {tables.length > 0 && (
                        <Section title="Tables">
                            <OutputTables tables={tables} />
                        </Section>
                    )}
                    {drafts.length > 0 && (
                        <Section title="Drafts" note="Answers that are not complete yet, as far as they have come">
                            <Drafts drafts={drafts} />
                        </Section>
                    )}
                    <Section title="Checkpoints" note="Work finished before a checkpoint is not repeated">
                        <Checkpoints run={run} checkpoints={checkpoints} stateFile={stateFile} />
                    </Section>
                </>
            )}
        </AsyncBoundary>
    );
}

/** A turn that carries a stage out, with its steps and what it asks. */
function StageTurn({ run }: { run: string }) {
    const query = useQuery("turn_show", { run });
    const { data } = query;
    useEffect(() => {
        if (data !== undefined) learnTurn(data);
    }, [data]);
    return (
        <AsyncBoundary of={query} what="the stage’s conversation">
            {(turn) => <TurnCard turn={turn} newest={false} unfolded />}
        </AsyncBoundary>
    );
}

function StagePart({ run, stage, seq }: { run: string; stage: StageRow; seq: number }) {
    const query = useQuery("run_stage", { run, stage: stage.id }, String(seq));
    return (
        <AsyncBoundary of={query} what="the stage">
            {(data) => <StageDetail run={run} stage={stage} data={data} />}
        </AsyncBoundary>
    );
}

function StageDetail({ run, stage, data }: { run: string; stage: StageRow; data: Result<"run_stage"> }) {
    // Runs of other agents have pages of their own.
    const isAgent = stage.kind === "agent";
    const turns = new Set(
        isAgent ? [] : data.events.flatMap((record) => (record.type === "child_run_started" ? [record.child] : [])),
    );
    return (
        <>
            {isAgent && (
                <div className="mb-4">
                    <ChildRuns runs={stage.children ?? []} />
                </div>
            )}
            {hasAttempts(stage.gate) && (
                <div className="mb-4">
                    <GateAttempts gate={stage.gate} maxIterations={stage.maxIterations} />
                </div>
            )}
            <StageTabs key={String(stage.id)} run={run} detail={data} />
            {[...turns].map((turn) => (
                <StageTurn key={turn} run={turn} />
            ))}
        </>
    );
}

/** How many events one answer has at most. */
const EVENTS = 1_000;

interface EventLog {
    events: readonly RunEvent[];
    /** Why the newest events are not known. */
    problem: Problem | undefined;
    reload: () => void;
}

/** The whole log; what is new is read after what is known. */
function useEventLog(run: string, seq: number): EventLog {
    const [events, setEvents] = useState<readonly RunEvent[]>([]);
    const [problem, setProblem] = useState<Problem | undefined>();
    const [tries, setTries] = useState(0);
    const known = events[events.length - 1]?.seq ?? 0;
    useEffect(() => {
        if (known >= seq) return;
        let gone = false;
        call("run_show", { run: { id: run }, events_after: known }).then(
            (state) => {
                if (gone) return;
                setProblem(undefined);
                const fresh = (state.events ?? []).slice(0, EVENTS);
                if (fresh.length > 0)
                    setEvents((before) => [
                        ...before,
                        ...fresh.filter((event) => event.seq > (before[before.length - 1]?.seq ?? 0)),
                    ]);
            },
            (thrown: unknown) => !gone && setProblem(toProblem(thrown)),
        );
        return () => {
            gone = true;
        };
    }, [run, seq, known, tries]);
    return { events, problem, reload: () => setTries((count) => count + 1) };
}
