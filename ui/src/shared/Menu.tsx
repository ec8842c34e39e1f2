// Menus are data: a list of entries, drawn alike from a button and from the right mouse button.

import { Check, ChevronRight } from "lucide-react";
import { ContextMenu as RadixContext, DropdownMenu as RadixMenu } from "radix-ui";
import type { ReactNode } from "react";

import { cx } from "./cx";
import { Keys } from "./Kbd";

export type MenuEntry =
    | {
          kind?: "item";
          id: string;
          label: string;
          /** A quieter line under the label. */
          hint?: string;
          icon?: ReactNode;
          shortcut?: string;
          /** For what can't be undone. */
          danger?: boolean;
          disabled?: boolean;
          /** Set for entries that are on or off. */
          checked?: boolean;
          onSelect: () => void;
      }
    | { kind: "separator"; id: string }
    | { kind: "heading"; id: string; label: string }
    | { kind: "submenu"; id: string; label: string; icon?: ReactNode; entries: MenuEntry[] };

const CONTENT =
    "float-in z-50 max-h-[70vh] min-w-44 max-w-80 overflow-y-auto rounded-card border border-hairline bg-raised p-1 text-ui text-ink shadow-float";
const ENTRY =
    "flex gap-2 rounded-control px-2 outline-none select-none data-highlighted:bg-hover data-disabled:opacity-50 [&>svg]:shrink-0 [&>svg]:text-ink-3";
const ITEM = `${ENTRY} h-7 items-center`;
/** An entry with a hint is as high as its words. */
const TALL = `${ENTRY} items-start py-1.5 [&>svg]:mt-0.5`;

/** The same parts exist for both kinds of menu. */
type Parts = typeof RadixMenu | typeof RadixContext;

function Entries({ parts, entries }: { parts: Parts; entries: MenuEntry[] }) {
    const Part = parts as typeof RadixMenu;
    return entries.map((entry) => {
        switch (entry.kind) {
            case "separator":
                return <Part.Separator key={entry.id} className="my-1 h-px bg-hairline" />;
            case "heading":
                return (
                    <Part.Label key={entry.id} className="px-2 pt-1.5 pb-1 text-small text-ink-3">
                        {entry.label}
                    </Part.Label>
                );
            case "submenu":
                return (
                    <Part.Sub key={entry.id}>
                        <Part.SubTrigger className={cx(ITEM, "data-[state=open]:bg-hover")}>
                            {entry.icon}
                            <span className="min-w-0 flex-1 truncate">{entry.label}</span>
                            <ChevronRight size={14} strokeWidth={1.5} aria-hidden />
                        </Part.SubTrigger>
                        <Part.Portal>
                            <Part.SubContent className={CONTENT} sideOffset={4} collisionPadding={8}>
                                <Entries parts={parts} entries={entry.entries} />
                            </Part.SubContent>
                        </Part.Portal>
                    </Part.Sub>
                );
            case "item":
            case undefined: {
                const inside = (
                    <>
                        {entry.icon}
                        <span className="min-w-0 flex-1">
                            <span className="block truncate">{entry.label}</span>
                            {entry.hint !== undefined && (
                                <span className="block text-small text-ink-3">{entry.hint}</span>
                            )}
                        </span>
                        {entry.checked === true && <Check size={14} strokeWidth={1.5} aria-hidden />}
                        {entry.shortcut !== undefined && <Keys keys={entry.shortcut} quiet />}
                    </>
                );
                const className = cx(
                    entry.hint === undefined ? ITEM : TALL,
                    entry.danger && "text-failed [&>svg]:text-failed",
                );
                return entry.checked === undefined ? (
                    <Part.Item key={entry.id} className={className} disabled={entry.disabled} onSelect={entry.onSelect}>
                        {inside}
                    </Part.Item>
                ) : (
                    <Part.CheckboxItem
                        key={entry.id}
                        className={className}
                        disabled={entry.disabled}
                        checked={entry.checked}
                        onSelect={entry.onSelect}
                    >
                        {inside}
                    </Part.CheckboxItem>
                );
            }
        }
    });
}

export interface MenuProps {
    /** The button that opens it: one element that takes a ref. */
    trigger: ReactNode;
    entries: MenuEntry[];
    align?: "start" | "center" | "end";
    side?: "top" | "bottom" | "left" | "right";
    open?: boolean;
    onOpenChange?: (open: boolean) => void;
}

export function Menu({ trigger, entries, align = "start", side = "bottom", open, onOpenChange }: MenuProps) {
    return (
        // Not modal: a modal one writes a style element, which the content security policy refuses.
        <RadixMenu.Root modal={false} open={open} onOpenChange={onOpenChange}>
            <RadixMenu.Trigger asChild>{trigger}</RadixMenu.Trigger>
            <RadixMenu.Portal>
                <RadixMenu.Content
                    className={CONTENT}
                    align={align}
                    side={side}
                    sideOffset={4}
                    collisionPadding={8}
                    loop
                >
                    <Entries parts={RadixMenu} entries={entries} />
                </RadixMenu.Content>
            </RadixMenu.Portal>
        </RadixMenu.Root>
    );
}

export function ContextMenu({ entries, children }: { entries: MenuEntry[]; children: ReactNode }) {
    return (
        <RadixContext.Root modal={false}>
            <RadixContext.Trigger asChild>{children}</RadixContext.Trigger>
            <RadixContext.Portal>
                <RadixContext.Content className={CONTENT} collisionPadding={8} loop>
                    <Entries parts={RadixContext} entries={entries} />
                </RadixContext.Content>
            </RadixContext.Portal>
        </RadixContext.Root>
    );
}
