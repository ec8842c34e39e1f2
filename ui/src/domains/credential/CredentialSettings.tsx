// Settings: where secrets are kept, what opens them, and which there are.

import { KeyRound, Lock, LockOpen, Trash2 } from "lucide-react";
import { useState, type FormEvent } from "react";

import { useCommand, useQuery, type VaultEntry, type VaultProtection, type VaultStatus } from "@/backend";
import { hrefOf } from "@/routes";
import {
    Badge,
    Button,
    EmptyState,
    ErrorCard,
    IconButton,
    AsyncBoundary,
    RelativeTime,
    SecretField,
    Section,
    StateMark,
    Table,
    confirm,
    toast,
    type Column,
    isoOf,
    toastProblem,
    problemText,
} from "@/shared";

import { ImportCredentials } from "./ImportCredentials";
import { ProtectDialog } from "./ProtectDialog";
import { WebSearch } from "./WebSearch";
import { entryWord, inOrder, protectionWords } from "./labels";

export function CredentialSettings() {
    const vault = useQuery("vault_show", null);
    return (
        <AsyncBoundary of={vault} what="the vault">
            {(status) => (
                <>
                    <Protection status={status} onRead={vault.reload} />
                    <Section
                        title="Secrets"
                        note={status.locked || status.entries.length === 0 ? undefined : String(status.entries.length)}
                    >
                        <Entries status={status} />
                    </Section>
                    <WebSearch />
                    <ImportCredentials locked={status.locked} />
                </>
            )}
        </AsyncBoundary>
    );
}

function Protection({ status, onRead }: { status: VaultStatus; onRead: () => void }) {
    const [changing, setChanging] = useState<VaultProtection | "choose" | undefined>();
    const lock = useCommand("vault_lock");
    const protect = useCommand("vault_protect");
    const { label } = protectionWords(status.protection);
    const rotate = async () => {
        if (status.protection === "passphrase") return setChanging("passphrase");
        const sure = await confirm({
            title: "Change the vault’s key?",
            body: "The vault is re-encrypted with a new key. Secrets do not change; old copies of the vault still open with the old key.",
            confirmLabel: "Change key",
        });
        if (!sure) return;
        const { problem } = await protect.run({ protection: status.protection });
        if (problem === undefined) toast({ text: "The vault has a new key." });
        else toastProblem(problem, "The key was not changed");
    };
    return (
        <Section title="Vault" note={status.exists ? undefined : "Created with the first secret"}>
            {status.problem !== null && (
                <ErrorCard
                    className="mb-4"
                    title="The vault can’t be opened"
                    advice={status.problem.action ?? undefined}
                    actions={<Button onClick={onRead}>Try again</Button>}
                >
                    {status.problem.message}
                </ErrorCard>
            )}
            <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-ui">
                {status.exists && (
                    <StateMark
                        state={status.locked ? "needs-you" : "done"}
                        word={status.locked ? "Locked" : "Unlocked"}
                    />
                )}
                <span>
                    {status.exists ? "Unlocked by" : "Will be unlocked by"}{" "}
                    <span className="font-medium">{label.charAt(0).toLowerCase() + label.slice(1)}</span>
                </span>
                {status.protection === "key_file" && <Badge tone="needs">less secure</Badge>}
                {status.rotatedAt !== null && (
                    <span className="text-small text-ink-3">
                        key changed <RelativeTime at={status.rotatedAt} />
                    </span>
                )}
            </p>
            <p className="mt-1 max-w-[38rem] text-ui text-ink-2">{status.explained}</p>
            {status.locked ? (
                <Unlock />
            ) : (
                <div className="mt-3 flex flex-wrap gap-2">
                    <Button icon={<KeyRound size={16} strokeWidth={1.5} />} onClick={() => setChanging("choose")}>
                        Change protection…
                    </Button>
                    {status.exists && (
                        <Button disabled={protect.pending} onClick={() => void rotate()}>
                            {status.protection === "passphrase"
                                ? "Change passphrase…"
                                : protect.pending
                                  ? "Changing…"
                                  : "Change key…"}
                        </Button>
                    )}
                    {status.exists && status.protection === "passphrase" && (
                        <Button
                            variant="quiet"
                            icon={<Lock size={16} strokeWidth={1.5} />}
                            disabled={lock.pending}
                            onClick={() => void lock.run(null).then(onRead)}
                        >
                            Lock
                        </Button>
                    )}
                </div>
            )}
            {lock.problem !== undefined && (
                <p role="alert" className="mt-2 text-ui text-failed">
                    {lock.problem.message}
                </p>
            )}
            {changing !== undefined && (
                <ProtectDialog
                    status={status}
                    first={changing === "choose" ? status.protection : changing}
                    choose={changing === "choose"}
                    onClose={() => setChanging(undefined)}
                />
            )}
        </Section>
    );
}

function Unlock() {
    const [passphrase, setPassphrase] = useState("");
    const unlock = useCommand("vault_unlock");
    const submit = async (event: FormEvent) => {
        event.preventDefault();
        if (passphrase === "" || unlock.pending) return;
        await unlock.run({ passphrase });
        // Right or wrong: it does not stay in the page.
        setPassphrase("");
    };
    return (
        <form onSubmit={(event) => void submit(event)} className="mt-3 flex max-w-[26rem] items-start gap-2">
            <SecretField
                label="Passphrase"
                hideLabel
                placeholder="Passphrase"
                value={passphrase}
                onChange={setPassphrase}
                error={unlock.problem === undefined ? undefined : problemText(unlock.problem)}
                className="flex-1"
            />
            <Button
                type="submit"
                variant="primary"
                icon={<LockOpen size={16} strokeWidth={1.5} />}
                disabled={passphrase === "" || unlock.pending}
            >
                {unlock.pending ? "Unlocking…" : "Unlock"}
            </Button>
        </form>
    );
}

function Entries({ status }: { status: VaultStatus }) {
    const remove = useCommand("secret_remove");
    if (status.locked) return <p className="text-ui text-ink-2">The vault is locked. Unlock it to see its secrets.</p>;
    if (status.entries.length === 0) {
        return (
            <EmptyState className="p-0" title="No secrets yet">
                Add a key with the{" "}
                <a
                    className="text-accent underline underline-offset-2"
                    href={hrefOf({ page: "settings", section: "connections", add: "" })}
                >
                    connection that needs it
                </a>
                .
            </EmptyState>
        );
    }
    const drop = async (entry: VaultEntry) => {
        const sure = await confirm({
            title: `Remove “${entryWord(entry.name)}”?`,
            body: `${entry.usedBy === "" ? "This secret is not in use." : `${entry.usedBy} uses this secret and won’t work without it.`} This can’t be undone.`,
            confirmLabel: "Remove",
            cancelLabel: "Keep",
            danger: true,
        });
        if (!sure) return;
        const { problem } = await remove.run({ name: entry.name });
        if (problem !== undefined) toastProblem(problem, "Not removed");
    };
    const columns: Column<VaultEntry>[] = [
        {
            id: "name",
            heading: "Secret",
            render: (entry) => (
                <>
                    {entryWord(entry.name)}
                    <code className="block font-mono text-small break-all text-ink-3">{entry.name}</code>
                </>
            ),
        },
        {
            id: "used",
            heading: "Used by",
            render: (entry) => (entry.usedBy === "" ? <span className="text-ink-3">Nothing</span> : entry.usedBy),
        },
        { id: "at", heading: "Changed", numeric: true, render: (entry) => <RelativeTime at={entry.at} /> },
        {
            id: "until",
            heading: "Expires",
            numeric: true,
            render: (entry) =>
                entry.expiresAt === null ? <span className="text-ink-3">Never</span> : <Expiry at={entry.expiresAt} />,
        },
        {
            id: "remove",
            heading: "Remove",
            hideHeading: true,
            width: "w-6",
            render: (entry) => (
                <IconButton
                    label={`Remove ${entryWord(entry.name)}`}
                    size="small"
                    icon={<Trash2 size={14} strokeWidth={1.5} />}
                    onClick={() => void drop(entry)}
                />
            ),
        },
    ];
    return (
        <>
            <Table label="Secrets" columns={columns} rows={inOrder(status.entries)} keyOf={(entry) => entry.name} />
            <p className="mt-2 text-small text-ink-3">Only names are shown. Secrets are never sent to this page.</p>
        </>
    );
}

function Expiry({ at }: { at: number }) {
    const words = new Date(at).toLocaleString("en-GB", {
        day: "numeric",
        month: "short",
        year: "numeric",
        hour: "2-digit",
        minute: "2-digit",
    });
    return <time dateTime={isoOf(at)}>{words}</time>;
}
