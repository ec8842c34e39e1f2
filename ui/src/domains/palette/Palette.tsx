import { useState } from "react";

import { lazyPart, useShortcut } from "@/shared";

const PaletteItems = lazyPart(() => import("./PaletteItems").then((part) => part.PaletteItems));

/** Ctrl+K: everything that can be done or found, by typing. */
export function Palette() {
    const [open, setOpen] = useState(false);
    useShortcut("palette", "Ctrl+K", "Commands and search", () => setOpen((shown) => !shown), { group: "Window" });
    return open ? <PaletteItems onClose={() => setOpen(false)} /> : null;
}
