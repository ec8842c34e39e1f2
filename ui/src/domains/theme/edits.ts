// What is edited: both sides of a theme, with a way back for every step.

import { fixed, fixedAll, type ColourName, type Sides } from "@/shared";

export type Side = "light" | "dark";

export interface Editing {
    name: string;
    sides: Sides;
    /** Where it began; for "Reset". */
    start: Sides;
    past: readonly Sides[];
    future: readonly Sides[];
    /** What the last step changed: the next change of the same goes with it. */
    touched: string | undefined;
}

export type EditingEvent =
    | { do: "name"; name: string }
    | { do: "colour"; side: Side; colour: ColourName; value: string | undefined }
    | { do: "fix"; side: Side; colour: Exclude<ColourName, "background" | "paper" | "navigator" | "input" | "popover"> }
    | { do: "fix_all" }
    | { do: "settle" }
    | { do: "undo" }
    | { do: "redo" }
    | { do: "reset" };

/** How many steps can be taken back. */
const STEPS = 200;

export function beginEditing(name: string, sides: Sides): Editing {
    return { name, sides, start: sides, past: [], future: [], touched: undefined };
}

export function edit(state: Editing, event: EditingEvent): Editing {
    const step = (sides: Sides, touched?: string): Editing => {
        if (same(sides, state.sides)) return state;
        const goesOn = touched !== undefined && touched === state.touched;
        return {
            ...state,
            sides,
            past: goesOn ? state.past : [...state.past, state.sides].slice(-STEPS),
            future: [],
            touched,
        };
    };
    switch (event.do) {
        case "name":
            return { ...state, name: event.name };
        case "colour": {
            const side = { ...state.sides[event.side] };
            if (event.value !== undefined) side[event.colour] = event.value;
            else if (
                event.colour === "paper" ||
                event.colour === "navigator" ||
                event.colour === "input" ||
                event.colour === "popover"
            )
                delete side[event.colour];
            return step({ ...state.sides, [event.side]: side }, `${event.side} ${event.colour}`);
        }
        case "fix": {
            const side = fixed(state.sides[event.side], event.colour);
            return side === undefined ? state : step({ ...state.sides, [event.side]: side });
        }
        case "fix_all":
            return step({ light: fixedAll(state.sides.light), dark: fixedAll(state.sides.dark) });
        case "settle":
            return { ...state, touched: undefined };
        case "undo": {
            const before = state.past.at(-1);
            return before === undefined
                ? state
                : {
                      ...state,
                      sides: before,
                      past: state.past.slice(0, -1),
                      future: [state.sides, ...state.future],
                      touched: undefined,
                  };
        }
        case "redo": {
            const [next, ...later] = state.future;
            return next === undefined
                ? state
                : { ...state, sides: next, past: [...state.past, state.sides], future: later, touched: undefined };
        }
        case "reset":
            return step(state.start);
    }
}

export function same(a: Sides, b: Sides): boolean {
    const text = (side: Sides["light"]) => JSON.stringify(Object.entries(side).sort(([x], [y]) => (x < y ? -1 : 1)));
    return text(a.light) === text(b.light) && text(a.dark) === text(b.dark);
}
