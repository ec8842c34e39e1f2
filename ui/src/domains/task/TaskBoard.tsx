// All tasks, by what they wait for.

import { GitBranch } from "lucide-react";

import { useQuery, type CodingTask, type TaskRunState } from "@/backend";
import { hrefOf } from "@/routes";
import { AsyncBoundary, EmptyState, ErrorCard, RelativeTime, Row, Rows, Section, count } from "@/shared";

import { doing } from "./Runs";
import { GROUPS, groupOf, isUnderWay } from "./labels";

export function TaskBoard() {
    const list = useQuery("task_list", null);
    const runs = useQuery("task_runs", {}).data ?? [];
    const of = (task: CodingTask) => runs.filter((run) => run.task === task.id);
    return (
        <AsyncBoundary of={list} what="the coding tasks">
            {({ tasks, unreadable }) => (
                <>
                    {unreadable.length > 0 && (
                        <ErrorCard title="Some tasks can’t be read" className="mb-4">
                            {unreadable.map(({ message }) => message).join("\n")}
                        </ErrorCard>
                    )}
                    {tasks.length === 0 ? (
                        <EmptyState title="No coding tasks yet" className="px-0">
                            A coding task is work on a git repository in a worktree of its own. Begin one with “New
                            task”, or one to work on yourself in the terminal:{" "}
                            <code className="font-mono text-code">{'agentnative task create "Fix the parser"'}</code>
                        </EmptyState>
                    ) : (
                        GROUPS.map(({ id, title }) => (
                            <Column
                                key={id}
                                title={title}
                                tasks={tasks.filter((task) => groupOf(task, of(task)) === id)}
                                runsOf={of}
                            />
                        ))
                    )}
                </>
            )}
        </AsyncBoundary>
    );
}

interface ColumnProps {
    title: string;
    tasks: readonly CodingTask[];
    runsOf: (task: CodingTask) => readonly TaskRunState[];
}

function Column({ title, tasks, runsOf }: ColumnProps) {
    if (tasks.length === 0) return null;
    return (
        <Section title={`${title} (${tasks.length})`}>
            <Rows label={title}>
                {tasks.map((task) => (
                    <Row
                        key={task.id}
                        href={hrefOf({ page: "task", task: task.id })}
                        icon={<GitBranch size={16} strokeWidth={1.5} aria-hidden />}
                        title={task.title}
                        line={[...runsOf(task).filter(isUnderWay).map(doing), task.repository, task.base].join(" · ")}
                        end={
                            <>
                                <span className="block">{count(task.attempts.length, "attempt")}</span>
                                <RelativeTime at={task.created} />
                            </>
                        }
                    />
                ))}
            </Rows>
        </Section>
    );
}
