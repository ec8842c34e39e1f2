import { Popover as Radix } from "radix-ui";
import type { ReactNode } from "react";

import { cx } from "./cx";

export interface PopoverProps {
    trigger: ReactNode;
    /** What it is, for who does not see it. */
    label: string;
    open?: boolean;
    onOpenChange?: (open: boolean) => void;
    align?: "start" | "center" | "end";
    side?: "top" | "bottom" | "left" | "right";
    className?: string;
    children: ReactNode;
}

export function Popover({
    trigger,
    label,
    open,
    onOpenChange,
    align = "start",
    side = "bottom",
    className,
    children,
}: PopoverProps) {
    return (
        <Radix.Root open={open} onOpenChange={onOpenChange}>
            <Radix.Trigger asChild>{trigger}</Radix.Trigger>
            <Radix.Portal>
                <Radix.Content
                    aria-label={label}
                    // It may scroll with nothing in it that takes the focus.
                    tabIndex={0}
                    align={align}
                    side={side}
                    sideOffset={6}
                    collisionPadding={8}
                    className={cx(
                        "float-in z-50 max-h-[70vh] max-w-[min(30rem,92vw)] overflow-y-auto rounded-card border border-hairline bg-raised p-3 text-ui text-ink shadow-float outline-none",
                        className,
                    )}
                >
                    {children}
                </Radix.Content>
            </Radix.Portal>
        </Radix.Root>
    );
}
