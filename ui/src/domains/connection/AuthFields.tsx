import { useState, type ReactNode } from "react";

import type { ConnectionPreset } from "@/backend";
import { Button, SecretField, Select, StateMark, TextArea, TextField } from "@/shared";

import type { AuthKind, Form } from "./form";
import { LinkedText } from "./LinkedText";

const KINDS: { value: AuthKind; label: string; hint: string }[] = [
    { value: "key", label: "API key", hint: "Sent in the provider’s own header." },
    { value: "bearer", label: "Bearer token", hint: "For gateways and custom tokens." },
    { value: "none", label: "None", hint: "For servers on this machine." },
    { value: "oauth", label: "Sign-in (OAuth)", hint: "In the browser, with your own Client ID." },
    { value: "workload_identity", label: "Workload identity", hint: "A token file written by the platform." },
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
            Use another method…
        </Button>
    );
    return (
        <fieldset className="min-w-0 space-y-3">
            <legend className="sr-only">Authentication</legend>
            {choosing && (
                <Select
                    label="Authentication"
                    showLabel
                    value={form.auth}
                    options={KINDS}
                    onChange={(auth) => set({ auth })}
                    className="max-w-72"
                />
            )}
            {withSecret && (
                <Secret form={form} set={set} shown={shown} preset={preset} stored={stored} otherwise={otherwise} />
            )}
            {form.auth === "oauth" && (
                <>
                    <TextField
                        label="Authorization URL"
                        mono
                        value={form.authorizeUrl}
                        onChange={(authorizeUrl) => set({ authorizeUrl })}
                        error={shown("authorizeUrl")}
                        placeholder="https://id.example/authorize"
                        hint="Leave empty if tokens are only imported."
                    />
                    <TextField
                        label="Token URL"
                        mono
                        value={form.tokenUrl}
                        onChange={(tokenUrl) => set({ tokenUrl })}
                        error={shown("tokenUrl")}
                        placeholder="https://id.example/token"
                    />
                    <TextField
                        label="Client ID"
                        mono
                        value={form.clientId}
                        onChange={(clientId) => set({ clientId })}
                        error={shown("clientId")}
                    />
                    <TextField
                        label="Scopes (optional)"
                        mono
                        value={form.scopes}
                        onChange={(scopes) => set({ scopes })}
                        hint="Separated by spaces. Sign in after saving the connection."
                    />
                </>
            )}
            {form.auth === "workload_identity" && (
                <>
                    <TextField
                        label="Token file"
                        mono
                        value={form.tokenFile}
                        onChange={(tokenFile) => set({ tokenFile })}
                        error={shown("tokenFile")}
                        placeholder="/var/run/secrets/token"
                    />
                    <TextField
                        label="Token URL"
                        mono
                        value={form.tokenUrl}
                        onChange={(tokenUrl) => set({ tokenUrl })}
                        error={shown("tokenUrl")}
                        placeholder="https://api.example/v1/oauth/token"
                    />
                    <TextArea
                        label="Additional token request fields (optional)"
                        mono
                        minRows={2}
                        value={form.tokenFields}
                        onChange={(tokenFields) => set({ tokenFields })}
                        error={shown("tokenFields")}
                        placeholder="organization_id: …"
                        hint="One per line: name: value."
                    />
                </>
            )}
            {form.auth === "none" && !choosing && (
                <p className="text-small text-ink-3">Requests are sent without a key.</p>
            )}
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
                <TextField
                    label="Environment variable"
                    mono
                    value={form.env}
                    onChange={(env) => set({ env })}
                    error={shown("env")}
                    placeholder="PROVIDER_API_KEY"
                    hint="Read at every request. Nothing is stored."
                />
                <div className="mt-1 -ml-2 flex flex-wrap">
                    <Button
                        size="small"
                        variant="quiet"
                        className="font-normal"
                        onClick={() => set({ env: undefined })}
                    >
                        Store in the vault instead
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
                <p className="mt-1 text-small text-ink-3">The stored value is never shown.</p>
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
                                <LinkedText text={preset.keyHint.replace(/\.$/, "")} />.{" "}
                            </>
                        )}
                        Stored encrypted in the vault and never shown again.
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
                        Keep the stored value
                    </Button>
                )}
                <Button
                    size="small"
                    variant="quiet"
                    className="font-normal"
                    onClick={() => set({ env: "", secret: "" })}
                >
                    Read from an environment variable
                </Button>
                {otherwise}
            </div>
        </div>
    );
}
