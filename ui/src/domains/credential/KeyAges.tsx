// The stored secrets by their age, with a reminder of old ones.

import { useQuery, type VaultEntry } from "@/backend";
import { hrefOf } from "@/routes";
import { Badge, AsyncBoundary, Section, useNow } from "@/shared";

import { ageWord, entryWord, isOld } from "./labels";

export function KeyAges() {
    const vault = useQuery("vault_show", null);
    const now = useNow();
    return (
        <Section title="Keys">
            <AsyncBoundary of={vault} what="the vault">
                {({ entries }) =>
                    entries.length === 0 ? (
                        <p className="text-ink-2">No key is stored.</p>
                    ) : (
                        <ul aria-label="Keys, oldest first" className="border-y border-hairline">
                            {[...entries]
                                .sort((a, b) => a.at - b.at)
                                .map((entry) => (
                                    <Row key={entry.name} entry={entry} now={now} />
                                ))}
                        </ul>
                    )
                }
            </AsyncBoundary>
            <p className="mt-3 text-ui">
                <a
                    href={hrefOf({ page: "settings", section: "credentials" })}
                    className="text-accent underline-offset-2 hover:underline"
                >
                    Manage credentials
                </a>
            </p>
        </Section>
    );
}

function Row({ entry, now }: { entry: VaultEntry; now: number }) {
    return (
        <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 border-b border-hairline py-2 last:border-b-0">
            <span className="min-w-0 flex-1 basis-56 break-words">
                <span className="font-medium">{entryWord(entry.name)}</span>
                <span className="text-ink-2">
                    {entry.usedBy === "" ? ", used by nothing" : `, for ${entry.usedBy}`}
                </span>
            </span>
            {isOld(entry, now) && <Badge tone="needs">Consider a new one</Badge>}
            <span className="text-small text-ink-2">{ageWord(entry, now)}</span>
        </li>
    );
}
