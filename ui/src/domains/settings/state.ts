// Settings as a person sees them while changes are on their way: what is kept, with what was just chosen on top. A change that fails falls away again.

import type { Settings, SettingsPatch } from "@/backend";

export interface SettingsState {
    /** What the core keeps; undefined until it was read. */
    kept: Settings | undefined;
    /** Changes that the core has not confirmed, the oldest first. */
    pending: readonly { id: number; patch: SettingsPatch }[];
}

export const UNREAD: SettingsState = { kept: undefined, pending: [] };

export type SettingsEvent =
    | { do: "read"; settings: Settings }
    | { do: "choose"; id: number; patch: SettingsPatch }
    | { do: "keep"; id: number; settings: Settings }
    | { do: "revert"; id: number };

export function settle(state: SettingsState, event: SettingsEvent): SettingsState {
    const without = (id: number) => state.pending.filter((change) => change.id !== id);
    switch (event.do) {
        case "read":
            return { ...state, kept: event.settings };
        case "choose":
            return { ...state, pending: [...state.pending, { id: event.id, patch: event.patch }] };
        case "keep":
            return { kept: event.settings, pending: without(event.id) };
        case "revert":
            return { ...state, pending: without(event.id) };
    }
}

/** What is shown and applied. */
export function shown(state: SettingsState): Settings | undefined {
    const { kept, pending } = state;
    if (kept === undefined || pending.length === 0) return kept;
    return pending.reduce<Settings>((settings, { patch }) => ({ ...settings, ...given(patch) }), kept);
}

/** A patch without what it leaves alone. */
function given(patch: SettingsPatch): Partial<Settings> {
    return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== null && value !== undefined));
}

export const ZOOM = { least: 0.7, most: 1.6, step: 0.1 };

/** The next zoom in a direction, on whole tenths and within what the core takes. */
export function zoomed(zoom: number, steps: number): number {
    const next = Math.round((zoom + steps * ZOOM.step) * 10) / 10;
    return Math.min(ZOOM.most, Math.max(ZOOM.least, next));
}

/** What the other side of light and dark is, where the desktop's own choice counts for "system". */
export function otherMode(mode: Settings["mode"], desktopIsDark: boolean): "light" | "dark" {
    const dark = mode === "dark" || (mode === "system" && desktopIsDark);
    return dark ? "light" : "dark";
}
