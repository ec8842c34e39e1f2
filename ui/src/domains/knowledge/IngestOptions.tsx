import type { FormEvent } from "react";

import { useQuery } from "@/backend";
import { Checkbox, Select, TextField } from "@/shared";

import type { Choice, Wrong } from "./IngestDialog";
import { exampleCitation } from "./name";
import { TIERS } from "./tiers";
import { modelOptions, ruleOptions } from "./words";

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
                <TextField label="Title" value={choice.title} onChange={(title) => onChange({ title })} placeholder={example || "Audit manual"} hint="What people see." data-autofocus />
                <TextField
                    label="Name"
                    value={name}
                    onChange={(name) => onChange({ name })}
                    mono
                    readOnly={again}
                    error={wrong.name}
                    hint={replaces ? "This base exists: it gets a new generation in place of the present one." : "What files and commands call it."}
                />
            </div>
            <div className="grid gap-4 sm:grid-cols-2">
                <div>
                    <Select label="What kind of text it is" showLabel value={choice.tier} onChange={(tier) => onChange({ tier })} options={TIERS.map((each) => ({ value: each.id, label: each.word, hint: each.means }))} />
                    <p className="mt-1 text-small text-ink-3">{TIERS.find((each) => each.id === choice.tier)?.means}</p>
                </div>
                <TextField
                    label="How a paragraph is cited"
                    value={choice.citation}
                    onChange={(citation) => onChange({ citation })}
                    mono
                    placeholder="({id})"
                    error={wrong.citation}
                    hint={
                        <>
                            The 12th of chapter 4 becomes <code className="font-mono text-code">{exampleCitation(choice.citation)}</code>
                        </>
                    }
                />
            </div>
            <div className="grid gap-4 sm:grid-cols-2">
                <div>
                    <Select label="Rules that find paragraphs" showLabel value={choice.rules} onChange={(rules) => onChange({ rules })} options={ruleOptions(catalog.data)} />
                    <p className="mt-1 text-small text-ink-3">The preview shows what they recognise, and can try others.</p>
                </div>
                <div>
                    <Select label="Model that compares meanings" showLabel value={choice.model} onChange={(model) => onChange({ model })} options={models} />
                    <p className="mt-1 text-small text-ink-3">{models.length > 1 ? "Makes the ingest slower, and finds what is said in other words." : "None is on this machine yet. “Get texts…” has one."}</p>
                </div>
            </div>
            <Checkbox label="Ingest again when the files change" hint="They are watched while the program runs. What has not changed is not read anew." checked={choice.watch} onChange={(watch) => onChange({ watch })} />
            {catalog.problem !== undefined && (
                <p role="alert" className="text-small text-failed">
                    The rule sets and models could not be listed: {catalog.problem.message}{" "}
                    <button type="button" className="text-accent hover:underline" onClick={catalog.reload}>
                        Try again
                    </button>
                </p>
            )}
            {faults.map((set) => (
                <p key={set.name} role="alert" className="text-small text-failed">
                    {set.name === "" ? "Your own rule sets can't be used" : `The rule set ${set.name} can't be used`}: {set.fault}
                </p>
            ))}
        </form>
    );
}
