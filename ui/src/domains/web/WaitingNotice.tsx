// That hosts wait for a decision, where that holds research up.

import { useQuery } from "@/backend";
import { hrefOf } from "@/routes";
import { count } from "@/shared";

export function WaitingNotice() {
    const waiting = useQuery("web_policy", null).data?.waiting ?? [];
    if (waiting.length === 0) return null;
    return (
        <p className="mb-4 rounded-card border border-l-2 border-hairline border-l-needs-rule bg-surface px-4 py-2 text-ui text-ink-2">
            {count(waiting.length, "web host")} {waiting.length === 1 ? "was" : "were"} left out because nobody has
            decided about {waiting.length === 1 ? "it" : "them"}.{" "}
            <a href={hrefOf({ page: "web" })} className="text-accent hover:underline">
                Decide
            </a>
        </p>
    );
}
