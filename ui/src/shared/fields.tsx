import {
    useId,
    useLayoutEffect,
    useRef,
    type InputHTMLAttributes,
    type ReactNode,
    type Ref,
    type TextareaHTMLAttributes,
} from "react";

import { cx } from "./cx";

interface FieldExtras {
    label: string;
    hideLabel?: boolean;
    hint?: ReactNode;
    /** What is wrong with the value, and how to mend it. */
    error?: string;
}

const BOX =
    "w-full rounded-control border bg-field px-2 text-ui text-ink hover:border-ink-3 disabled:opacity-50 focus-visible:outline-offset-0";

function Field({
    id,
    label,
    hideLabel,
    hint,
    error,
    className,
    children,
}: FieldExtras & { id: string; className?: string; children: ReactNode }) {
    return (
        <div className={cx("min-w-0", className)}>
            <label htmlFor={id} className={hideLabel ? "sr-only" : "mb-1 block text-small text-ink-2"}>
                {label}
            </label>
            {children}
            {error !== undefined && (
                <p id={`${id}-error`} role="alert" className="mt-1 text-small text-failed">
                    {error}
                </p>
            )}
            {hint !== undefined && (
                <div id={`${id}-hint`} className="mt-1 text-small text-ink-3">
                    {hint}
                </div>
            )}
        </div>
    );
}

const described = (id: string, { hint, error }: { hint?: ReactNode; error?: string }) =>
    [error !== undefined && `${id}-error`, hint !== undefined && `${id}-hint`].filter(Boolean).join(" ") || undefined;

export interface TextFieldProps extends FieldExtras, Omit<InputHTMLAttributes<HTMLInputElement>, "onChange" | "size"> {
    value: string;
    onChange: (value: string) => void;
    /** Inside the box, before the text; 14 px. */
    icon?: ReactNode;
    /** Inside the box, after the text. */
    after?: ReactNode;
    mono?: boolean;
    ref?: Ref<HTMLInputElement>;
}

export function TextField({
    label,
    hideLabel,
    hint,
    error,
    value,
    onChange,
    icon,
    after,
    mono = false,
    className,
    ...rest
}: TextFieldProps) {
    const id = useId();
    return (
        <Field id={id} label={label} hideLabel={hideLabel} hint={hint} error={error} className={className}>
            <div className="relative">
                {icon !== undefined && (
                    <span className="pointer-events-none absolute inset-y-0 left-2 flex items-center text-ink-3">
                        {icon}
                    </span>
                )}
                <input
                    id={id}
                    value={value}
                    onChange={(event) => onChange(event.target.value)}
                    aria-invalid={error !== undefined}
                    aria-describedby={described(id, { hint, error })}
                    spellCheck={rest.type === "search" || mono ? false : undefined}
                    autoComplete="off"
                    className={cx(
                        BOX,
                        "h-7",
                        error === undefined ? "border-hairline-strong" : "border-failed",
                        icon !== undefined && "pl-7",
                        after !== undefined && "pr-9",
                        mono && "font-mono text-code",
                    )}
                    {...rest}
                />
                {after !== undefined && <span className="absolute inset-y-0 right-1.5 flex items-center">{after}</span>}
            </div>
        </Field>
    );
}

export interface TextAreaProps extends FieldExtras, Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "onChange"> {
    value: string;
    onChange: (value: string) => void;
    /** Lines at least and at most; between them it grows with its text. */
    minRows?: number;
    maxRows?: number;
    /** Without a box of its own: for a place that draws one. */
    bare?: boolean;
    mono?: boolean;
    ref?: Ref<HTMLTextAreaElement>;
}

export function TextArea({
    label,
    hideLabel,
    hint,
    error,
    value,
    onChange,
    minRows = 1,
    maxRows = 12,
    bare = false,
    mono = false,
    className,
    ref,
    ...rest
}: TextAreaProps) {
    const id = useId();
    const own = useRef<HTMLTextAreaElement | null>(null);
    useLayoutEffect(() => {
        const area = own.current;
        if (area === null) return;
        area.style.height = "auto";
        const style = getComputedStyle(area);
        const line = parseFloat(style.lineHeight) || 20;
        const padding = (parseFloat(style.paddingTop) || 0) + (parseFloat(style.paddingBottom) || 0);
        const borders = area.offsetHeight - area.clientHeight;
        const inside = Math.min(Math.max(area.scrollHeight, minRows * line + padding), maxRows * line + padding);
        area.style.height = `${inside + borders}px`;
        area.style.overflowY = area.scrollHeight > inside ? "auto" : "hidden";
    }, [value, minRows, maxRows]);
    return (
        <Field id={id} label={label} hideLabel={hideLabel} hint={hint} error={error} className={className}>
            <textarea
                id={id}
                ref={(area) => {
                    own.current = area;
                    if (typeof ref === "function") ref(area);
                    else if (ref) ref.current = area;
                }}
                rows={minRows}
                value={value}
                onChange={(event) => onChange(event.target.value)}
                aria-invalid={error !== undefined}
                aria-describedby={described(id, { hint, error })}
                className={cx(
                    bare
                        ? "w-full bg-transparent py-1 text-ui text-ink outline-none focus-visible:outline-none"
                        : cx(BOX, "py-[0.1875rem]", error === undefined ? "border-hairline-strong" : "border-failed"),
                    "block resize-none",
                    mono && "font-mono text-code",
                )}
                {...rest}
            />
        </Field>
    );
}
