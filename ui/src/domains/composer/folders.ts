// Folders that were used lately in the workspace, wherever one is chosen.

import { useOfWorkspace } from "@/backend";
import { useRemembered } from "@/shared";

/** How many folders are remembered. */
const MAX_RECENT = 8;

export function useRecentFolders(): { recent: readonly string[]; remember: (more: readonly string[]) => void } {
    const [recent, setRecent] = useRemembered<readonly string[]>(useOfWorkspace("folders-recent"), []);
    return {
        recent,
        remember: (more) => setRecent([...new Set([...more, ...recent])].slice(0, MAX_RECENT)),
    };
}
