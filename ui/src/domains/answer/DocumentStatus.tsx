// How a document stands: who locked which version of it, and which sentences no longer rest on what their sources say.

import { Lock } from "lucide-react";

import { useCommand, useQuery, type DocumentLock } from "@/backend";
import { Button, count } from "@/shared";

import { LockDialog } from "./LockDialog";
import { StaleNotice } from "./StaleNotice";

export interface DocumentStatusProps {
    run: string;
    /** Whether the dialog that locks the document is open. */
    locking: boolean;
    onLocking: (open: boolean) => void;
}

export function DocumentStatus({ run, locking, onLocking }: DocumentStatusProps) {
    const { data } = useQuery("run_check", { run: { id: run } });
    const { lock, reopened } = data ?? {};
    return (
        <>
            {lock !== undefined && lock !== null && (
                <LockBar run={run} lock={lock} reopened={reopened?.length ?? 0} onAgain={() => onLocking(true)} />
            )}
            {data !== undefined && <StaleNotice check={data} />}
            {locking && <LockDialog run={run} stale={data?.stale ?? 0} onClose={() => onLocking(false)} />}
        </>
    );
}

interface LockBarProps {
    run: string;
    lock: DocumentLock;
    /** Sentences whose sources changed after the lock. */
    reopened: number;
    onAgain: () => void;
}

function LockBar({ run, lock, reopened, onAgain }: LockBarProps) {
    const unlocking = useCommand("run_unlock");
    const open = reopened > 0 || lock.differs === true;
    const day = new Date(lock.at).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
    return (
        <section
            aria-label="Lock"
            className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-control border border-hairline bg-surface px-3 py-2 text-ui"
        >
            <Lock size={16} strokeWidth={1.5} aria-hidden className="shrink-0 text-ink-2" />
            <div className="min-w-0 flex-1">
                <p>
                    <span className="font-medium">
                        Version {lock.version}, locked by {lock.reviewer}
                    </span>{" "}
                    <span className="text-ink-2">on {day}</span>
                </p>
                {lock.note !== undefined && lock.note !== null && <p className="text-ink-2">{lock.note}</p>}
                {reopened > 0 && (
                    <p role="status" className="font-medium text-needs">
                        {count(reopened, "statement")} {reopened === 1 ? "is" : "are"} open again:{" "}
                        {reopened === 1 ? "its source" : "their sources"} changed after the lock
                    </p>
                )}
                {lock.differs === true && (
                    <p role="status" className="font-medium text-needs">
                        The text is written differently than when it was locked
                    </p>
                )}
                <p className="truncate font-mono text-small text-ink-3" title={lock.sha256}>
                    SHA-256 {lock.sha256}
                </p>
                {unlocking.problem !== undefined && <p className="text-failed">{unlocking.problem.message}</p>}
            </div>
            <div className="flex gap-2 print:hidden">
                {open && (
                    <Button size="small" onClick={onAgain}>
                        Lock again…
                    </Button>
                )}
                <Button
                    size="small"
                    variant="quiet"
                    disabled={unlocking.pending}
                    onClick={() => void unlocking.run({ run: { id: run } })}
                >
                    Unlock
                </Button>
            </div>
        </section>
    );
}
