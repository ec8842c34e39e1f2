// Parts that no first screen shows: their code comes when they are drawn, or before that, once the window is at rest.

import { Suspense, lazy, useState, type ComponentType, type ReactNode } from "react";

const parts = new Set<() => Promise<unknown>>();

/**
 * A component whose code is loaded apart from the window's start.
 * `waiting` stands in its place until it is there, perhaps made of what it is given; after `preloadParts` it is drawn at once.
 */
export function lazyPart<P extends object>(
    load: () => Promise<ComponentType<P>>,
    waiting: ReactNode | ((props: P) => ReactNode) = null,
): ComponentType<P> {
    let loaded: ComponentType<P> | undefined;
    const fetch = async () => {
        try {
            loaded ??= await load();
        } catch (thrown) {
            // React keeps a failure for good: what is drawn next begins with another one.
            Lazy = lazy(fetch);
            throw thrown;
        }
        return { default: loaded };
    };
    parts.add(fetch);
    let Lazy = lazy(fetch);
    return function LazyPart(props: P) {
        // What began as one component stays it: its state would be lost with a change.
        const [Part] = useState<ComponentType<P>>(() => loaded ?? Lazy);
        return (
            <Suspense fallback={typeof waiting === "function" ? waiting(props) : waiting}>
                <Part {...props} />
            </Suspense>
        );
    };
}

/** Loads what `lazyPart` has left out so far, one part after the other. What can't be loaded now is tried again when it is drawn. */
export async function preloadParts(): Promise<void> {
    for (const part of parts) await part().catch(() => {});
}
