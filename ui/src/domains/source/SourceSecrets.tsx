// The secrets of a source: given, replaced, or allowed for what it reaches now.

import { useState, type FormEvent } from "react";

import { useCommand, type SecretUse, type SourceView } from "@/backend";
import { Button, RelativeTime, SecretField, Section, StateMark, toast, useNow, problemText } from "@/shared";

import { isOld } from "./labels";

export function SourceSecrets({ view }: { view: SourceView }) {
    const [given, setGiven] = useState<Readonly<Record<string, string>>>({});
    const save = useCommand("source_secrets");
    const now = useNow(false);
    if (view.secrets.length === 0 || view.source.shipped) return null;
    const unbound = view.secrets.some((secret) => secret.unbound);
    const filled = Object.entries(given).filter(([, value]) => value !== "");
    const send = async (secrets: Record<string, string>, stored: boolean) => {
        const { value } = await save.run({ slug: view.source.slug, secrets, stored });
        if (value === undefined) return;
        setGiven({});
        toast({ text: stored ? "The stored secrets may be used." : "Stored in the vault." });
    };
    const submit = (event: FormEvent) => {
        event.preventDefault();
        if (filled.length > 0 && !save.pending) void send(Object.fromEntries(filled), false);
    };
    return (
        <Section title="Secrets" note="Kept in the vault and never shown.">
            <form onSubmit={submit} className="flex max-w-[42rem] flex-col gap-3">
                {view.secrets.map((secret) => (
                    <SecretField
                        key={secret.name}
                        label={secret.label}
                        value={given[secret.name] ?? ""}
                        onChange={(value) => setGiven({ ...given, [secret.name]: value })}
                        hint={<SecretStatus secret={secret} now={now} />}
                    />
                ))}
                <p className="text-small text-ink-2">
                    Used only for <code className="font-mono text-code break-all">{view.reaches}</code>
                </p>
                {save.problem !== undefined && (
                    <p role="alert" className="text-ui text-failed">
                        {problemText(save.problem)}
                    </p>
                )}
                <div className="flex flex-wrap gap-2">
                    <Button type="submit" variant="primary" disabled={filled.length === 0 || save.pending}>
                        {save.pending ? "Storing…" : "Store"}
                    </Button>
                    {unbound && (
                        <Button disabled={save.pending} onClick={() => void send({}, true)}>
                            Use the stored values here
                        </Button>
                    )}
                </div>
            </form>
        </Section>
    );
}

function SecretStatus({ secret, now }: { secret: SecretUse; now: number }) {
    if (!secret.present)
        return secret.optional ? "Optional; not given" : <StateMark state="needs-you" word="Missing" />;
    return (
        <>
            {secret.unbound ? "Stored for another command or address; not used here" : "Stored"}
            {secret.storedAt !== null && (
                <>
                    , <RelativeTime at={secret.storedAt} />
                </>
            )}
            {isOld(secret.storedAt, now) && ". Older than half a year: consider a new one."}
        </>
    );
}
