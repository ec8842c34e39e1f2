// A text field that offers known values while it takes any.

import { Popover } from "radix-ui";
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from "react";

import { cx } from "./cx";
import { TextField, type TextFieldProps } from "./fields";

export interface Suggestion {
    value: string;
    /** A quieter line under it. */
    hint?: ReactNode;
}

export interface SuggestFieldProps extends Omit<TextFieldProps, "role" | "onKeyDown" | "list"> {
    suggestions: readonly Suggestion[];
}

/** How many are drawn: nobody scrolls further, they type another letter. */
const MAX_SUGGESTIONS = 80;

export function SuggestField({ suggestions, value, onChange, ...rest }: SuggestFieldProps) {
    const id = useId();
    const [open, setOpen] = useState(false);
    const [active, setActive] = useState(-1);
    // What stood there when the list opened filters nothing: it is what is to be replaced.
    const [typed, setTyped] = useState(false);
    const list = useRef<HTMLDivElement>(null);
    const wanted = value.trim().toLowerCase();
    const found = (
        typed && wanted !== "" ? suggestions.filter((each) => each.value.toLowerCase().includes(wanted)) : suggestions
    ).slice(0, MAX_SUGGESTIONS);
    const shown = open && found.length > 0 && rest.disabled !== true;

    useEffect(() => {
        if (shown) list.current?.querySelector('[data-active="true"]')?.scrollIntoView({ block: "nearest" });
    }, [shown, active]);

    const show = () => {
        setOpen(true);
        setTyped(false);
        setActive(suggestions.findIndex((each) => each.value === value));
    };
    const take = (suggestion: Suggestion | undefined) => {
        setOpen(false);
        if (suggestion !== undefined) onChange(suggestion.value);
    };
    const onKeyDown = (event: KeyboardEvent) => {
        if (event.nativeEvent.isComposing) return;
        if (!shown) {
            if (event.key !== "ArrowDown") return;
            event.preventDefault();
            return show();
        }
        if (event.key === "ArrowDown") setActive(Math.min(found.length - 1, active + 1));
        else if (event.key === "ArrowUp") setActive(Math.max(-1, active - 1));
        else if (event.key === "Enter" && active >= 0) take(found[active]);
        else if (event.key === "Escape") {
            setOpen(false);
            event.stopPropagation();
        } else {
            if (event.key === "Tab") setOpen(false);
            return;
        }
        event.preventDefault();
    };
    return (
        <Popover.Root open={shown} onOpenChange={setOpen}>
            <Popover.Anchor asChild>
                <div className={rest.className}>
                    <TextField
                        {...rest}
                        className={undefined}
                        value={value}
                        onChange={(next) => {
                            onChange(next);
                            setOpen(true);
                            setTyped(true);
                            setActive(-1);
                        }}
                        role="combobox"
                        aria-autocomplete="list"
                        aria-expanded={shown}
                        aria-controls={shown ? `${id}-list` : undefined}
                        aria-activedescendant={shown && active >= 0 ? `${id}-${active}` : undefined}
                        onClick={show}
                        onBlur={() => setOpen(false)}
                        onKeyDown={onKeyDown}
                    />
                </div>
            </Popover.Anchor>
            <Popover.Portal>
                <Popover.Content
                    align="start"
                    sideOffset={4}
                    collisionPadding={8}
                    // The focus stays in the field: it names the active one.
                    onOpenAutoFocus={(event) => event.preventDefault()}
                    onCloseAutoFocus={(event) => event.preventDefault()}
                    onPointerDown={(event) => event.preventDefault()}
                    role="presentation"
                    className="float-in z-50 max-h-72 min-w-(--radix-popover-trigger-width) max-w-[min(32rem,92vw)] overflow-y-auto rounded-card border border-hairline bg-raised p-1 text-ui text-ink shadow-float"
                >
                    <div ref={list} id={`${id}-list`} role="listbox" aria-label={rest.label}>
                        {found.map((each, index) => (
                            <div
                                key={each.value}
                                id={`${id}-${index}`}
                                role="option"
                                aria-selected={each.value === value}
                                data-active={index === active}
                                onPointerMove={() => setActive(index)}
                                onClick={() => take(each)}
                                className={cx(
                                    "flex min-h-7 items-baseline gap-3 rounded-control px-2 py-1 select-none",
                                    index === active && "bg-hover",
                                )}
                            >
                                <span className="min-w-0 flex-1 truncate font-mono text-code">{each.value}</span>
                                {each.hint !== undefined && (
                                    <span className="tabular shrink-0 text-small text-ink-3">{each.hint}</span>
                                )}
                            </div>
                        ))}
                    </div>
                </Popover.Content>
            </Popover.Portal>
        </Popover.Root>
    );
}
