// From a run to the task that it works on.

import { GitBranch } from "lucide-react";

import { skip, useQuery, type RunState } from "@/backend";
import { go } from "@/routes";
import { Button } from "@/shared";

import { AGENT } from "./labels";

export function TaskLink({ run: { run, agent } }: { run: RunState }) {
    // The tasks are not read for every run.
    const tasks = useQuery("task_list", agent === AGENT ? null : skip).data?.tasks ?? [];
    const task = tasks.find(({ attempts }) => attempts.some(({ runs = [] }) => runs.some((one) => one.run === run)));
    if (task === undefined) return null;
    return (
        <Button
            icon={<GitBranch size={16} strokeWidth={1.5} />}
            title={task.title}
            onClick={() => go({ page: "task", task: task.id })}
        >
            Open the task
        </Button>
    );
}
