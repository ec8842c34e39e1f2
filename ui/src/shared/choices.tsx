import type { ReactNode } from "react";

export interface ChoiceProps {
    label: string;
    /** A quieter line under the label. */
    hint?: string;
    checked: boolean;
    onChange: (checked: boolean) => void;
    disabled?: boolean;
    /** Whether the label is only for who does not see the control. */
    hideLabel?: boolean;
    className?: string;
}

/** The words of a control, tied to it. */
export function ChoiceWords({
    id,
    label,
    hint,
    hideLabel,
}: {
    id: string;
    label: string;
    hint?: string;
    hideLabel?: boolean;
}): ReactNode {
    return (
        <span className={hideLabel ? "sr-only" : "min-w-0 flex-1"}>
            <label htmlFor={id} className="block">
                {label}
            </label>
            {hint !== undefined && (
                <span id={`${id}-hint`} className="block text-small text-ink-3">
                    {hint}
                </span>
            )}
        </span>
    );
}
