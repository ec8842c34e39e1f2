import { useState } from "react";

import { Dialog, Skeleton, lazyPart, useShortcut, useShortcuts } from "@/shared";

const ShortcutGroups = lazyPart(
    () => import("./ShortcutGroups").then((part) => part.ShortcutGroups),
    <Skeleton lines={6} />,
);

/** All shortcuts that hold now, behind Ctrl+/ and ?. */
export function ShortcutList() {
    const [open, setOpen] = useState(false);
    const all = useShortcuts().filter((each) => each.keys !== "");
    useShortcut("shortcuts", "Ctrl+/", "Show keyboard shortcuts", () => setOpen(true), { group: "Window" });
    useShortcut("shortcuts-sign", "?", "Show keyboard shortcuts", () => setOpen(true), { group: "Window" });
    return (
        <Dialog
            open={open}
            onOpenChange={setOpen}
            title="Keyboard shortcuts"
            description="Shortcuts available on this page."
            width="medium"
        >
            <ShortcutGroups all={all} />
        </Dialog>
    );
}
