// The line to the core, of which there is one.

import { httpTransport } from "./http";
import { tauriTransport } from "./tauri";
import type { CommandName, Params, Result, Shell, Transport } from "./transport";
import { windowWorkspace } from "./workspace";

/** Commands that are for no workspace in particular: they answer also where the window's own is gone. */
const ELSEWHERE = /^(workspace|settings|config|app|job|vault)_/;

let transport: Transport | undefined;

function line(): Transport {
    transport ??= "__TAURI_INTERNALS__" in globalThis ? tauriTransport() : httpTransport();
    return transport;
}

/** For tests: another line. */
export function setTransport(other: Transport | undefined): void {
    transport = other;
}

/** Asks the core. Rejects with a `Failure` that carries the `Problem`. */
export function call<N extends CommandName>(name: N, params: Params<N>): Promise<Result<N>> {
    const workspace = ELSEWHERE.test(name) ? undefined : windowWorkspace();
    return line().call(name, params, workspace);
}

export const listen: Transport["listen"] = (onEvents, onConnection) => line().listen(onEvents, onConnection);

/** Tries the line again at once. */
export function reconnect(): void {
    line().reconnect();
}

/** What only the desktop window can do; undefined in a browser. */
export function shell(): Shell | undefined {
    return line().shell;
}

/** Opens a web address outside of the window: in the person's browser. */
export async function openOutside(url: string): Promise<void> {
    const own = shell();
    if (own !== undefined) return own.openUrl(url);
    window.open(url, "_blank", "noopener,noreferrer");
}
