// One stage from the inside.

import { X } from "lucide-react";
import { useEffect } from "react";

import { useQuery, useRunField, type RunLive } from "@/backend";
import { Duration, ErrorCard, IconButton, Skeleton, StateMark } from "@/shared";

import { GateAttempts, hasAttempts } from "./GateAttempts";
import { StageTabs } from "./StageTabs";
import { formatMoney, formatTokens, stageStatus, tokensOf } from "./labels";

const selectSeq = (live: RunLive) => live.seq;
const selectNoModel = (live: RunLive) => live.state?.noModel === true;

export interface StageInspectorProps {
    run: string;
    stage: string | number;
    onClose: () => void;
}

export function StageInspector({ run, stage, onClose }: StageInspectorProps) {
    const seq = useRunField(run, selectSeq);
    const noModel = useRunField(run, selectNoModel);
    const { data, problem, reload } = useQuery("run_stage", { run, stage });
    // Every event of the run may be one of this stage.
    useEffect(() => {
        if (seq > 0) reload();
    }, [seq, reload]);
    const row = data?.stage;
    return (
        <div className="flex h-full flex-col">
            <header className="flex shrink-0 items-start gap-2 px-4 pt-3 pb-2">
                <div className="min-w-0 flex-1">
                    <h2 className="truncate text-title font-semibold">{row?.title ?? "Stage"}</h2>
                    {row !== undefined && (
                        <p className="mt-0.5 flex flex-wrap items-center gap-x-3 text-small text-ink-2">
                            <StateMark
                                state={stageStatus(row.phase).state}
                                word={stageStatus(row.phase).word}
                                size={14}
                            />
                            {row.activeMs > 0 && <Duration ms={row.activeMs} />}
                            <span className="tabular">{formatMoney(row.cost)}</span>
                            <span className="tabular">{noModel ? "no model" : formatTokens(tokensOf(row.usage))}</span>
                            {row.attempt > 1 && <span>attempt {row.attempt}</span>}
                        </p>
                    )}
                    {row !== undefined && row.summary !== "" && (
                        <p className="mt-1 text-ui text-ink-2">{row.summary}</p>
                    )}
                </div>
                <IconButton
                    label="Close"
                    shortcut="Escape"
                    size="small"
                    icon={<X size={16} strokeWidth={1.5} />}
                    onClick={onClose}
                />
            </header>
            {data === undefined ? (
                <div className="px-4 pt-2">
                    {problem === undefined ? (
                        <Skeleton lines={6} />
                    ) : (
                        <ErrorCard title={problem.message} advice={problem.action ?? undefined} />
                    )}
                </div>
            ) : (
                <>
                    {hasAttempts(data.stage.gate) && (
                        <div className="px-4 pb-3">
                            <GateAttempts gate={data.stage.gate} maxIterations={data.stage.maxIterations} />
                        </div>
                    )}
                    <StageTabs run={run} detail={data} className="px-4" />
                </>
            )}
        </div>
    );
}
