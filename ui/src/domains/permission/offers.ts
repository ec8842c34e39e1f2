// Which key grants which offer. Pure.

import type { Offer } from "@/backend";

/** `y` takes the narrowest offer, `s` the first that holds for the session; by place in the list. */
export function keyOf(offers: readonly Offer[], index: number): "y" | "s" | undefined {
    if (index === 0) return "y";
    return index === offers.findIndex((offer, at) => at > 0 && offer.scope === "session") ? "s" : undefined;
}

export function offerOf(offers: readonly Offer[], key: "y" | "s"): number {
    return offers.findIndex((_, index) => keyOf(offers, index) === key);
}
