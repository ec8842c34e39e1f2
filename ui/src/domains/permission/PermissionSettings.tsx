// Settings: what agents may do. Modes, rules, what was granted, and what was decided.

import { ShieldCheck, ShieldOff } from "lucide-react";
import { useState } from "react";

import {
    call,
    toProblem,
    useCommand,
    useQuery,
    type AuditRow,
    type GrantRow,
    type PermissionState,
    type RuleLayer,
} from "@/backend";
import { ProblemList } from "@/domains/agent";
import { hrefOf } from "@/routes";
import {
    Badge,
    Button,
    EmptyState,
    Fold,
    AsyncBoundary,
    RelativeTime,
    Section,
    Table,
    InlineCode,
    confirm,
    type Column,
    toastProblem,
} from "@/shared";

import { DECISIONS, LAYERS, MODES, SCOPES, reasonOf } from "./labels";

export function PermissionSettings() {
    const permissions = useQuery("permission_show", null);
    return (
        <AsyncBoundary of={permissions} what="the permissions">
            {(state) => (
                <>
                    <Modes state={state} />
                    <Grants grants={state.grants} />
                    <Section title="Rules" note="Deny rules override everything else.">
                        {state.layers.map((layer) => (
                            <Layer key={`${layer.layer} ${layer.source} ${layer.file}`} layer={layer} />
                        ))}
                    </Section>
                    <Audit />
                </>
            )}
        </AsyncBoundary>
    );
}

function Modes({ state }: { state: PermissionState }) {
    const Icon = state.canConfine ? ShieldCheck : ShieldOff;
    return (
        <Section title="Modes" note="Set per session.">
            <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-5 gap-y-1.5 text-ui">
                {MODES.map((mode) => (
                    <div key={mode.id} className="col-span-2 grid grid-cols-subgrid">
                        <dt className="font-medium">{mode.word}</dt>
                        <dd className="text-ink-2">{mode.says}</dd>
                    </div>
                ))}
            </dl>
            <p className="mt-3 flex max-w-[40rem] items-start gap-2 text-ui text-ink-2">
                <Icon
                    size={16}
                    strokeWidth={1.5}
                    aria-hidden
                    className={state.canConfine ? "mt-0.5 shrink-0 text-done" : "mt-0.5 shrink-0 text-needs"}
                />
                <span>
                    <span className="font-medium text-ink">Commands in Explore:</span> {state.confinement}
                </span>
            </p>
        </Section>
    );
}

function Grants({ grants }: { grants: readonly GrantRow[] }) {
    const revoke = useCommand("grant_revoke");
    const take = async (ids: string[]) => {
        const { problem } = await revoke.run({ ids });
        if (problem !== undefined) toastProblem(problem, "Not taken back");
    };
    const all = async () => {
        const sure = await confirm({
            title: "Take back all grants?",
            body: "Agents ask again at their next call. This can’t be undone, but you can grant again when asked.",
            confirmLabel: "Take back all",
            cancelLabel: "Keep grants",
            danger: true,
        });
        if (sure) await take([]);
    };
    const columns: Column<GrantRow>[] = [
        {
            id: "words",
            heading: "Granted",
            render: (grant) => (
                <span className="block min-w-48">
                    <InlineCode text={grant.words} />
                    <span className="block text-small text-ink-3">
                        {grant.source !== "" && `${grant.source}, `}
                        {grant.tool}
                    </span>
                </span>
            ),
        },
        { id: "scope", heading: "Scope", render: (grant) => SCOPES[grant.scope] },
        {
            id: "where",
            heading: "Granted in",
            render: (grant) => (
                <span className="block min-w-32">
                    <a
                        href={hrefOf({ page: "session", session: grant.session })}
                        className="text-accent hover:underline"
                    >
                        {grant.sessionTitle || grant.session}
                    </a>
                    <span className="block text-small text-ink-3">
                        <RelativeTime at={grant.createdAt} />
                    </span>
                </span>
            ),
        },
        {
            id: "revoke",
            heading: "Take back",
            hideHeading: true,
            render: (grant) => (
                <Button
                    size="small"
                    variant="quiet"
                    disabled={revoke.pending}
                    onClick={() => void take([grant.id])}
                    aria-label={`Take back: ${grant.words}`}
                >
                    Take back
                </Button>
            ),
        },
    ];
    return (
        <Section title="Your grants" note={grants.length === 0 ? undefined : String(grants.length)}>
            {grants.length === 0 ? (
                <EmptyState className="px-0 py-0" title="No grants">
                    Permissions that you allow for more than one call are listed here, where you can take them back.
                </EmptyState>
            ) : (
                <>
                    <Table label="Grants" columns={columns} rows={grants} keyOf={(grant) => grant.id} />
                    {grants.length > 1 && (
                        <Button size="small" className="mt-3" disabled={revoke.pending} onClick={() => void all()}>
                            Take back all…
                        </Button>
                    )}
                </>
            )}
        </Section>
    );
}

function Layer({ layer }: { layer: RuleLayer }) {
    const name = layer.layer === "source" ? `Source ${layer.source}` : (LAYERS[layer.layer] ?? layer.layer);
    return (
        <Fold
            className="border-b border-hairline py-1.5 last:border-b-0"
            label={name}
            note={
                <span className="text-small text-ink-3">
                    {layer.problems.length > 0
                        ? "invalid: the last valid version stays in use"
                        : `${layer.rules.length} ${layer.rules.length === 1 ? "rule" : "rules"}`}
                </span>
            }
        >
            <div className="py-1 pl-5">
                {layer.file !== "" && (
                    <code className="mb-2 block font-mono text-code break-all text-ink-3">{layer.file}</code>
                )}
                <ProblemList problems={layer.problems} />
                <ul className="text-ui">
                    {layer.rules.map((rule, number) => (
                        <li key={number} className="flex flex-wrap items-baseline gap-x-2 py-1">
                            <Badge
                                tone={rule.effect === "deny" ? "failed" : rule.effect === "allow" ? "done" : "needs"}
                            >
                                {rule.effect}
                            </Badge>
                            <code className="min-w-0 font-mono text-code break-all">{rule.matches}</code>
                            {rule.reason !== "" && <span className="text-small text-ink-3">{rule.reason}</span>}
                        </li>
                    ))}
                </ul>
            </div>
        </Fold>
    );
}

const PAGE = 50;

function Audit() {
    const first = useQuery("audit_list", { limit: PAGE });
    const [more, setMore] = useState<readonly AuditRow[]>([]);
    const [done, setDone] = useState(false);
    const rows = [
        ...(first.data ?? []),
        ...more.filter((row) => !(first.data ?? []).some((known) => known.cursor === row.cursor)),
    ];
    const last = rows.at(-1);
    const next = async () => {
        if (last === undefined) return;
        try {
            const page = await call("audit_list", { before: last.cursor, limit: PAGE });
            setMore([...more, ...page]);
            setDone(page.length < PAGE);
        } catch (thrown) {
            toastProblem(toProblem(thrown), "Not loaded");
        }
    };
    const columns: Column<AuditRow>[] = [
        {
            id: "decision",
            heading: "Decision",
            render: (row) => (
                <Badge tone={DECISIONS[row.decision]?.tone}>{DECISIONS[row.decision]?.word ?? row.decision}</Badge>
            ),
        },
        {
            id: "what",
            heading: "Call",
            render: (row) => (
                <span className="block min-w-48">
                    <span className="font-medium">{row.source === "" ? row.tool : `${row.source} ${row.tool}`}</span>{" "}
                    <code className="font-mono text-code break-all text-ink-2">{row.subject}</code>
                    <span className="block text-small text-ink-3">
                        <InlineCode text={reasonOf(row.by)} />
                    </span>
                </span>
            ),
        },
        {
            id: "when",
            heading: "When",
            render: (row) => (
                <a
                    href={hrefOf({ page: "session", session: row.session, run: row.run })}
                    className="whitespace-nowrap text-accent hover:underline"
                >
                    <RelativeTime at={row.at} />
                </a>
            ),
        },
    ];
    return (
        <Section title="Audit log" note="Every tool call, newest first.">
            <AsyncBoundary of={first} what="the audit log">
                {() =>
                    rows.length === 0 ? (
                        <p className="text-ui text-ink-2">No decisions yet.</p>
                    ) : (
                        <>
                            <Table
                                label="Decisions"
                                columns={columns}
                                rows={rows}
                                keyOf={(row) => String(row.cursor)}
                            />
                            {!done && rows.length >= PAGE && (
                                <Button size="small" className="mt-3" onClick={() => void next()}>
                                    Show older
                                </Button>
                            )}
                        </>
                    )
                }
            </AsyncBoundary>
        </Section>
    );
}
