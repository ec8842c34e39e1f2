// A plan that the agent handed over: to be accepted, perhaps over a fresh context, or refined.

import { ListChecks } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";

import { shell, useCommand, type Mode, type PlanVerdict, type PlanView } from "@/backend";
import { MODES, mayBecome } from "@/domains/permission";
import { Button, Fold, Select, TextArea } from "@/shared";
import { Markdown } from "@/shared/markdown";

export interface PlanCardProps {
    run: string;
    session: string;
    plan: PlanView;
    /** Whether it is the newest of the session: an older one is only read. */
    newest: boolean;
}

export function PlanCard({ run, session, plan, newest }: PlanCardProps) {
    const answer = useCommand("plan_answer");
    const [mode, setMode] = useState<Mode>("ask");
    const [refining, setRefining] = useState(false);
    const [text, setText] = useState("");
    const heading = useId();
    const field = useRef<HTMLTextAreaElement>(null);
    const waits = plan.state === "waiting" && newest;
    const desktop = shell();
    useEffect(() => {
        if (refining) field.current?.focus();
    }, [refining]);
    const tell = async (verdict: PlanVerdict) => {
        if (answer.pending) return;
        if (verdict.verdict === "accept" && !(await mayBecome(verdict.mode, session))) return;
        await answer.run({ run, verdict });
    };
    const body = (
        <div className="mt-2 max-h-[32rem] overflow-y-auto rounded-control ring-inside" tabIndex={0} role="group" aria-label="The plan">
            <Markdown text={plan.text} voice="answer" />
        </div>
    );
    if (!waits) {
        return (
            <section aria-labelledby={heading} className="rounded-card border border-hairline bg-surface px-4 py-2">
                <Fold
                    label={
                        <span id={heading} className="text-ui">
                            <span className="font-medium">Plan: {plan.title}</span> <span className="text-ink-3">{plan.state === "accepted" ? "accepted" : plan.state === "refined" ? "sent back to be refined" : "not answered"}</span>
                        </span>
                    }
                >
                    {body}
                </Fold>
            </section>
        );
    }
    return (
        <section aria-labelledby={heading} data-plan={run} className="rounded-card border border-l-[3px] border-hairline border-l-needs-rule bg-surface px-4 pt-3 pb-3.5">
            <header className="flex items-center gap-2">
                <ListChecks size={16} strokeWidth={1.5} aria-hidden className="shrink-0 text-needs" />
                <h3 id={heading} className="min-w-0 flex-1 text-ui font-semibold break-words">
                    Plan: {plan.title}
                </h3>
                {desktop !== undefined && (
                    <Button size="small" variant="quiet" onClick={() => void desktop.openPath(plan.path)}>
                        Show the file
                    </Button>
                )}
            </header>
            {body}
            {answer.problem !== undefined && (
                <p role="alert" className="mt-2 text-ui text-failed">
                    Not sent: {answer.problem.message} {answer.problem.action}
                </p>
            )}
            {refining ? (
                <div className="mt-3 flex items-end gap-2">
                    <TextArea ref={field} label="What should be different" className="flex-1" value={text} onChange={setText} minRows={2} maxRows={10} disabled={answer.pending} />
                    <Button variant="primary" disabled={answer.pending || text.trim() === ""} onClick={() => void tell({ verdict: "refine", text: text.trim() })}>
                        Send back
                    </Button>
                    <Button variant="quiet" onClick={() => setRefining(false)}>
                        Back
                    </Button>
                </div>
            ) : (
                <>
                    <div className="mt-3 flex flex-wrap items-center gap-2">
                        <Button variant="primary" disabled={answer.pending} onClick={() => void tell({ verdict: "accept", mode, compact: false })}>
                            Accept
                        </Button>
                        <Button disabled={answer.pending} onClick={() => void tell({ verdict: "accept", mode, compact: true })} title="What was said so far is put into fewer words first: more room for the work">
                            Accept and compact
                        </Button>
                        <Button disabled={answer.pending} onClick={() => setRefining(true)}>
                            Refine…
                        </Button>
                        <span className="ml-auto flex items-center gap-1.5 text-small text-ink-2">
                            Carried out in
                            <Select label="Mode of the work" variant="quiet" value={mode} options={MODES.filter((each) => each.mode !== "safe").map((each) => ({ value: each.mode, label: each.word, hint: each.hint }))} onChange={(next) => setMode(next)} />
                        </span>
                    </div>
                </>
            )}
        </section>
    );
}
