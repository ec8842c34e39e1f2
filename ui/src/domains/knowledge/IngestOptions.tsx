import type { FormEvent } from "react";

import { useQuery } from "@/backend";
import { Checkbox, Select, TextField } from "@/shared";

import type { Choice, Wrong } from "./IngestDialog";
import { exampleCitation } from "./name";
import { TIERS } from "./tiers";
import { modelOptions, ruleOptions } from "./labels";

export interface IngestOptionsProps {
    choice: Choice;
    onChange: (part: Partial<Choice>) => void;
    /** The base's name, chosen or made from the title. */
    name: string;
    /** Whether a base is made again, whose name stands. */
    again: boolean;
    /** Whether a base of that name gets a new generation. */
    replaces: boolean;
    /** What it may be called. */
    example: string;
    wrong: Wrong;
    onNext: () => void;
}

/** As what the files are ingested. */
export function IngestOptions({ choice, onChange, name, again, replaces, example, wrong, onNext }: IngestOptionsProps) {
    const catalog = useQuery("knowledge_catalog", null);
    const models = modelOptions(catalog.data, choice.model);
    const faults = (catalog.data?.rules ?? []).filter((set) => set.fault !== null);
    const next = (event: FormEvent) => {
        event.preventDefault();
        onNext();
    };
    return (
        <form onSubmit={next} className="space-y-4">
            <button type="submit" hidden aria-hidden tabIndex={-1} />
            <div className="grid gap-4 sm:grid-cols-2">
                <TextField
                    label="Title"
                    value={choice.title}
                    onChange={(title) => onChange({ title })}
                    placeholder={example || "Audit manual"}
                    hint="Shown in lists and documents."
                    data-autofocus
                />
                <TextField
                    label="Name"
                    value={name}
                    onChange={(name) => onChange({ name })}
                    mono
                    readOnly={again}
                    error={wrong.name}
                    hint={
                        replaces
                            ? "This knowledge base exists: a new generation replaces the current one."
                            : "Used in files and commands."
                    }
                />
            </div>
            <div className="grid gap-4 sm:grid-cols-2">
                <div>
                    <Select
                        label="Authority of the text"
                        showLabel
                        value={choice.tier}
                        onChange={(tier) => onChange({ tier })}
                        options={TIERS.map((each) => ({ value: each.id, label: each.word, hint: each.means }))}
                    />
                    <p className="mt-1 text-small text-ink-3">{TIERS.find((each) => each.id === choice.tier)?.means}</p>
                </div>
                <TextField
                    label="Citation format"
                    value={choice.citation}
                    onChange={(citation) => onChange({ citation })}
                    mono
                    placeholder="({id})"
                    error={wrong.citation}
                    hint={
                        <>
                            Paragraph 12 of chapter 4 is cited as{" "}
                            <code className="font-mono text-code">{exampleCitation(choice.citation)}</code>
                        </>
                    }
                />
            </div>
            <div className="grid gap-4 sm:grid-cols-2">
                <div>
                    <Select
                        label="Paragraph rules"
                        showLabel
                        value={choice.rules}
                        onChange={(rules) => onChange({ rules })}
                        options={ruleOptions(catalog.data)}
                    />
                    <p className="mt-1 text-small text-ink-3">
                        The preview shows the result and lets you try other rules.
                    </p>
                </div>
                <div>
                    <Select
                        label="Embedding model"
                        showLabel
                        value={choice.model}
                        onChange={(model) => onChange({ model })}
                        options={models}
                    />
                    <p className="mt-1 text-small text-ink-3">
                        {models.length > 1
                            ? "Adds semantic search, which also finds text in other words. Slows down the ingest."
                            : "No embedding model on this machine yet. Get one under “Download texts…”."}
                    </p>
                </div>
            </div>
            <Checkbox
                label="Ingest again when the files change"
                hint="Files are watched while the program runs. Unchanged files are not read again."
                checked={choice.watch}
                onChange={(watch) => onChange({ watch })}
            />
            {catalog.problem !== undefined && (
                <p role="alert" className="text-small text-failed">
                    Could not load the rule sets and models: {catalog.problem.message}{" "}
                    <button type="button" className="text-accent hover:underline" onClick={catalog.reload}>
                        Try again
                    </button>
                </p>
            )}
            {faults.map((set) => (
                <p key={set.name} role="alert" className="text-small text-failed">
                    {set.name === "" ? "Your own rule sets can’t be used" : `The rule set ${set.name} can’t be used`}:{" "}
                    {set.fault}
                </p>
            ))}
        </form>
    );
}
