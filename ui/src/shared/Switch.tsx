import { Switch as RadixSwitch } from "radix-ui";
import { useId } from "react";

import { ChoiceWords, type ChoiceProps } from "./choices";
import { cx } from "./cx";

/** On or off, at once. */
export function Switch({ label, hint, checked, onChange, disabled, hideLabel, className }: ChoiceProps) {
    const id = useId();
    return (
        <div className={cx("flex items-start gap-3", className)}>
            <ChoiceWords id={id} label={label} hint={hint} hideLabel={hideLabel} />
            <RadixSwitch.Root
                id={id}
                checked={checked}
                onCheckedChange={onChange}
                disabled={disabled}
                aria-describedby={hint === undefined ? undefined : `${id}-hint`}
                className="mt-px h-[18px] w-8 shrink-0 rounded-full border border-hairline-strong bg-sunken transition-colors disabled:opacity-50 data-[state=checked]:border-accent data-[state=checked]:bg-accent"
            >
                <RadixSwitch.Thumb className="block size-3 translate-x-0.5 rounded-full bg-hairline-strong transition-transform forced-colors:bg-[ButtonText] forced-colors:data-[state=checked]:bg-[Highlight] data-[state=checked]:translate-x-4 data-[state=checked]:bg-on-accent" />
            </RadixSwitch.Root>
        </div>
    );
}
