// A text field that offers known values while it takes any.

import { Popover } from "radix-ui";
import { useState, type KeyboardEvent, type ReactNode } from "react";

import { ComboboxContent, useCombobox } from "./combobox";
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
    const [open, setOpen] = useState(false);
    // What stood there when the list opened filters nothing: it is what is to be replaced.
    const [typed, setTyped] = useState(false);
    const wanted = value.trim().toLowerCase();
    const found = (
        typed && wanted !== "" ? suggestions.filter((each) => each.value.toLowerCase().includes(wanted)) : suggestions
    ).slice(0, MAX_SUGGESTIONS);
    const shown = open && found.length > 0 && rest.disabled !== true;
    const box = useCombobox({ count: found.length, open: shown, initial: -1, optional: true });

    const show = () => {
        setOpen(true);
        setTyped(false);
        box.setActive(suggestions.findIndex((each) => each.value === value));
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
        if (box.moved(event)) return;
        if (event.key === "Enter" && box.active >= 0) take(found[box.active]);
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
                            box.setActive(-1);
                        }}
                        {...box.field}
                        aria-autocomplete="list"
                        onClick={show}
                        onBlur={() => setOpen(false)}
                        onKeyDown={onKeyDown}
                    />
                </div>
            </Popover.Anchor>
            <ComboboxContent className="max-h-72 max-w-[min(32rem,92vw)] min-w-(--radix-popover-trigger-width)">
                <div {...box.list} aria-label={rest.label}>
                    {found.map((each, index) => (
                        <div
                            key={each.value}
                            {...box.option(index, each.value === value, () => take(each), "items-baseline gap-3 py-1")}
                        >
                            <span className="min-w-0 flex-1 truncate font-mono text-code">{each.value}</span>
                            {each.hint !== undefined && (
                                <span className="tabular shrink-0 text-small text-ink-3">{each.hint}</span>
                            )}
                        </div>
                    ))}
                </div>
            </ComboboxContent>
        </Popover.Root>
    );
}
