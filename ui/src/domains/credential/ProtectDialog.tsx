import { useState, type FormEvent } from "react";

import { useCommand, type VaultProtection, type VaultStatus } from "@/backend";
import { Button, Dialog, RadioGroup, SecretField, cx, toast } from "@/shared";

import { protectionWords, strengthOf, strengthWord } from "./words";

export interface ProtectDialogProps {
    status: VaultStatus;
    first: VaultProtection;
    /** Whether the ways are offered; otherwise only the passphrase is changed. */
    choose: boolean;
    onClose: () => void;
}

const WAYS: VaultProtection[] = ["keychain", "passphrase", "key_file"];

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
        toast({ text: `The vault is now opened by ${protectionWords(way).label.replace(/^The/, "the").replace(/^A /, "a ")}.` });
        onClose();
    };
    return (
        <Dialog
            open
            onOpenChange={(open) => !open && onClose()}
            title={choose ? "What opens the vault" : "Change the passphrase"}
            description="Everything in it is encrypted anew, with a fresh key."
            footer={
                <>
                    <Button onClick={onClose}>Cancel</Button>
                    <Button type="submit" form="protect-form" variant="primary" disabled={protect.pending}>
                        {protect.pending ? "Encrypting…" : choose ? "Protect it so" : "Change it"}
                    </Button>
                </>
            }
        >
            <form id="protect-form" onSubmit={(event) => void submit(event)} noValidate className="space-y-4">
                {choose && (
                    <RadioGroup
                        label="What opens the vault"
                        value={way}
                        onChange={setWay}
                        options={WAYS.map((value) => {
                            const { label, hint } = protectionWords(value);
                            const missing = value === "keychain" && !status.keychain;
                            return { value, label, hint: missing ? "This machine has none that keeps what it is given." : hint, disabled: missing };
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
                            error={tried && short ? "Type a passphrase of at least 8 characters." : undefined}
                            hint={<span className={cx("block min-h-8", (strength === "weak" || strength === "short") && "text-needs", strength === "good" && "text-done")}>{strengthWord(strength)}</span>}
                        />
                        <SecretField label="Once more" value={again} onChange={setAgain} error={differs && (tried || again.length >= passphrase.length) && again !== "" ? "The two differ." : tried && differs ? "Type it once more." : undefined} />
                        <p className="text-small text-ink-3">Nobody can bring it back: without it the secrets are lost and have to be given anew. Runs and documents are not in the vault.</p>
                    </div>
                )}
                {protect.problem !== undefined && (
                    <p role="alert" className="text-ui text-failed">
                        Nothing was changed: {protect.problem.message} {protect.problem.action ?? ""}
                    </p>
                )}
            </form>
        </Dialog>
    );
}
