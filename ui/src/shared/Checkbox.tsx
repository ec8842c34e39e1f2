import { Check, Minus } from "lucide-react";
import { Checkbox as RadixCheckbox } from "radix-ui";
import { useId } from "react";

import { ChoiceWords, type ChoiceProps } from "./choices";
import { cx } from "./cx";

/** Part of a choice of several. */
export function Checkbox({
    label,
    hint,
    checked,
    onChange,
    disabled,
    hideLabel,
    className,
    mixed = false,
}: ChoiceProps & { mixed?: boolean }) {
    const id = useId();
    return (
        <div className={cx("flex items-start gap-2", className)}>
            <RadixCheckbox.Root
                id={id}
                checked={mixed ? "indeterminate" : checked}
                onCheckedChange={(next) => onChange(next === true)}
                disabled={disabled}
                aria-describedby={hint === undefined ? undefined : `${id}-hint`}
                className="mt-0.5 flex size-4 shrink-0 items-center justify-center rounded-[4px] border border-hairline-strong bg-field disabled:opacity-50 data-[state=checked]:border-accent data-[state=checked]:bg-accent data-[state=indeterminate]:border-accent data-[state=indeterminate]:bg-accent"
            >
                <RadixCheckbox.Indicator className="text-on-accent">
                    {mixed ? <Minus size={12} strokeWidth={2.5} /> : <Check size={12} strokeWidth={2.5} />}
                </RadixCheckbox.Indicator>
            </RadixCheckbox.Root>
            <ChoiceWords id={id} label={label} hint={hint} hideLabel={hideLabel} />
        </div>
    );
}
