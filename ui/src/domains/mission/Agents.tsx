// Who worked on what in a mission, in order; each invocation leads to the run that carried it out.

import type { InvocationView, MissionView } from "@/backend";
import { formatTokens } from "@/domains/run";
import { Duration, EmptyState, StateMark, count, problemText } from "@/shared";

import { invocationStatus, iterationWord, roleWord } from "./labels";
import { AgentName } from "./AgentName";
import type { PartProps } from "./props";

export function Agents({ mission }: PartProps) {
    return (
        <>
            {mission.invocations.length === 0 ? (
                <EmptyState title="No agent has been invoked yet" className="px-0">
                    Each invocation appears here with its task, its state and its run.
                </EmptyState>
            ) : (
                <ol aria-label="Invocations of agents">
                    {mission.invocations.map((one) => (
                        <Invocation key={one.key} one={one} mission={mission} />
                    ))}
                </ol>
            )}
            {mission.leftOut.length > 0 && (
                <details className="mt-3 text-small text-ink-2">
                    <summary className="ring-inside cursor-pointer">
                        {count(mission.leftOut.length, "agent")} of the profile can&apos;t be used now
                    </summary>
                    <ul className="mt-1 list-disc pl-5">
                        {mission.leftOut.map((why) => (
                            <li key={why} className="break-words">
                                {why}
                            </li>
                        ))}
                    </ul>
                </details>
            )}
        </>
    );
}

function Invocation({ one, mission }: { one: InvocationView; mission: MissionView }) {
    const { state, word } = invocationStatus(one.status);
    const file = mission.files.find((file) => file.by === one.key && file.kind === "findings");
    return (
        <li className="flex gap-3 border-b border-hairline py-2 text-ui last:border-b-0">
            <StateMark state={state} word={word} show="icon" className="mt-0.5 shrink-0" />
            <div className="min-w-0 flex-1">
                <p className="flex flex-wrap items-baseline gap-x-2">
                    <AgentName of={one} />
                    <span className="text-small text-ink-3">
                        {[roleWord(one.role), iterationWord(one.key)].filter(Boolean).join(", ")}
                    </span>
                </p>
                {one.task !== null && <p className="break-words text-ink-2">{one.task}</p>}
                {file !== undefined && <p className="text-small break-all text-ink-3">{file.path}</p>}
                {one.problem !== null && (
                    <p className="text-small break-words text-failed">{problemText(one.problem)}</p>
                )}
            </div>
            <p className="shrink-0 text-right text-small text-ink-3">
                <span className="block text-ink-2">{one.reused === null ? word : "Taken over"}</span>
                {one.ms > 0 && <Duration ms={one.ms} className="block" />}
                {one.tokens > 0 && mission.noModel !== true && (
                    <span className="tabular block">{formatTokens(one.tokens)}</span>
                )}
            </p>
        </li>
    );
}
