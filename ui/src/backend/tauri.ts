// Through the desktop shell. The only file that knows it.

import { Channel, invoke } from "@tauri-apps/api/core";

import type { ApiEvent } from "./generated";
import { Failure, toProblem } from "./problem";
import type { CommandName, Connection, Params, Result, Transport } from "./transport";

/** What the shell tells the window. */
interface ShellEvents {
    link: string;
    drag: number;
    drop: string[];
    closing: boolean;
}
type ShellEvent = { link: string } | { drag: number } | { drop: string[] } | { closing: boolean };
type Handlers = { [Name in keyof ShellEvents]: Set<(value: ShellEvents[Name]) => void> };

async function ask<T>(command: string, args?: Record<string, unknown>): Promise<T> {
    try {
        return await invoke<T>(command, args);
    } catch (thrown) {
        throw new Failure(toProblem(thrown));
    }
}

export function tauriTransport(): Transport {
    const handlers: Handlers = { link: new Set(), drag: new Set(), drop: new Set(), closing: new Set() };
    /** A link that came before anybody listened. */
    let early: string | undefined;
    let onEvents: (events: ApiEvent[]) => void = () => {};
    let onConnection: (connection: Connection) => void = () => {};
    let listeningToShell = false;

    const onShell = (event: ShellEvent) => {
        if ("link" in event) {
            if (handlers.link.size === 0) early = event.link;
            handlers.link.forEach((handler) => handler(event.link));
        } else if ("drag" in event) handlers.drag.forEach((handler) => handler(event.drag));
        else if ("drop" in event) handlers.drop.forEach((handler) => handler(event.drop));
        else handlers.closing.forEach((handler) => handler(event.closing));
    };
    const listenToShell = <Name extends keyof ShellEvents>(name: Name, handler: (value: ShellEvents[Name]) => void) => {
        handlers[name].add(handler);
        if (!listeningToShell) {
            listeningToShell = true;
            const channel = new Channel<ShellEvent>(onShell);
            // Without it links and drops don't arrive; everything else works.
            ask("shell_events", { channel }).catch((thrown: unknown) => console.error(toProblem(thrown).message));
        }
        return () => handlers[name].delete(handler);
    };
    const connect = () => {
        const channel = new Channel<ApiEvent[]>((batch) => onEvents(batch));
        ask("events", { channel }).then(
            () => onConnection({ state: "connected", attempt: 0 }),
            (thrown: unknown) =>
                onConnection({
                    state: "lost",
                    attempt: 1,
                    advice: `${toProblem(thrown).message} Close the window and start the program again. Stored data is kept.`,
                }),
        );
    };

    return {
        async call<N extends CommandName>(name: N, params: Params<N>, workspace?: string): Promise<Result<N>> {
            return ask<Result<N>>("call", {
                request: {
                    command: name,
                    ...(params !== null && { params }),
                    ...(workspace !== undefined && { workspace }),
                },
            });
        },
        listen(events, connection) {
            onEvents = events;
            onConnection = connection;
            connection({ state: "connecting", attempt: 0 });
            connect();
        },
        reconnect() {
            onConnection({ state: "reconnecting", attempt: 1 });
            // What kept the data directory from being opened may be gone.
            ask("reopen").then(connect, connect);
        },
        shell: {
            openUrl: (url) => ask("open_url", { url }),
            openPath: (path) => ask("open_path", { path }),
            pickPaths: (what) => ask("pick_paths", { what }),
            ready: (dark) => ask("ready", { dark }),
            openWindow: (workspace) => ask("open_window", { workspace }),
            quit: () => ask("quit"),
            onLink(handler) {
                const stop = listenToShell("link", handler);
                if (early !== undefined) handler(early);
                early = undefined;
                return stop;
            },
            onDrop: (handler) => listenToShell("drop", handler),
            onDrag: (handler) => listenToShell("drag", handler),
            onClosing: (handler) => listenToShell("closing", handler),
        },
    };
}
