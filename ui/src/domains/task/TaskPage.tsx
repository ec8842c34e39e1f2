// One task: its attempts, and of the one that is looked at the checks, the changes with comments, and the end.

import { useState } from "react";

import {
    useCommand,
    useQuery,
    type AttemptView,
    type Ending,
    type Problem,
    type TaskRunState,
    type TaskView,
} from "@/backend";
import { hrefOf } from "@/routes";
import {
    AsyncBoundary,
    Badge,
    Button,
    ErrorCard,
    Page,
    Properties,
    RadioGroup,
    Section,
    StateMark,
    confirm,
    toast,
    toastProblem,
    problemText,
} from "@/shared";

import { Changes } from "./Changes";
import { Checks } from "./Checks";
import { RunDialog } from "./RunDialog";
import { Runs, doing } from "./Runs";
import { ENDINGS, VERDICTS, isThere, isUnderWay } from "./labels";

const BACK = { label: "Tasks", href: hrefOf({ page: "tasks" }) };

export function TaskPage({ task }: { task: string }) {
    const query = useQuery("task_show", { task });
    const runs = useQuery("task_runs", { task }).data ?? [];
    const [another, setAnother] = useState(false);
    const undo = useCommand("task_undo");
    const undone = async () => {
        const { problem } = await undo.run({ task });
        if (problem !== undefined) toastProblem(problem, "Not undone", () => void undone());
    };
    return (
        <Page
            title={query.data?.task.title ?? task}
            back={BACK}
            actions={
                query.data !== undefined && (
                    <>
                        {(query.data.task.undo?.length ?? 0) > 0 && (
                            <Button onClick={() => void undone()} disabled={undo.pending}>
                                Undo
                            </Button>
                        )}
                        <Button onClick={() => setAnother(true)}>Start another attempt</Button>
                    </>
                )
            }
        >
            <AsyncBoundary of={query} what={`the task ${task}`}>
                {(view) => <Attempts view={view} runs={runs} />}
            </AsyncBoundary>
            {another && <RunDialog task={task} attempt={0} comments={0} onClose={() => setAnother(false)} />}
        </Page>
    );
}

function Attempts({ view, runs }: { view: TaskView; runs: readonly TaskRunState[] }) {
    const { task } = view;
    const of = (number: number | undefined) => runs.filter((run) => run.attempt === number);
    const first =
        task.chosen ?? task.attempts.find(({ state }) => state === "open")?.number ?? task.attempts[0]?.number;
    const [picked, setPicked] = useState<number>();
    const number = picked ?? first;
    const attempt = task.attempts.find((one) => one.number === number);
    const now = view.attempts.find((one) => one.number === number);
    return (
        <>
            {isThere(task.description) && (
                <p className="mb-3 max-w-prose text-ui whitespace-pre-wrap">{task.description}</p>
            )}
            <Properties
                items={[
                    { name: "Repository", value: task.repository },
                    { name: "Base", value: `${task.base} (${task.base_commit.slice(0, 12)})` },
                    { name: "Target", value: task.target ?? "none" },
                ]}
            />
            {task.attempts.length > 1 && (
                <Section title="Attempts">
                    <RadioGroup
                        label="Attempt"
                        value={String(number)}
                        onChange={(value) => setPicked(Number(value))}
                        options={view.attempts.map((one, index) => ({
                            value: String(one.number),
                            label: [`${one.number}.`, task.attempts[index]?.label ?? ""].join(" ").trim(),
                            hint: [stat(one), VERDICTS[one.verdict].word, ...of(one.number).slice(-1).map(doing)].join(
                                " · ",
                            ),
                        }))}
                    />
                </Section>
            )}
            {attempt === undefined || now === undefined ? (
                <p className="text-ui text-ink-2">The task has no attempts.</p>
            ) : (
                <>
                    <div className="mt-4 flex flex-wrap items-center gap-3 text-ui">
                        <StateMark {...ENDINGS[attempt.state]} show="badge" />
                        <StateMark {...VERDICTS[now.verdict]} show="badge" />
                        {task.chosen === number && <Badge>Chosen</Badge>}
                        <span className="text-ink-2">{stat(now)}</span>
                        <code className="min-w-0 font-mono text-code break-all">{attempt.folder}</code>
                        {!now.folder_there && <span className="text-ink-3">(gone)</span>}
                    </div>
                    {isThere(now.problem) && (
                        <ErrorCard title="This attempt can’t be read" className="mt-3">
                            {now.problem}
                        </ErrorCard>
                    )}
                    {attempt.state === "open" && now.folder_there && (
                        <Endings key={number} view={view} now={now} several={task.attempts.length > 1} />
                    )}
                    <Runs runs={of(number)} />
                    <Checks view={view} attempt={attempt} open={now.folder_there} />
                    <Changes
                        key={`${task.id} ${number}`}
                        task={task.id}
                        attempt={attempt}
                        open={now.folder_there}
                        busy={of(number).some(isUnderWay)}
                    />
                </>
            )}
        </>
    );
}

function stat({ stat: { files, additions, deletions } }: AttemptView): string {
    return `${files} ${files === 1 ? "file" : "files"}, +${additions} −${deletions}`;
}

/** Merge, keep, discard. What the program refuses is said here, with what can be done. */
function Endings({ view, now, several }: { view: TaskView; now: AttemptView; several: boolean }) {
    const merge = useCommand("task_merge");
    const end = useCommand("task_end");
    const [refused, setRefused] = useState<{ problem: Problem; ending?: Ending }>();
    const attempt = { task: view.task.id, attempt: now.number };
    const pending = merge.pending || end.pending;
    const checked = now.verdict === "passed" || now.verdict === "not_declared";
    const merged = async (style: "merge" | "squash") => {
        if (!checked) {
            const sure = await confirm({
                title: "Merge without passed checks?",
                body: `${VERDICTS[now.verdict].word}.`,
                confirmLabel: "Merge",
            });
            if (!sure) return;
        }
        const { value, problem } = await merge.run({
            ...attempt,
            style,
            message: null,
            target: null,
            unchecked: !checked,
            keep_folder: false,
        });
        setRefused(problem === undefined ? undefined : { problem });
        if (value !== undefined) toast({ text: `Merged into ${value.target}.` });
    };
    const ended = async (ending: Ending) => {
        const { value, problem } = await end.run({ attempt, ending });
        setRefused(problem === undefined ? undefined : { problem, ending });
        for (const { reasons, attempt: number } of value ?? [])
            if (reasons.length > 0) toast({ text: `Attempt ${number} stays: ${reasons.join("; ")}`, tone: "failed" });
    };
    return (
        <>
            <div className="mt-3 flex flex-wrap items-center gap-2">
                <Button variant="primary" disabled={pending} onClick={() => void merged("merge")}>
                    Merge into {view.task.target ?? "…"}
                </Button>
                <Button disabled={pending} onClick={() => void merged("squash")}>
                    Squash and merge
                </Button>
                {several && (
                    <Button disabled={pending} onClick={() => void ended("choose")}>
                        Choose this attempt
                    </Button>
                )}
                <Button disabled={pending} onClick={() => void ended("keep")}>
                    Keep
                </Button>
                <Button disabled={pending} onClick={() => void ended("discard")}>
                    Discard
                </Button>
            </div>
            {refused !== undefined && (
                <ErrorCard title="Nothing was changed" className="mt-3">
                    {problemText(refused.problem)}
                </ErrorCard>
            )}
            {refused?.ending === "discard" && (
                <Button className="mt-2" disabled={pending} onClick={() => void ended("discard_saved")}>
                    Save for undo, then discard
                </Button>
            )}
        </>
    );
}
