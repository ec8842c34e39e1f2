// The one place where the run needs the person: what was found, what is asked, what can be chosen, what then happens.

import { CirclePause } from "lucide-react";
import { useCallback, useEffect, useId, useRef, useState, type KeyboardEvent } from "react";

import {
    useCommand,
    useQuery,
    type Form,
    type FormChoice,
    type FormList,
    type LimitReached,
    type RunState,
    useDraft,
} from "@/backend";
import { lacks } from "@/domains/connection";
import { formatMoney, formatTokens, titled, tokensOf, tokensWord } from "@/domains/run";
import { hrefOf } from "@/routes";
import { Button, Fold, JsonView, Meter, Select, TextArea, TextField, confirm, cx, own, problemText } from "@/shared";
import { Markdown } from "@/shared/markdown";

import {
    act,
    begin,
    editOf,
    faultsOf,
    fromDraft,
    isChanged,
    itemsOf,
    lacksMeans,
    primaryOf,
    replyOf,
    toDraft,
    type Act,
    type Amounts,
} from "./reply";
import { ListEditor } from "./ListEditor";
import { headed, nextLine, settingsNamed, titleOf } from "./labels";

export interface PauseCardProps {
    run: RunState;
    form: Form;
    /** What a reply typed elsewhere was answered with, while the pause stays open. */
    note?: string;
    /** The whole log and the stage's details. */
    onInspect?: () => void;
}

/** Whether its choice has to be meant: a key struck in passing neither spends twice, nor lets through what does not pass, nor permits. */
function isMeant(form: Form): boolean {
    return ["ambiguous", "gate", "permission", "handoff"].includes(form.kind);
}

export function PauseCard({ run, form, note, onInspect }: PauseCardProps) {
    const draft = useDraft(`${run.run}/${form.pause}`);
    const [state, setState] = useState(() => begin(form, run.budget));
    const [restored, setRestored] = useState(false);
    const [tried, setTried] = useState<string | undefined>();
    const [faults, setFaults] = useState<{ readonly [place: string]: string }>({});
    const [message, setMessage] = useState<string | undefined>();
    const [looked, setLooked] = useState<string | undefined>();
    const answer = useCommand("run_answer");
    const card = useRef<HTMLElement>(null);
    const heading = useId();

    if (draft.ready && !restored) {
        setRestored(true);
        const kept = fromDraft(form, draft.text);
        if (kept !== undefined) setState(kept);
    }
    const { setText } = draft;
    const change = useCallback(
        (action: Act) => {
            setState((before) => {
                const after = act(before, action);
                setText(toDraft(form, after, run.budget));
                return after;
            });
            setFaults({});
        },
        // A form never changes; its id says which it is.
        // eslint-disable-next-line react-hooks/exhaustive-deps
        [form.pause, setText],
    );

    // It comes to the person, unless the person is at work elsewhere.
    useEffect(() => {
        if (!atWork(document.activeElement)) card.current?.focus({ preventScroll: true });
    }, []);

    const primary = primaryOf(form);
    const edited = editOf(form, state) !== undefined || state.depth !== (form.depth ?? "");
    const words = state.remark.trim() !== "" || Object.values(state.answers).some((text) => text.trim() !== "");
    const sending = answer.pending;

    /** Takes a choice; without one what was typed speaks for itself. */
    const send = async (choice: string | undefined) => {
        if (sending) return;
        const found = faultsOf(form, state, choice ?? primary);
        setFaults(found);
        setTried(choice);
        setMessage(undefined);
        const [first] = Object.keys(found);
        if (first !== undefined) {
            requestAnimationFrame(() => {
                const field = card.current?.querySelector<HTMLElement>('[aria-invalid="true"], [role="alert"]');
                field?.focus({ preventScroll: true });
                // In the middle: at the edge the choices would cover it.
                field?.scrollIntoView({ block: "center" });
            });
            return;
        }
        const action = form.choices.find((each) => each.id === choice)?.action;
        if (action === "cancel") {
            const sure = await confirm({
                title: "End this run?",
                body: "An ended run can’t be resumed. Its results stay readable.",
                confirmLabel: "End run",
                cancelLabel: "Keep run",
                danger: true,
            });
            if (!sure) return;
        }
        const { value } = await answer.run({ run: run.run, pause: form.pause, reply: replyOf(form, state, choice) });
        if (value?.result === "accepted") draft.clear();
        if (value?.result === "still_open") {
            setMessage(value.message);
            // A question or a refusal is no remark: it does not go along with the choice.
            change({ do: "remark", text: value.words ?? "" });
        }
    };
    const onKeyDown = (event: KeyboardEvent) => {
        if (event.key !== "Enter" || event.defaultPrevented || event.nativeEvent.isComposing) return;
        const place = event.target as HTMLElement;
        const strong = event.ctrlKey || event.metaKey;
        const writing = place.tagName === "TEXTAREA";
        if (!strong && (writing || place.closest("button, a, summary, [role=combobox], [role=group]") !== null)) return;
        if (!strong && isMeant(form)) return;
        // In a row of a list it goes to the next row: nothing is signed in passing.
        if (!strong && place.closest("[data-item]") !== null) return;
        event.preventDefault();
        const free = place.dataset["part"] === "remark" && state.remark.trim() !== "" && form.kind === "stage";
        void send(free ? undefined : primary);
    };

    const { data: connections = [] } = useQuery("connection_list", null);
    const nameOf = (slug: string) => connections.find((each) => each.slug === slug)?.name ?? slug;
    const others = connections
        .filter((each) => each.slug !== run.connection && lacks(each) === undefined)
        .map((each) => each.slug);
    const head = headed(form);
    const settings = settingsNamed(form);
    const stage = run.stages.find((each) => each.id === form.stage);
    const shown = form.choices.find((choice) => choice.id === (looked ?? primary)) ?? form.choices[0];
    const open = message ?? note;
    // What was asked back is answered above the choices, often out of sight.
    const reply = useRef<HTMLDivElement>(null);
    const read = useRef(open);
    useEffect(() => {
        if (read.current === open) return;
        read.current = open;
        reply.current?.scrollIntoView({ block: "nearest" });
    }, [open]);
    const lists = form.lists ?? [];
    const parts = form.parts ?? [];
    // Lists that no part of the message shows; an empty one has nothing to decide about.
    const orphans = lists.filter(
        (list) => !parts.some((part) => part.list === list.field) && itemsOf(form, list).length > 0,
    );
    const editorOf = (list: FormList, title: string) => (
        <ListEditor
            list={list}
            title={title}
            items={own(state.lists, list.field) ?? []}
            original={itemsOf(form, list)}
            changed={isChanged(form, list, state)}
            faults={faults}
            disabled={sending}
            act={change}
        />
    );
    return (
        <section
            ref={card}
            tabIndex={-1}
            aria-labelledby={heading}
            onKeyDown={onKeyDown}
            onBlur={draft.flush}
            data-pause={form.pause}
            className="rounded-card border border-l-[3px] border-hairline border-l-needs-rule bg-surface outline-none focus-visible:outline-2 [&_:is(input,textarea)]:scroll-mb-32"
        >
            <header className="flex flex-wrap items-center gap-x-3 gap-y-1 px-5 pt-4">
                <CirclePause size={16} strokeWidth={1.5} aria-hidden className="shrink-0 text-needs" />
                <h3 id={heading} className="min-w-0 flex-1 text-title font-semibold">
                    {head.heading}
                    {typeof form.status === "string" && (
                        <span className="ml-2 text-small font-medium text-needs">{form.status}</span>
                    )}
                </h3>
                {form.meter && (
                    <Meter label={form.meter.label} value={form.meter.value} threshold={form.meter.threshold} />
                )}
            </header>
            <div className="flex flex-col gap-4 px-5 pt-3 pb-4">
                {parts.length === 0 && lists.length === 0 && <Markdown text={head.body} />}
                {parts.map((part, index) => {
                    const list = lists.find((each) => each.field === part.list);
                    return (
                        <div key={index}>
                            {part.title !== "" && (
                                <h4 className="mb-1 text-small font-medium text-ink-2">{part.title}</h4>
                            )}
                            {list === undefined ? <Markdown text={part.markdown} /> : editorOf(list, part.title)}
                        </div>
                    );
                })}
                {orphans.map((list) => (
                    <div key={list.field}>
                        <h4 className="mb-1 text-small font-medium text-ink-2">{titleOf(list.field)}</h4>
                        {editorOf(list, titleOf(list.field))}
                    </div>
                ))}
                {settings !== undefined && (
                    <a
                        href={hrefOf({ page: "settings", section: settings.id })}
                        className="self-start rounded-[4px] text-ui text-accent hover:underline"
                    >
                        Open Settings, {settings.word}
                    </a>
                )}
                {form.kind === "stage" && others.length > 0 && (
                    <div className="flex items-center gap-2">
                        <span className="text-small text-ink-2">Connection</span>
                        <Select
                            label="Connection"
                            value={state.connection === "" ? run.connection : state.connection}
                            options={[run.connection, ...others].map((slug) => ({ value: slug, label: nameOf(slug) }))}
                            onChange={(slug) =>
                                change({ do: "connection", connection: slug === run.connection ? "" : slug })
                            }
                            disabled={sending}
                            className="w-56"
                        />
                        {state.connection !== "" && <span className="text-small text-needs">Edited</span>}
                    </div>
                )}
                {typeof form.depth === "string" && run.depths.length > 1 && (
                    <div className="flex items-center gap-2">
                        <span className="text-small text-ink-2">Depth</span>
                        <Select
                            label="Depth"
                            value={state.depth === "" ? undefined : state.depth}
                            options={run.depths.map((depth) => ({ value: depth, label: titled(depth) }))}
                            onChange={(depth) => change({ do: "depth", depth })}
                            disabled={sending}
                            className="w-36"
                        />
                        {state.depth !== form.depth && <span className="text-small text-needs">Edited</span>}
                    </div>
                )}
                {form.questions.length > 0 && (
                    <fieldset className="flex min-w-0 flex-col gap-3">
                        <legend className="mb-1 text-small font-medium text-ink-2">
                            Questions: answer what you can
                        </legend>
                        {form.questions.map((question) => (
                            <TextArea
                                key={question}
                                label={question}
                                value={own(state.answers, question) ?? ""}
                                onChange={(text) => change({ do: "answer", question, text })}
                                disabled={sending}
                                minRows={1}
                                maxRows={6}
                                placeholder="Your answer (optional)"
                            />
                        ))}
                    </fieldset>
                )}
                {form.kind === "budget" && (
                    <BudgetFields
                        amounts={state.amounts}
                        faults={faults}
                        disabled={sending}
                        run={run}
                        limit={form.limit ?? undefined}
                        change={change}
                    />
                )}
                {form.kind === "ambiguous" && (
                    <p className="text-ui text-ink-2">
                        {run.doubtful > 0
                            ? `If the call went through, it cost at most ${formatMoney(run.doubtful)}. Repeating the call may cost that again.`
                            : "If the call went through, repeating it performs it twice."}
                    </p>
                )}
                {(form.kind === "stage" || form.kind === "gate") && (
                    <TextArea
                        label="Remarks"
                        value={state.remark}
                        onChange={(text) => change({ do: "remark", text })}
                        error={own(faults, "remark")}
                        disabled={sending}
                        minRows={1}
                        maxRows={8}
                        data-part="remark"
                        placeholder={
                            form.kind === "gate"
                                ? "Instructions for the next attempt (optional)"
                                : "What to change or keep in mind. Ask “Why?” for an explanation without deciding."
                        }
                    />
                )}
                {open !== undefined && (
                    <div
                        ref={reply}
                        role="status"
                        className="scroll-mb-32 rounded-control bg-needs-soft px-3 py-2 text-ink"
                    >
                        <Markdown text={open} />
                    </div>
                )}
                {form.output !== null && form.output !== undefined && (
                    <Fold label={form.outputLabel || "Output (JSON)"}>
                        <JsonView value={form.output} label={form.outputLabel || "Output"} open={2} className="mt-1" />
                    </Fold>
                )}
            </div>
            <footer className="tabular flex items-center gap-3 border-t border-hairline px-5 py-2 text-small text-ink-3">
                <span>
                    {formatMoney(stage?.cost ?? 0)}, {tokensWord(run, stage?.usage)}
                </span>
                {onInspect !== undefined && (
                    <button
                        type="button"
                        onClick={onInspect}
                        className="rounded-[4px] underline-offset-2 hover:text-ink hover:underline"
                    >
                        Show stage
                    </button>
                )}
            </footer>
            {/* A long message is read with its choices at hand. */}
            <div className="sticky bottom-0 [@media(max-height:32rem)]:static flex flex-col gap-2 rounded-b-card border-t border-hairline bg-surface px-5 pt-2.5 pb-3">
                {answer.problem !== undefined && (
                    <p role="alert" className="text-ui text-failed">
                        {problemText(
                            answer.problem,
                            answer.problem.code === "conflict" ? "This was already answered elsewhere" : "Not sent",
                        )}{" "}
                        <span className="text-ink-2">Your text is kept.</span>
                    </p>
                )}
                <Choices
                    form={form}
                    primary={primary}
                    sending={sending ? (tried ?? primary) : undefined}
                    onLook={setLooked}
                    onTake={(choice) => void send(choice)}
                />
                {/* Every choice's words take their room at once: a line that grew under the pointer would move the button away. */}
                <div className="grid text-ui text-ink-2">
                    {form.choices.map((choice) => (
                        <p
                            key={choice.id}
                            aria-hidden={choice !== shown}
                            className={cx("col-start-1 row-start-1", choice !== shown && "invisible")}
                        >
                            {nextLine(choice, { edited, words })}
                        </p>
                    ))}
                </div>
            </div>
        </section>
    );
}

/** Whether the person writes something, or has something open. A field that is empty is only waited in. */
function atWork(active: Element | null): boolean {
    if (active instanceof HTMLTextAreaElement || active instanceof HTMLInputElement) return active.value !== "";
    return (
        active !== null && active.closest("[contenteditable], [role=dialog], [role=alertdialog], [role=menu]") !== null
    );
}

function Choices({
    form,
    primary,
    sending,
    onLook,
    onTake,
}: {
    form: Form;
    primary?: string;
    sending?: string;
    onLook: (choice: string | undefined) => void;
    onTake: (choice: string) => void;
}) {
    const look = (choice: FormChoice) => ({
        onPointerEnter: () => onLook(choice.id),
        onPointerLeave: () => onLook(undefined),
        onFocus: () => onLook(choice.id),
        onBlur: () => onLook(undefined),
    });
    return (
        <div className="flex flex-wrap items-center gap-2">
            {form.choices.map((choice) => (
                <Button
                    key={choice.id}
                    variant={choice.id === primary ? "primary" : choice.action === "cancel" ? "quiet" : "secondary"}
                    shortcut={choice.id === primary && !isMeant(form) ? "Enter" : undefined}
                    aria-disabled={sending !== undefined || lacksMeans(choice)}
                    title={choice.unavailable ?? undefined}
                    onClick={() => {
                        if (!lacksMeans(choice)) onTake(choice.id);
                    }}
                    {...look(choice)}
                >
                    {sending === choice.id ? "Sending…" : choice.label}
                </Button>
            ))}
        </div>
    );
}

function BudgetFields({
    amounts,
    faults,
    disabled,
    run,
    limit,
    change,
}: {
    amounts: Amounts;
    faults: { readonly [place: string]: string };
    disabled: boolean;
    run: RunState;
    limit: LimitReached | undefined;
    change: (action: Act) => void;
}) {
    const rows: [keyof Amounts, string, string][] = [];
    if (limit !== undefined)
        rows.push(["usd", "US dollars", `Now ${formatMoney(limit.limit)}, used ${formatMoney(limit.spent)}`]);
    else if (typeof run.budget.cost === "number")
        rows.push(["usd", "US dollars", `Now ${formatMoney(run.budget.cost)}, used ${formatMoney(run.cost)}`]);
    if (limit === undefined && typeof run.budget.tokens === "number")
        rows.push([
            "tokens",
            "Tokens",
            `Now ${formatTokens(run.budget.tokens)}, used ${formatTokens(tokensOf(run.usage))}`,
        ]);
    if (limit === undefined && typeof run.budget.activeMs === "number")
        rows.push([
            "minutes",
            "Active minutes",
            `Now ${Math.round(run.budget.activeMs / 60_000)}, used ${Math.round(run.activeMs / 60_000)}`,
        ]);
    return (
        <div className="flex flex-wrap gap-4">
            {rows.map(([name, label, hint]) => (
                <TextField
                    key={name}
                    label={`New limit: ${label}`}
                    value={amounts[name]}
                    onChange={(value) => change({ do: "amount", name, value })}
                    error={own(faults, name)}
                    hint={hint}
                    disabled={disabled}
                    inputMode="decimal"
                    className="w-56"
                />
            ))}
        </div>
    );
}
