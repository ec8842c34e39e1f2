import { useEffect } from "react";

import { setAppearance, THEMES } from "@/shared";

import { useSettings } from "./useSettings";

/**
 * Puts the person's settings on the window: once, high in the tree. The look is also kept in the browser profile, from where it is read before the first
 * paint, so that nothing flashes while the core is asked.
 */
export function AppliedSettings() {
    const { settings } = useSettings();
    const { mode, theme, zoom } = settings ?? {};
    useEffect(() => {
        if (mode === undefined || zoom === undefined) return;
        setAppearance({ mode, zoom, theme: THEMES.find((each) => each.id === theme)?.id ?? "paper" });
    }, [mode, theme, zoom]);
    return null;
}
