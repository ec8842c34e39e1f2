import { useMemo } from "react";

import { useQuery, type ThemeList, type ThemeRow } from "@/backend";
import { FIRST_THEME, complete, themeOf, type Resolved, type ThemeFile } from "@/shared";

export interface Themes {
    /** Undefined until they were read. */
    list: ThemeList | undefined;
    /** Whether they could not be read. */
    failed: boolean;
    own: readonly ThemeRow[];
    find: (id: string) => ThemeFile | undefined;
}

/** The themes that are files. */
export function useThemes(): Themes {
    const { data: list, problem } = useQuery("theme_list", null);
    const failed = problem !== undefined;
    return useMemo(() => {
        const own = list?.own ?? [];
        return { list, failed, own, find: (id: string) => own.find((row) => row.id === id)?.theme ?? undefined };
    }, [list, failed]);
}

/** What a window shows whose program is set to a theme: the theme, with what the workspace changes on top. */
export function lookOf(theme: string, { list, find }: Pick<Themes, "list" | "find">): Resolved {
    const own = themeOf(theme, find) ?? { sides: FIRST_THEME.sides, strength: FIRST_THEME.strength };
    // The workspace's settings may name another theme; its file may, too, and change single colours.
    const named = list?.workspaceBase ?? undefined;
    const base = (named === undefined ? undefined : themeOf(named, find)) ?? own;
    const changed = list?.workspace?.theme;
    return changed === undefined || changed === null ? base : complete(changed, find, 0, base);
}
