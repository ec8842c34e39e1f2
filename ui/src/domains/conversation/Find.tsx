// Finding words in a session: counted in what is loaded, marked where they stand, gone to one by one.

import { useCallback, useEffect, useMemo, useRef, useState, type RefObject } from "react";

import { readOnce, type TurnView } from "@/backend";
import { plainText, useDebounced } from "@/shared";

import "./find.css";
import type { Entry } from "./turns";

const MARKS = "found";
const CURRENT = "found-now";
/** Beyond this many nobody goes through them. */
const MAX_HITS = 5_000;

/** Documents of runs and reports of missions as they are read, by entry. */
export type Documents = ReadonlyMap<string, string>;

function textsOf(entry: Entry, documents: Documents): { open: string[]; folded: string[] } {
    if (entry.turn !== undefined) return ofTurn(entry.turn);
    const document = documents.get(entry.id);
    const folded = document === undefined ? [] : [document];
    if (entry.run !== undefined) return { open: [entry.run.request], folded };
    // What a mission is after is its heading; until that is known, what was asked.
    const { objective, request } = entry.mission;
    return { open: [objective === "" ? request : objective], folded };
}

/** Reads what the loaded runs and missions wrote, while words are looked for. */
function useDocuments(entries: readonly Entry[], shown: boolean): Documents {
    const [documents, setDocuments] = useState<Documents>(new Map());
    const asked = useRef(new Map<string, number>());
    useEffect(() => {
        if (!shown) return;
        for (const { id, run, mission } of entries) {
            const seq = run?.seq ?? 0;
            if ((run === undefined && mission === undefined) || asked.current.get(id) === seq) continue;
            asked.current.set(id, seq);
            const text =
                run === undefined
                    ? readOnce("mission_report", { mission: id })
                    : readOnce("run_document", { run: { id } }).then((document) => document?.markdown ?? null);
            text.then(
                (markdown) =>
                    markdown !== null &&
                    setDocuments((before) => new Map(before).set(id, markdown.split("\n").map(plainText).join("\n"))),
                // What can't be read can't be shown either.
                () => asked.current.delete(id),
            );
        }
    }, [entries, shown]);
    return documents;
}

function ofTurn({ message, head, steps }: TurnView): { open: string[]; folded: string[] } {
    const folded = steps.flatMap((step) =>
        step.kind === "model"
            ? [step.text]
            : step.kind === "tool"
              ? [step.title, step.intent]
              : step.kind === "notice"
                ? [step.text]
                : step.kind === "steering"
                  ? [step.message.text]
                  : [],
    );
    return { open: [message.text, head.answer ?? "", ...head.notes], folded };
}

function countIn(text: string, wanted: string): number {
    const lower = text.toLowerCase();
    let count = 0;
    for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + wanted.length)) count += 1;
    return count;
}

export interface Hit {
    entry: string;
    /** Its number within the entry. */
    nth: number;
    folded: boolean;
}

/** Every place where the words stand, in the order of the page. Letters' cases don't count. */
export function hitsIn(entries: readonly Entry[], query: string, documents: Documents = new Map()): Hit[] {
    const wanted = query.toLowerCase();
    if (wanted === "") return [];
    const hits: Hit[] = [];
    for (const entry of entries) {
        const { open, folded } = textsOf(entry, documents);
        const [seen, hidden] = [open, folded].map((texts) =>
            texts.reduce((sum, text) => sum + countIn(text, wanted), 0),
        ) as [number, number];
        for (let nth = 0; nth < seen + hidden && hits.length < MAX_HITS; nth += 1)
            hits.push({ entry: entry.id, nth, folded: hidden > 0 });
    }
    return hits;
}

/** The words' ranges in what is drawn. */
function rangesIn(root: Element, wanted: string): Range[] {
    const found: Range[] = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        if (node.parentElement?.closest(".sr-only, button[aria-label], textarea") !== null) continue;
        const text = (node.textContent ?? "").toLowerCase();
        for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
            const range = document.createRange();
            range.setStart(node, at);
            range.setEnd(node, Math.min(node.textContent?.length ?? 0, at + wanted.length));
            found.push(range);
        }
    }
    return found;
}

const painter = () =>
    typeof CSS !== "undefined" && "highlights" in CSS && typeof Highlight !== "undefined" ? CSS.highlights : undefined;

function paint(all: readonly Range[], current: Range | undefined): void {
    const highlights = painter();
    if (highlights !== undefined) {
        highlights.set(MARKS, new Highlight(...all.filter((range) => range !== current)));
        highlights.set(CURRENT, current === undefined ? new Highlight() : new Highlight(current));
    } else if (current !== undefined) {
        // An older engine has no highlights: its selection shows where the words are.
        const selection = getSelection();
        selection?.removeAllRanges();
        selection?.addRange(current);
    }
}

function unpaint(): void {
    painter()?.delete(MARKS);
    painter()?.delete(CURRENT);
}

export interface Find {
    shown: boolean;
    query: string;
    /** Whether there may be more hits than these. */
    hasMore: boolean;
    hits: readonly Hit[];
    at: number;
    /** The entry whose folded part is looked into. */
    inside: string | undefined;
    field: RefObject<HTMLInputElement | null>;
    open: () => void;
    close: () => void;
    setQuery: (query: string) => void;
    step: (by: 1 | -1) => void;
}

/** How long an entry may take to be drawn before its place is looked for, in frames. */
const FRAMES = 30;

export function useFind(
    entries: readonly Entry[],
    scroller: RefObject<HTMLDivElement | null>,
    toTurn: (id: string) => void,
): Find {
    const [shown, setShown] = useState(false);
    const [query, setQuery] = useState("");
    const [at, setAt] = useState(0);
    const field = useRef<HTMLInputElement>(null);
    const opener = useRef<Element | null>(null);
    const wanted = useDebounced(query, 120).trim().toLowerCase();
    const documents = useDocuments(entries, shown);
    const hits = useMemo(() => (shown ? hitsIn(entries, wanted, documents) : []), [shown, entries, wanted, documents]);
    const place = hits.length === 0 ? -1 : Math.min(at, hits.length - 1);
    const hit = hits[place];
    const entry = hit?.entry;
    const nth = hit?.nth ?? 0;
    // The page is looked through once what is near has been drawn.
    useEffect(() => {
        const box = scroller.current;
        if (!shown || box === null || wanted === "") {
            unpaint();
            return;
        }
        let frame = 0;
        let tries = 0;
        const look = () => {
            const section = [...box.querySelectorAll<HTMLElement>("[data-turn]")].find(
                (each) => each.dataset["turn"] === entry,
            );
            const own = section === undefined ? [] : rangesIn(section, wanted);
            if (entry !== undefined && own.length === 0 && tries < FRAMES) {
                if (tries === 0) toTurn(entry);
                tries += 1;
                frame = requestAnimationFrame(look);
                return;
            }
            const current = own[Math.min(nth, own.length - 1)];
            paint(rangesIn(box, wanted), current);
            const rect = current?.getBoundingClientRect();
            const frameRect = box.getBoundingClientRect();
            if (rect !== undefined && (rect.top < frameRect.top + 48 || rect.bottom > frameRect.bottom - 24))
                box.scrollTop += rect.top - frameRect.top - frameRect.height / 3;
        };
        frame = requestAnimationFrame(look);
        return () => cancelAnimationFrame(frame);
    }, [shown, wanted, entry, nth, scroller, toTurn]);
    useEffect(() => unpaint, []);
    const open = useCallback(() => {
        opener.current = document.activeElement;
        setShown(true);
        setAt(0);
        requestAnimationFrame(() => {
            field.current?.focus();
            field.current?.select();
        });
    }, []);
    const close = useCallback(() => {
        setShown(false);
        if (opener.current instanceof HTMLElement) opener.current.focus({ preventScroll: true });
    }, []);
    return {
        shown,
        query,
        hits,
        hasMore: hits.length >= MAX_HITS,
        at: place,
        inside: shown && hit?.folded === true ? hit.entry : undefined,
        field,
        open,
        close,
        setQuery: (next) => {
            setQuery(next);
            setAt(0);
        },
        step: (by) => hits.length > 0 && setAt((place + by + hits.length) % hits.length),
    };
}
