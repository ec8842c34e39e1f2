// A column of turns that only draws what is near, never jumps, and follows its end only while the reader is there.

import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";

/** How far outside of what is seen turns are drawn, in CSS pixels. */
const NEAR = 600;
/** How many turns on either side of the one in sight have an element of their own; the rest is one empty space. */
const AROUND = 30;
/** The height of a turn that was never drawn. */
export const UNSEEN = 240;
/** How near to the end counts as there. */
const END = 48;

interface Place {
    /** The turn at the upper edge, and how far it is scrolled past. */
    turn: string;
    offset: number;
    end: boolean;
}

const KEPT = "places";
/** Where each session was left; kept for the next start. */
const places = new Map<string, Place>(keptPlaces());

/** How many sessions are remembered for the next start, those left last. */
const MAX_PLACES = 100;

function keptPlaces(): [string, Place][] {
    try {
        const kept: unknown = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
        return Array.isArray(kept) ? (kept.filter(isPlace) as [string, Place][]) : [];
    } catch {
        return [];
    }
}

/** A function: it is needed while the module is being evaluated. */
function isPlace(entry: unknown): boolean {
    return (
        Array.isArray(entry) &&
        typeof entry[0] === "string" &&
        typeof entry[1] === "object" &&
        entry[1] !== null &&
        "turn" in entry[1] &&
        "offset" in entry[1] &&
        "end" in entry[1]
    );
}

/** Writes down where sessions were left: when one is left, and when the window may go away. */
export function keepPlaces(): void {
    try {
        localStorage.setItem(KEPT, JSON.stringify([...places].slice(-MAX_PLACES)));
    } catch {
        // Storage is full or off: it holds for this window.
    }
}

/** How long after a scroll places are written down, in milliseconds: a program that is killed says no goodbye. */
const KEPT_AFTER = 400;
let due: ReturnType<typeof setTimeout> | undefined;

function keepSoon(): void {
    clearTimeout(due);
    due = setTimeout(keepPlaces, KEPT_AFTER);
}

if (typeof window !== "undefined") window.addEventListener("pagehide", keepPlaces);

/** Notes where a session stands at this moment; those left last stand last. */
export function notePlace(session: string, place: Place): void {
    places.delete(session);
    places.set(session, place);
    keepSoon();
}

/** The turn that a session was left at, where that was not its end. */
export function placeOf(session: string): string | undefined {
    const place = places.get(session);
    return place?.end === false ? place.turn : undefined;
}

/** The turn at this height of the page. */
export function turnAt(ids: readonly string[], heights: ReadonlyMap<string, number>, top: number): string | undefined {
    let sum = 0;
    for (const id of ids) {
        sum += heights.get(id) ?? UNSEEN;
        if (sum > top) return id;
    }
    return ids[ids.length - 1];
}

export interface Column {
    scroller: RefObject<HTMLDivElement | null>;
    /** For each turn: `ref={column.turn(id)}`. */
    turn: (id: string) => (element: HTMLElement | null) => void;
    /** Whether the turn is drawn; otherwise its height is kept. */
    isNear: (id: string) => boolean;
    heightOf: (id: string) => number | undefined;
    /** The turns that have elements: the first, and the one after the last. */
    range: { from: number; to: number };
    /** Whether the end is in sight. */
    atEnd: boolean;
    toEnd: () => void;
    /** Brings an element to the upper edge, unless the reader went somewhere else. */
    follow: (element: HTMLElement) => void;
    /** Brings what waits for the reader into sight, as far as it fits from its beginning, unless the reader went somewhere else; without an element the end is followed again. */
    reveal: (element: HTMLElement | undefined) => void;
    /** Brings a turn to the upper edge. */
    toTurn: (id: string) => void;
    /** Keeps an element where it is while the column changes its width. */
    hold: (element: HTMLElement) => void;
}

/** How long an element is held, in milliseconds. */
const HELD = 1_000;

export function useColumn(session: string, ids: readonly string[], start: "end" | "last"): Column {
    const scroller = useRef<HTMLDivElement>(null);
    const elements = useRef(new Map<string, HTMLElement>());
    const heights = useRef(new Map<string, number>());
    const [near, setNear] = useState<ReadonlySet<string>>(() => {
        const kept = places.get(session);
        const at = kept === undefined ? ids.length - 1 : Math.max(0, ids.indexOf(kept.turn));
        return new Set(ids.slice(Math.max(0, at - 2), at + 4));
    });
    const [middle, setMiddle] = useState<string | undefined>(() => places.get(session)?.turn);
    const found = middle === undefined ? -1 : ids.indexOf(middle);
    const center = found < 0 ? ids.length - 1 : found;
    // A few more or less at a time: not every step of the wheel draws the page anew.
    const block = Math.floor(center / AROUND);
    const range = { from: Math.max(0, (block - 1) * AROUND), to: Math.min(ids.length, (block + 2) * AROUND) };
    const known = useRef(ids);
    useLayoutEffect(() => {
        known.current = ids;
    });
    /** A turn to go to as soon as it has an element. */
    const due = useRef<string>(undefined);
    const [atEnd, setAtEnd] = useState(true);
    /** Whether what is written at the end is followed. */
    const stuck = useRef(start === "end");
    /** Whether the reader went somewhere else on purpose. */
    const away = useRef(false);
    const held = useRef<{ element: HTMLElement; top: number; at: number }>(undefined);
    /** What this hook left the page at: a scroll to anywhere else is the reader's. */
    const left = useRef({ top: 0, height: 0 });
    const observers = useRef<{ sight: IntersectionObserver; size: ResizeObserver }>(undefined);

    const topOf = (element: HTMLElement) =>
        element.getBoundingClientRect().top - (scroller.current?.getBoundingClientRect().top ?? 0);
    const remember = useCallback(() => {
        const box = scroller.current;
        if (box === null) return;
        const end = box.scrollHeight - box.scrollTop - box.clientHeight <= END;
        const own = Math.abs(box.scrollTop - left.current.top) <= 1 || box.scrollHeight !== left.current.height;
        left.current = { top: box.scrollTop, height: box.scrollHeight };
        if (!own) {
            stuck.current = end;
            away.current = !end;
        } else if (end) away.current = false;
        setAtEnd(end);
        for (const [turn, element] of elements.current) {
            const top = topOf(element);
            if (top + element.offsetHeight > 0) {
                notePlace(session, { turn, offset: top, end });
                break;
            }
        }
        if (known.current.length > AROUND) setMiddle(turnAt(known.current, heights.current, box.scrollTop));
    }, [session]);

    useLayoutEffect(() => {
        const box = scroller.current;
        if (box === null) return;
        const idOf = (target: Element) => (target instanceof HTMLElement ? (target.dataset["turn"] ?? "") : "");
        const sight = new IntersectionObserver(
            (entries) =>
                setNear((before) => {
                    const after = new Set(before);
                    for (const entry of entries) {
                        if (entry.isIntersecting) after.add(idOf(entry.target));
                        else after.delete(idOf(entry.target));
                    }
                    return after.size === before.size && [...after].every((id) => before.has(id)) ? before : after;
                }),
            { root: box, rootMargin: `${NEAR}px 0px` },
        );
        const size = new ResizeObserver((entries) => {
            let above = 0;
            for (const { target } of entries) {
                const id = idOf(target);
                const height = (target as HTMLElement).offsetHeight;
                const before = heights.current.get(id);
                heights.current.set(id, height);
                // What changes above the page must not move the page.
                if (before !== undefined && before !== height && topOf(target as HTMLElement) + before <= 0)
                    above += height - before;
            }
            if (stuck.current) box.scrollTop = box.scrollHeight;
            else if (above !== 0) box.scrollTop += above;
            left.current = { top: box.scrollTop, height: box.scrollHeight };
            setAtEnd(box.scrollHeight - box.scrollTop - box.clientHeight <= END);
        });
        observers.current = { sight, size };
        let width = box.clientWidth;
        const frame = new ResizeObserver(() => {
            if (box.clientWidth === width) {
                // The field below grew or shrank: who read the end reads it still.
                if (stuck.current) box.scrollTop = box.scrollHeight;
                left.current = { top: box.scrollTop, height: box.scrollHeight };
                return;
            }
            width = box.clientWidth;
            const kept = held.current;
            if (kept === undefined || performance.now() - kept.at > HELD || !kept.element.isConnected) return;
            stuck.current = false;
            box.scrollTop += topOf(kept.element) - kept.top;
            left.current = { top: box.scrollTop, height: box.scrollHeight };
        });
        frame.observe(box);
        for (const element of elements.current.values()) {
            sight.observe(element);
            size.observe(element);
        }
        box.addEventListener("scroll", remember, { passive: true });
        return () => {
            box.removeEventListener("scroll", remember);
            keepPlaces();
            sight.disconnect();
            size.disconnect();
            frame.disconnect();
            observers.current = undefined;
        };
    }, [remember]);

    // The first page: where it was left, else at the newest question or the end.
    const placed = useRef(false);
    const [first] = ids;
    const seen = useRef({ first, height: 0 });
    useLayoutEffect(() => {
        const box = scroller.current;
        if (box === null || ids.length === 0) return;
        if (!placed.current) {
            placed.current = true;
            const kept = places.get(session);
            const target = elements.current.get(kept?.turn ?? "");
            const last = elements.current.get(ids[ids.length - 1] ?? "");
            if (kept !== undefined && !(kept.end && start === "end") && target !== undefined) {
                box.scrollTop += topOf(target) - kept.offset;
                stuck.current = false;
                away.current = !kept.end;
            } else if (start === "last" && last !== undefined) box.scrollTop += topOf(last);
            else box.scrollTop = box.scrollHeight;
            left.current = { top: box.scrollTop, height: box.scrollHeight };
            remember();
        } else if (seen.current.first !== first) {
            // Older turns came in above.
            box.scrollTop += box.scrollHeight - seen.current.height;
            left.current = { top: box.scrollTop, height: box.scrollHeight };
        }
        seen.current = { first, height: box.scrollHeight };
    });

    const refs = useRef(new Map<string, (element: HTMLElement | null) => void>());
    const turn = useCallback((id: string) => {
        let ref = refs.current.get(id);
        if (ref === undefined) {
            ref = (element) => {
                const before = elements.current.get(id);
                if (before !== undefined) {
                    observers.current?.sight.unobserve(before);
                    observers.current?.size.unobserve(before);
                    elements.current.delete(id);
                }
                if (element === null) return;
                elements.current.set(id, element);
                observers.current?.sight.observe(element);
                observers.current?.size.observe(element);
            };
            refs.current.set(id, ref);
        }
        return ref;
    }, []);
    // The order of turns is that of the page, also after older ones came in.
    useEffect(() => {
        const places = new Map(known.current.map((id, place) => [id, place]));
        const sorted = [...elements.current].sort(([a], [b]) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
        elements.current.clear();
        for (const [id, element] of sorted) elements.current.set(id, element);
    }, [first, ids.length, range.from, range.to]);

    const toEnd = useCallback(() => {
        const box = scroller.current;
        if (box === null) return;
        stuck.current = true;
        away.current = false;
        setMiddle(undefined);
        box.scrollTop = box.scrollHeight;
        left.current = { top: box.scrollTop, height: box.scrollHeight };
    }, []);
    const follow = useCallback((element: HTMLElement) => {
        const box = scroller.current;
        if (box === null || away.current) return;
        // It is read from its beginning: its end is not followed any more.
        stuck.current = false;
        box.scrollTop += topOf(element) - 16;
        left.current = { top: box.scrollTop, height: box.scrollHeight };
    }, []);
    const reveal = useCallback(
        (element: HTMLElement | undefined) => {
            const box = scroller.current;
            if (box === null || away.current) return;
            stuck.current = true;
            box.scrollTop = box.scrollHeight;
            left.current = { top: box.scrollTop, height: box.scrollHeight };
            if (element !== undefined && topOf(element) < 0) follow(element);
        },
        [follow],
    );
    const toTurn = useCallback((id: string) => {
        const box = scroller.current;
        const element = elements.current.get(id);
        if (box === null) return;
        if (element === undefined) {
            due.current = id;
            setMiddle(id);
            return;
        }
        stuck.current = false;
        box.scrollTop += topOf(element);
        left.current = { top: box.scrollTop, height: box.scrollHeight };
    }, []);
    useLayoutEffect(() => {
        const id = due.current;
        if (id === undefined || !elements.current.has(id)) return;
        due.current = undefined;
        toTurn(id);
    });
    const hold = useCallback((element: HTMLElement) => {
        held.current =
            scroller.current?.contains(element) === true
                ? { element, top: topOf(element), at: performance.now() }
                : undefined;
    }, []);
    return {
        scroller,
        turn,
        isNear: (id) => near.has(id),
        heightOf: (id) => heights.current.get(id),
        range,
        atEnd,
        toEnd,
        follow,
        reveal,
        toTurn,
        hold,
    };
}
