// Makes or changes an automation. What it means is said while it is written; saving enables nothing.

import { Plus, X } from "lucide-react";
import { useState } from "react";

import { skip, useCommand, useQuery, type AutomationView, type Event, useKeptEdit } from "@/backend";
import { lacks } from "@/domains/connection";
import { baseLabel } from "@/domains/knowledge";
import { go, hrefOf } from "@/routes";
import {
    Button,
    Checkbox,
    ErrorCard,
    Fold,
    IconButton,
    AsyncBoundary,
    Page,
    Section,
    Select,
    TextArea,
    TextField,
    useDebounced,
    type SelectOption,
} from "@/shared";

import { WEEKDAYS, clockOf, cronOf } from "./clock";
import { Conditions } from "./Conditions";
import {
    MAIN_FIELD,
    TEMPLATES,
    draftOf,
    entryOf,
    fieldOf,
    withField,
    withFlag,
    type ActionDraft,
    type ActionKind,
    type Draft,
} from "./entry";
import { EVENTS, faultText, hasSession, isBefore, timeIn } from "./labels";
import { MODES, withOwn } from "./options";

const BACK = { label: "Automations", href: hrefOf({ page: "schedule" }) };

const MISSED: SelectOption<Draft["missed"]>[] = [
    { value: "skip", label: "Skip" },
    { value: "once", label: "Run once for all of them" },
];

const KINDS: SelectOption<ActionKind>[] = [
    { value: "prompt", label: "Send a message" },
    { value: "run", label: "Start an agent run" },
    { value: "webhook", label: "Send a webhook request" },
    { value: "command", label: "Run a command" },
    { value: "veto", label: "Veto", hint: "Blocks the event" },
];

/** Fields of an action besides the one that it can't do without. */
const MORE: { readonly [K in ActionKind]: readonly { name: string; label: string; hint?: string }[] } = {
    prompt: [],
    run: [],
    webhook: [{ name: "method", label: "Method", hint: "Default: POST." }],
    command: [
        { name: "folder", label: "Folder", hint: "An absolute path. Leave empty for the session’s first folder." },
    ],
    veto: [],
};

/** A new one, from a template where one is named, or the one with this id. */
export function AutomationForm({ id, template }: { id?: string; template?: string }) {
    const known = useQuery("automation_show", id === undefined ? skip : { id });
    if (id !== undefined) {
        return (
            <Page
                title="Edit automation"
                back={{ label: known.data?.row.title ?? "Back", href: hrefOf({ page: "schedule", id }) }}
                width="reading"
            >
                <AsyncBoundary of={known} what={`the automation ${id}`}>
                    {(view) => <Fields id={id} first={draftOf(view.row.event ?? "tick", view.entry)} />}
                </AsyncBoundary>
            </Page>
        );
    }
    const from = TEMPLATES.find((each) => each.id === template);
    const first =
        from === undefined
            ? draftOf("tick", { cron: "0 9 * * 1-5", actions: [{ type: "prompt", prompt: "" }] })
            : draftOf(from.event, from.entry);
    return (
        <Page title="New automation" lead="An automation does nothing until you enable it." back={BACK} width="reading">
            <Fields first={first} />
        </Page>
    );
}

function Fields({ id, first }: { id?: string; first: Draft }) {
    const [draft, setDraft] = useState(first);
    const base = JSON.stringify(first);
    const { restored, drop } = useKeptEdit(`automation/${id ?? "new"}`, base, {
        value: draft,
        changed: JSON.stringify(draft) !== base,
        change: setDraft,
    });
    const leave = (route: Parameters<typeof go>[0]) => {
        drop();
        go(route);
    };
    const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
    const { entry, problem: broken } = entryOf(draft);
    const settled = useDebounced(JSON.stringify({ event: draft.event, entry: entry ?? null }), 300);
    const asked = JSON.parse(settled) as { event: Event; entry: Record<string, unknown> | null };
    const tried = useQuery("automation_try", asked.entry === null ? skip : { event: asked.event, entry: asked.entry });
    const save = useCommand("automation_save");
    const saved = async () => {
        if (entry === undefined) return;
        const { value } = await save.run({ id: id ?? null, event: draft.event, entry });
        if (value !== undefined) leave({ page: "schedule", id: value.row.id });
    };
    const act = (at: number, action: ActionDraft | undefined) =>
        change({
            actions: draft.actions.flatMap((each, index) =>
                index !== at ? [each] : action === undefined ? [] : [action],
            ),
        });
    return (
        <form
            className="flex flex-col gap-4"
            onSubmit={(event) => {
                event.preventDefault();
                void saved();
            }}
        >
            <TextField label="Name" value={draft.name} onChange={(name) => change({ name })} maxLength={200} />
            <Select
                label="When"
                showLabel
                value={draft.event}
                options={[...EVENTS]}
                onChange={(event) => change({ event })}
            />
            {draft.event === "tick" ? (
                <>
                    <When cron={draft.cron} onChange={(cron) => change({ cron })} />
                    <TextField
                        label="Time zone"
                        value={draft.zone}
                        onChange={(zone) => change({ zone })}
                        hint="A name such as Europe/Budapest. Leave empty for this computer’s time zone."
                    />
                    <Select
                        label="Runs missed while the program is closed"
                        showLabel
                        value={draft.missed}
                        options={MISSED}
                        onChange={(missed) => change({ missed })}
                    />
                </>
            ) : (
                <TextField
                    label="Matcher"
                    mono
                    value={draft.matcher}
                    onChange={(matcher) => change({ matcher })}
                    hint={`A regular expression, matched against ${tried.data?.subject ?? "the event"}. Leave empty to match everything.`}
                />
            )}
            <Select
                label="Permission mode of new sessions"
                showLabel
                value={draft.mode}
                options={MODES}
                onChange={(mode) => change({ mode })}
            />
            <Section title="Actions" className="mt-2 first:mt-2">
                <div className="flex flex-col gap-3">
                    {draft.actions.map((action, index) => (
                        <ActionFields
                            key={index}
                            action={action}
                            event={draft.event}
                            onChange={(changed) => act(index, changed)}
                        />
                    ))}
                    <div>
                        <Button
                            size="small"
                            icon={<Plus size={14} strokeWidth={1.5} />}
                            onClick={() =>
                                change({
                                    actions: [
                                        ...draft.actions,
                                        { kind: isBefore(draft.event) ? "veto" : "prompt", rest: {} },
                                    ],
                                })
                            }
                        >
                            Add action
                        </Button>
                    </div>
                </div>
            </Section>
            <TextField
                label="Labels of new sessions"
                value={draft.labels}
                onChange={(labels) => change({ labels })}
                hint="Separated by commas."
            />
            <Conditions text={draft.conditions} problem={broken} onChange={(conditions) => change({ conditions })} />
            {/* What is missing in one that nobody has begun is no fault yet. */}
            {tried.data !== undefined && (
                <Meaning view={tried.data} faults={id !== undefined || JSON.stringify(draft) !== base} />
            )}
            {save.problem !== undefined && (
                <ErrorCard title="The automation was not saved" advice={save.problem.action ?? undefined}>
                    {save.problem.message}
                </ErrorCard>
            )}
            {restored && (
                <p role="status" className="text-small text-ink-3">
                    Unsaved changes were restored.
                </p>
            )}
            <div className="flex gap-2">
                <Button type="submit" variant="primary" disabled={entry === undefined || save.pending}>
                    Save
                </Button>
                <Button onClick={() => leave(id === undefined ? { page: "schedule" } : { page: "schedule", id })}>
                    Cancel
                </Button>
            </div>
        </form>
    );
}

function ActionFields({
    action,
    event,
    onChange,
}: {
    action: ActionDraft;
    event: Event;
    onChange: (action: ActionDraft | undefined) => void;
}) {
    const main = MAIN_FIELD[action.kind];
    const kinds = KINDS.filter((kind) => kind.value !== "veto" || isBefore(event) || action.kind === "veto");
    return (
        <fieldset className="rounded-card border border-hairline bg-surface p-3">
            <legend className="sr-only">Action</legend>
            <div className="flex items-end gap-2">
                <Select
                    label="Action"
                    value={action.kind}
                    options={kinds}
                    onChange={(kind) => onChange({ kind, rest: {} })}
                    className="flex-1"
                />
                <IconButton
                    label="Remove action"
                    size="small"
                    icon={<X size={16} strokeWidth={1.5} />}
                    onClick={() => onChange(undefined)}
                />
            </div>
            <div className="mt-2 flex flex-col gap-2">
                <TextArea
                    label={main.label}
                    mono={action.kind === "command" || action.kind === "webhook"}
                    minRows={action.kind === "webhook" ? 1 : 2}
                    value={fieldOf(action, main.name)}
                    onChange={(value) => onChange(withField(action, main.name, value))}
                />
                {action.kind === "prompt" && <MessageFields action={action} event={event} onChange={onChange} />}
                {action.kind === "run" && <RunFields action={action} onChange={onChange} />}
                {MORE[action.kind].map((field) => (
                    <TextField
                        key={field.name}
                        label={field.label}
                        hint={field.hint}
                        value={fieldOf(action, field.name)}
                        onChange={(value) => onChange(withField(action, field.name, value))}
                    />
                ))}
            </div>
        </fieldset>
    );
}

/** When a schedule fires: a time of day on weekdays, or any cron pattern. */
function When({ cron, onChange }: { cron: string; onChange: (cron: string) => void }) {
    const clock = clockOf(cron);
    const [advanced, setAdvanced] = useState(clock === undefined);
    const toggle = (day: number, on: boolean) => {
        if (clock === undefined) return;
        const days = on ? [...clock.days, day] : clock.days.filter((each) => each !== day);
        // A schedule without a day would never fire.
        if (days.length > 0) onChange(cronOf({ ...clock, days }));
    };
    return (
        <>
            {clock === undefined ? (
                <p className="text-small text-ink-3">
                    This schedule can’t be shown as a time of day; edit the cron pattern.{" "}
                    <button
                        type="button"
                        className="rounded-[4px] text-accent hover:underline"
                        onClick={() => onChange(cronOf({ time: "09:00", days: [1, 2, 3, 4, 5] }))}
                    >
                        Use a time of day
                    </button>
                </p>
            ) : (
                <>
                    <TextField
                        label="Time of day"
                        type="time"
                        required
                        className="max-w-36"
                        value={clock.time}
                        onChange={(time) => time !== "" && onChange(cronOf({ ...clock, time }))}
                    />
                    <fieldset>
                        <legend className="mb-1 text-small text-ink-2">Days</legend>
                        <div className="flex flex-wrap gap-x-4 gap-y-1">
                            {WEEKDAYS.map((word, index) => (
                                <Checkbox
                                    key={word}
                                    label={word}
                                    checked={clock.days.includes(index + 1)}
                                    onChange={(on) => toggle(index + 1, on)}
                                />
                            ))}
                        </div>
                    </fieldset>
                </>
            )}
            <Fold label="Advanced" open={advanced} onToggle={setAdvanced}>
                <TextField
                    className="mt-2"
                    label="Cron pattern"
                    mono
                    value={cron}
                    onChange={onChange}
                    hint="Minute, hour, day of the month, month, day of the week: 0 9 * * 1-5"
                />
            </Fold>
        </>
    );
}

/** The session of the event, as an action names it. */
const SAME_SESSION = "${AN_SESSION_ID}";
/** Sessions that are offered. */
const RECENT = 30;

/** Where a message goes, and what answers it. */
function MessageFields({
    action,
    event,
    onChange,
}: {
    action: ActionDraft;
    event: Event;
    onChange: (action: ActionDraft) => void;
}) {
    const { data: recent } = useQuery("session_list", { view: "inbox", limit: RECENT });
    const { data: connections = [] } = useQuery("connection_list", null);
    const [session, connection, model] = [
        fieldOf(action, "session"),
        fieldOf(action, "llmConnection"),
        fieldOf(action, "model"),
    ];
    const models = connections.find((each) => each.slug === connection)?.models ?? [];
    const overAnother = (slug: string) => {
        const kept = connections.find((each) => each.slug === slug)?.models.includes(model) === true;
        onChange(withField(kept ? action : withField(action, "model", ""), "llmConnection", slug));
    };
    return (
        <>
            <Select
                label="Session"
                showLabel
                value={session}
                options={[
                    { value: "", label: "A new session" },
                    ...(hasSession(event) ? [{ value: SAME_SESSION, label: "The session of the event" }] : []),
                    ...withOwn(
                        (recent?.sessions ?? []).map((each) => ({
                            value: each.session,
                            label: each.title === "" ? each.session : each.title,
                        })),
                        hasSession(event) && session === SAME_SESSION ? "" : session,
                    ),
                ]}
                onChange={(id) => onChange(withField(action, "session", id))}
            />
            <Select
                label="Connection"
                showLabel
                value={connection}
                options={[
                    { value: "", label: "The default connection" },
                    ...withOwn(
                        connections.map((each) => ({ value: each.slug, label: each.name, hint: lacks(each) })),
                        connection,
                    ),
                ]}
                onChange={overAnother}
            />
            {(connection !== "" || model !== "") && (
                <Select
                    label="Model"
                    showLabel
                    value={model}
                    options={[
                        { value: "", label: "The connection’s own" },
                        ...withOwn(
                            models.map((id) => ({ value: id, label: id })),
                            model,
                        ),
                    ]}
                    onChange={(id) => onChange(withField(action, "model", id))}
                />
            )}
        </>
    );
}

/** What a run of an agent needs besides its question. */
function RunFields({ action, onChange }: { action: ActionDraft; onChange: (action: ActionDraft) => void }) {
    const { data: agents = [] } = useQuery("agent_list", null);
    const { data: bases = [] } = useQuery("base_list", null);
    const [agent, base] = [fieldOf(action, "agent"), fieldOf(action, "corpus")];
    const staged = agents.filter((each) => each.stages > 0);
    const own = staged.find((each) => each.slug === agent)?.defaultCorpus;
    const needs = agent !== "" && base === "" && own === null;
    return (
        <>
            <Select
                label="Agent"
                showLabel
                value={agent === "" ? undefined : agent}
                placeholder="Choose an agent…"
                options={withOwn(
                    staged.map((each) => ({
                        value: each.slug,
                        label: each.name,
                        hint: each.problems[0]?.message,
                        disabled: each.problems.length > 0,
                    })),
                    agent,
                )}
                onChange={(slug) => onChange(withField(action, "agent", slug))}
            />
            <Select
                label="Knowledge base"
                showLabel
                value={base}
                options={[
                    { value: "", label: needs ? "None" : "The agent’s own" },
                    ...withOwn(
                        bases.map((each) => ({ value: each.name, label: baseLabel(each, bases) })),
                        base,
                    ),
                ]}
                onChange={(name) => onChange(withField(action, "corpus", name))}
            />
            {needs && <p className="text-small text-needs">This agent has no knowledge base of its own: choose one.</p>}
            <Checkbox
                label="Run to the end"
                hint="The run takes the proposed choice at each pause. It still asks you before it exceeds its budget or repeats a call that changes something. Without this, the run waits at its first pause."
                checked={action.rest["unattended"] === true}
                onChange={(unattended) => onChange(withFlag(action, "unattended", unattended))}
            />
        </>
    );
}

/** What the core reads in it: in words, with the next times, or what is wrong. */
function Meaning({ view, faults }: { view: AutomationView; faults: boolean }) {
    const { row } = view;
    return (
        <div aria-live="polite" className="rounded-card border border-hairline bg-sunken px-3 py-2 text-ui">
            <p className="font-medium">{row.when}</p>
            {row.may.map((may, index) => (
                <p key={index} className="text-ink-2 break-words">
                    {may}
                </p>
            ))}
            {view.times.length > 0 && (
                <p className="tabular mt-1 text-small text-ink-3">
                    Next: {view.times.map((at) => timeIn(at, row.zone)).join(" · ")}
                </p>
            )}
            {(faults ? row.faults : []).map((fault, index) => (
                <p key={index} role="alert" className="mt-1 text-small text-failed">
                    {faultText(fault)}
                </p>
            ))}
        </div>
    );
}
