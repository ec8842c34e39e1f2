import { Unplug } from "lucide-react";

import { reconnect, useConnection } from "@/backend";
import { Button, InlineCode, useDebounced } from "@/shared";

/** A line that is mended at once is no news. */
const QUIET_MS = 400;

/** One line at the top while the core can't be reached; nothing otherwise. */
export function ConnectionBar() {
    const { state, attempt, advice } = useConnection();
    const broken = state === "reconnecting" || state === "lost" || state === "refused";
    const told = useDebounced(broken, QUIET_MS);
    if (!broken || !told) return null;
    return (
        <div
            role="alert"
            className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-hairline border-l-2 border-l-needs-rule bg-needs-soft px-4 py-1.5 text-ui text-ink"
        >
            <Unplug size={16} strokeWidth={1.5} aria-hidden className="shrink-0 text-needs" />
            <span className="min-w-0 flex-1 basis-64">
                {state !== "reconnecting" ? (
                    <InlineCode
                        text={
                            advice ??
                            "The core has stopped. Stored data and your text are kept. Start the program again."
                        }
                    />
                ) : (
                    <>
                        <span className="font-medium">Reconnecting…</span> The page may be out of date; your text is
                        kept.{attempt > 1 && ` Attempt ${attempt}.`}
                    </>
                )}
            </span>
            {/* A token that was refused once is refused again: only the new address helps. */}
            {state !== "refused" && (
                <Button size="small" onClick={reconnect}>
                    Retry now
                </Button>
            )}
            {state === "lost" && (
                <Button size="small" onClick={() => location.reload()}>
                    Reload window
                </Button>
            )}
        </div>
    );
}
