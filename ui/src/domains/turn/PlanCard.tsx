// A plan that the agent handed over: to be accepted, perhaps over a fresh context, or refined.

import { ListChecks } from "lucide-react";
import { useId, useRef, useState } from "react";

import { shell, useCommand, type Mode, type PlanVerdict, type PlanView, useDraft } from "@/backend";
import { MODES, mayBecome } from "@/domains/permission";
import { Button, Fold, Select, TextArea, useFocusWhen, useLetters, useShortcut, problemText } from "@/shared";
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
    const draft = useDraft(`plan/${run}`);
    const { text, setText } = draft;
    const heading = useId();
    const field = useRef<HTMLTextAreaElement>(null);
    const waits = plan.state === "waiting" && newest;
    const desktop = shell();
    const card = useRef<HTMLElement>(null);
    const { inside, meant } = useLetters(card, waits);
    useFocusWhen(field, refining);
    const tell = async (verdict: PlanVerdict) => {
        if (answer.pending) return;
        if (verdict.verdict === "accept" && !(await mayBecome(verdict.mode, session))) return;
        const { problem } = await answer.run({ run, verdict });
        if (problem === undefined && verdict.verdict === "refine") draft.clear();
    };
    const refine = () => text.trim() !== "" && void tell({ verdict: "refine", text: text.trim() });
    const accept = (compact: boolean) => void tell({ verdict: "accept", mode, compact });
    const letters = waits && !refining && inside;
    const yes = meant(() => accept(false));
    const no = meant(() => setRefining(true));
    useShortcut("plan-accept", "y", "Accept plan", yes, { group: "Plan", enabled: letters });
    useShortcut("plan-refine", "n", "Refine plan with a comment", no, { group: "Plan", enabled: letters });
    const anywhere = { group: "Plan", enabled: waits && !refining };
    useShortcut("plan-accept-anywhere", "Alt+Y", "Accept plan, from anywhere", yes, anywhere);
    useShortcut("plan-refine-anywhere", "Alt+N", "Refine plan with a comment, from anywhere", no, anywhere);
    const shown = (letter: "y" | "n") => (inside ? letter : `Alt+${letter.toUpperCase()}`);
    const body = <Markdown text={withoutTitle(plan)} voice="answer" className="mt-2" />;
    if (!waits) {
        return (
            <section aria-labelledby={heading} className="rounded-card border border-hairline bg-surface px-4 py-2">
                <Fold
                    label={
                        <span id={heading} className="text-ui">
                            <span className="font-medium">Plan: {plan.title}</span>{" "}
                            <span className="text-ink-3">
                                {plan.state === "accepted"
                                    ? "accepted"
                                    : plan.state === "refined"
                                      ? "sent back for refinement"
                                      : "not answered"}
                            </span>
                        </span>
                    }
                >
                    {body}
                </Fold>
            </section>
        );
    }
    return (
        <section
            ref={card}
            tabIndex={-1}
            aria-labelledby={heading}
            data-plan={run}
            className="rounded-card border border-l-[3px] border-hairline border-l-needs-rule bg-surface px-4 pt-3 outline-none focus-visible:outline-2"
        >
            <header className="flex items-center gap-2">
                <ListChecks size={16} strokeWidth={1.5} aria-hidden className="shrink-0 text-needs" />
                <h3 id={heading} className="min-w-0 flex-1 text-ui font-semibold break-words">
                    <span className="text-needs">Carry out this plan?</span> {plan.title}
                </h3>
                {desktop !== undefined && (
                    <Button size="small" variant="quiet" onClick={() => void desktop.openPath(plan.path)}>
                        Show file
                    </Button>
                )}
            </header>
            {body}
            {/* A long plan is read with its answer at hand. */}
            <div className="sticky bottom-0 [@media(max-height:32rem)]:static -mx-4 rounded-b-card border-t border-hairline bg-surface px-4 pt-2.5 pb-3">
                {answer.problem !== undefined && (
                    <p role="alert" className="mb-2 text-ui text-failed">
                        {problemText(answer.problem, "Not sent")}
                    </p>
                )}
                {refining ? (
                    <form
                        className="flex flex-wrap items-end gap-2"
                        onSubmit={(event) => {
                            event.preventDefault();
                            refine();
                        }}
                        onKeyDown={(event) => {
                            if (event.key === "Escape") setRefining(false);
                            else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) refine();
                            else return;
                            event.preventDefault();
                            event.stopPropagation();
                        }}
                    >
                        <TextArea
                            ref={field}
                            label="Changes to make"
                            className="min-w-60 flex-1"
                            value={text}
                            onChange={setText}
                            minRows={2}
                            maxRows={10}
                            disabled={answer.pending}
                        />
                        <Button
                            type="submit"
                            variant="primary"
                            shortcut="Ctrl+Enter"
                            disabled={answer.pending || text.trim() === ""}
                        >
                            Send back
                        </Button>
                        <Button variant="quiet" onClick={() => setRefining(false)}>
                            Back
                        </Button>
                    </form>
                ) : (
                    <div className="flex flex-wrap items-center gap-2">
                        <Button
                            variant="primary"
                            shortcut={shown("y")}
                            disabled={answer.pending}
                            onClick={() => accept(false)}
                        >
                            Accept
                        </Button>
                        <Button
                            disabled={answer.pending}
                            onClick={() => accept(true)}
                            title="Compact the conversation first, to free context for the work"
                        >
                            Accept and compact
                        </Button>
                        <Button shortcut={shown("n")} disabled={answer.pending} onClick={() => setRefining(true)}>
                            Refine…
                        </Button>
                        <span className="ml-auto flex items-center gap-1.5 text-small text-ink-2">
                            Permission mode
                            <Select
                                label="Permission mode"
                                variant="quiet"
                                value={mode}
                                options={MODES.filter((each) => each.mode !== "safe").map((each) => ({
                                    value: each.mode,
                                    label: each.word,
                                    hint: each.hint,
                                }))}
                                onChange={(next) => setMode(next)}
                            />
                        </span>
                    </div>
                )}
            </div>
        </section>
    );
}

/** The card's heading says the title: the plan's first line need not say it again. */
function withoutTitle({ title, text }: PlanView): string {
    const [first = "", ...rest] = text.trimStart().split("\n");
    return first.replace(/^#+\s*/, "").trim() === title.trim() && first.startsWith("#") ? rest.join("\n") : text;
}
