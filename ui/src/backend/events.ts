// The stream of events, given to whoever wants it.

import { useEffect, useRef } from "react";

import { listen } from "./client";
import { connectionAtom, setConnection } from "./connection";
import type { ApiEvent } from "./generated";
import { getDefaultStore } from "jotai";

type Handler = (events: ApiEvent[]) => void;

const handlers = new Set<Handler>();
let listening = false;

/** Tells every batch. The order of subscription is the order of telling. */
export function onEvents(handler: Handler): () => void {
    handlers.add(handler);
    return () => handlers.delete(handler);
}

function publish(events: ApiEvent[]): void {
    handlers.forEach((handler) => handler(events));
}

/** Starts the stream, once, when the window starts. */
export function startEvents(): void {
    if (listening) return;
    listening = true;
    let broken = false;
    listen(publish, (connection) => {
        setConnection(connection);
        if (connection.state === "reconnecting" || connection.state === "lost") broken = true;
        // What was told meanwhile is lost: everybody reads again what they show.
        if (connection.state === "connected" && broken) {
            broken = false;
            publish([{ event: "lagged" }]);
        }
    });
}

/** Events for as long as the component is there. */
export function useEvents(handler: Handler): void {
    const latest = useRef(handler);
    useEffect(() => {
        latest.current = handler;
    });
    useEffect(() => onEvents((events) => latest.current(events)), []);
}

/** Whether events arrive now. */
export function connected(): boolean {
    return getDefaultStore().get(connectionAtom).state === "connected";
}
