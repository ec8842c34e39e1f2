import { useState, type FormEvent } from "react";

import { useCommand, type VaultProtection, type VaultStatus } from "@/backend";
import { Button, Dialog, RadioGroup, SecretField, cx, toast, problemText } from "@/shared";

import { protectionWords, strengthOf, strengthWord } from "./labels";

export interface ProtectDialogProps {
    status: VaultStatus;
    first: VaultProtection;
    /** Whether the ways are offered; otherwise only the passphrase is changed. */
    choose: boolean;
    onClose: () => void;
}

const PROTECTIONS: VaultProtection[] = ["keychain", "passphrase", "key_file"];

/** What opens the vault from now on. */
export function ProtectDialog({ status, first, choose, onClose }: ProtectDialogProps) {
    const [way, setWay] = useState(first);
    const [passphrase, setPassphrase] = useState("");
    const [again, setAgain] = useState("");
    const [tried, setTried] = useState(false);
    const protect = useCommand("vault_protect");
    const strength = strengthOf(passphrase);
    const typed = way === "passphrase";
    const short = typed && (strength === "empty" || strength === "short");
    const differs = typed && passphrase !== again;
    const submit = async (event: FormEvent) => {
        event.preventDefault();
        setTried(true);
        if (short || differs || protect.pending) return;
        const { problem } = await protect.run({ protection: way, ...(typed ? { passphrase } : {}) });
        if (problem !== undefined) return;
        setPassphrase("");
        setAgain("");
        toast({
            text: `The vault is now unlocked by ${protectionWords(way).label.replace(/^The/, "the").replace(/^A /, "a ")}.`,
        });
        onClose();
    };
    return (
        <Dialog
            open
            onOpenChange={(open) => !open && onClose()}
            title={choose ? "Vault protection" : "Change passphrase"}
            description="The vault is re-encrypted with a new key."
            footer={
                <>
                    <Button onClick={onClose}>Cancel</Button>
                    <Button type="submit" form="protect-form" variant="primary" disabled={protect.pending}>
                        {protect.pending ? "Encrypting…" : choose ? "Change protection" : "Change passphrase"}
                    </Button>
                </>
            }
        >
            <form id="protect-form" onSubmit={(event) => void submit(event)} noValidate className="space-y-4">
                {choose && (
                    <RadioGroup
                        label="Unlock the vault with"
                        value={way}
                        onChange={setWay}
                        options={PROTECTIONS.map((value) => {
                            const { label, hint } = protectionWords(value);
                            const missing = value === "keychain" && !status.keychain;
                            return {
                                value,
                                label,
                                hint: missing ? "No working keychain on this machine." : hint,
                                disabled: missing,
                            };
                        })}
                    />
                )}
                {typed && (
                    <div className="grid gap-3">
                        <SecretField
                            label="Passphrase"
                            value={passphrase}
                            onChange={setPassphrase}
                            data-autofocus
                            error={tried && short ? "Enter a passphrase of at least 8 characters." : undefined}
                            hint={
                                <span
                                    className={cx(
                                        "block min-h-8",
                                        (strength === "weak" || strength === "short") && "text-needs",
                                        strength === "good" && "text-done",
                                    )}
                                >
                                    {strengthWord(strength)}
                                </span>
                            }
                        />
                        <SecretField
                            label="Repeat the passphrase"
                            value={again}
                            onChange={setAgain}
                            error={
                                differs && (tried || again.length >= passphrase.length) && again !== ""
                                    ? "The passphrases differ."
                                    : tried && differs
                                      ? "Repeat the passphrase."
                                      : undefined
                            }
                        />
                        <p className="text-small text-ink-3">
                            The passphrase cannot be recovered. If you lose it, you must enter every secret again. Runs
                            and documents are not in the vault.
                        </p>
                    </div>
                )}
                {protect.problem !== undefined && (
                    <p role="alert" className="text-ui text-failed">
                        {problemText(protect.problem, "Nothing was changed")}
                    </p>
                )}
            </form>
        </Dialog>
    );
}
