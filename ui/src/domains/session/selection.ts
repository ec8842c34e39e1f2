// Which sessions are picked. Pure: the list tells what was pressed.

export interface Picks {
    picked: ReadonlySet<string>;
    /** Where a range begins. */
    anchor: string | undefined;
    /** What was picked before the range began. */
    base: ReadonlySet<string>;
}

export const NOTHING: Picks = { picked: new Set(), anchor: undefined, base: new Set() };

export type PickEvent =
    | { do: "toggle"; session: string }
    /** All from where the range began to this one; `from` begins one. */
    | { do: "extend"; session: string; from: string | undefined; order: readonly string[] }
    | { do: "all"; order: readonly string[] }
    | { do: "none" };

export function pick(state: Picks, event: PickEvent): Picks {
    switch (event.do) {
        case "toggle": {
            const picked = new Set(state.picked);
            if (!picked.delete(event.session)) picked.add(event.session);
            return { picked, anchor: event.session, base: picked };
        }
        case "extend": {
            const anchor = state.anchor ?? event.from ?? event.session;
            const base = state.anchor === undefined ? state.picked : state.base;
            const [a, b] = [event.order.indexOf(anchor), event.order.indexOf(event.session)];
            // Where the range began is not loaded any more: it begins here.
            if (a < 0 || b < 0)
                return { picked: new Set([...state.picked, event.session]), anchor: event.session, base: state.picked };
            return {
                picked: new Set([...base, ...event.order.slice(Math.min(a, b), Math.max(a, b) + 1)]),
                anchor,
                base,
            };
        }
        case "all":
            return { picked: new Set(event.order), anchor: undefined, base: new Set() };
        case "none":
            return NOTHING;
    }
}
