// A stored run computed once more: whether every local step comes out as it is recorded, and where not.

import { Repeat2 } from "lucide-react";

import { useState } from "react";

import { useCommand, type Replay } from "@/backend";
import { Button, ErrorCard, StateMark } from "@/shared";

import { replayLine } from "./replay";

export function ReplayCheck({ run }: { run: string }) {
    const { run: recompute, pending, problem } = useCommand("run_replay");
    const [replay, setReplay] = useState<Replay>();
    const check = async () => setReplay((await recompute({ run: { id: run } })).value);
    return (
        <div className="flex flex-col items-start gap-3">
            <Button
                icon={<Repeat2 size={16} strokeWidth={1.5} />}
                disabled={pending}
                onClick={() => void check()}
                title="Computes every local step again from the log and compares it. No model and no tool is called."
            >
                {pending ? "Recomputing…" : "Recompute from the log"}
            </Button>
            {problem !== undefined && (
                <ErrorCard
                    title="The run can’t be recomputed."
                    advice={problem.action ?? undefined}
                    details={problem.message}
                />
            )}
            {replay !== undefined && (
                <div role="status" className="flex flex-col gap-2 text-ui">
                    <StateMark
                        state={replay.identical ? "done" : "failed"}
                        word={replayLine(replay)}
                        className="whitespace-normal"
                    />
                    {(replay.differences ?? []).map((each, at) => (
                        <dl
                            key={at}
                            className="grid grid-cols-[auto_1fr] gap-x-3 rounded-card border border-hairline bg-surface p-3 text-small"
                        >
                            <dt className="col-span-2 mb-1 font-medium">
                                {`Event ${each.seq}: ${each.place}: ${each.what}`}
                            </dt>
                            <dt className="text-ink-2">Recorded</dt>
                            <dd className="font-mono break-all">{each.recorded}</dd>
                            <dt className="text-ink-2">Recomputed</dt>
                            <dd className="font-mono break-all">{each.recomputed}</dd>
                        </dl>
                    ))}
                    {(replay.more ?? 0) > 0 && <p className="text-small text-ink-2">{`And ${replay.more} more.`}</p>}
                    {(replay.gaps ?? []).map((gap, at) => (
                        <p key={at} className="text-small text-ink-2">
                            {`Not recomputed: event ${gap.seq}: ${gap.place}: ${gap.why}`}
                        </p>
                    ))}
                </div>
            )}
        </div>
    );
}
