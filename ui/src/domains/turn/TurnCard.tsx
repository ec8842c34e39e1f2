// A turn: what the person wrote, what was done about it, and the answer.

import { Copy, Ellipsis, GitBranch, Maximize2, PencilLine, Play, Repeat2, RotateCcw } from "lucide-react";
import { memo, useEffect, useMemo, useRef, useState } from "react";

import { send as carryOut, toProblem, useCommand, useStepText, useTurn, type PlanView, type TurnView } from "@/backend";
import { asksNone, formatMoney, formatTokens, replayLine, tokensOf } from "@/domains/run";
import { go } from "@/routes";
import {
    Button,
    CopyButton,
    Dialog,
    ErrorCard,
    Fold,
    IconButton,
    Menu,
    RelativeTime,
    Skeleton,
    StateMark,
    InlineCode,
    Waiting,
    count,
    lazyPart,
    toast,
    type MenuEntry,
    confirm,
    toastProblem,
    problemText,
} from "@/shared";
import { Markdown } from "@/shared/markdown";

import { AnswerText } from "./AnswerText";
import { Attachments } from "./Attachments";
import { MessageText } from "./MessageText";
import { StepRow, Steps } from "./StepRow";
import { apart, isKept, isShown, tasksOf, treeOf, writingOf } from "./steps";
import { canResume, isLive, isWrong, stepStatus, turnStatus, workLine } from "./labels";

const Tasks = lazyPart(() => import("./Tasks").then((part) => part.Tasks));
const Rewrite = lazyPart(() => import("./Rewrite").then((part) => part.Rewrite));
const ChangedFiles = lazyPart(() => import("./ChangedFiles").then((part) => part.ChangedFiles));
const PlanCard = lazyPart(() => import("./PlanCard").then((part) => part.PlanCard), <Skeleton lines={6} />);

const icon = { size: 14, strokeWidth: 1.5 } as const;
/** While it goes on so many of the newest steps are in sight. */
const NEWEST = 8;
/** So many of what went wrong stay in sight. */
const FAILURES = 3;

/** Whether it works for a stage of a run. */
const isOf = (head: TurnView["head"]) => head.of !== undefined && head.of !== null;

export interface TurnCardProps {
    turn: TurnView;
    newest: boolean;
    /** Whether its steps are unfolded from outside: something in them is looked for. */
    unfolded: boolean;
    /** The accepted plan that it carries out: its message says it all again. */
    carriesOut?: PlanView;
    /** Something that waits for the person is there, a question or a plan; or it does not wait any more. */
    onArrival?: (element: HTMLElement | undefined) => void;
}

export const TurnCard = memo(function TurnCard({ turn, newest, unfolded, carriesOut, onArrival }: TurnCardProps) {
    const view = useTurn(turn);
    const { head, message } = view;
    const { steps, said } = useMemo(() => apart(view.steps, head.answer), [view.steps, head.answer]);
    const live = isLive(head.status);
    const [open, setOpen] = useState<boolean | undefined>();
    const [all, setAll] = useState(false);
    const [editing, setEditing] = useState(false);
    const shown = open ?? unfolded;
    const tree = useMemo(() => treeOf(steps), [steps]);
    const kept = useMemo(() => steps.filter(isKept), [steps]);
    const asking = steps.find((step) => step.status === "asking")?.id;
    const tasks = useMemo(() => tasksOf(steps), [steps]);
    const writing = head.answer === null ? writingOf(steps) : undefined;
    const limited = live && !all && open === undefined && tree.length > NEWEST;
    const card = useRef<HTMLDivElement>(null);
    const waits = asking ?? (newest && head.plan?.state === "waiting" ? head.run : undefined);
    useEffect(() => {
        const turn = card.current;
        if (waits === undefined || turn === null || onArrival === undefined) return;
        let frame = 0;
        const look = () => {
            const element = turn.querySelector<HTMLElement>("[data-approval], [data-question], [data-plan]");
            if (element === null) return;
            drawn.disconnect();
            // The column follows its end first.
            frame = requestAnimationFrame(() => (frame = requestAnimationFrame(() => onArrival(element))));
        };
        // The code of a card may still be loading.
        const drawn = new MutationObserver(look);
        drawn.observe(turn, { childList: true, subtree: true });
        look();
        return () => {
            drawn.disconnect();
            cancelAnimationFrame(frame);
            onArrival(undefined);
        };
    }, [waits, onArrival]);
    return (
        <div
            ref={card}
            className="mx-auto flex w-full max-w-[47.5rem] flex-col gap-3 px-6 pt-6 pb-4 @min-[54rem]:max-w-[58rem]"
        >
            {/* A stage's first message is its sections, the later ones are answers that stand at the run's pauses. */}
            <div className="group/message max-w-[47.5rem]" hidden={isOf(head)}>
                <div className="flex h-6 items-center gap-2 text-small text-ink-3">
                    <span className="font-medium">You</span>
                    <RelativeTime at={head.startedAt} />
                    <MessageActions view={view} newest={newest} onEdit={() => setEditing(true)} />
                </div>
                {editing ? (
                    <Rewrite view={view} onDone={() => setEditing(false)} />
                ) : (
                    <>
                        <h2 className="sr-only">
                            {carriesOut === undefined
                                ? message.text.slice(0, 120)
                                : `Carry out the plan: ${carriesOut.title}`}
                        </h2>
                        <div className="mt-0.5 rounded-card bg-hover px-3 py-2">
                            {carriesOut === undefined ? (
                                <MessageText message={message} className="text-title" />
                            ) : (
                                <Fold
                                    label={
                                        <span className="text-title text-ink">
                                            Carry out the plan: {carriesOut.title}
                                        </span>
                                    }
                                >
                                    <Markdown text={message.text} className="pt-1 pl-[18px]" />
                                </Fold>
                            )}
                        </div>
                        {message.attachments !== undefined && message.attachments.length > 0 && (
                            <div className="mt-2">
                                <Attachments attachments={message.attachments} session={head.session} />
                            </div>
                        )}
                    </>
                )}
            </div>
            {steps.some(isShown) && (
                <div className="max-w-[47.5rem]">
                    {live && !shown ? (
                        <>
                            {limited && (
                                <Button size="small" variant="quiet" className="-ml-2" onClick={() => setAll(true)}>
                                    Show {count(tree.length - NEWEST, "earlier step")}
                                </Button>
                            )}
                            <Steps
                                run={head.run}
                                session={head.session}
                                branches={limited ? tree.slice(-NEWEST) : tree}
                                asking={asking}
                            />
                        </>
                    ) : (
                        <>
                            <Fold
                                open={shown}
                                onToggle={setOpen}
                                label={
                                    <span className="tabular">
                                        {workLine(head, steps)}
                                        {head.status !== "completed" &&
                                            !live &&
                                            `, ${turnStatus(head.status).word.toLowerCase()}`}
                                    </span>
                                }
                            >
                                {shown && (
                                    <div className="pt-1 pl-0.5">
                                        <Steps run={head.run} session={head.session} branches={tree} asking={asking} />
                                    </div>
                                )}
                            </Fold>
                            {!shown && kept.length > 0 && <Kept steps={kept} run={head.run} session={head.session} />}
                        </>
                    )}
                </div>
            )}
            {/* What waits for the person comes first. */}
            {live && tasks !== undefined && asking === undefined && (
                <Tasks
                    tasks={tasks}
                    className="max-w-[47.5rem] rounded-card border border-hairline bg-surface px-3 py-2"
                />
            )}
            {writing !== undefined && <Writing run={head.run} session={head.session} step={writing.id} />}
            {said !== "" && (
                <div data-writing className="max-w-[47.5rem]">
                    <AnswerText text={said} session={head.session} />
                </div>
            )}
            {live && asking === undefined && <Activity view={view} writing={writing?.id} />}
            {head.answer !== null && <Answer view={view} newest={newest} />}
            {!live && <ChangedFiles run={head.run} steps={view.steps} />}
            {head.plan !== null && (
                <div className="max-w-[47.5rem]">
                    <PlanCard run={head.run} session={head.session} plan={head.plan} newest={newest} />
                </div>
            )}
            {head.notes.map((note, index) => (
                <p
                    key={index}
                    className="max-w-[47.5rem] rounded-control bg-needs-soft px-3 py-1.5 text-ui break-words text-ink"
                >
                    <InlineCode text={note} />
                </p>
            ))}
            {canResume(head.status) && <Ended view={view} newest={newest} />}
        </div>
    );
});

/** What stays in sight when the rest is folded; of many failures, the last ones. */
function Kept({ steps, run, session }: { steps: TurnView["steps"]; run: string; session: string }) {
    const wrong = steps.filter(isWrong);
    const more = wrong.length - FAILURES;
    const last = steps.filter((step) => !isWrong(step) || wrong.indexOf(step) >= more);
    return (
        <div className="pl-[18px]">
            {more > 0 && (
                <p className="flex items-center gap-1.5 text-small text-ink-2">
                    <StateMark state={stepStatus("failed").state} show="icon" size={14} />
                    {more} more failed or were denied
                </p>
            )}
            {last.map((step) => (
                <StepRow key={step.id} run={run} session={session} step={step} first={false} />
            ))}
        </div>
    );
}

/** What the model writes now, as it comes: it may become the answer, or words between two calls. */
function Writing({ run, session, step }: { run: string; session: string; step: string }) {
    const { text } = useStepText(run, session, step);
    if (text === "") return null;
    return (
        <div data-writing className="max-w-[47.5rem]">
            <AnswerText text={text} session={session} streaming />
        </div>
    );
}

function Activity({ view: { head }, writing }: { view: TurnView; writing: string | undefined }) {
    const live = useStepText(head.run, head.session, writing ?? "");
    const doing =
        writing === undefined
            ? head.doing
            : live.text !== ""
              ? "Writing"
              : live.thinking !== ""
                ? "Thinking"
                : head.doing;
    const stop = useCommand("turn_stop");
    const [stopped, setStopped] = useState(false);
    const halt = () => {
        setStopped(true);
        void stop.run({ run: head.run }).then(({ problem }) => problem !== undefined && setStopped(false));
    };
    const spent = asksNone(head) ? 0 : tokensOf(head.usage);
    return (
        <div className="flex max-w-[47.5rem] flex-wrap items-center gap-x-3">
            <Waiting
                what={stopped ? "Stopping" : doing === "" ? "Working" : doing}
                since={head.since}
                onStop={stopped ? undefined : halt}
            />
            {spent > 0 && (
                <span className="tabular text-small text-ink-3">
                    {formatTokens(spent)}
                    {head.cost > 0 && `, ${formatMoney(head.cost)}`}
                </span>
            )}
            {stop.problem !== undefined && (
                <span role="alert" className="text-small text-failed">
                    {problemText(stop.problem)}
                </span>
            )}
        </div>
    );
}

async function copyText(text: string): Promise<void> {
    try {
        await navigator.clipboard.writeText(text);
        toast({ text: "Copied." });
    } catch {
        toast({ text: "Could not copy to the clipboard.", tone: "failed" });
    }
}

async function branch(run: string): Promise<void> {
    try {
        const session = await carryOut("session_branch", { run });
        go({ page: "session", session });
        toast({ text: "New branch: a copy of the conversation up to this point. The original is unchanged." });
    } catch (thrown) {
        toastProblem(toProblem(thrown), "Not branched");
    }
}

/** Whether every step of the turn that the program computed by itself comes out as it is recorded. */
async function recompute(run: string): Promise<void> {
    try {
        const replay = await carryOut("run_replay", { run: { id: run } });
        const [first] = replay.differences ?? [];
        const where = first === undefined ? "" : ` The first: event ${first.seq}, ${first.place}, ${first.what}.`;
        toast({ text: `${replayLine(replay)}${where}`, ...(replay.identical ? {} : { tone: "failed" as const }) });
    } catch (thrown) {
        toastProblem(toProblem(thrown), "Not recomputed");
    }
}

async function retry(view: TurnView, newest: boolean): Promise<void> {
    const sure =
        newest ||
        (await confirm({
            title: "Resend this message?",
            body: "Messages after it leave the conversation. They stay stored, but the conversation no longer shows them. To keep them, branch from here instead.",
            confirmLabel: "Resend",
            danger: true,
        }));
    if (!sure) return;
    try {
        await carryOut("turn_send", { session: view.head.session, message: view.message, replaces: view.head.run });
    } catch (thrown) {
        toastProblem(toProblem(thrown), "Not sent");
    }
}

function MessageActions({ view, newest, onEdit }: { view: TurnView; newest: boolean; onEdit: () => void }) {
    const { head, message } = view;
    const live = isLive(head.status);
    const entries: MenuEntry[] = [
        { id: "copy", label: "Copy message", icon: <Copy {...icon} />, onSelect: () => void copyText(message.text) },
        {
            id: "edit",
            label: "Edit and resend",
            icon: <PencilLine {...icon} />,
            disabled: live,
            onSelect: () => setTimeout(onEdit, 0),
        },
        {
            id: "retry",
            label: newest ? "Resend" : "Resend…",
            icon: <RotateCcw {...icon} />,
            disabled: live,
            onSelect: () => void retry(view, newest),
        },
        {
            id: "branch",
            label: "Branch from here",
            icon: <GitBranch {...icon} />,
            disabled: live,
            onSelect: () => void branch(head.run),
        },
        {
            id: "replay",
            label: "Recompute from the log",
            icon: <Repeat2 {...icon} />,
            disabled: live,
            onSelect: () => void recompute(head.run),
        },
    ];
    return (
        <span className="opacity-0 transition-opacity group-focus-within/message:opacity-100 group-hover/message:opacity-100 has-[[data-state=open]]:opacity-100 [@media(hover:none)]:opacity-100">
            <Menu
                trigger={<IconButton size="small" label="Message actions" icon={<Ellipsis {...icon} />} />}
                entries={entries}
            />
        </span>
    );
}

function Answer({ view, newest }: { view: TurnView; newest: boolean }) {
    const { head } = view;
    const text = head.answer ?? "";
    const [full, setFull] = useState(false);
    return (
        <article aria-label="Answer" data-answer={head.run} className="group/answer max-w-[47.5rem]">
            <AnswerText text={text} session={head.session} />
            <div
                className={
                    newest
                        ? "mt-1 flex items-center gap-0.5"
                        : "mt-1 flex items-center gap-0.5 opacity-0 transition-opacity group-focus-within/answer:opacity-100 group-hover/answer:opacity-100 [@media(hover:none)]:opacity-100"
                }
            >
                <CopyButton text={text} label="Copy as Markdown" className="-ml-1.5" />
                <IconButton
                    size="small"
                    label="Branch from here"
                    icon={<GitBranch {...icon} />}
                    onClick={() => void branch(head.run)}
                />
                {newest && (
                    <IconButton
                        size="small"
                        label="Resend the question"
                        icon={<RotateCcw {...icon} />}
                        onClick={() => void retry(view, newest)}
                    />
                )}
                <IconButton
                    size="small"
                    label="Open in a large view"
                    icon={<Maximize2 {...icon} />}
                    onClick={() => setFull(true)}
                />
                <span className="ml-1 min-w-0 truncate text-small text-ink-3">
                    {[
                        head.model,
                        !asksNone(head) && tokensOf(head.usage) > 0 && formatTokens(tokensOf(head.usage)),
                        head.cost > 0 && formatMoney(head.cost),
                    ]
                        .filter(Boolean)
                        .join(", ")}
                </span>
            </div>
            <Dialog
                open={full}
                onOpenChange={setFull}
                title="Answer"
                width="large"
                footer={<CopyButton text={text} label="Copy as Markdown" />}
            >
                <AnswerText text={text} session={head.session} className="mx-auto max-w-[44rem]" />
            </Dialog>
        </article>
    );
}

/** It ended before its answer: why, what was kept, and how it goes on. */
function Ended({ view, newest }: { view: TurnView; newest: boolean }) {
    const { head, steps } = view;
    const resume = useCommand("turn_resume");
    const done = steps.filter((step) => step.kind === "tool" && step.status === "ok").length;
    const kept =
        head.status === "stopped" && head.answer !== null
            ? "The answer so far is kept. Resume continues from there."
            : done === 0
              ? "Your message is kept."
              : `Kept: your message and ${done === 1 ? "one finished step" : `${done} finished steps`}. Finished work is not repeated.`;
    const again =
        head.status === "interrupted" && head.doubtful > 0
            ? ` Resume asks the model again: the interrupted call may have cost up to ${formatMoney(head.doubtful)}.`
            : "";
    const actions = newest ? (
        <>
            <Button
                variant="primary"
                disabled={resume.pending}
                icon={head.status === "failed" ? <RotateCcw {...icon} /> : <Play {...icon} />}
                onClick={() => void resume.run({ run: head.run })}
            >
                {head.status === "failed" ? "Try again" : "Resume"}
            </Button>
            <Button onClick={() => void retry(view, newest)}>Start over</Button>
        </>
    ) : undefined;
    if (head.status === "failed") {
        return (
            <div className="max-w-[47.5rem]">
                <ErrorCard
                    title={head.problem?.message ?? "The turn failed."}
                    kept={kept}
                    advice={head.problem?.action ?? undefined}
                    actions={actions}
                    details={head.problem === null ? undefined : JSON.stringify(head.problem, null, 2)}
                >
                    {resume.problem === undefined ? undefined : problemText(resume.problem)}
                </ErrorCard>
            </div>
        );
    }
    return (
        <section
            aria-label={turnStatus(head.status).word}
            className="flex max-w-[47.5rem] flex-wrap items-center gap-x-3 gap-y-2 rounded-control border border-l-2 border-hairline border-l-needs-rule bg-surface px-3 py-2"
        >
            <p className="min-w-0 flex-1 basis-64 text-ui">
                <span className="font-medium">
                    {head.status === "interrupted" ? "The program closed during this turn." : "You stopped this turn."}
                </span>{" "}
                <span className="text-ink-2">
                    {kept}
                    {again}
                </span>
            </p>
            {actions}
            {resume.problem !== undefined && (
                <p role="alert" className="w-full text-ui text-failed">
                    {problemText(resume.problem)}
                </p>
            )}
        </section>
    );
}
