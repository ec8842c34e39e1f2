// What was used: one quiet line that opens to more. Its figures keep their width, so it never jumps.

import { skip, useQuery, type RunState, type TurnHead, type Usage } from "@/backend";
import { Popover, Skeleton, lazyPart } from "@/shared";

import { ShareBar } from "./ShareBar";
import { asksNone, formatTokens, spentOf, spentWord, tokensOf } from "./labels";

const CostDetail = lazyPart(
    () => import("./CostDetail").then((part) => part.CostDetail),
    <Skeleton lines={6} className="w-60" />,
);

/** `head`: of the turn that came last, where that is no run. Its context is what the next request begins with. */
export function CostMeter({
    runs,
    turns = [],
    head,
}: {
    runs: readonly RunState[];
    turns?: readonly TurnHead[];
    head?: TurnHead;
}) {
    const all: readonly (RunState | TurnHead)[] = [...runs, ...turns];
    const spent = spentOf(all);
    const asking = all.filter((one) => !asksNone(one));
    const tokens = asking.reduce((total, one) => total + tokensOf(one.usage), 0);
    const last = head === undefined ? runs[runs.length - 1] : undefined;
    const asked = useContextShare(last);
    const context =
        head === undefined
            ? asked
            : head.window > 0 && head.context > 0 && !asksNone(head)
              ? { used: head.context, window: head.window, share: Math.min(1, head.context / head.window) }
              : undefined;
    return (
        <Popover
            label="Context, cost and tokens"
            align="end"
            trigger={
                <button
                    type="button"
                    className="tabular flex h-6 shrink-0 items-center gap-1.5 rounded-control px-1.5 text-small text-ink-2 hover:bg-hover hover:text-ink"
                >
                    {/* On a telephone the title has the room: the cost stays, and the rest is one tap away. */}
                    {context !== undefined && (
                        <span className="flex items-center gap-1.5 max-sm:hidden">
                            <ShareBar share={context.share} className="w-10" />
                            <span>
                                <span className="sr-only">Context </span>
                                {percent(context.share)}
                                <span className="sr-only"> full</span>
                            </span>
                            <Slash />
                        </span>
                    )}
                    <span>
                        <span className="sr-only">Cost and tokens: </span>
                        {spentWord(spent)}
                    </span>
                    <span className="flex items-center gap-1.5 max-sm:hidden">
                        <Slash />
                        <span>{asking.length === 0 && all.length > 0 ? "no model" : formatTokens(tokens)}</span>
                    </span>
                </button>
            }
        >
            <CostDetail runs={runs} all={all} last={last} head={head} context={context} />
        </Popover>
    );
}

const percent = (share: number) => `${Math.round(share * 100)} %`;

const Slash = () => (
    <>
        <span aria-hidden className="text-ink-faint">
            /
        </span>
        <span className="sr-only">, </span>
    </>
);

export interface ContextShare {
    used: number;
    window: number;
    share: number;
}

/** What stood in the window after a request: everything that was read and what was written. */
export function contextOf(usage: Usage, window: number): ContextShare | undefined {
    const used = tokensOf(usage);
    return window > 0 && used > 0 ? { used, window, share: Math.min(1, used / window) } : undefined;
}

/** How full the window of the run's model was at its last request; undefined where the one or the other is not known. */
function useContextShare(run: RunState | undefined): ContextShare | undefined {
    const asks = run !== undefined && run.model !== "" && run.connection !== "offline";
    const { data: calls } = useQuery("usage_list", asks ? { query: { run: run.run }, limit: 1 } : skip);
    const { data: connection } = useQuery("connection_show", asks ? { slug: run.connection } : skip);
    const call = calls?.[0];
    const model =
        connection?.models.find((each) => each.id === call?.model) ??
        connection?.models.find((each) => each.id === run?.model);
    return call === undefined || model === undefined ? undefined : contextOf(call.usage, model.contextWindow);
}
