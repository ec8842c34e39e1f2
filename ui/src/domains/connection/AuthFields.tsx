import { useState, type ReactNode } from "react";

import type { ConnectionPreset } from "@/backend";
import { Button, SecretField, Select, StateMark, TextArea, TextField } from "@/shared";

import type { AuthKind, Form } from "./form";
import { Hint } from "./Hint";

const KINDS: { value: AuthKind; label: string; hint: string }[] = [
    { value: "key", label: "A key", hint: "In the provider’s own header." },
    { value: "bearer", label: "A bearer token", hint: "Of a gateway, or one that you bring." },
    { value: "none", label: "Nothing", hint: "Servers on this machine." },
    { value: "oauth", label: "A sign-in (OAuth)", hint: "In the browser, with a client id of yours." },
    { value: "workload_identity", label: "A workload’s identity", hint: "A token that the platform writes to a file." },
];

export interface AuthFieldsProps {
    form: Form;
    set: (patch: Partial<Form>) => void;
    /** What is wrong with a field, once it was tried. */
    shown: (field: keyof Form) => string | undefined;
    preset?: ConnectionPreset;
    /** Whether a secret is in the vault. */
    stored: boolean;
}

/** As whom a connection asks. */
export function AuthFields({ form, set, shown, preset, stored }: AuthFieldsProps) {
    const [choosing, setChoosing] = useState(preset === undefined);
    const withSecret = form.auth === "key" || form.auth === "bearer";
    const otherwise = choosing ? null : (
        <Button size="small" variant="quiet" className="font-normal" onClick={() => setChoosing(true)}>
            Present something else…
        </Button>
    );
    return (
        <fieldset className="min-w-0 space-y-3">
            <legend className="sr-only">As whom it asks</legend>
            {choosing && <Select label="Presents itself with" showLabel value={form.auth} options={KINDS} onChange={(auth) => set({ auth })} className="max-w-72" />}
            {withSecret && <Secret form={form} set={set} shown={shown} preset={preset} stored={stored} otherwise={otherwise} />}
            {form.auth === "oauth" && (
                <>
                    <TextField label="Where you sign in" mono value={form.authorizeUrl} onChange={(authorizeUrl) => set({ authorizeUrl })} error={shown("authorizeUrl")} placeholder="https://id.example/authorize" hint="Left empty where tokens are only imported." />
                    <TextField label="Where tokens are exchanged" mono value={form.tokenUrl} onChange={(tokenUrl) => set({ tokenUrl })} error={shown("tokenUrl")} placeholder="https://id.example/token" />
                    <TextField label="Client id" mono value={form.clientId} onChange={(clientId) => set({ clientId })} error={shown("clientId")} />
                    <TextField label="Scopes (optional)" mono value={form.scopes} onChange={(scopes) => set({ scopes })} hint="With blanks between them. You sign in once it is saved." />
                </>
            )}
            {form.auth === "workload_identity" && (
                <>
                    <TextField label="File with the token" mono value={form.tokenFile} onChange={(tokenFile) => set({ tokenFile })} error={shown("tokenFile")} placeholder="/var/run/secrets/token" />
                    <TextField label="Where it is exchanged" mono value={form.tokenUrl} onChange={(tokenUrl) => set({ tokenUrl })} error={shown("tokenUrl")} placeholder="https://api.example/v1/oauth/token" />
                    <TextArea label="Further fields of the exchange (optional)" mono minRows={2} value={form.tokenFields} onChange={(tokenFields) => set({ tokenFields })} error={shown("tokenFields")} placeholder="organization_id: …" hint="A line each: name: value." />
                </>
            )}
            {form.auth === "none" && !choosing && <p className="text-small text-ink-3">It asks without a key.</p>}
            {!withSecret && <div className="-ml-2">{otherwise}</div>}
        </fieldset>
    );
}

function Secret({ form, set, shown, preset, stored, otherwise }: AuthFieldsProps & { otherwise: ReactNode }) {
    const [replacing, setReplacing] = useState(false);
    const word = form.auth === "bearer" ? "Token" : "Key";
    const optional = preset?.asksKey === false;
    if (form.env !== undefined) {
        return (
            <div>
                <TextField label="Environment variable" mono value={form.env} onChange={(env) => set({ env })} error={shown("env")} placeholder="PROVIDER_API_KEY" hint="Read at every request anew. Nothing is stored." />
                <div className="mt-1 -ml-2 flex flex-wrap">
                    <Button size="small" variant="quiet" className="font-normal" onClick={() => set({ env: undefined })}>
                        Keep it in the vault instead
                    </Button>
                    {otherwise}
                </div>
            </div>
        );
    }
    if (stored && !replacing) {
        return (
            <div>
                <span className="mb-1 block text-small text-ink-2">{word}</span>
                <div className="flex h-7 items-center gap-3">
                    <StateMark state="done" word="Stored in the vault" />
                    <Button size="small" onClick={() => setReplacing(true)}>
                        Replace…
                    </Button>
                </div>
                <p className="mt-1 text-small text-ink-3">It is never shown again.</p>
            </div>
        );
    }
    return (
        <div>
            <SecretField
                label={optional ? `${word} (optional)` : word}
                value={form.secret}
                onChange={(secret) => set({ secret })}
                error={shown("secret")}
                autoFocus={replacing}
                hint={
                    <>
                        {preset !== undefined && preset.keyHint !== "" && (
                            <>
                                <Hint text={preset.keyHint.replace(/\.$/, "")} />.{" "}
                            </>
                        )}
                        It goes into the vault, encrypted, and is never shown again.
                    </>
                }
            />
            <div className="mt-1 -ml-2 flex flex-wrap">
                {replacing && (
                    <Button
                        size="small"
                        variant="quiet"
                        className="font-normal"
                        onClick={() => {
                            setReplacing(false);
                            set({ secret: "" });
                        }}
                    >
                        Keep the stored one
                    </Button>
                )}
                <Button size="small" variant="quiet" className="font-normal" onClick={() => set({ env: "", secret: "" })}>
                    Read it from an environment variable
                </Button>
                {otherwise}
            </div>
        </div>
    );
}
