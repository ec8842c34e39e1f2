// The places of a document that cite: which of them the inspector shows, and the way to the next one.

const NOW = "data-now";

/** Marks the place whose citation is shown; without one, none is. */
export function markUse(use: Element | undefined): void {
    document.querySelectorAll(`[${NOW}]`).forEach((each) => each.removeAttribute(NOW));
    use?.setAttribute(NOW, "");
}

/** The places of a run's document that cite, in its order, and which of them is shown: -1 for none. */
export function usesOf(run: string): { uses: readonly HTMLElement[]; now: number } {
    const answer = [...document.querySelectorAll<HTMLElement>("[data-document]")].find(
        (each) => each.dataset["document"] === run,
    );
    const uses = [...(answer?.querySelectorAll<HTMLElement>("[data-cite], [data-note][role=button]") ?? [])];
    return { uses, now: uses.findIndex((use) => use.hasAttribute(NOW)) };
}

/** Shows what the next place cites, or the one before it; after the last comes the first. */
export function goToUse(run: string, by: 1 | -1): void {
    const { uses, now } = usesOf(run);
    const next = uses[(Math.max(now, by === 1 ? -1 : 0) + by + uses.length) % uses.length];
    next?.scrollIntoView({ block: "center" });
    next?.click();
}
