import { useEffect, useState } from "react";

import { call, toProblem, type SourceDraft } from "@/backend";
import { Button, useDebounced } from "@/shared";

/** MCP servers that stand in a text: one is taken by a click. Nothing for an empty text, and if quiet for one that names none. */
export function Pasted({
    text,
    quiet = false,
    onUse,
}: {
    text: string;
    quiet?: boolean;
    onUse: (draft: SourceDraft) => void;
}) {
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
            {read.fault !== "" && !quiet && <p className="text-small text-failed">{read.fault}</p>}
            {read.drafts.length > 0 && (
                <ul className="flex flex-col gap-2" aria-label="Servers in the text">
                    {read.drafts.map((draft) => (
                        <li key={slugOf(draft)}>
                            {typeof draft.problem === "string" ? (
                                <span className="text-small text-failed">
                                    {nameOf(draft)} can’t be used: {draft.problem}
                                </span>
                            ) : (
                                <Button onClick={() => onUse(draft)}>Use {nameOf(draft)}</Button>
                            )}
                            {draft.leftOut.length > 0 && (
                                <span className="ml-2 text-small text-ink-2">
                                    without {draft.leftOut.join(", ")}, which has no counterpart here
                                </span>
                            )}
                            {draft.notes?.map((note) => (
                                <p key={note} className="text-small text-ink-2">
                                    {note}
                                </p>
                            ))}
                        </li>
                    ))}
                </ul>
            )}
        </div>
    );
}

const nameOf = (draft: SourceDraft) => textOf(draft, "name");
const slugOf = (draft: SourceDraft) => textOf(draft, "slug");

function textOf({ config }: SourceDraft, field: "name" | "slug"): string {
    const value: unknown = typeof config === "object" && config !== null ? Reflect.get(config, field) : undefined;
    return typeof value === "string" ? value : "";
}
