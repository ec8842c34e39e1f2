// Every fetch, refusal and decision, the newest first.

import { useQuery, type WebLogLine } from "@/backend";
import { AsyncBoundary, RelativeTime } from "@/shared";

const LINES = 100;

const KINDS: { readonly [kind in WebLogLine["kind"]]: string } = {
    fetched: "Fetched",
    confirmed: "Unchanged",
    cached: "From the library",
    outdated: "No answer, older version",
    refused: "Refused",
    allowed: "You allowed",
    blocked: "You blocked",
    withdrawn: "You took back",
    searched: "Searched",
    forgotten: "Forgotten",
};

export function WebLog() {
    const log = useQuery("web_log", { limit: LINES });
    return (
        <AsyncBoundary of={log} what="the log">
            {(lines) =>
                lines.length === 0 ? (
                    <p className="mt-2 text-ui text-ink-2">Nothing was fetched yet.</p>
                ) : (
                    <ul className="mt-2">
                        {lines.map((line, at) => (
                            <li key={at} className="flex flex-wrap gap-x-3 border-b border-hairline py-1 text-small">
                                <span className="w-24 shrink-0 text-ink-3">
                                    <RelativeTime at={line.at} />
                                </span>
                                <span className="w-44 shrink-0">
                                    {KINDS[line.kind]}
                                    {line.code !== null && (
                                        <span className="text-ink-3">{`: ${line.code.replace(/_/g, " ")}`}</span>
                                    )}
                                </span>
                                <span className="min-w-0 flex-1 basis-60 text-ink-2">
                                    <span className="break-all">{line.place}</span>
                                    {line.why !== null && <span className="block text-ink-3">{line.why}</span>}
                                </span>
                            </li>
                        ))}
                    </ul>
                )
            }
        </AsyncBoundary>
    );
}
