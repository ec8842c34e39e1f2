import { atom, getDefaultStore, useAtomValue } from "jotai";

import type { Connection } from "./transport";

/** How the line to the core stands. */
export const connectionAtom = atom<Connection>({ state: "connecting", attempt: 0 });

export function setConnection(connection: Connection): void {
    getDefaultStore().set(connectionAtom, connection);
}

export function useConnection(): Connection {
    return useAtomValue(connectionAtom);
}
