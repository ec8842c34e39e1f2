// Adds or changes a source: its fields, its secrets, and the approval of what it will run or reach.

import { useState, type FormEvent } from "react";

import { skip, useCommand, useQuery, type SourceNeeds } from "@/backend";
import { go } from "@/routes";
import { Button, Checkbox, ErrorCard, Fold, SecretField, TextArea, toast, useDebounced } from "@/shared";

import { problemWords, reachOf, readConfig, warningsOf, withValue, type Config } from "./config";
import { Pasted } from "./Pasted";
import { SourceFields } from "./SourceFields";

export interface SourceFormProps {
    /** Its `config.json`. */
    config: string;
    guide: string;
    /** Where credentials come from, in words. */
    credentials?: string;
    /** Secrets that are known already, by name. */
    given?: Readonly<Record<string, string>>;
    openapi?: string;
    isNew?: boolean;
    onDone?: () => void;
}

const REACHES = {
    program: {
        says: "This source runs a program with your user rights:",
        agreed: "I have read the command and trust it",
    },
    address: { says: "This source sends requests to:", agreed: "I have checked the address and trust it" },
    folder: {
        says: "This source reads the folder and all subfolders:",
        agreed: "I have checked the folder; all of it may be read",
    },
} as const;

/** What a configuration asks for; while a newer one is looked at, what the last one did. */
function useNeeds(config: Config | undefined): SourceNeeds | undefined {
    const settled = useDebounced(JSON.stringify(config ?? null), 250);
    const value: unknown = JSON.parse(settled);
    const query = useQuery("source_needs", value === null ? skip : { config: value });
    const [last, setLast] = useState(query.data);
    if (query.data !== undefined && query.data !== last) setLast(query.data);
    return query.data ?? last;
}

/** The form. What it will run or reach is shown whole before it can be saved. */
export function SourceForm({
    config: first,
    guide: firstGuide,
    credentials = "",
    given = {},
    openapi,
    isNew = false,
    onDone,
}: SourceFormProps) {
    const [text, setText] = useState(first);
    const [guide, setGuide] = useState(firstGuide);
    const [secrets, setSecrets] = useState<Readonly<Record<string, string>>>(given);
    const [approved, setApproved] = useState<string | undefined>();
    const save = useCommand("source_save");
    const { config, fault } = readConfig(text);
    const needs = useNeeds(config);
    const reach = config === undefined ? undefined : reachOf(config);
    const wanted = needs?.secrets ?? [];
    // An approval holds for what was seen, not for what is written afterwards.
    const isApproved = reach !== undefined && approved === reach.what;
    const foreign =
        config !== undefined && !("slug" in config) && !("type" in config) && Object.keys(config).length > 0;
    const reasons =
        fault !== undefined
            ? [fault]
            : foreign
              ? ["This is the configuration of another program: use one of its servers above."]
              : [
                    ...(needs?.problems ?? []).map(problemWords),
                    ...(reach !== undefined && reach.what !== "" && !isApproved
                        ? ["Tick the box above: nobody has approved it yet."]
                        : []),
                ];
    const submit = async (event: FormEvent) => {
        event.preventDefault();
        if (config === undefined || save.pending || reasons.length > 0) return;
        const filled = wanted.filter(({ name }) => (secrets[name] ?? "") !== "");
        const { value } = await save.run({
            config,
            guide,
            secrets: Object.fromEntries(filled.map(({ name }) => [name, secrets[name] ?? ""])),
            openapi: openapi ?? null,
            approved: isApproved,
            isNew,
        });
        if (value === undefined) return;
        setSecrets({});
        toast({ text: isNew ? "Source added. Test it, then approve its tools." : "Source saved." });
        onDone?.();
        go({ page: "source", slug: value.source.slug }, { replace: true });
    };
    return (
        <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
            {config !== undefined && !foreign && (
                <SourceFields
                    config={config}
                    isNew={isNew}
                    onChange={(path, value) => setText(JSON.stringify(withValue(config, path, value), null, 4))}
                />
            )}
            {wanted.length > 0 && (
                <fieldset className="flex flex-col gap-3">
                    <legend className="mb-1 text-ui font-medium">Secrets</legend>
                    {credentials !== "" && <p className="text-ui text-ink-2">{credentials}</p>}
                    {wanted.map(({ name, label, present, optional }) => (
                        <SecretField
                            key={name}
                            label={label}
                            value={secrets[name] ?? ""}
                            onChange={(value) => setSecrets({ ...secrets, [name]: value })}
                            hint={
                                present && !isNew
                                    ? "Leave empty to keep the stored value."
                                    : optional
                                      ? "Optional. Stored in the vault."
                                      : "Stored in the vault; used only for the target shown below."
                            }
                        />
                    ))}
                </fieldset>
            )}
            {wanted.length === 0 && needs?.signsIn === true && credentials !== "" && (
                <p className="text-ui text-ink-2">{credentials}</p>
            )}
            {needs?.signsIn === true && (
                <p className="text-ui text-ink-2">After saving, sign in on the source’s page.</p>
            )}
            <TextArea
                label="Guide (guide.md)"
                value={guide}
                onChange={setGuide}
                minRows={2}
                maxRows={16}
                placeholder="Optional"
                hint="How to use the tools well. Given to the model together with the tools."
            />
            <Fold label="All settings (config.json)" open={fault !== undefined || foreign || undefined}>
                <TextArea
                    label="Configuration (config.json)"
                    hideLabel
                    value={text}
                    onChange={setText}
                    minRows={8}
                    maxRows={28}
                    mono
                    error={fault}
                    hint="Refer to secrets as ${secret:NAME}; never enter them here."
                    className="mt-2"
                />
            </Fold>
            {(foreign || fault !== undefined) && (
                <Pasted
                    text={text}
                    quiet={!foreign}
                    onUse={(draft) => {
                        setText(JSON.stringify(draft.config, null, 4));
                        setSecrets({ ...secrets, ...draft.secrets });
                    }}
                />
            )}
            {reach !== undefined && reach.what !== "" && (
                <div className="rounded-card border border-hairline px-4 py-3">
                    <p className="text-ui font-medium">{REACHES[reach.kind].says}</p>
                    <pre className="mt-1.5 font-mono text-code break-all whitespace-pre-wrap">{reach.what}</pre>
                    {reach.kind === "program" &&
                        warningsOf(reach.what).map((warning) => (
                            <p key={warning} className="mt-1 text-small text-needs">
                                {warning}
                            </p>
                        ))}
                    <div className="mt-2">
                        <Checkbox
                            label={REACHES[reach.kind].agreed}
                            checked={isApproved}
                            onChange={(checked) => setApproved(checked ? reach.what : undefined)}
                        />
                    </div>
                </div>
            )}
            {save.problem !== undefined && (
                <ErrorCard title="The source was not saved" advice={save.problem.action ?? undefined}>
                    {save.problem.message}
                </ErrorCard>
            )}
            {reasons.length > 0 && (
                <div className="text-ui text-ink-2" aria-live="polite">
                    <p>Before it can be saved:</p>
                    <ul className="mt-1 list-disc pl-5">
                        {reasons.map((reason) => (
                            <li key={reason}>{reason}</li>
                        ))}
                    </ul>
                </div>
            )}
            <div className="flex gap-2">
                <Button type="submit" variant="primary" disabled={reasons.length > 0 || save.pending}>
                    {save.pending ? "Saving…" : "Save"}
                </Button>
                {onDone !== undefined && (
                    <Button variant="quiet" onClick={onDone}>
                        Cancel
                    </Button>
                )}
            </div>
        </form>
    );
}
