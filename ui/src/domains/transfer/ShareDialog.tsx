import { useState } from "react";

import { useCommand, useQuery, type ShareRow } from "@/backend";
import { Button, CopyButton, Dialog, ErrorCard, Select, Waiting, confirm } from "@/shared";

import { Findings } from "./Findings";

const DAYS = [1, 7, 30, 90].map((days) => ({ value: String(days), label: days === 1 ? "1 day" : `${days} days` }));

export default function ShareDialog({ session, onClose }: { session: string; onClose: () => void }) {
    const [days, setDays] = useState("7");
    const [keep, setKeep] = useState<ReadonlySet<string>>(new Set());
    const [made, setMade] = useState<ShareRow | undefined>();
    const preview = useQuery("export_preview", { sessions: [session], format: "html" });
    const shares = useQuery("share_list", null);
    const add = useCommand("share_add");
    const revoke = useCommand("share_revoke");
    const own = (shares.data ?? []).filter((row) => row.session === session);
    const share = async () => {
        const { value } = await add.run({ session, days: Number(days), keep: [...keep] });
        if (value?.[0] !== undefined) setMade(value[0]);
        shares.reload();
    };
    const end = async (row: ShareRow) => {
        if (
            !(await confirm({
                title: "End this share?",
                body: "The shared page is removed. Its address no longer works.",
                confirmLabel: "End share",
                danger: true,
            }))
        )
            return;
        const { problem } = await revoke.run({ id: row.id });
        shares.reload();
        if (problem !== undefined) return;
        if (made?.id === row.id) setMade(undefined);
    };
    return (
        <Dialog
            open
            onOpenChange={(open) => !open && onClose()}
            title="Share session"
            description="Creates a page with a snapshot of the session. Others can read it while “agentnative serve --share” runs on a machine they can reach."
            footer={
                <>
                    <Button onClick={onClose}>Close</Button>
                    <Button
                        variant="primary"
                        disabled={add.pending || preview.data === undefined}
                        onClick={() => void share()}
                    >
                        Create page
                    </Button>
                </>
            }
        >
            <Select label="Available for" showLabel value={days} options={DAYS} onChange={setDays} />
            {preview.data === undefined && preview.problem === undefined && <Waiting what="Looking for private data" />}
            {preview.problem !== undefined && (
                <ErrorCard
                    className="mt-3"
                    title="The session was not shared"
                    advice={preview.problem.action ?? undefined}
                >
                    {preview.problem.message}
                </ErrorCard>
            )}
            {preview.data !== undefined && <Findings preview={preview.data} keep={keep} onKeep={setKeep} />}
            {add.problem !== undefined && (
                <ErrorCard className="mt-3" title="The session was not shared" advice={add.problem.action ?? undefined}>
                    {add.problem.message}
                </ErrorCard>
            )}
            {revoke.problem !== undefined && (
                <ErrorCard className="mt-3" title="The share was not ended" advice={revoke.problem.action ?? undefined}>
                    {revoke.problem.message}
                </ErrorCard>
            )}
            {shares.problem !== undefined && shares.data === undefined && (
                <ErrorCard
                    className="mt-3"
                    title="Could not load the shared pages"
                    advice={shares.problem.action ?? undefined}
                >
                    {shares.problem.message}
                </ErrorCard>
            )}
            {made?.token !== undefined && made.token !== null && (
                <p className="mt-3 text-ui" role="status">
                    Owner token, shown only once: <code className="font-mono text-code">{made.token}</code>{" "}
                    <CopyButton text={made.token} />
                </p>
            )}
            {own.length > 0 && (
                <p className="mt-3 text-small text-ink-2">
                    A page’s link is the address that “agentnative serve --share” prints, followed by the path below.
                </p>
            )}
            {own.length > 0 && (
                <ul aria-label="Shared pages of this session" className="mt-3 divide-y divide-hairline">
                    {own.map((row) => (
                        <li key={row.id} className="flex items-center gap-2 py-1.5">
                            <code className="min-w-0 flex-1 truncate font-mono text-code">{row.path}</code>
                            <span className="text-small text-ink-2">
                                until {new Date(row.expiresAt).toLocaleDateString()}
                            </span>
                            <CopyButton text={row.path} />
                            <Button
                                variant="danger"
                                size="small"
                                aria-label={`End ${row.path}`}
                                disabled={revoke.pending}
                                onClick={() => void end(row)}
                            >
                                End
                            </Button>
                        </li>
                    ))}
                </ul>
            )}
        </Dialog>
    );
}
