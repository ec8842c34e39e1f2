import type { CallRow } from "@/backend";
import { Badge, Duration, Fold, StateMark } from "@/shared";

import { Exchange } from "./Exchange";
import { callStatus, formatTokens, tokensOf } from "./labels";

/** A call in one line that opens to what was sent and what came back. A failure is seen folded. */
export function CallLine({ call }: { call: CallRow }) {
    const { state, word } = callStatus(call.status);
    // Without a wire nothing left the machine: no model was asked.
    const tokens = call.model && (call.wire ?? null) === null ? 0 : tokensOf(call.usage);
    return (
        <div className="min-w-0">
            <Fold
                label={
                    <span className="flex min-w-0 items-center gap-2">
                        <StateMark state={state} word={word} show="icon" size={14} />
                        <span className="min-w-0 flex-1 truncate text-ui text-ink">
                            {call.title === "" ? call.key : call.title}
                        </span>
                    </span>
                }
                note={
                    <span className="tabular flex shrink-0 items-center gap-2 text-small text-ink-3">
                        {typeof call.continuedFrom === "number" && <Badge>continued</Badge>}
                        {call.tries > 1 && <Badge>{call.tries} tries</Badge>}
                        {tokens > 0 && <span>{formatTokens(tokens)}</span>}
                        {call.status === "completed" && <Duration ms={call.ms} />}
                    </span>
                }
            >
                <div className="mt-1 flex flex-col gap-2 pl-4">
                    <p className="font-mono text-code text-ink-3">{call.key}</p>
                    <Exchange call={call} />
                </div>
            </Fold>
            {call.problem !== null && (
                <p className="mt-1 pl-4 text-small text-failed">
                    {call.problem.message}
                    {typeof call.problem.action === "string" && (
                        <span className="text-ink-2"> {call.problem.action}</span>
                    )}
                </p>
            )}
        </div>
    );
}
