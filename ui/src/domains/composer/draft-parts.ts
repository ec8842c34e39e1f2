// What goes with a draft besides its text: files and names. Kept in the browser's own storage, next to the text that it belongs to.

import { useEffect, useRef } from "react";

import type { Attachment, Mention, DraftUse } from "@/backend";
import { own } from "@/shared";

import type { Attaching } from "./attachments";

const KEY = "drafts.parts";
/** The most drafts whose parts are kept; the oldest go first. */
const KEPT = 50;

interface Parts {
    text: string;
    mentions: readonly Mention[];
    files: readonly Attachment[];
}

function areParts(value: unknown): value is Parts {
    return (
        typeof value === "object" &&
        value !== null &&
        "mentions" in value &&
        Array.isArray(value.mentions) &&
        "files" in value &&
        Array.isArray(value.files)
    );
}

function all(): { [draft: string]: Parts } {
    try {
        const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
        // Another version may have kept something else.
        const known = Object.entries(typeof kept === "object" && kept !== null ? kept : {});
        return Object.fromEntries(known.filter((pair): pair is [string, Parts] => areParts(pair[1])));
    } catch {
        return {};
    }
}

function keep(draft: string, parts: Parts): void {
    try {
        const { [draft]: before, ...others } = all();
        if (parts.mentions.length === 0 && parts.files.length === 0 && before === undefined) return;
        const kept = Object.entries(others).slice(1 - KEPT);
        if (parts.mentions.length > 0 || parts.files.length > 0) kept.push([draft, parts]);
        localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(kept)));
    } catch {
        // Storage is full or off: the text is kept all the same.
    }
}

const NONE: readonly Mention[] = [];

/** Keeps files and names with their draft, and brings them back with it; names only with the text that they stand in. */
export function useParts(
    draft: DraftUse,
    attaching: Attaching,
    mentions: readonly Mention[] = NONE,
    setMentions?: (mentions: Mention[]) => void,
): void {
    const { key, text, ready } = draft;
    const { files, set } = attaching;
    const restored = useRef<string>(undefined);
    useEffect(() => {
        if (!ready) return;
        if (restored.current === key) return keep(key, { text, mentions, files });
        restored.current = key;
        const known = own(all(), key);
        if (known === undefined) return;
        if (files.length === 0 && known.files.length > 0) set(known.files);
        if (known.text === text && known.mentions.length > 0) setMentions?.([...known.mentions]);
    }, [key, text, ready, mentions, files, set, setMentions]);
}
