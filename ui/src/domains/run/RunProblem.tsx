// A run that failed or was stopped: what happened, what was kept, what to do.

import { Play, RotateCcw, XCircle } from "lucide-react";

import { useCommand, type RunState } from "@/backend";
import { Button, ErrorCard, confirm } from "@/shared";

const icon = { size: 16, strokeWidth: 1.5 } as const;

export function RunProblem({ run, onInspect }: { run: RunState; onInspect?: () => void }) {
    const resume = useCommand("run_resume");
    const cancel = useCommand("run_cancel");
    const finished = run.stages.filter((stage) => stage.phase === "completed").length;
    const kept =
        finished === 0
            ? "Your question is kept."
            : `Kept: your question and ${finished === 1 ? "one finished stage" : `${finished} finished stages`}. Finished work is not repeated.`;
    const goOn = () => void resume.run({ run: { id: run.run } });
    const end = async () => {
        const sure = await confirm({
            title: "End this run?",
            body: "An ended run can’t be resumed. Its results stay readable.",
            confirmLabel: "End run",
            cancelLabel: "Keep run",
            danger: true,
        });
        if (sure) await cancel.run({ run: { id: run.run } });
    };
    const problem = resume.problem ?? cancel.problem;
    const actions = (
        <>
            <Button
                variant="primary"
                disabled={resume.pending}
                icon={run.status === "failed" ? <RotateCcw {...icon} /> : <Play {...icon} />}
                onClick={goOn}
            >
                {run.status === "failed" ? "Try again" : "Resume"}
            </Button>
            {onInspect !== undefined && <Button onClick={onInspect}>Show stage</Button>}
            <Button variant="quiet" disabled={cancel.pending} icon={<XCircle {...icon} />} onClick={() => void end()}>
                End run
            </Button>
        </>
    );
    if (run.status === "failed") {
        return (
            <ErrorCard
                title={run.problem?.message ?? "The run failed."}
                kept={kept}
                advice={run.problem?.action ?? undefined}
                actions={actions}
                details={run.problem === null ? undefined : JSON.stringify(run.problem, null, 2)}
            >
                {problem?.message}
            </ErrorCard>
        );
    }
    return (
        <section
            aria-label="Stopped"
            className="rounded-card border border-l-2 border-hairline border-l-needs-rule bg-surface p-4"
        >
            <h3 className="text-ui font-semibold">
                {run.status === "interrupted" ? "The program closed during this run." : "You stopped this run."}
            </h3>
            <p className="mt-1 text-ui text-ink-2">{kept}</p>
            {problem !== undefined && (
                <p role="alert" className="mt-1 text-ui text-failed">
                    {problem.message}
                </p>
            )}
            <div className="mt-3 flex flex-wrap gap-2">{actions}</div>
        </section>
    );
}
