import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";

import { cx } from "./cx";
import { Keys } from "./Kbd";
import { Tooltip } from "./Tooltip";

export type ButtonVariant = "primary" | "secondary" | "quiet" | "danger";
export type ButtonSize = "small" | "medium";

const BASE =
    "inline-flex shrink-0 items-center justify-center gap-1.5 rounded-control font-medium whitespace-nowrap select-none transition-colors " +
    "disabled:cursor-not-allowed disabled:opacity-50 aria-disabled:opacity-50";

const VARIANTS: Record<ButtonVariant, string> = {
    primary: "bg-accent text-on-accent enabled:hover:bg-accent-strong",
    secondary: "border border-hairline bg-surface text-ink enabled:hover:bg-hover enabled:hover:border-ink-faint",
    quiet: "text-ink-2 enabled:hover:bg-hover enabled:hover:text-ink",
    danger: "bg-failed text-on-failed enabled:hover:opacity-90",
};

const SIZES: Record<ButtonSize, string> = { small: "h-6 px-2 text-small", medium: "h-7 px-3 text-ui" };

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
    variant?: ButtonVariant;
    size?: ButtonSize;
    /** Before the words; 16 px. */
    icon?: ReactNode;
    /** Shown beside the words, e.g. "Enter" or "Ctrl+K". */
    shortcut?: string;
    ref?: Ref<HTMLButtonElement>;
}

export function Button({
    variant = "secondary",
    size = "medium",
    icon,
    shortcut,
    className,
    children,
    type = "button",
    ...rest
}: ButtonProps) {
    return (
        <button type={type} className={cx(BASE, VARIANTS[variant], SIZES[size], className)} {...rest}>
            {icon}
            {children}
            {shortcut !== undefined && <Keys keys={shortcut} quiet />}
        </button>
    );
}

export interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "aria-label"> {
    /** Its name: for the tooltip and for who does not see the icon. */
    label: string;
    /** Taught by the tooltip. */
    shortcut?: string;
    icon: ReactNode;
    size?: ButtonSize;
    variant?: "quiet" | "secondary";
    side?: "top" | "bottom" | "left" | "right";
    ref?: Ref<HTMLButtonElement>;
}

export function IconButton({
    label,
    shortcut,
    icon,
    size = "medium",
    variant = "quiet",
    side,
    className,
    type = "button",
    ...rest
}: IconButtonProps) {
    const square = size === "small" ? "size-6" : "size-7";
    return (
        <Tooltip label={label} shortcut={shortcut} side={side}>
            <button type={type} aria-label={label} className={cx(BASE, VARIANTS[variant], square, className)} {...rest}>
                {icon}
            </button>
        </Tooltip>
    );
}
