import { useAtomValue } from "jotai";
import { Suspense, lazy } from "react";

import { editorAtom } from "./open";

const ThemeEditor = lazy(() => import("./ThemeEditor").then((part) => ({ default: part.ThemeEditor })));

/** The editor of themes, while one is open: once, high in the tree. */
export function ThemeEditing() {
    const open = useAtomValue(editorAtom);
    if (open === undefined) return null;
    return (
        <Suspense fallback={null}>
            <ThemeEditor key={JSON.stringify(open.place)} open={open} />
        </Suspense>
    );
}
