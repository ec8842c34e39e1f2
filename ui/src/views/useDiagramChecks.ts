// Diagrams that the core has this page check: the code that draws them runs here alone.

import { useEffect } from "react";

import { call, useEvents } from "@/backend";
import { diagramProblem } from "@/shared/markdown/check";

/** Offers this page for checks, again after the connection was lost, and answers those that it is asked. */
export function useDiagramChecks(): void {
    useEffect(offer, []);
    useEvents((events) => {
        for (const event of events) {
            if (event.event === "lagged") offer();
            if (event.event === "diagram") void answer(event.value.id, event.value.text);
        }
    });
}

function offer(): void {
    // A core that can't be reached asks for nothing.
    call("diagram_offer", null).catch(() => {});
}

async function answer(id: string, text: string): Promise<void> {
    const problem = await diagramProblem(text);
    await call("diagram_answer", { id, problem }).catch(() => {});
}
