import { atom, getDefaultStore } from "jotai";

import type { ThemePlace } from "@/backend";

import { beginEditing, type Editing } from "./edits";

export interface OpenEditor {
    /** Where it goes when it is saved. */
    place: ThemePlace;
    editing: Editing;
    /** Of the file that is edited. */
    seen?: string | null;
    /** Told the id of the theme that was kept. */
    onKept: (id: string) => void;
}

/** The theme that is being edited, over whatever the window shows. */
export const editorAtom = atom<OpenEditor | undefined>(undefined);

export function openEditor(
    place: ThemePlace,
    name: string,
    sides: Editing["sides"],
    onKept: (id: string) => void,
    seen?: string | null,
): void {
    getDefaultStore().set(editorAtom, { place, editing: beginEditing(name, sides), onKept, seen });
}

export function closeEditor(): void {
    getDefaultStore().set(editorAtom, undefined);
}

/** Opens it as it was left. */
export function reopenEditor(open: OpenEditor): void {
    getDefaultStore().set(editorAtom, open);
}
