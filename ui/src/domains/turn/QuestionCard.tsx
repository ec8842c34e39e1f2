// A question of the agent: options to choose, and words of one's own.

import { CircleHelp } from "lucide-react";
import { useId, useRef, useState, type KeyboardEvent } from "react";

import { useCommand, type Question, useDraft } from "@/backend";
import { Button, Checkbox, Kbd, TextArea, useLetters, problemText } from "@/shared";
import { Markdown } from "@/shared/markdown";

/** What is sent: the options in their order, then the own words. */
export function answerText(chosen: readonly string[], words: string): string {
    return [...chosen, words.trim()].filter((each) => each !== "").join("\n");
}

export function QuestionCard({ run, call, question }: { run: string; call: string; question: Question }) {
    const answer = useCommand("question_answer");
    const [chosen, setChosen] = useState<readonly string[]>([]);
    const draft = useDraft(`question/${run}/${call}`);
    const { text: words, setText: setWords } = draft;
    const [sent, setSent] = useState(false);
    const card = useRef<HTMLElement>(null);
    const heading = useId();
    const options = question.options ?? [];
    const several = question.several === true;
    const sending = answer.pending || sent;
    // A digit answers: not one that is typed elsewhere.
    const { meant } = useLetters(card, true);
    const send = async (labels: readonly string[]) => {
        const text = answerText(labels, words);
        if (sending || text === "") return;
        setSent(true);
        const { problem } = await answer.run({ run, call, answer: text });
        if (problem === undefined) draft.clear();
        else setSent(false);
    };
    // A digit chooses an option, as long as nothing is written.
    const onKeyDown = (event: KeyboardEvent) => {
        const option = /^[1-9]$/.test(event.key) ? options[Number(event.key) - 1] : undefined;
        if (
            option === undefined ||
            event.target instanceof HTMLTextAreaElement ||
            event.ctrlKey ||
            event.metaKey ||
            event.altKey
        )
            return;
        event.preventDefault();
        meant(() => {
            if (!several) void send([option.label]);
            else if (!sending)
                setChosen(
                    options
                        .map((each) => each.label)
                        .filter((label) => chosen.includes(label) !== (label === option.label)),
                );
        })();
    };
    return (
        <section
            ref={card}
            tabIndex={-1}
            onKeyDown={onKeyDown}
            aria-labelledby={heading}
            data-question={call}
            className="my-2 flex flex-col gap-3 rounded-card border border-l-[3px] border-hairline border-l-needs-rule bg-surface px-4 pt-3 pb-3.5 outline-none focus-visible:outline-2"
        >
            <header className="flex items-start gap-2">
                <CircleHelp size={16} strokeWidth={1.5} aria-hidden className="mt-0.5 shrink-0 text-needs" />
                <div id={heading} className="min-w-0 flex-1 font-medium">
                    <Markdown text={question.text} />
                </div>
            </header>
            {options.length > 0 && several && (
                <fieldset className="flex flex-col gap-2">
                    <legend className="sr-only">Answers, choose any number</legend>
                    {options.map((option) => (
                        <Checkbox
                            key={option.label}
                            label={option.label}
                            hint={option.description === "" ? undefined : option.description}
                            checked={chosen.includes(option.label)}
                            disabled={sending}
                            onChange={(on) =>
                                setChosen(
                                    options
                                        .map((each) => each.label)
                                        .filter((label) => (label === option.label ? on : chosen.includes(label))),
                                )
                            }
                        />
                    ))}
                </fieldset>
            )}
            {options.length > 0 && !several && (
                <ul className="flex flex-col gap-1.5">
                    {options.map((option, index) => (
                        <li key={option.label}>
                            <button
                                type="button"
                                disabled={sending}
                                onClick={() => void send([option.label])}
                                className="flex w-full items-start gap-3 rounded-control border border-hairline bg-surface px-3 py-1.5 text-left hover:border-ink-faint hover:bg-hover disabled:opacity-50"
                            >
                                <span className="min-w-0 flex-1">
                                    <span className="block text-ui font-medium">{option.label}</span>
                                    {option.description !== undefined && option.description !== "" && (
                                        <span className="block text-small text-ink-2">{option.description}</span>
                                    )}
                                </span>
                                {index < 9 && (
                                    <span aria-hidden>
                                        <Kbd>{String(index + 1)}</Kbd>
                                    </span>
                                )}
                            </button>
                        </li>
                    ))}
                </ul>
            )}
            <div className="flex items-end gap-2">
                <TextArea
                    label={options.length > 0 ? "Other answer" : "Your answer"}
                    className="flex-1"
                    value={words}
                    onChange={setWords}
                    disabled={sending}
                    minRows={1}
                    maxRows={8}
                    onKeyDown={(event) => {
                        if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
                        event.preventDefault();
                        void send(chosen);
                    }}
                />
                <Button
                    variant="primary"
                    shortcut="Enter"
                    disabled={sending || answerText(chosen, words) === ""}
                    onClick={() => void send(chosen)}
                >
                    {sending ? "Sending…" : "Answer"}
                </Button>
            </div>
            {answer.problem !== undefined && (
                <p role="alert" className="text-ui text-failed">
                    {problemText(answer.problem, "Not sent")} <span className="text-ink-2">Your text is kept.</span>
                </p>
            )}
        </section>
    );
}
