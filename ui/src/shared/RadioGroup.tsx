import { RadioGroup as RadixRadio } from "radix-ui";
import { useId } from "react";

import { ChoiceWords } from "./choices";
import { cx } from "./cx";

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
export function RadioGroup<T extends string>({
    label,
    value,
    options,
    onChange,
    direction = "column",
    className,
}: RadioGroupProps<T>) {
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
                    <ChoiceWords id={`${id}-${option.value}`} label={option.label} hint={option.hint} />
                </div>
            ))}
        </RadixRadio.Root>
    );
}
