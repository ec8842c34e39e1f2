// Who writes goes on writing: a composer that takes the place of another one takes its focus too.

import { useLayoutEffect, type RefObject } from "react";

/** So long the next composer may take to appear, in milliseconds. */
const APPEARS_MS = 5_000;

let left = Number.NEGATIVE_INFINITY;

/** The next composer that appears takes the focus, unless something else has it by then. */
export function writesOn(): void {
    left = performance.now();
}

/** Takes the focus over from the composer that stood here before. */
export function useWritingGoesOn(area: RefObject<HTMLTextAreaElement | null>): void {
    useLayoutEffect(() => {
        const field = area.current;
        const free = document.activeElement === null || document.activeElement === document.body;
        if (performance.now() - left < APPEARS_MS && free) field?.focus({ preventScroll: true });
        left = Number.NEGATIVE_INFINITY;
        return () => {
            if (field !== null && document.activeElement === field) writesOn();
        };
    }, [area]);
}
