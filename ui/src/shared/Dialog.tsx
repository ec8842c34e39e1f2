import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";

import { IconButton } from "./Button";
import { cx } from "./cx";

export interface DialogProps {
    open: boolean;
    onOpenChange: (open: boolean) => void;
    title: string;
    /** One or two sentences under the title. */
    description?: ReactNode;
    /** Buttons, the primary one last. */
    footer?: ReactNode;
    width?: "small" | "medium" | "large";
    children?: ReactNode;
}

const WIDTHS = { small: "max-w-md", medium: "max-w-xl", large: "max-w-4xl" };

// The veil is a plain element: Radix's own writes a style element, which the content security policy refuses, to keep the
// page behind from scrolling; ours does not scroll.
export const Backdrop = () => <div aria-hidden className="fixed inset-0 z-40 bg-veil" />;

/** The first field, or the layer itself: a focused "Close" would open its tooltip, and Escape would close that first. */
function focusInside(event: Event): void {
    const layer = event.currentTarget;
    if (!(layer instanceof HTMLElement)) return;
    event.preventDefault();
    const wanted =
        layer.querySelector<HTMLElement>("[data-autofocus]") ??
        layer.querySelector<HTMLElement>("input:not([type=hidden]), textarea, [role=combobox]");
    (wanted ?? layer).focus();
}

export function Dialog({ open, onOpenChange, title, description, footer, width = "medium", children }: DialogProps) {
    return (
        <Radix.Root open={open} onOpenChange={onOpenChange}>
            <Radix.Portal>
                <Backdrop />
                <div className="pointer-events-none fixed inset-0 z-50 flex items-start justify-center p-6 pt-[12vh]">
                    <Radix.Content
                        aria-modal
                        onOpenAutoFocus={focusInside}
                        {...(description === undefined ? { "aria-describedby": undefined } : {})}
                        className={cx(
                            "float-in pointer-events-auto flex max-h-[76vh] w-full flex-col rounded-card border border-hairline bg-raised shadow-float outline-none",
                            WIDTHS[width],
                        )}
                    >
                        <header className="flex items-start gap-3 px-5 pt-4 pb-3">
                            <div className="min-w-0 flex-1">
                                <Radix.Title className="text-title font-semibold">{title}</Radix.Title>
                                {description !== undefined && (
                                    <Radix.Description className="mt-1 text-ui text-ink-2">
                                        {description}
                                    </Radix.Description>
                                )}
                            </div>
                            <Radix.Close asChild>
                                <IconButton
                                    label="Close"
                                    shortcut="Escape"
                                    size="small"
                                    icon={<X size={16} strokeWidth={1.5} />}
                                />
                            </Radix.Close>
                        </header>
                        <div className="min-h-0 flex-1 overflow-y-auto px-5 pb-4">{children}</div>
                        {footer !== undefined && (
                            <footer className="flex justify-end gap-2 border-t border-hairline px-5 py-3">
                                {footer}
                            </footer>
                        )}
                    </Radix.Content>
                </div>
            </Radix.Portal>
        </Radix.Root>
    );
}

export interface SheetProps {
    open: boolean;
    onOpenChange: (open: boolean) => void;
    title: string;
    side?: "left" | "right";
    /** A Tailwind width, e.g. "w-96". */
    width?: string;
    /** Whether the title is only for who does not see the sheet. */
    hideTitle?: boolean;
    children: ReactNode;
}

/** A pane that slides over the page: what a side pane becomes in a narrow window. */
export function Sheet({
    open,
    onOpenChange,
    title,
    side = "right",
    width = "w-[24rem]",
    hideTitle = false,
    children,
}: SheetProps) {
    return (
        <Radix.Root open={open} onOpenChange={onOpenChange}>
            <Radix.Portal>
                <Backdrop />
                <Radix.Content
                    aria-modal
                    onOpenAutoFocus={focusInside}
                    aria-describedby={undefined}
                    className={cx(
                        "fixed inset-y-0 z-50 flex max-w-[92vw] flex-col bg-surface shadow-float outline-none",
                        side === "right"
                            ? "slide-in right-0 border-l border-hairline"
                            : "left-0 border-r border-hairline",
                        width,
                    )}
                >
                    {hideTitle ? (
                        <Radix.Title className="sr-only">{title}</Radix.Title>
                    ) : (
                        <header className="flex h-11 shrink-0 items-center gap-2 border-b border-hairline px-4">
                            <Radix.Title className="min-w-0 flex-1 truncate text-ui font-semibold">{title}</Radix.Title>
                            <Radix.Close asChild>
                                <IconButton
                                    label="Close"
                                    shortcut="Escape"
                                    size="small"
                                    icon={<X size={16} strokeWidth={1.5} />}
                                />
                            </Radix.Close>
                        </header>
                    )}
                    <div className="min-h-0 flex-1 overflow-y-auto">{children}</div>
                </Radix.Content>
            </Radix.Portal>
        </Radix.Root>
    );
}
