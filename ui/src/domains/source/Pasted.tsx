import { useEffect, useState } from "react";

import { call, toProblem, type SourceDraft } from "@/backend";
import { Button, useDebounced } from "@/shared";

/** MCP servers that stand in a text: one is taken by a click. Nothing for an empty text. */
export function Pasted({ text, onUse }: { text: string; onUse: (draft: SourceDraft) => void }) {
    const settled = useDebounced(text, 300);
    const [read, setRead] = useState<{ drafts: SourceDraft[]; fault: string }>({ drafts: [], fault: "" });
    useEffect(() => {
        let current = true;
        if (settled.trim() === "") return;
        call("source_read", { text: settled }).then(
            (drafts) => current && setRead({ drafts, fault: "" }),
            (thrown: unknown) => current && setRead({ drafts: [], fault: toProblem(thrown).message }),
        );
        return () => {
            current = false;
        };
    }, [settled]);
    if (settled.trim() === "") return null;
    return (
        <div className="mt-2" aria-live="polite">
            {read.fault !== "" && <p className="text-small text-failed">{read.fault}</p>}
            {read.drafts.length > 0 && (
                <ul className="flex flex-wrap gap-2" aria-label="Servers in the text">
                    {read.drafts.map((draft) => (
                        <li key={nameOf(draft)}>
                            <Button onClick={() => onUse(draft)}>Use {nameOf(draft)}</Button>
                            {draft.leftOut.length > 0 && (
                                <span className="ml-2 text-small text-ink-2">
                                    without {draft.leftOut.join(", ")}, which has no counterpart here
                                </span>
                            )}
                        </li>
                    ))}
                </ul>
            )}
        </div>
    );
}

function nameOf({ config }: SourceDraft): string {
    return typeof config === "object" && config !== null && "name" in config && typeof config.name === "string"
        ? config.name
        : "";
}
