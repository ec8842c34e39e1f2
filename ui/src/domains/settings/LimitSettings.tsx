// Limits on money: for a run, a day and a month, over all connections and over single ones, with what is used of them.

import { useState } from "react";

import { useQuery, type LimitSpending, type Settings, type SpendLimits } from "@/backend";
import { formatMoney } from "@/domains/run";
import { AsyncBoundary, Button, Section, Select, TextField, dollarsOf } from "@/shared";

import { SettingLine } from "./SettingLine";
import type { SettingsUse } from "./useSettings";

const SPANS = [
    { span: "run", name: "A run, turn or mission" },
    { span: "day", name: "A day" },
    { span: "month", name: "A month" },
] as const;

type Span = (typeof SPANS)[number]["span"];

export function LimitSettings({ settings, change }: { settings: Settings; change: SettingsUse["change"] }) {
    const report = useQuery("usage_limits", null);
    const { data: connections = [] } = useQuery("connection_list", null);
    const { limits } = settings;
    const own = limits.connections ?? {};
    const name = (slug: string) => connections.find((each) => each.slug === slug)?.name || slug;
    const others = connections.filter((each) => !each.builtIn && own[each.slug] === undefined);
    const set = (next: Partial<Settings["limits"]>) =>
        change({ limits: { ...limits, ...next, asked: true } }).then((kept) => {
            report.reload();
            return kept;
        });
    const setOwn = (slug: string, next: SpendLimits | undefined) => {
        const rest = Object.fromEntries(Object.entries(own).filter(([each]) => each !== slug));
        return set({ connections: next === undefined ? rest : { ...rest, [slug]: next } });
    };
    return (
        <AsyncBoundary of={report} what="what is used of the limits">
            {({ uses }) => (
                <>
                    <Section title="Limits on money">
                        <p className="mb-2 max-w-[38rem] text-small text-ink-3">
                            At 80 % you are told. At 100 % a run pauses and asks, and a conversation ends its turn with
                            what it has. Local models, flat rates and the offline engine cost nothing and have no limit.
                        </p>
                        <Fields
                            of="all connections"
                            limits={limits.all}
                            uses={uses.filter((use) => use.connection === null)}
                            onChange={(all) => set({ all })}
                        />
                    </Section>
                    {Object.entries(own).map(([slug, mine]) => (
                        <Section key={slug} title={`${name(slug)} alone`}>
                            <Fields
                                of={name(slug)}
                                limits={mine}
                                uses={uses.filter((use) => use.connection === slug)}
                                onChange={(next) => setOwn(slug, next)}
                            />
                            <Button onClick={() => void setOwn(slug, undefined)}>
                                Remove the limits of {name(slug)}
                            </Button>
                        </Section>
                    ))}
                    {others.length > 0 && (
                        <SettingLine name="Limits of one connection" hint="They hold beside those of all connections.">
                            <Select
                                label="Add limits of one connection"
                                className="w-52"
                                value=""
                                options={[
                                    { value: "", label: "Choose a connection" },
                                    ...others.map((each) => ({ value: each.slug, label: each.name || each.slug })),
                                ]}
                                onChange={(slug) => {
                                    if (slug !== "") void setOwn(slug, { ...limits.all });
                                }}
                            />
                        </SettingLine>
                    )}
                </>
            )}
        </AsyncBoundary>
    );
}

function Fields({
    of,
    limits,
    uses,
    onChange,
}: {
    of: string;
    limits: SpendLimits;
    uses: LimitSpending[];
    onChange: (limits: SpendLimits) => Promise<boolean>;
}) {
    return (
        <>
            {SPANS.map(({ span, name }) => (
                <SettingLine key={span} name={name} hint={usedWords(uses.find((use) => use.span === span))}>
                    <Amount
                        label={`${name}, ${of} (US dollars)`}
                        value={limits[span] ?? null}
                        onChange={(usd) => onChange(without(limits, span, usd))}
                    />
                </SettingLine>
            ))}
        </>
    );
}

/** The limits with another one for a span; `null` is no limit. */
function without(limits: SpendLimits, span: Span, usd: number | null): SpendLimits {
    const rest = Object.fromEntries(Object.entries(limits).filter(([each]) => each !== span)) as SpendLimits;
    return usd === null ? rest : { ...rest, [span]: usd };
}

/** "$3.20 spent, raised to $40.00 for 2026-11-28". */
function usedWords(use: LimitSpending | undefined): string | undefined {
    if (use === undefined) return undefined;
    const held = use.held > 0 ? `, ${formatMoney(use.held)} set aside for calls under way` : "";
    const limit = use.limit === null ? "" : ` of ${formatMoney(use.limit)}`;
    return `${use.of}: ${formatMoney(use.spent)} spent${limit}${held}`;
}

/** An amount that is kept when the field is left or Enter is pressed; empty is no limit. */
function Amount({
    label,
    value,
    onChange,
}: {
    label: string;
    value: number | null;
    onChange: (usd: number | null) => Promise<boolean>;
}) {
    const [text, setText] = useState(value === null ? "" : String(value));
    const [seen, setSeen] = useState(value);
    if (seen !== value) {
        setSeen(value);
        setText(value === null ? "" : String(value));
    }
    const read = dollarsOf(text);
    const keep = () => {
        if (read === null) return;
        const usd = read ?? null;
        if (usd !== value) void onChange(usd);
    };
    return (
        <TextField
            label={label}
            hideLabel
            inputMode="decimal"
            className="w-32"
            placeholder="No limit"
            value={text}
            onChange={setText}
            onBlur={keep}
            onKeyDown={(event) => {
                if (event.key === "Enter") keep();
            }}
            error={read === null ? "Enter an amount such as 20 or 2.50." : undefined}
        />
    );
}
