// A side pane on demand: whatever a view wants to show beside itself. In a narrow window it slides over the page.

import { createContext, useContext, useEffect, useState, type ReactNode } from "react";
import { createPortal } from "react-dom";

import { Sheet } from "./Dialog";

export interface InspectorFrame {
    /** Where the content goes, in a wide window. */
    place: HTMLElement | null;
    narrow: boolean;
    /** Told when something wants to be shown, and when nothing does. */
    setOpen: (open: boolean) => void;
}

export const InspectorContext = createContext<InspectorFrame>({ place: null, narrow: false, setOpen: () => {} });

export interface InspectorProps {
    open: boolean;
    onClose: () => void;
    title: string;
    /** With its own heading and a button that closes it. */
    children: ReactNode;
}

/** Shows its children in the window's inspector while `open`. */
export function Inspector({ open, onClose, title, children }: InspectorProps) {
    const { place, narrow, setOpen } = useContext(InspectorContext);
    const docked = open && !narrow;
    useEffect(() => {
        if (!docked) return;
        setOpen(true);
        return () => setOpen(false);
    }, [docked, setOpen]);
    if (!open) return null;
    if (narrow) {
        return (
            <Sheet open onOpenChange={(stays) => !stays && onClose()} title={title} hideTitle>
                {children}
            </Sheet>
        );
    }
    return place === null
        ? null
        : createPortal(
              <Docked title={title} onClose={onClose}>
                  {children}
              </Docked>,
              place,
          );
}

function Docked({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
    const [pane, setPane] = useState<HTMLElement | null>(null);
    // Escape closes it while the focus is inside.
    useEffect(() => {
        if (pane === null) return;
        const onKey = (event: KeyboardEvent) => {
            if (event.key !== "Escape" || event.defaultPrevented) return;
            event.preventDefault();
            onClose();
        };
        pane.addEventListener("keydown", onKey);
        return () => pane.removeEventListener("keydown", onKey);
    }, [pane, onClose]);
    return (
        <aside ref={setPane} aria-label={title} className="h-full overflow-y-auto bg-surface">
            {children}
        </aside>
    );
}
