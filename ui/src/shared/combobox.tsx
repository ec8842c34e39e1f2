// What every field with a list below it shares (WAI-ARIA "combobox"): the focus stays in the field, which names the
// active option; arrows and the mouse move it, and it is scrolled into view.

import { Popover } from "radix-ui";
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from "react";

import { cx } from "./cx";

export interface ComboboxProps {
    /** How many options there are. */
    count: number;
    open?: boolean;
    /** The active option at first; -1: none, which only a list that may have none can go back to. */
    initial?: number;
    optional?: boolean;
    /** From the last option down to the first one, and back. */
    wraps?: boolean;
    isDisabled?: (index: number) => boolean;
}

export function useCombobox({
    count,
    open = true,
    initial = 0,
    optional = false,
    wraps = false,
    isDisabled = () => false,
}: ComboboxProps) {
    const id = useId();
    const list = useRef<HTMLDivElement>(null);
    const [chosen, setActive] = useState(initial);
    const active = Math.min(chosen, count - 1);
    useEffect(() => {
        if (open) list.current?.querySelector('[data-active="true"]')?.scrollIntoView({ block: "nearest" });
    }, [open, active, count]);
    /** To the first option from there on that is not disabled. */
    const move = (from: number, step: 1 | -1) => {
        for (let tried = 0, next = from; tried < count; tried += 1, next += step) {
            const at = wraps ? (next + count) % count : next;
            if (at === -1 && optional) return setActive(-1);
            if (at < 0 || at >= count) return;
            if (!isDisabled(at)) return setActive(at);
        }
    };
    return {
        active,
        setActive,
        move,
        /** To the first option or the last one. */
        toEnd: (end: "first" | "last") => (end === "first" ? move(0, 1) : move(count - 1, -1)),
        /** Moves by an arrow; whether the key was one. */
        moved: (event: KeyboardEvent) => {
            if (event.key === "ArrowDown") move(active + 1, 1);
            else if (event.key === "ArrowUp") move(active - 1, -1);
            else return false;
            event.preventDefault();
            return true;
        },
        field: {
            role: "combobox",
            "aria-expanded": open,
            "aria-controls": open ? `${id}-list` : undefined,
            "aria-activedescendant": open && active >= 0 ? `${id}-${active}` : undefined,
        } as const,
        list: { ref: list, id: `${id}-list`, role: "listbox" } as const,
        option: (index: number, selected: boolean, take: () => void, className?: string) =>
            ({
                id: `${id}-${index}`,
                role: "option",
                "aria-selected": selected,
                "aria-disabled": isDisabled(index) || undefined,
                "data-active": index === active,
                onPointerMove: () => !isDisabled(index) && setActive(index),
                // The focus stays where it is.
                onPointerDown: (event: { preventDefault: () => void }) => event.preventDefault(),
                onClick: take,
                className: cx(
                    "flex min-h-7 rounded-control px-2 select-none",
                    index === active && "bg-hover",
                    isDisabled(index) && "opacity-50",
                    className,
                ),
            }) as const,
    };
}

/** The list below a field that keeps the focus. */
export function ComboboxContent({ className, children }: { className: string; children: ReactNode }) {
    return (
        <Popover.Portal>
            <Popover.Content
                align="start"
                sideOffset={4}
                collisionPadding={8}
                onOpenAutoFocus={(event) => event.preventDefault()}
                onCloseAutoFocus={(event) => event.preventDefault()}
                onPointerDown={(event) => event.preventDefault()}
                role="presentation"
                className={cx(
                    "float-in z-50 overflow-y-auto rounded-card border border-hairline bg-raised p-1 text-ui text-ink shadow-float",
                    className,
                )}
            >
                {children}
            </Popover.Content>
        </Popover.Portal>
    );
}
