// What a turn set out to do, and how far it is.

import { Check, Circle, CircleDot } from "lucide-react";

import type { Task } from "@/backend";
import { cx } from "@/shared";

const MARKS = { pending: Circle, doing: CircleDot, done: Check } as const;
const TASK_WORDS = { pending: "To do", doing: "In progress", done: "Done" } as const;

export function Tasks({ tasks, className }: { tasks: readonly Task[]; className?: string }) {
    return (
        <ul aria-label="Tasks" className={cx("flex flex-col gap-0.5", className)}>
            {tasks.map((task, index) => {
                const Mark = MARKS[task.status];
                return (
                    <li
                        key={index}
                        className={cx(
                            "flex items-start gap-1.5 text-small",
                            task.status === "done" ? "text-ink-3" : "text-ink-2",
                        )}
                    >
                        <Mark
                            size={14}
                            strokeWidth={1.5}
                            aria-hidden
                            className={cx(
                                "mt-px shrink-0",
                                task.status === "done"
                                    ? "text-done"
                                    : task.status === "doing"
                                      ? "text-running"
                                      : "text-ink-3",
                            )}
                        />
                        <span className="sr-only">{TASK_WORDS[task.status]}: </span>
                        <span className={cx("min-w-0 break-words", task.status === "doing" && "font-medium text-ink")}>
                            {task.text}
                        </span>
                    </li>
                );
            })}
        </ul>
    );
}
