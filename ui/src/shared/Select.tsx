// A choice of one from a list. Our own: Radix's writes a style element, which the content security policy refuses.

import { Check, ChevronDown } from "lucide-react";
import { Popover } from "radix-ui";
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from "react";

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
    const [active, setActive] = useState(0);
    const typed = useRef({ text: "", at: 0 });
    const list = useRef<HTMLDivElement>(null);
    const chosen = options.find((option) => option.value === value);

    const show = (shown: boolean) => {
        setOpen(shown);
        if (shown)
            setActive(
                Math.max(
                    0,
                    options.findIndex((option) => option.value === value),
                ),
            );
    };
    useEffect(() => {
        if (open) list.current?.querySelector('[data-active="true"]')?.scrollIntoView({ block: "nearest" });
    }, [open, active]);

    const move = (from: number, step: number) => {
        for (let next = from; next >= 0 && next < options.length; next += step) {
            if (options[next]?.disabled !== true) return setActive(next);
        }
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
        if (event.key === "ArrowDown") move(active + 1, 1);
        else if (event.key === "ArrowUp") move(active - 1, -1);
        else if (event.key === "Home") move(0, 1);
        else if (event.key === "End") move(options.length - 1, -1);
        else if (event.key === "Enter" || event.key === " ") take(active);
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
            if (hit >= 0) setActive(hit);
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
                        role="combobox"
                        aria-label={label}
                        aria-expanded={open}
                        aria-haspopup="listbox"
                        aria-controls={open ? `${id}-list` : undefined}
                        aria-activedescendant={open ? `${id}-${active}` : undefined}
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
                <Popover.Portal>
                    <Popover.Content
                        align="start"
                        sideOffset={4}
                        collisionPadding={8}
                        // The focus stays on the button: it names the active option.
                        onOpenAutoFocus={(event) => event.preventDefault()}
                        role="presentation"
                        className="float-in z-50 max-h-80 min-w-(--radix-popover-trigger-width) max-w-96 overflow-y-auto rounded-card border border-hairline bg-raised p-1 text-ui text-ink shadow-float"
                    >
                        <div ref={list} id={`${id}-list`} role="listbox" aria-label={label}>
                            {options.map((option, index) => (
                                <div
                                    key={option.value}
                                    id={`${id}-${index}`}
                                    role="option"
                                    aria-selected={option.value === value}
                                    aria-disabled={option.disabled}
                                    data-active={index === active}
                                    onPointerMove={() => !option.disabled && setActive(index)}
                                    onClick={() => take(index)}
                                    className={cx(
                                        "flex min-h-7 items-center gap-2 rounded-control px-2 py-1 select-none",
                                        index === active && "bg-hover",
                                        option.disabled && "opacity-50",
                                    )}
                                >
                                    {option.icon}
                                    <span className="min-w-0 flex-1">
                                        <span className="block truncate">{option.label}</span>
                                        {option.hint !== undefined && (
                                            <span className="block text-small text-ink-3">{option.hint}</span>
                                        )}
                                    </span>
                                    {option.value === value && (
                                        <Check size={14} strokeWidth={1.5} aria-hidden className="shrink-0" />
                                    )}
                                </div>
                            ))}
                        </div>
                    </Popover.Content>
                </Popover.Portal>
            </Popover.Root>
        </div>
    );
}
