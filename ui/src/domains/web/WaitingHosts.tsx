// Hosts that were left out because nobody has decided about them: one decision for all of them, or one for each.

import { Ban, Check } from "lucide-react";

import type { WaitingHost } from "@/backend";
import { Button, RelativeTime, Section, count } from "@/shared";

import type { Deciding } from "./decision";

const icon = { size: 14, strokeWidth: 1.5 } as const;

export function WaitingHosts({ waiting, deciding }: { waiting: readonly WaitingHost[]; deciding: Deciding }) {
    const { decide, pending } = deciding;
    if (waiting.length === 0) return null;
    return (
        <Section title="Waiting for you" note={`${count(waiting.length, "host")} left out`}>
            <ul aria-label="Hosts that wait" className="border-y border-hairline">
                {waiting.map(({ host, times, url, at }) => (
                    <li
                        key={host}
                        className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-hairline py-2 last:border-b-0"
                    >
                        <span className="min-w-0 flex-1 basis-60">
                            <span className="block text-ui font-medium break-all">{host}</span>
                            <span className="block truncate text-small text-ink-3" title={url}>
                                {times === 1 ? "Asked for once, " : `Asked for ${times} times, last `}
                                <RelativeTime at={at} />
                                {`: ${url}`}
                            </span>
                        </span>
                        <span className="flex gap-2">
                            <Button
                                size="small"
                                icon={<Check {...icon} />}
                                disabled={pending}
                                onClick={() => void decide([host], "allow")}
                            >
                                Allow
                            </Button>
                            <Button
                                size="small"
                                icon={<Ban {...icon} />}
                                disabled={pending}
                                onClick={() => void decide([host], "block")}
                            >
                                Block
                            </Button>
                        </span>
                    </li>
                ))}
            </ul>
            {waiting.length > 1 && (
                <Button
                    size="small"
                    className="mt-2"
                    disabled={pending}
                    onClick={() =>
                        void decide(
                            waiting.map(({ host }) => host),
                            "allow",
                        )
                    }
                >
                    Allow all
                </Button>
            )}
        </Section>
    );
}
