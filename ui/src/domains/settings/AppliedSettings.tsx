import { useEffect } from "react";

import { lookOf, useThemes } from "@/domains/theme";
import { builtIn, setAppearance } from "@/shared";

import { useSettings } from "./useSettings";

/**
 * Puts the person's settings on the window: once, high in the tree. The look is also kept in the browser profile, from where it is read before the first
 * paint, so that nothing flashes while the core is asked.
 */
export function AppliedSettings() {
    const { settings } = useSettings();
    const { mode, theme, zoom } = settings ?? {};
    const themes = useThemes();
    useEffect(() => {
        if (mode !== undefined && zoom !== undefined) setAppearance({ mode, zoom });
    }, [mode, zoom]);
    useEffect(() => {
        // What was kept of a theme that is a file counts until the file was read.
        if (theme === undefined || (themes.list === undefined && !(themes.failed && builtIn(theme) !== undefined)))
            return;
        // A file that was broken by hand keeps the look that it gave last.
        const broken = themes.own.some((row) => row.id === theme && row.theme === null);
        if (!broken) setAppearance({ theme, look: lookOf(theme, themes) });
    }, [theme, themes]);
    return null;
}
