// A field for an expression or a search line: what fits is offered at the caret, mistakes are underlined where they stand.

import { Popover } from "radix-ui";
import { useId, useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode, type Ref } from "react";

import type { Completed, Mistake } from "@/backend";
import { ComboboxContent, TextArea, InlineCode, cx, useCombobox } from "@/shared";

import { cutAt, taken } from "./line";

export interface LineFieldProps {
    label: string;
    hideLabel?: boolean;
    value: string;
    onChange: (value: string) => void;
    /** Told where the caret stands, in UTF-16 units, whenever it moves. */
    onCaret: (caret: number) => void;
    mistakes: readonly Mistake[];
    /** What is allowed and hardly meant: underlined in another colour. */
    notes?: readonly Mistake[];
    completed?: Completed;
    placeholder?: string;
    hint?: ReactNode;
    /** Enter, when nothing of the list is chosen. */
    onEnter?: () => void;
    /** The key is the list's or nobody's. */
    onKey?: (event: KeyboardEvent<HTMLTextAreaElement>) => void;
    big?: boolean;
    icon?: ReactNode;
    after?: ReactNode;
    ref?: Ref<HTMLTextAreaElement>;
}

/** How many completions are drawn. */
const MAX_ITEMS = 60;

export function LineField({
    label,
    hideLabel = false,
    value,
    onChange,
    onCaret,
    mistakes,
    notes = [],
    completed,
    placeholder,
    hint,
    onEnter,
    onKey,
    big = false,
    icon,
    after,
    ref,
}: LineFieldProps) {
    const id = useId();
    const area = useRef<HTMLTextAreaElement | null>(null);
    const caret = useRef<number>(undefined);
    const [open, setOpen] = useState(false);
    const items = (completed?.items ?? []).slice(0, MAX_ITEMS);
    const shown = open && items.length > 0;
    const box = useCombobox({ count: items.length, open: shown, initial: -1, optional: true });
    // A completion leaves the caret behind what it wrote.
    useLayoutEffect(() => {
        if (caret.current === undefined) return;
        area.current?.setSelectionRange(caret.current, caret.current);
        onCaret(caret.current);
        caret.current = undefined;
    });
    const take = (index: number) => {
        const item = items[index];
        if (item === undefined || completed === undefined) return;
        const next = taken(value, completed.replace, item.insert);
        caret.current = next.caret;
        box.setActive(-1);
        setOpen(true);
        onChange(next.text);
    };
    const keys = (event: KeyboardEvent<HTMLTextAreaElement>) => {
        if (event.nativeEvent.isComposing) return;
        if (shown && box.moved(event)) return;
        if (event.key === " " && event.ctrlKey) setOpen(true);
        else if (event.key === "Tab" && shown && !event.shiftKey) take(Math.max(0, box.active));
        else if (event.key === "Escape" && shown) {
            setOpen(false);
            event.stopPropagation();
        } else if (event.key === "Enter" && !event.shiftKey) {
            if (shown && box.active >= 0) take(box.active);
            else {
                setOpen(false);
                onEnter?.();
            }
        } else return onKey?.(event);
        event.preventDefault();
    };
    const look = () => {
        const field = area.current;
        if (field !== null) onCaret(field.selectionStart);
    };
    const marks = [
        ...mistakes.map((each) => ({ ...each, tone: "mistake" as const })),
        ...notes.map((each) => ({ ...each, tone: "note" as const })),
    ];
    const size = big ? "text-title" : "font-mono text-code";
    return (
        <div>
            <span id={`${id}-label`} className={hideLabel ? "sr-only" : "mb-1 block text-small text-ink-2"}>
                {label}
            </span>
            <Popover.Root open={shown} onOpenChange={(wanted) => !wanted && setOpen(false)}>
                <Popover.Anchor asChild>
                    <div
                        className={cx(
                            "flex items-start gap-2 rounded-control border bg-surface px-2 focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-accent",
                            big ? "min-h-9 py-1" : "min-h-7 py-px",
                            mistakes.length > 0 ? "border-failed" : "border-hairline-strong",
                        )}
                    >
                        {icon !== undefined && (
                            <span className={cx("shrink-0 text-ink-3", big ? "mt-1.5" : "mt-1")}>{icon}</span>
                        )}
                        <div className="relative min-w-0 flex-1">
                            {/* The same words in the same places, without ink: only the lines under what is wrong are seen. */}
                            {marks.length > 0 && (
                                <div
                                    aria-hidden
                                    className={cx(
                                        "pointer-events-none absolute inset-0 overflow-hidden py-1 break-words whitespace-pre-wrap text-transparent",
                                        size,
                                    )}
                                >
                                    {cutAt(value, marks).map((part, index) =>
                                        part.tone === undefined ? (
                                            part.text
                                        ) : (
                                            <span
                                                key={index}
                                                className={cx(
                                                    "underline decoration-wavy decoration-1 underline-offset-3",
                                                    part.tone === "mistake" ? "decoration-failed" : "decoration-needs",
                                                )}
                                            >
                                                {part.text}
                                            </span>
                                        ),
                                    )}
                                </div>
                            )}
                            <TextArea
                                ref={(field) => {
                                    area.current = field;
                                    if (typeof ref === "function") ref(field);
                                    else if (ref) ref.current = field;
                                }}
                                label={label}
                                hideLabel
                                bare
                                minRows={1}
                                maxRows={big ? 3 : 8}
                                spellCheck={false}
                                autoComplete="off"
                                autoCapitalize="off"
                                placeholder={placeholder}
                                value={value}
                                // A line has no breaks: what was pasted with some is put into one.
                                onChange={(next) => {
                                    setOpen(true);
                                    box.setActive(-1);
                                    onChange(next.replace(/[\r\n]+/g, " "));
                                    look();
                                }}
                                onSelect={look}
                                onKeyDown={keys}
                                onBlur={() => setOpen(false)}
                                {...box.field}
                                aria-autocomplete="list"
                                aria-invalid={mistakes.length > 0}
                                aria-describedby={mistakes.length + notes.length > 0 ? `${id}-wrong` : undefined}
                                className={size}
                            />
                        </div>
                        {after}
                    </div>
                </Popover.Anchor>
                <ComboboxContent className="max-h-64 w-[min(30rem,92vw)]">
                    <div {...box.list} aria-label={`Suggestions for: ${label}`}>
                        {items.map((item, index) => (
                            <div
                                key={`${item.kind} ${item.insert}`}
                                {...box.option(
                                    index,
                                    index === box.active,
                                    () => take(index),
                                    "items-baseline gap-3 py-1",
                                )}
                            >
                                <span className="max-w-[55%] shrink-0 truncate font-mono text-code">{item.label}</span>
                                <span className="min-w-0 flex-1 truncate text-right text-small text-ink-3">
                                    {item.about}
                                </span>
                            </div>
                        ))}
                    </div>
                </ComboboxContent>
            </Popover.Root>
            <div id={`${id}-wrong`} aria-live="polite">
                {marks.slice(0, 4).map((mark, index) => (
                    <p
                        key={index}
                        className={cx("mt-1 text-small", mark.tone === "mistake" ? "text-failed" : "text-needs")}
                    >
                        <InlineCode text={mark.message} />
                        {mark.hint !== undefined && mark.hint !== null && (
                            <span className="text-ink-2">
                                {" "}
                                – <InlineCode text={mark.hint} />
                            </span>
                        )}
                    </p>
                ))}
            </div>
            {hint !== undefined && <div className="mt-1 text-small text-ink-3">{hint}</div>}
        </div>
    );
}
