// A choice of one from a list. Our own: Radix's writes a style element, which the content security policy refuses.

import { Check, ChevronDown } from "lucide-react";
import { Popover } from "radix-ui";
import { useId, useRef, useState, type KeyboardEvent, type ReactNode } from "react";

import { ComboboxContent, useCombobox } from "./combobox";
import { cx } from "./cx";

export interface SelectOption<T extends string = string> {
    value: T;
    label: string;
    /** A quieter line under the label. */
    hint?: string;
    icon?: ReactNode;
    disabled?: boolean;
}

export interface SelectProps<T extends string = string> {
    /** Its name. Shown only if `showLabel`. */
    label: string;
    showLabel?: boolean;
    value: T | undefined;
    options: SelectOption<T>[];
    onChange: (value: T) => void;
    placeholder?: string;
    disabled?: boolean;
    variant?: "field" | "quiet";
    className?: string;
}

export function Select<T extends string>({
    label,
    showLabel = false,
    value,
    options,
    onChange,
    placeholder = "Choose…",
    disabled,
    variant = "field",
    className,
}: SelectProps<T>) {
    const id = useId();
    const [open, setOpen] = useState(false);
    const typed = useRef({ text: "", at: 0 });
    const chosen = options.find((option) => option.value === value);

    const box = useCombobox({
        count: options.length,
        open,
        isDisabled: (index) => options[index]?.disabled === true,
    });

    const show = (shown: boolean) => {
        setOpen(shown);
        const at = options.findIndex((option) => option.value === value);
        if (shown) box.setActive(Math.max(0, at));
    };
    const take = (index: number) => {
        const option = options[index];
        if (option === undefined || option.disabled) return;
        setOpen(false);
        if (option.value !== value) onChange(option.value);
    };
    const onKeyDown = (event: KeyboardEvent) => {
        const handled = () => event.preventDefault();
        if (!open) {
            if (["ArrowDown", "ArrowUp", "Enter", " "].includes(event.key)) {
                handled();
                show(true);
            }
            return;
        }
        if (box.moved(event)) return;
        if (event.key === "Home") box.toEnd("first");
        else if (event.key === "End") box.toEnd("last");
        else if (event.key === "Enter" || event.key === " ") take(box.active);
        else if (event.key === "Tab") return setOpen(false);
        else if (event.key.length === 1) {
            const now = event.timeStamp;
            typed.current = {
                text: (now - typed.current.at < 700 ? typed.current.text : "") + event.key.toLowerCase(),
                at: now,
            };
            const hit = options.findIndex(
                (option) => !option.disabled && option.label.toLowerCase().startsWith(typed.current.text),
            );
            if (hit >= 0) box.setActive(hit);
        } else return;
        handled();
    };

    return (
        <div className={cx("min-w-0", className)}>
            {showLabel && (
                <span id={`${id}-label`} className="mb-1 block text-small text-ink-2">
                    {label}
                </span>
            )}
            <Popover.Root open={open} onOpenChange={show}>
                <Popover.Trigger asChild>
                    <button
                        type="button"
                        {...box.field}
                        aria-label={label}
                        aria-haspopup="listbox"
                        disabled={disabled}
                        onKeyDown={onKeyDown}
                        className={cx(
                            "flex h-7 w-full items-center gap-2 rounded-control px-2 text-left text-ui disabled:opacity-50",
                            variant === "field"
                                ? "border border-hairline-strong bg-field hover:border-ink-3"
                                : "text-ink-2 hover:bg-hover hover:text-ink",
                        )}
                    >
                        {chosen?.icon}
                        <span className={cx("min-w-0 flex-1 truncate", chosen === undefined && "text-ink-3")}>
                            {chosen?.label ?? placeholder}
                        </span>
                        <ChevronDown size={14} strokeWidth={1.5} aria-hidden className="shrink-0 text-ink-3" />
                    </button>
                </Popover.Trigger>
                <ComboboxContent className="max-h-80 max-w-96 min-w-(--radix-popover-trigger-width)">
                    <div {...box.list} aria-label={label}>
                        {options.map((option, index) => {
                            const chosen = option.value === value;
                            return (
                                <div
                                    key={option.value}
                                    {...box.option(index, chosen, () => take(index), "items-center gap-2 py-1")}
                                >
                                    {option.icon}
                                    <span className="min-w-0 flex-1">
                                        <span className="block truncate">{option.label}</span>
                                        {option.hint !== undefined && (
                                            <span className="block text-small text-ink-3">{option.hint}</span>
                                        )}
                                    </span>
                                    {chosen && <Check size={14} strokeWidth={1.5} aria-hidden className="shrink-0" />}
                                </div>
                            );
                        })}
                    </div>
                </ComboboxContent>
            </Popover.Root>
        </div>
    );
}
