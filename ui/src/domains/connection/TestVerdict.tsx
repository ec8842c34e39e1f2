import type { ConnectionTest } from "@/backend";
import { CopyButton, Duration, RelativeTime, StateMark } from "@/shared";

import { verdictStatus } from "./labels";

/** What a real request over the connection said, and what to do about it. */
export function TestVerdict({ test }: { test: ConnectionTest }) {
    const { state, word } = verdictStatus(test);
    return (
        <div className="min-w-0 text-ui">
            <p className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
                <StateMark state={state} word={word} />
                {test.model !== "" && <code className="font-mono text-code text-ink-2">{test.model}</code>}
                {test.verdict === "works" && (
                    <span className="text-small text-ink-3">
                        first token after <Duration ms={test.firstMs} />, complete after <Duration ms={test.ms} />
                    </span>
                )}
                <RelativeTime at={test.at} className="text-small text-ink-3" />
            </p>
            {test.message !== "" && <p className="mt-0.5 max-w-[38rem] break-words text-ink-2">{test.message}</p>}
            {test.action !== "" && <p className="mt-0.5 max-w-[38rem] break-words">{test.action}</p>}
            {test.verdict !== "works" && test.requestId !== null && (
                <p className="mt-0.5 flex items-center gap-1 text-small text-ink-3">
                    Request <code className="min-w-0 truncate font-mono text-code">{test.requestId}</code>
                    <CopyButton text={test.requestId} label="Copy request id" />
                </p>
            )}
        </div>
    );
}
