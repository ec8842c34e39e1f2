import { useAtomValue } from "jotai";

import { lazyPart } from "@/shared";

import { editorAtom } from "./open";

const ThemeEditor = lazyPart(() => import("./ThemeEditor").then((part) => part.ThemeEditor));

/** The editor of themes, while one is open: once, high in the tree. */
export function ThemeEditing() {
    const open = useAtomValue(editorAtom);
    if (open === undefined) return null;
    return <ThemeEditor key={JSON.stringify(open.place)} open={open} />;
}
