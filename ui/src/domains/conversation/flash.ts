// A message that a link leads to is brought into sight and marked for a moment.

import { useEffect, type RefObject } from "react";

/** How long it takes until a turn far away is drawn and its steps are unfolded, in frames. */
const FRAMES = 60;
const MARKED_MS = 2_400;

export interface Anchor {
    /** A run or turn. */
    turn: string;
    step: string | undefined;
}

/** `run` or `run/step`, as it stands in an address. */
export function anchorOf(message: string | undefined): Anchor | undefined {
    if (message === undefined || message === "") return undefined;
    const at = message.indexOf("/");
    return at < 0
        ? { turn: message, step: undefined }
        : { turn: message.slice(0, at), step: message.slice(at + 1) || undefined };
}

function mark(element: HTMLElement): void {
    // Colour alone changes: nothing moves, whatever the person wants of motion.
    element.animate?.(
        [
            { backgroundColor: "var(--needs-soft)" },
            { backgroundColor: "var(--needs-soft)", offset: 0.6 },
            { backgroundColor: "transparent" },
        ],
        { duration: MARKED_MS, easing: "ease-out" },
    );
}

/** Marks the message once it is drawn. `there`: its turn is known. */
export function useFlash(scroller: RefObject<HTMLElement | null>, message: string | undefined, there: boolean): void {
    useEffect(() => {
        const anchor = anchorOf(message);
        if (anchor === undefined || !there) return;
        let frame = 0;
        let tries = 0;
        const look = () => {
            tries += 1;
            const turn = [...(scroller.current?.querySelectorAll<HTMLElement>("[data-turn]") ?? [])].find(
                (each) => each.dataset["turn"] === anchor.turn,
            );
            const drawn = turn !== undefined && turn.childElementCount > 0;
            const step =
                anchor.step === undefined
                    ? undefined
                    : [...(turn?.querySelectorAll<HTMLElement>("[data-step]") ?? [])].find(
                          (each) => each.dataset["step"] === anchor.step,
                      );
            // A step that stands nowhere by itself is the answer: the turn is marked.
            if ((!drawn || (anchor.step !== undefined && step === undefined)) && tries < FRAMES) {
                frame = requestAnimationFrame(look);
                return;
            }
            step?.scrollIntoView({ block: "center" });
            const found = step ?? turn;
            if (found !== undefined) mark(found);
        };
        frame = requestAnimationFrame(look);
        return () => cancelAnimationFrame(frame);
    }, [scroller, message, there]);
}
