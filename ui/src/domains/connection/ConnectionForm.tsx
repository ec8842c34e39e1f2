// A connection being written: only the fields that it needs, tested before it is kept.

import { PlugZap } from "lucide-react";
import { useRef, useState, type FormEvent } from "react";

import {
    call,
    toProblem,
    useCommand,
    type ConnectionPreset,
    type ConnectionTest,
    type ConnectionView,
    type ModelConnection,
    type Problem,
} from "@/backend";
import { Button, Fold, SuggestField, Switch, TextArea, TextField, Waiting } from "@/shared";

import { AuthFields } from "./AuthFields";
import { ADVANCED, freeSlug, formOf, isOpen, problemsOf, saveOf, slugFrom, slugOf, type Asks, type Form } from "./form";
import { TestVerdict } from "./TestVerdict";
import { providerWord, windowWord } from "./labels";

export interface ConnectionFormProps {
    /** The connection that it begins with. */
    connection: ModelConnection;
    preset?: ConnectionPreset;
    /** The connection as it is kept; without it a new one. */
    view?: ConnectionView;
    /** Slugs of the others. */
    taken: readonly string[];
    onSaved: (slug: string) => void;
    onCancel: () => void;
}

interface Trial {
    since?: number;
    test?: ConnectionTest;
    problem?: Problem;
}

export function ConnectionForm({ connection, preset, view, taken, onSaved, onCancel }: ConnectionFormProps) {
    const was = view?.row.slug;
    const [form, setForm] = useState<Form>(() => begun(connection, preset, was, taken));
    const [tried, setTried] = useState(false);
    const [trial, setTrial] = useState<Trial>({});
    const [advanced, setAdvanced] = useState(false);
    // The name in commands is made from a new connection's name until the person writes another.
    const [follows, setFollows] = useState(was === undefined);
    const turn = useRef(0);
    const save = useCommand("connection_save");
    const before = useRef(connection);
    const asks: Asks = {
        address: preset?.asksAddress ?? false,
        model: preset?.asksModel ?? false,
        // What is kept without its key may stay so: it says that the key is missing.
        key: preset?.asksKey ?? false,
        stored: view !== undefined && ["stored", "locked", "expired"].includes(view.row.credential),
        taken,
    };
    const problems = problemsOf(form, asks);
    const shown = (field: keyof Form) => (tried ? problems[field] : undefined);
    const set = (patch: Partial<Form>) => {
        setForm((old) => ({ ...old, ...patch }));
        // A verdict speaks of what stood there when it was asked for.
        turn.current += 1;
        setTrial({});
        save.clear();
    };
    /** Whether it can be sent; where not, what is wrong is shown. */
    const right = () => {
        setTried(true);
        if (ADVANCED.some((field) => problems[field] !== undefined)) setAdvanced(true);
        return Object.keys(problems).length === 0;
    };
    const test = async () => {
        if (!right()) return;
        turn.current += 1;
        const own = turn.current;
        setTrial({ since: Date.now() });
        try {
            const outcome = await call("connection_try", saveOf(form, before.current, was));
            if (own === turn.current) setTrial({ test: outcome });
        } catch (thrown) {
            if (own === turn.current) setTrial({ problem: toProblem(thrown) });
        }
    };
    const leave = () => {
        turn.current += 1;
        setTrial({});
    };
    const submit = async (event: FormEvent) => {
        event.preventDefault();
        if (!right() || save.pending) return;
        const { value } = await save.run(saveOf(form, before.current, was));
        if (value === undefined) return;
        // The secret leaves the page with the form.
        setForm((old) => ({ ...old, secret: "" }));
        onSaved(value.row.slug);
    };
    const known = view?.models ?? [];
    const suggestions =
        known.length > 0
            ? known.map((model) => ({ value: model.id, hint: windowWord(model.contextWindow) }))
            : [...new Set([connection.defaultModel ?? "", ...(connection.models ?? []).map((model) => model.id)])]
                  .filter((id) => id !== "")
                  .map((value) => ({ value }));
    // A host on this machine may listen elsewhere; a provider’s own address seldom changes.
    const addressShown = asks.address || view !== undefined || (!asks.key && (connection.baseUrl ?? "") !== "");
    return (
        <form
            onSubmit={(event) => void submit(event)}
            aria-label={was === undefined ? "New connection" : "Connection"}
            noValidate
            className="max-w-[34rem] space-y-4"
        >
            <TextField
                label="Name"
                value={form.name}
                onChange={(name) => set({ name, ...(follows ? { slug: undefined } : {}) })}
                error={shown("name")}
                data-autofocus
                hint={
                    <>
                        Name in commands: <code className="font-mono">{slugOf(form) || "…"}</code>.
                    </>
                }
            />
            {addressShown && (
                <Address
                    form={form}
                    set={set}
                    error={shown("address")}
                    example={preset?.addressExample ?? ""}
                    needed={asks.address}
                />
            )}
            <AuthFields
                form={form}
                set={set}
                shown={shown}
                preset={preset}
                stored={asks.stored && form.auth === connection.auth.kind}
            />
            <SuggestField
                label={asks.model ? "Model" : "Model (optional)"}
                mono
                value={form.model}
                onChange={(model) => set({ model })}
                suggestions={suggestions}
                error={shown("model")}
                hint={
                    asks.model
                        ? "The model id, as the host lists it."
                        : "The default model. Leave empty for the first listed model. The list is loaded after saving."
                }
            />
            <Switch
                label="Flat-rate subscription"
                hint="Costs are shown as an equivalent, separate from billed costs, and not counted against dollar budgets."
                checked={form.flatRate}
                onChange={(flatRate) => set({ flatRate })}
            />
            <Fold label="Advanced" open={advanced} onToggle={setAdvanced}>
                <div className="mt-2 space-y-4 border-l border-hairline pl-4">
                    <p className="text-small text-ink-3">API: {providerWord(connection.provider)}.</p>
                    <TextField
                        label="Name in commands"
                        mono
                        value={slugOf(form)}
                        onChange={(slug) => {
                            setFollows(false);
                            set({ slug });
                        }}
                        error={shown("slug")}
                    />
                    <SuggestField
                        label="Model that judges"
                        mono
                        value={form.judgeModel}
                        onChange={(judgeModel) => set({ judgeModel })}
                        suggestions={suggestions}
                        hint="Reads whether the sources support each statement of an answer. Left empty: a small one of the provider where one is known, else the model that wrote the answer."
                    />
                    {!addressShown && (
                        <Address form={form} set={set} error={shown("address")} example="" needed={false} />
                    )}
                    {connection.provider === "openai" && (
                        <Switch
                            label="Background answers"
                            hint="An answer interrupted by a crash or a lost connection is fetched by its id instead of being paid for twice. The provider stores requests and answers for this (store: true): leave it off if your data must not be retained."
                            checked={form.background}
                            onChange={(background) => set({ background })}
                        />
                    )}
                    <TextArea
                        label="Additional headers"
                        mono
                        minRows={2}
                        maxRows={8}
                        value={form.headers}
                        onChange={(headers) => set({ headers })}
                        error={shown("headers")}
                        placeholder="X-Team: research"
                        hint="One per line. Stored in plain text: put secrets in the key instead."
                    />
                    <TextField
                        label="Proxy"
                        mono
                        value={form.proxy}
                        onChange={(proxy) => set({ proxy })}
                        error={shown("proxy")}
                        placeholder="http://proxy.example:8080"
                        hint="Leave empty to use HTTPS_PROXY and NO_PROXY. Enter “none” for no proxy."
                    />
                    <TextField
                        label="Additional trusted certificates"
                        mono
                        value={form.caFile}
                        onChange={(caFile) => set({ caFile })}
                        placeholder="/etc/ssl/company.pem"
                        hint="A PEM file, for networks that inspect traffic."
                    />
                    <TextField
                        label="Parallel calls"
                        inputMode="numeric"
                        value={form.parallel}
                        onChange={(parallel) => set({ parallel })}
                        error={shown("parallel")}
                        hint="The most calls at once, over all runs and conversations; further calls wait in order. Left empty: 8, or 2 for a local server (Ollama: 1)."
                    />
                    <TextField
                        label="Idle timeout, in seconds"
                        inputMode="numeric"
                        value={form.silence}
                        onChange={(silence) => set({ silence })}
                        error={shown("silence")}
                        placeholder="120"
                        className="max-w-52"
                        hint="A stream without data for this long is treated as broken."
                    />
                </div>
            </Fold>
            <div>
                <div className="flex flex-wrap gap-2 border-t border-hairline pt-4">
                    <Button type="submit" variant="primary" disabled={save.pending}>
                        {save.pending ? "Saving…" : "Save"}
                    </Button>
                    <Button
                        icon={<PlugZap size={16} strokeWidth={1.5} />}
                        disabled={trial.since !== undefined}
                        onClick={() => void test()}
                        title="Sends one very short request to the provider"
                    >
                        Test
                    </Button>
                    <Button variant="quiet" onClick={onCancel}>
                        Cancel
                    </Button>
                </div>
                <div aria-live="polite" className="mt-3 min-h-16">
                    {trial.since !== undefined && (
                        <Waiting
                            what="Sending a test request"
                            since={trial.since}
                            onStop={leave}
                            stopLabel="Stop waiting"
                        />
                    )}
                    {trial.test !== undefined && <TestVerdict test={trial.test} />}
                    {trial.problem !== undefined && (
                        <Wrong what="The connection could not be tested" problem={trial.problem} />
                    )}
                    {save.problem !== undefined && <Wrong what="Nothing was saved" problem={save.problem} />}
                    {tried && Object.keys(problems).length > 0 && (
                        <p className="text-small text-failed">Check the fields marked above.</p>
                    )}
                </div>
            </div>
        </form>
    );
}

function begun(
    connection: ModelConnection,
    preset: ConnectionPreset | undefined,
    was: string | undefined,
    taken: readonly string[],
): Form {
    const form = formOf(connection);
    if (was !== undefined) return { ...form, name: form.name === "" ? was : form.name, slug: was };
    const name = preset?.name ?? form.name;
    const wanted = connection.slug === "" ? slugFrom(name) : connection.slug;
    const free = freeSlug(wanted, taken);
    // The second of a kind has a name of its own.
    return {
        ...form,
        name: free === wanted ? name : `${name} ${free.slice(wanted.length + 1)}`,
        slug: free === slugFrom(name) || free !== wanted ? undefined : free,
    };
}

function Wrong({ what, problem }: { what: string; problem: Problem }) {
    return (
        <p role="alert" className="text-ui text-failed">
            {what}: {problem.message} <span className="text-ink">{problem.action ?? ""}</span>
        </p>
    );
}

function Address({
    form,
    set,
    error,
    example,
    needed,
}: {
    form: Form;
    set: (patch: Partial<Form>) => void;
    error: string | undefined;
    example: string;
    needed: boolean;
}) {
    return (
        <TextField
            label={needed ? "Address" : "Address (optional)"}
            mono
            value={form.address}
            onChange={(address) => set({ address })}
            error={error}
            placeholder={example === "" ? "Provider default" : example}
            hint={
                isOpen(form.address) ? (
                    <span className="text-needs">
                        Not encrypted: others on the network can read the key and the messages.
                    </span>
                ) : undefined
            }
        />
    );
}
