// From where may be fetched: how careful the program is, and the hosts that were decided about.

import { X } from "lucide-react";
import { useState } from "react";

import type { WebPolicy } from "@/backend";
import { Button, IconButton, RadioGroup, Section, TextField } from "@/shared";

import type { Deciding } from "./decision";

type Profile = WebPolicy["profile"];
const PROFILES: { value: Profile; label: string; hint: string }[] = [
    {
        value: "strict",
        label: "Strict",
        hint: "Only hosts that you allowed, only over https. Others are left out and wait here for you.",
    },
    { value: "permissive", label: "Permissive", hint: "Every host that is not blocked, only over https." },
    { value: "max_automation", label: "Max automation", hint: "Every host that is not blocked, over http as well." },
];
const icon = { size: 14, strokeWidth: 1.5 } as const;

export function HostRules({ policy, deciding }: { policy: WebPolicy; deciding: Deciding }) {
    const { decide, choose, pending } = deciding;
    return (
        <>
            <Section title="Security profile" note="A mission’s profile can be stricter or freer than this">
                <RadioGroup<Profile>
                    label="Security profile"
                    value={policy.profile}
                    options={PROFILES}
                    onChange={(profile) => void choose(profile)}
                />
            </Section>
            {policy.only.length > 0 && (
                <p className="mt-2 text-ui text-ink-2">Only these are fetched: {policy.only.join(", ")}.</p>
            )}
            <Hosts
                title="Allowed"
                none="No host is allowed yet."
                sources={policy.allow}
                pending={pending}
                onAdd={(source) => decide([source], "allow")}
                onRemove={(source) => void decide([source], "withdraw")}
            />
            <Hosts
                title="Blocked"
                none="No host is blocked."
                sources={policy.block}
                pending={pending}
                onAdd={(source) => decide([source], "block")}
                onRemove={(source) => void decide([source], "withdraw")}
            />
        </>
    );
}

interface HostsProps {
    title: string;
    none: string;
    sources: readonly string[];
    pending: boolean;
    /** Gives whether it was added. */
    onAdd: (source: string) => Promise<boolean>;
    onRemove: (source: string) => void;
}

function Hosts({ title, none, sources, pending, onAdd, onRemove }: HostsProps) {
    const [text, setText] = useState("");
    const add = async () => {
        if (text.trim() !== "" && !pending && (await onAdd(text.trim()))) setText("");
    };
    return (
        <Section title={title} note={sources.length === 0 ? none : sources.length}>
            {sources.length > 0 && (
                <ul aria-label={title} className="mb-2 flex flex-wrap gap-1.5">
                    {sources.map((source) => (
                        <li
                            key={source}
                            className="flex max-w-full items-center gap-1 rounded-control border border-hairline bg-surface py-0.5 pr-0.5 pl-2 text-ui"
                        >
                            <span className="min-w-0 break-all">{source}</span>
                            <IconButton
                                size="small"
                                label={`Take back ${source}`}
                                icon={<X {...icon} />}
                                disabled={pending}
                                onClick={() => onRemove(source)}
                            />
                        </li>
                    ))}
                </ul>
            )}
            <form
                className="flex max-w-96 items-end gap-2"
                onSubmit={(event) => {
                    event.preventDefault();
                    void add();
                }}
            >
                <TextField
                    label={`Host for ${title}`}
                    hideLabel
                    placeholder="example.org or example.org/reports"
                    value={text}
                    onChange={setText}
                    className="flex-1"
                />
                <Button type="submit" disabled={text.trim() === "" || pending}>
                    Add
                </Button>
            </form>
        </Section>
    );
}
