import { Check, Minus } from "lucide-react";
import { Checkbox as RadixCheckbox, RadioGroup as RadixRadio, Switch as RadixSwitch } from "radix-ui";
import { useId } from "react";

import { cx } from "./cx";

interface ChoiceProps {
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

function Words({ id, label, hint, hideLabel }: { id: string; label: string; hint?: string; hideLabel?: boolean }) {
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

/** On or off, at once. */
export function Switch({ label, hint, checked, onChange, disabled, hideLabel, className }: ChoiceProps) {
    const id = useId();
    return (
        <div className={cx("flex items-start gap-3", className)}>
            <Words id={id} label={label} hint={hint} hideLabel={hideLabel} />
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

/** Part of a choice of several. */
export function Checkbox({ label, hint, checked, onChange, disabled, hideLabel, className, mixed = false }: ChoiceProps & { mixed?: boolean }) {
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
            <Words id={id} label={label} hint={hint} hideLabel={hideLabel} />
        </div>
    );
}

export interface RadioOption<T extends string = string> {
    value: T;
    label: string;
    hint?: string;
    disabled?: boolean;
}

export interface RadioGroupProps<T extends string = string> {
    label: string;
    value: T | undefined;
    options: RadioOption<T>[];
    onChange: (value: T) => void;
    direction?: "row" | "column";
    className?: string;
}

/** One of a few, all in sight. */
export function RadioGroup<T extends string>({ label, value, options, onChange, direction = "column", className }: RadioGroupProps<T>) {
    const id = useId();
    return (
        <RadixRadio.Root
            aria-label={label}
            value={value ?? ""}
            onValueChange={(next) => onChange(next as T)}
            className={cx("flex", direction === "row" ? "flex-wrap gap-x-5 gap-y-2" : "flex-col gap-2", className)}
        >
            {options.map((option) => (
                <div key={option.value} className="flex items-start gap-2">
                    <RadixRadio.Item
                        id={`${id}-${option.value}`}
                        value={option.value}
                        disabled={option.disabled}
                        className="mt-0.5 flex size-4 shrink-0 items-center justify-center rounded-full border border-hairline-strong bg-field disabled:opacity-50 data-[state=checked]:border-accent"
                    >
                        <RadixRadio.Indicator className="size-2 rounded-full bg-accent forced-colors:bg-[Highlight]" />
                    </RadixRadio.Item>
                    <Words id={`${id}-${option.value}`} label={option.label} hint={option.hint} />
                </div>
            ))}
        </RadixRadio.Root>
    );
}
