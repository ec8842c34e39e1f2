import { useEffect, useRef, useState, useSyncExternalStore, type RefObject } from "react";

/** The name of the program, for pages without one of their own. */
const PROGRAM = "AgentNative";

/** Names the browser's tab after what is shown, as long as it is shown. */
export function useTitle(name: string | undefined): void {
    useEffect(() => {
        if (name === undefined || name.trim() === "") return;
        document.title = `${name} \u00b7 ${PROGRAM}`;
        return () => {
            document.title = PROGRAM;
        };
    }, [name]);
}

/** Whether a media query holds. */
export function useMediaQuery(query: string): boolean {
    const subscribe = (listener: () => void) => {
        const list = matchMedia(query);
        list.addEventListener("change", listener);
        return () => list.removeEventListener("change", listener);
    };
    return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}

/** A clock for the whole window: it ticks only while somebody looks at it, and not while nobody sees the window. */
function clock(ms: number) {
    const watchers = new Set<() => void>();
    let ticking: ReturnType<typeof setInterval> | undefined;
    let now = 0;
    const read = () => Math.floor(Date.now() / ms) * ms;
    return {
        watch: (listener: () => void): (() => void) => {
            watchers.add(listener);
            if (ticking === undefined) {
                now = read();
                ticking = setInterval(() => {
                    if (document.hidden) return;
                    now = read();
                    watchers.forEach((each) => each());
                }, ms);
            }
            return () => {
                watchers.delete(listener);
                if (watchers.size > 0) return;
                clearInterval(ticking);
                ticking = undefined;
            };
        },
        now: () => (ticking === undefined ? read() : now),
    };
}

const seconds = clock(1_000);
/** Nothing that counts in minutes needs to wake the window every second. */
const slow = clock(15_000);
const never = () => () => {};

/** Milliseconds since 1970, to the second; still while `active` is false. */
export function useNow(active = true): number {
    return useSyncExternalStore(active ? seconds.watch : never, seconds.now);
}

/** A word or number that depends on the time, looked at every 15 seconds; draws anew only when it changes. */
export function useOverTime<T extends string | number>(of: (now: number) => T): T {
    return useSyncExternalStore(slow.watch, () => of(slow.now()));
}

/** The last midnight, in milliseconds since 1970. */
export function useToday(): number {
    return useOverTime((now) => new Date(now).setHours(0, 0, 0, 0));
}

/** Milliseconds since `since`, counting by seconds; 0 without it. With `until` it stands still. */
export function useElapsed(since: number | undefined, until?: number): number {
    const current = useNow(since !== undefined && until === undefined);
    return since === undefined ? 0 : Math.max(0, (until ?? current) - since);
}

/** The value, at most every `ms`; the last one always arrives. */
export function useThrottled<T>(value: T, ms: number): T {
    const [shown, setShown] = useState(value);
    const latest = useRef(value);
    const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
    useEffect(() => {
        latest.current = value;
        timer.current ??= setTimeout(() => {
            timer.current = undefined;
            setShown(latest.current);
        }, ms);
    }, [value, ms]);
    useEffect(() => () => clearTimeout(timer.current), []);
    return shown;
}

/** The value once it has stood still for `ms`: for a search while typing. */
export function useDebounced<T>(value: T, ms: number): T {
    const [settled, setSettled] = useState(value);
    useEffect(() => {
        const timer = setTimeout(() => setSettled(value), ms);
        return () => clearTimeout(timer);
    }, [value, ms]);
    return settled;
}

/** When a letter was last typed into a field: who types goes on typing. */
let typed = Number.NEGATIVE_INFINITY;
const TYPES_MS = 1_500;
if (typeof window !== "undefined") {
    window.addEventListener(
        "keydown",
        (event) => event.key.length === 1 && isField(event.target) && (typed = event.timeStamp),
        { capture: true },
    );
}

function isField(target: EventTarget | null): target is HTMLTextAreaElement | HTMLInputElement {
    return target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
}

/** Whether the person writes something, or has something open. A field that is empty is only waited in. */
function isAtWork(active: Element | null): boolean {
    if (isField(active)) return active.value !== "" || performance.now() - typed < TYPES_MS;
    return (
        active !== null && active.closest("[contenteditable], [role=dialog], [role=alertdialog], [role=menu]") !== null
    );
}

/** Whether letters go somewhere: into a field, even an empty one, or to the list of sessions. */
function takesLetters(active: Element | null): boolean {
    return isField(active) || isAtWork(active) || (active?.closest("[data-pane=list]") ?? null) !== null;
}

/**
 * Focuses an element once the condition holds. Politely: not while the person is at work elsewhere. Cautiously, for what a letter
 * decides: not while letters go anywhere else.
 */
export function useFocusWhen(
    element: RefObject<HTMLElement | null>,
    when: boolean,
    manner: "always" | "polite" | "cautious" = "always",
): void {
    useEffect(() => {
        const { activeElement } = document;
        const stays =
            (manner === "polite" && isAtWork(activeElement)) || (manner === "cautious" && takesLetters(activeElement));
        if (when && !stays) element.current?.focus({ preventScroll: true });
    }, [element, when, manner]);
}

/** Whether the focus is inside of an element. */
function useFocusInside(element: RefObject<HTMLElement | null>): boolean {
    const subscribe = (listener: () => void) => {
        document.addEventListener("focusin", listener);
        // What loses the focus to nothing tells of it before the focus is gone.
        const left = () => setTimeout(listener);
        document.addEventListener("focusout", left);
        return () => {
            document.removeEventListener("focusin", listener);
            document.removeEventListener("focusout", left);
        };
    };
    return useSyncExternalStore(subscribe, () => element.current?.contains(document.activeElement) ?? false);
}

/** So long after a question appeared a letter was not meant for it, in milliseconds. */
const UNSEEN_MS = 500;

/**
 * For a card that letters answer: it takes the focus when it asks, unless letters go elsewhere. `inside`: whether they go to it.
 * `meant`: what a key does, once the person can have seen the question.
 */
export function useLetters(
    card: RefObject<HTMLElement | null>,
    asks: boolean,
): { inside: boolean; meant: (act: () => void) => () => void } {
    useFocusWhen(card, asks, "cautious");
    const inside = useFocusInside(card);
    const since = useRef(Number.POSITIVE_INFINITY);
    useEffect(() => {
        since.current = asks ? performance.now() : Number.POSITIVE_INFINITY;
    }, [asks]);
    const meant = (act: () => void) => () => {
        if (performance.now() - since.current >= UNSEEN_MS) act();
    };
    return { inside, meant };
}

/** State that the browser profile remembers under a key. */
export function useRemembered<T>(key: string, initial: T): [T, (value: T) => void] {
    const read = () => {
        try {
            const kept = localStorage.getItem(key);
            return kept === null ? initial : (JSON.parse(kept) as T);
        } catch {
            return initial;
        }
    };
    const [state, setState] = useState(() => ({ key, value: read() }));
    // Another key is something else: nothing of the one before is shown.
    const now = state.key === key ? state : { key, value: read() };
    if (now !== state) setState(now);
    const { value } = now;
    const remember = (next: T) => {
        setState({ key, value: next });
        try {
            localStorage.setItem(key, JSON.stringify(next));
        } catch {
            // Storage is full or off: it holds for this window.
        }
    };
    return [value, remember];
}
