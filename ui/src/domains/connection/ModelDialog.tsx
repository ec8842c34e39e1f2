import { useState, type FormEvent } from "react";

import { useCommand, type ModelConnection, type ModelRow } from "@/backend";
import { Button, Dialog, TextField, problemText } from "@/shared";

import { modelForm, modelProblems, overrideOf, type ModelForm } from "./model";
import { knownFromWord } from "./labels";

const PRICES: { field: keyof ModelForm; label: string }[] = [
    { field: "inputPrice", label: "Input" },
    { field: "outputPrice", label: "Output" },
    { field: "cacheReadPrice", label: "Cache read" },
    { field: "cacheWritePrice", label: "Cache write" },
];

/** Limits and prices of one model, in the person's own words. */
export function ModelDialog({
    model,
    config,
    onClose,
}: {
    model: ModelRow;
    config: ModelConnection | null;
    onClose: () => void;
}) {
    const [form, setForm] = useState(() => modelForm(model));
    const [tried, setTried] = useState(false);
    const update = useCommand("model_update");
    const problems = modelProblems(form);
    const before = config?.models?.find((each) => each.id === model.id);
    const set = (field: keyof ModelForm) => (value: string) => setForm((old) => ({ ...old, [field]: value }));
    const error = (field: keyof ModelForm) => (tried ? problems[field] : undefined);
    const keep = async (override: typeof before) => {
        if (override === undefined) return;
        const { problem } = await update.run({ connection: model.connection, model: override });
        if (problem === undefined) onClose();
    };
    const submit = (event: FormEvent) => {
        event.preventDefault();
        setTried(true);
        if (Object.keys(problems).length === 0) void keep(overrideOf(model, form, before));
    };
    return (
        <Dialog
            open
            onOpenChange={(open) => !open && onClose()}
            title={model.id}
            description={`Current values: ${knownFromWord(model.knownFrom)}${model.ownPrice ? ", with your prices" : ""}. Costs, budgets and forecasts use these figures.`}
            footer={
                <>
                    {before !== undefined && (
                        <Button
                            variant="quiet"
                            className="mr-auto"
                            disabled={update.pending}
                            onClick={() => void keep({ id: model.id })}
                        >
                            Reset to default values
                        </Button>
                    )}
                    <Button onClick={onClose}>Cancel</Button>
                    <Button variant="primary" type="submit" form="model-form" disabled={update.pending}>
                        {update.pending ? "Saving…" : "Save"}
                    </Button>
                </>
            }
        >
            <form id="model-form" onSubmit={submit} noValidate className="space-y-4">
                <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2">
                    <TextField
                        label="Context window, in tokens"
                        value={form.window}
                        onChange={set("window")}
                        error={error("window")}
                    />
                    <TextField
                        label="Maximum output, in tokens"
                        value={form.output}
                        onChange={set("output")}
                        error={error("output")}
                    />
                </div>
                <fieldset>
                    <legend className="mb-2 text-ui font-medium">US dollars per million tokens</legend>
                    <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2">
                        {PRICES.map(({ field, label }) => (
                            <TextField
                                key={field}
                                label={label}
                                inputMode="decimal"
                                value={form[field]}
                                onChange={set(field)}
                                error={error(field)}
                            />
                        ))}
                    </div>
                    <p className="mt-2 text-small text-ink-3">
                        Without prices, requests are counted as unpriced. Empty cache prices default to the input price.
                    </p>
                </fieldset>
                {update.problem !== undefined && (
                    <p role="alert" className="text-ui text-failed">
                        {problemText(update.problem, "Nothing was saved")}
                    </p>
                )}
            </form>
        </Dialog>
    );
}
