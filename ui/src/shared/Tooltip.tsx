import { Tooltip as Radix } from "radix-ui";
import type { ReactNode } from "react";

import { Keys } from "./Kbd";

/** Once, around the whole window. */
export function TooltipProvider({ children }: { children: ReactNode }) {
    return (
        <Radix.Provider delayDuration={450} skipDelayDuration={200}>
            {children}
        </Radix.Provider>
    );
}

export interface TooltipProps {
    label: ReactNode;
    shortcut?: string;
    side?: "top" | "bottom" | "left" | "right";
    /** One element that takes a ref and events. */
    children: ReactNode;
}

export function Tooltip({ label, shortcut, side = "bottom", children }: TooltipProps) {
    return (
        <Radix.Root>
            <Radix.Trigger asChild>{children}</Radix.Trigger>
            <Radix.Portal>
                <Radix.Content
                    side={side}
                    sideOffset={6}
                    collisionPadding={8}
                    className="float-in z-50 flex max-w-72 items-center gap-2 rounded-control border border-hairline bg-raised px-2 py-1 text-small text-ink shadow-float"
                >
                    {label}
                    {shortcut !== undefined && <Keys keys={shortcut} />}
                </Radix.Content>
            </Radix.Portal>
        </Radix.Root>
    );
}
