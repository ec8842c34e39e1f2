// What a mission's plan asks: read and changed at its pause, and for as long as research goes on.

import { Pencil, Plus, X } from "lucide-react";
import { useState } from "react";

import type { MissionPhase, MissionView } from "@/backend";
import { isOver } from "@/domains/run";
import { AsyncBoundary, Badge, Button, EmptyState, Fold, IconButton, StateMark, TextField } from "@/shared";

import { ListFoot } from "./ListFoot";
import { TextDialog } from "./TextDialog";
import { useItems, type PlanQuestion } from "./graph";
import type { PartProps } from "./props";

const icon = { size: 16, strokeWidth: 1.5 } as const;

type PlanProps = Pick<PartProps, "mission" | "stamp" | "steering">;

export function Plan({ mission, stamp, steering }: PlanProps) {
    const items = useItems(mission.mission, "question", stamp);
    const fixed = whyFixed(mission.phase, steering.closed);
    return (
        <AsyncBoundary of={items.list} what="the plan">
            {({ items: questions, total }) =>
                questions.length === 0 ? (
                    <EmptyState title="No plan yet" className="px-0">
                        The questions that the mission asks appear here. You can change them before research begins and
                        while it goes on.
                    </EmptyState>
                ) : (
                    <>
                        <Questions
                            questions={questions}
                            steering={steering}
                            fixed={fixed}
                            unanswered={unansweredOf(mission)}
                        />
                        <ListFoot items={questions.length} total={total} of={items} />
                    </>
                )
            }
        </AsyncBoundary>
    );
}

function whyFixed(phase: MissionPhase, closed: string | undefined): string | undefined {
    if (closed !== undefined) return closed;
    return phase === "research" ? undefined : "The plan can be changed while research goes on.";
}

/** The agenda of a graph has no more items than these. */
const MAX_AGENDA_ITEMS = 200;

/** The questions that no claim answers yet; undefined where that is not known, as before research. */
function unansweredOf({ facts, iteration, status }: MissionView): ReadonlySet<string> | undefined {
    const isKnown = (iteration > 0 || isOver(status)) && facts.agenda.length < MAX_AGENDA_ITEMS;
    return isKnown ? new Set(facts.agenda.filter(({ kind }) => kind === "question").map(({ id }) => id)) : undefined;
}

const isAsked = ({ dropped }: PlanQuestion) => typeof dropped !== "string";

interface QuestionsProps extends Pick<PartProps, "steering"> {
    questions: readonly PlanQuestion[];
    /** Why nothing can be changed; undefined while it can. */
    fixed: string | undefined;
    unanswered: ReadonlySet<string> | undefined;
}

function Questions({ questions, steering, fixed, unanswered }: QuestionsProps) {
    const [rewording, setRewording] = useState<PlanQuestion>();
    const asked = questions.filter(isAsked);
    const dropped = questions.filter((question) => !isAsked(question));
    const again = new Set(asked.map((question) => question.key));
    const droppable = fixed === undefined && !steering.pending && asked.length > 1;
    return (
        <>
            <ol aria-label="Questions of the plan">
                {asked.map((question) => (
                    <li key={question.id} className="flex items-start gap-2 border-b border-hairline py-2 text-ui">
                        {unanswered !== undefined && (
                            <StateMark
                                state={unanswered.has(question.id) ? "idle" : "done"}
                                word={unanswered.has(question.id) ? "No claim answers it" : "Claims answer it"}
                                show="icon"
                                size={14}
                                className="mt-1.5 shrink-0"
                            />
                        )}
                        <p className="min-w-0 flex-1 pt-1 break-words">
                            {question.text}{" "}
                            {typeof question.section === "string" && (
                                <span className="text-small text-ink-3">for {question.section}</span>
                            )}{" "}
                            {question.required === false && <Badge>Optional</Badge>}
                        </p>
                        {fixed === undefined && (
                            <span className="flex shrink-0 gap-1">
                                <IconButton
                                    label={`Ask in other words: ${question.text}`}
                                    icon={<Pencil {...icon} />}
                                    disabled={steering.pending}
                                    onClick={() => setRewording(question)}
                                />
                                <IconButton
                                    label={
                                        asked.length > 1
                                            ? `No longer ask: ${question.text}`
                                            : "A plan asks at least one question"
                                    }
                                    icon={<X {...icon} />}
                                    disabled={!droppable}
                                    onClick={() =>
                                        void steering.say({
                                            say: "plan",
                                            edits: [{ edit: "drop", question: question.id }],
                                        })
                                    }
                                />
                            </span>
                        )}
                    </li>
                ))}
            </ol>
            {fixed === undefined ? (
                <Another steering={steering} />
            ) : (
                <p className="mt-2 text-small text-ink-3">{fixed}</p>
            )}
            {dropped.length > 0 && (
                <Fold label={`No longer asked (${dropped.length})`} className="mt-3">
                    <ul>
                        {dropped.map((question) => (
                            <li key={question.id} className="flex items-start gap-2 py-1 text-ui text-ink-2">
                                <p className="min-w-0 flex-1 break-words">
                                    {question.text} <span className="text-small text-ink-3">({question.dropped})</span>
                                </p>
                                {fixed === undefined && !again.has(question.key) && (
                                    <Button
                                        size="small"
                                        disabled={steering.pending}
                                        onClick={() => void ask(steering, question.text, question.required !== false)}
                                    >
                                        Ask again
                                    </Button>
                                )}
                            </li>
                        ))}
                    </ul>
                </Fold>
            )}
            {rewording !== undefined && (
                <TextDialog
                    title="Ask in other words"
                    description="The new question takes the place of this one. What was found for it stays."
                    label="Question"
                    initial={rewording.text}
                    confirmLabel="Change question"
                    command={steering}
                    onText={(text) =>
                        steering.say({ say: "plan", edits: [{ edit: "reword", question: rewording.id, text }] })
                    }
                    onClose={() => setRewording(undefined)}
                />
            )}
        </>
    );
}

const ask = (steering: PartProps["steering"], text: string, required: boolean) =>
    steering.say({ say: "plan", edits: [{ edit: "add", text, required }] });

function Another({ steering }: Pick<PartProps, "steering">) {
    const [text, setText] = useState("");
    const add = async () => {
        if (text.trim() !== "" && !steering.pending && (await ask(steering, text.trim(), true))) setText("");
    };
    return (
        <form
            className="mt-2 flex items-end gap-2"
            onSubmit={(event) => {
                event.preventDefault();
                void add();
            }}
        >
            <div className="min-w-0 flex-1">
                <TextField label="Another question" value={text} onChange={setText} />
            </div>
            <Button type="submit" icon={<Plus {...icon} />} disabled={text.trim() === "" || steering.pending}>
                Ask
            </Button>
        </form>
    );
}
