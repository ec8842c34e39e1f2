// Who works on what in a mission now.

import type { MissionView } from "@/backend";
import { StateMark } from "@/shared";

import { AgentName } from "./AgentName";
import { invocationStatus, roleWord } from "./labels";

const AT_WORK: ReadonlySet<string> = new Set(["running", "asking"]);

export function AtWork({ mission }: { mission: MissionView }) {
    const working = mission.invocations.filter(({ status }) => AT_WORK.has(status));
    if (working.length === 0) return null;
    return (
        <ul aria-label="Agents at work" className="flex flex-col gap-1 text-small">
            {working.map((one) => {
                const { state, word } = invocationStatus(one.status);
                const task = one.task ?? roleWord(one.role);
                return (
                    <li key={one.key} className="flex min-w-0 items-center gap-2">
                        <StateMark state={state} word={word} show="icon" size={14} className="shrink-0" />
                        <span className="shrink-0">
                            <AgentName of={one} />
                        </span>
                        <span className="truncate text-ink-2" title={task}>
                            {task}
                        </span>
                    </li>
                );
            })}
        </ul>
    );
}
