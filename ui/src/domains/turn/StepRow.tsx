// A step: what was done, in a line that opens to more. Text that streams draws this row and nothing else.

import {
    Bot,
    Brain,
    ChevronRight,
    CornerDownRight,
    FileText,
    FolderSearch,
    Globe,
    Info,
    ListChecks,
    ListTodo,
    MessageCircleQuestion,
    PencilLine,
    Plug,
    Scissors,
    Search,
    SquareTerminal,
    Wrench,
} from "lucide-react";
import { memo, useState, type ReactNode } from "react";

import { useStepText, type TurnStep } from "@/backend";
import { ApprovalCard } from "@/domains/permission";
import { shortTokens } from "@/domains/run";
import {
    Duration,
    Fold,
    Skeleton,
    StateMark,
    InlineCode,
    cx,
    lazyPart,
    plainText,
    sentence,
    useElapsed,
} from "@/shared";
import { Markdown } from "@/shared/markdown";

import { MessageText } from "./MessageText";
import { isAnswered, isShown, type Branch, type ToolStep } from "./steps";
import { isWrong, lineOf, stepStatus } from "./labels";

const QuestionCard = lazyPart(() => import("./QuestionCard").then((part) => part.QuestionCard), <Skeleton lines={4} />);
const StepDetailView = lazyPart(
    () => import("./StepDetailView").then((part) => part.StepDetailView),
    <Skeleton lines={2} className="max-w-80 py-1.5" />,
);

/** A hint by the tool's name, nothing more: one that is not known has the tool's sign. */
const ICONS: readonly [RegExp, typeof Wrench][] = [
    [/shell|command|bash|run/, SquareTerminal],
    [/search|grep|find/, Search],
    [/list|glob|tree/, FolderSearch],
    [/write|edit|patch/, PencilLine],
    [/read|file|document/, FileText],
    [/fetch|web|http|browse/, Globe],
    [/plan/, ListChecks],
    [/task|todo/, ListTodo],
    [/ask|question/, MessageCircleQuestion],
    [/agent|model|research/, Bot],
];

function iconOf(step: ToolStep): typeof Wrench {
    return ICONS.find(([name]) => name.test(step.tool.toLowerCase()))?.[1] ?? (step.source === "" ? Wrench : Plug);
}

export interface StepsProps {
    run: string;
    session: string;
    branches: readonly Branch[];
    /** The call whose card has the keys. */
    asking: string | undefined;
    depth?: number;
}

export function Steps({ run, session, branches, asking, depth = 0 }: StepsProps) {
    return (
        <ol className={cx("flex flex-col", depth > 0 && "ml-[7px] border-l border-hairline pl-3")}>
            {branches.map((branch) => (
                <li key={branch.step.id} data-step={branch.step.id} className={cx(!isShown(branch.step) && "hidden")}>
                    <StepRow run={run} session={session} step={branch.step} first={asking === branch.step.id} />
                    {branch.below.length > 0 && (
                        <Steps run={run} session={session} branches={branch.below} asking={asking} depth={depth + 1} />
                    )}
                </li>
            ))}
        </ol>
    );
}

export const StepRow = memo(function StepRow({
    run,
    session,
    step,
    first,
}: {
    run: string;
    session: string;
    step: TurnStep;
    first: boolean;
}) {
    switch (step.kind) {
        case "model":
            return <ModelRow run={run} session={session} step={step} />;
        case "tool":
            return <ToolRow run={run} session={session} step={step} first={first} />;
        case "steering":
            return (
                <div className="my-1 flex items-start gap-1.5 text-ui text-ink-2">
                    <CornerDownRight size={14} strokeWidth={1.5} aria-hidden className="mt-0.5 shrink-0 text-ink-3" />
                    <span className="sr-only">Your message during the turn: </span>
                    <MessageText message={step.message} className="min-w-0" />
                </div>
            );
        case "compaction":
            return (
                <div className="my-1 flex items-start gap-1.5 border-y border-dashed border-hairline py-1">
                    <Scissors size={14} strokeWidth={1.5} aria-hidden className="mt-1 shrink-0 text-ink-3" />
                    <Fold
                        className="min-w-0 flex-1"
                        label={`${step.byModel ? "Earlier conversation compacted" : "Earlier conversation truncated"}: ${shortTokens(step.before)} to ${shortTokens(step.after)} tokens`}
                    >
                        <Markdown text={step.summary} className="pb-1" />
                    </Fold>
                </div>
            );
        case "notice":
            return (
                <Line icon={<Info size={14} strokeWidth={1.5} aria-hidden className="text-ink-3" />}>
                    <span className="min-w-0 text-small break-words text-ink-3">{step.text}</span>
                </Line>
            );
    }
});

function Line({ icon, children, className }: { icon: ReactNode; children: ReactNode; className?: string }) {
    return (
        <div className={cx("flex min-h-7 min-w-0 items-center gap-2 py-0.5", className)}>
            <span className="flex w-4 shrink-0 justify-center">{icon}</span>
            {children}
        </div>
    );
}

function ModelRow({
    run,
    session,
    step,
}: {
    run: string;
    session: string;
    step: Extract<TurnStep, { kind: "model" }>;
}) {
    const live = useStepText(run, session, step.id);
    const running = step.status === "running";
    const thinking = live.thinking !== "" ? live.thinking : step.thinking;
    const child = step.parent !== null && step.parent !== undefined;
    // A child's text is shown here; the turn's own stands where its answer will.
    const text = running ? (child ? live.text : "") : step.text;
    if (thinking === "" && text === "" && !isWrong(step)) return null;
    return (
        <div className="py-0.5">
            {thinking !== "" && (
                <Thinking
                    text={thinking}
                    running={running && live.text === ""}
                    ms={running ? undefined : step.ms}
                    since={step.at}
                />
            )}
            {text !== "" && <Markdown text={text} streaming={running} className="my-1.5 pl-6" />}
            {isWrong(step) && (
                <StateMark
                    state={stepStatus(step.status).state}
                    word="Model request failed"
                    size={14}
                    className="pl-6"
                />
            )}
        </div>
    );
}

function Thinking({ text, running, ms, since }: { text: string; running: boolean; ms?: number; since: number }) {
    const [open, setOpen] = useState(false);
    const elapsed = useElapsed(running ? since : undefined);
    return (
        <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
            <summary className="flex min-h-7 list-none items-center gap-2 rounded-[4px] text-ui text-ink-2 hover:text-ink [&::-webkit-details-marker]:hidden">
                <span className="flex w-4 shrink-0 justify-center">
                    <Brain size={14} strokeWidth={1.5} aria-hidden className="text-ink-3" />
                </span>
                <span className="shrink-0">{running ? "Thinking" : "Thought"}</span>
                {!open && (
                    <span className="min-w-0 flex-1 truncate text-small text-ink-3">
                        {running ? lastLine(text) : firstLine(text)}
                    </span>
                )}
                <Duration ms={ms ?? elapsed} className="ml-auto shrink-0 text-small text-ink-3" />
                <ChevronRight
                    size={14}
                    strokeWidth={1.5}
                    aria-hidden
                    className="shrink-0 text-ink-3 transition-transform [[open]>summary>&]:rotate-90"
                />
            </summary>
            {open && (
                <div className="mb-1 ml-[7px] border-l border-hairline py-1 pl-4 text-ink-2">
                    <Markdown text={text} streaming={running} />
                </div>
            )}
        </details>
    );
}

function firstLine(text: string): string {
    return plainText(text.trimStart().split("\n", 1)[0] ?? "");
}

function lastLine(text: string): string {
    const lines = text.trimEnd().slice(-400).split("\n");
    return plainText(lines[lines.length - 1] ?? "");
}

function ToolRow({ run, session, step, first }: { run: string; session: string; step: ToolStep; first: boolean }) {
    const [open, setOpen] = useState(false);
    const live = useStepText(run, session, step.id);
    const running = step.status === "running";
    const elapsed = useElapsed(running ? step.at : undefined);
    const standing = stepStatus(step.status);
    const Icon = iconOf(step);
    const asks = step.status === "asking";
    const change = step.show.find((show) => show.show === "change");
    const { title, intent } = lineOf(step.title, step.intent);
    const told =
        running && live.output !== ""
            ? lastLine(live.output)
            : isWrong(step) || isAnswered(step) || change !== undefined || intent.includes(step.summary)
              ? ""
              : step.summary;
    // Without words of its own what went wrong says what it was.
    const inline = isWrong(step) && intent === "";
    if (asks && step.approval !== null && step.approval !== undefined) {
        return (
            <ApprovalCard
                run={run}
                call={step.id}
                title={title === step.title ? title : step.intent}
                source={step.source}
                intent={title === step.title ? intent : ""}
                approval={step.approval}
                first={first}
            />
        );
    }
    if (asks && step.question !== null && step.question !== undefined)
        return <QuestionCard run={run} call={step.id} question={step.question} />;
    const answered = isAnswered(step);
    return (
        <div>
            <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
                <summary className="group/step flex min-h-7 min-w-0 list-none items-center gap-2 rounded-[4px] py-0.5 text-ui hover:bg-hover [&::-webkit-details-marker]:hidden">
                    <span className="flex w-4 shrink-0 justify-center">
                        <Icon size={14} strokeWidth={1.5} aria-hidden className="text-ink-3" />
                    </span>
                    <span className="max-w-44 shrink-0 truncate font-medium">{title}</span>
                    {inline ? (
                        <span className="min-w-0 flex-[2] truncate text-small text-failed" title={step.summary}>
                            <InlineCode text={sentence(step.summary)} />
                        </span>
                    ) : (
                        <span className="min-w-0 flex-[2] truncate text-ink-2" title={step.intent}>
                            {answered ? step.question?.text : intent}
                        </span>
                    )}
                    {told !== "" && (
                        <span
                            className="hidden min-w-0 flex-1 truncate text-right text-small text-ink-3 @min-[36rem]:block"
                            title={told}
                        >
                            {told}
                        </span>
                    )}
                    {change?.show === "change" && (
                        <span className="tabular shrink-0 text-small">
                            <span className="text-done">+{change.added}</span>{" "}
                            <span className="text-failed">−{change.removed}</span>
                        </span>
                    )}
                    <StateMark
                        state={standing.state}
                        word={standing.word}
                        size={14}
                        show={step.status === "ok" ? "icon" : "both"}
                        className="shrink-0"
                    />
                    {(running ? elapsed >= 1_000 : step.ms > 0) && (
                        <Duration
                            ms={running ? elapsed : step.ms}
                            className="min-w-10 shrink-0 text-right text-small text-ink-3"
                        />
                    )}
                    <ChevronRight
                        size={14}
                        strokeWidth={1.5}
                        aria-hidden
                        className="shrink-0 text-ink-3 transition-transform [[open]>summary>&]:rotate-90"
                    />
                </summary>
                {open && (
                    <div className="mb-1 ml-[7px] border-l border-hairline pl-4">
                        <StepDetailView run={run} step={step} output={live.output} />
                    </div>
                )}
            </details>
            {isWrong(step) && !inline && step.summary !== "" && (
                <p className="pb-1 pl-6 text-small break-words text-failed">
                    <InlineCode text={sentence(step.summary)} />
                </p>
            )}
            {answered && <p className="pb-1 pl-6 text-ui font-medium break-words whitespace-pre-wrap">{step.answer}</p>}
        </div>
    );
}
