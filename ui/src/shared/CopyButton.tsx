import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";

import { IconButton } from "./Button";

export interface CopyButtonProps {
    /** The text, or where it comes from. */
    text: string | (() => string | Promise<string>);
    label?: string;
    className?: string;
}

export function CopyButton({ text, label = "Copy", className }: CopyButtonProps) {
    const [outcome, setOutcome] = useState<"copied" | "failed" | undefined>();
    useEffect(() => {
        if (outcome === undefined) return;
        const timer = setTimeout(() => setOutcome(undefined), 1_600);
        return () => clearTimeout(timer);
    }, [outcome]);
    const copy = async () => {
        try {
            await navigator.clipboard.writeText(typeof text === "string" ? text : await text());
            setOutcome("copied");
        } catch {
            setOutcome("failed");
        }
    };
    return (
        <span className={className}>
            <IconButton
                size="small"
                label={outcome === "failed" ? "Could not copy to the clipboard" : label}
                onClick={() => void copy()}
                icon={
                    outcome === "copied" ? <Check size={14} strokeWidth={1.5} /> : <Copy size={14} strokeWidth={1.5} />
                }
            />
            <span role="status" className="sr-only">
                {outcome === "copied" ? "Copied" : outcome === "failed" ? "Not copied" : ""}
            </span>
        </span>
    );
}
