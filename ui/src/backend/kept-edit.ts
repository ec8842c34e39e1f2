// Edits that are not saved, kept as drafts are.

import { useCallback, useEffect, useMemo, useRef, useState } from "react";

import { useDraft } from "./draft";

/**
 * Keeps an edit that is not saved, and brings it back where the text that it was made on is still the same. `base`: that text; `change`
 * must be stable. Gives whether an earlier edit was brought back; `drop` keeps it no longer, because it was saved or is not wanted.
 */
export function useKeptEdit<T>(
    key: string,
    base: string,
    edit: { value: T; changed: boolean; change: (value: T) => void },
): { restored: boolean; drop: () => void } {
    const { value, changed, change } = edit;
    const { text, ready, setText, clear } = useDraft(key);
    const [restored, setRestored] = useState(false);
    const looked = useRef(false);
    const dropped = useRef(false);
    const made = useMemo(() => digest(base), [base]);
    const now = changed ? JSON.stringify({ base: made, value }) : "";
    useEffect(() => {
        if (!ready || dropped.current) return;
        if (!looked.current) {
            looked.current = true;
            const kept = keptEdit<T>(text, made);
            // What was typed before the kept one was read wins over it.
            if (kept !== undefined && !changed) {
                setRestored(true);
                return change(kept.value);
            }
        }
        if (now === text) return;
        if (now === "") clear();
        else setText(now);
    }, [ready, text, made, changed, change, now, setText, clear]);
    const drop = useCallback(() => {
        dropped.current = true;
        clear();
    }, [clear]);
    return { restored: restored && changed, drop };
}

function keptEdit<T>(text: string, base: string): { value: T } | undefined {
    try {
        const kept = JSON.parse(text) as { base?: unknown; value: T };
        return kept.base === base ? kept : undefined;
    } catch {
        return undefined;
    }
}

/** Tells one text from another (FNV-1a over its characters, and its length): the texts themselves would not fit into a draft. */
function digest(text: string): string {
    let hash = 0x811c9dc5;
    for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    return `${text.length}-${(hash >>> 0).toString(16)}`;
}
