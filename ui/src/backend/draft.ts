// What is typed and not sent is kept by the core: it survives a reload, a crash and a change of window.

import { useCallback, useEffect, useMemo, useRef, useState } from "react";

import { call } from "./client";

/** Typing pauses of this length are when it is stored. */
const DEBOUNCE_MS = 300;

export interface DraftSaver {
    /** Keeps the text under the key, a moment later. */
    keep: (key: string, text: string) => void;
    /** Stores now what waits. */
    flush: () => void;
}

/** Stores texts once typing pauses; the newest of a key wins. Pure but for its clock. */
export function draftSaver(save: (key: string, text: string) => void, settle = DEBOUNCE_MS): DraftSaver {
    const waiting = new Map<string, string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = () => {
        clearTimeout(timer);
        timer = undefined;
        const due = [...waiting];
        waiting.clear();
        for (const [key, text] of due) save(key, text);
    };
    return {
        keep: (key, text) => {
            waiting.set(key, text);
            clearTimeout(timer);
            timer = setTimeout(flush, settle);
        },
        flush,
    };
}

/** Drafts whose storing has not been confirmed: a page that goes away takes its requests with it. */
const UNSURE = "drafts.unsure";

function unsure(): { [key: string]: string } {
    try {
        const kept: unknown = JSON.parse(localStorage.getItem(UNSURE) ?? "{}");
        return typeof kept === "object" && kept !== null ? (kept as { [key: string]: string }) : {};
    } catch {
        return {};
    }
}

function note(change: (known: { [key: string]: string }) => void): void {
    try {
        const known = unsure();
        change(known);
        if (Object.keys(known).length === 0) localStorage.removeItem(UNSURE);
        else localStorage.setItem(UNSURE, JSON.stringify(known));
    } catch {
        // Storage is full or off: the core has it a moment later.
    }
}

const drafts = draftSaver((key, text) => {
    note((known) => (known[key] = text));
    const sure = () => note((known) => known[key] === text && delete known[key]);
    // A draft that can't be stored stays on the page and in the browser's own storage.
    call("draft_save", { key, text }).then(sure, () => undefined);
});

if (typeof window !== "undefined") {
    window.addEventListener("blur", drafts.flush);
    window.addEventListener("pagehide", drafts.flush);
    document.addEventListener("visibilitychange", () => document.hidden && drafts.flush());
}

export interface DraftUse {
    /** What it is kept under. */
    key: string;
    text: string;
    /** Whether what was kept has been read. */
    ready: boolean;
    setText: (text: string) => void;
    /** Nothing is kept any more. */
    clear: () => void;
    /**
     * This was sent: it is kept no more. Gives what was typed after it meanwhile, which stays; or moves, with `to`, under another key.
     */
    sent: (text: string, to?: string) => string;
    /** For `onBlur`. */
    flush: () => void;
}

/** The draft under a key. What is typed before the kept one is read wins over it. */
export function useDraft(key: string): DraftUse {
    const [state, setState] = useState({ key, text: "", ready: false });
    const touched = useRef(false);
    const latest = useRef(state);
    useEffect(() => {
        latest.current = state;
    }, [state]);
    // Another key is another draft: its text shows nothing of the one before.
    if (state.key !== key) setState({ key, text: "", ready: false });
    useEffect(() => {
        touched.current = false;
        let gone = false;
        const show = (text: string) => {
            if (!gone)
                setState((before) =>
                    before.key !== key
                        ? before
                        : touched.current
                          ? { ...before, ready: true }
                          : { key, text, ready: true },
                );
        };
        call("draft_show", { key }).then(
            (draft) => {
                const lost = unsure()[key];
                if (lost !== undefined) drafts.keep(key, lost);
                show(lost ?? draft?.text ?? "");
            },
            () => show(unsure()[key] ?? ""),
        );
        return () => {
            gone = true;
            drafts.flush();
        };
    }, [key]);
    const setText = useCallback(
        (text: string) => {
            touched.current = true;
            setState((before) => ({ key, text, ready: before.ready }));
            drafts.keep(key, text);
        },
        [key],
    );
    const clear = useCallback(() => {
        touched.current = true;
        setState({ key, text: "", ready: true });
        drafts.keep(key, "");
        drafts.flush();
    }, [key]);
    const sent = useCallback(
        (text: string, to = key) => {
            const rest = restOf(latest.current.text, text);
            touched.current = true;
            setState({ key, text: to === key ? rest : "", ready: true });
            drafts.keep(key, "");
            if (rest !== "") drafts.keep(to, rest);
            drafts.flush();
            return rest;
        },
        [key],
    );
    return useMemo(
        () => ({ key, text: state.text, ready: state.ready, setText, clear, sent, flush: drafts.flush }),
        [key, state, setText, clear, sent],
    );
}

/** What stands in a field after a text that was sent from it. A field that holds something else was written anew. */
export function restOf(now: string, sent: string): string {
    if (now.trim() === sent.trim()) return "";
    const begin = now.trimStart();
    return begin.startsWith(sent.trim()) ? begin.slice(sent.trim().length).trimStart() : now;
}
