// How the window reaches the core: through the shell, or over loopback from a browser.

import type { ApiEvent, Commands } from "./generated";

export type CommandName = keyof Commands;
export type Params<N extends CommandName> = Commands[N]["params"];
export type Result<N extends CommandName> = Commands[N]["result"];

/** How the line to the core stands. */
export interface Connection {
    state: "connecting" | "connected" | "reconnecting" | "lost" | "refused";
    /** Attempts since it broke. */
    attempt: number;
    /** What to do about it, once that is known. */
    advice?: string;
}

/** What only the desktop shell can do. */
export interface Shell {
    /** Opens a web address in the person's browser. */
    openUrl: (url: string) => Promise<void>;
    /** Shows a file or folder with the program that the desktop has for it. */
    openPath: (path: string) => Promise<void>;
    /** Asks for files or a folder; empty when nothing was chosen. */
    pickPaths: (what: "files" | "folder") => Promise<string[]>;
    /** Tells that the window can be used, and whether it is dark: the next one begins in that colour. */
    ready: (dark: boolean) => Promise<void>;
    /** Opens a window of its own for a workspace, or brings the one that it has to the front. */
    openWindow: (workspace: string) => Promise<void>;
    /** Ends the program; runs under way are stored first. */
    quit: () => Promise<void>;
    /** Links that open something in the window, cold ones included: a path of the router such as `/session/…`. */
    onLink: (handler: (path: string) => void) => () => void;
    /** Files that were dropped on the window. */
    onDrop: (handler: (paths: string[]) => void) => () => void;
    /** How many files are being dragged over the window; 0 once they have left. */
    onDrag: (handler: (count: number) => void) => () => void;
    /** The program ends as soon as runs under way are stored. */
    onClosing: (handler: (closing: boolean) => void) => () => void;
}

export interface Transport {
    /** `workspace`: the one that the command is for; without it the person's current one. */
    call: <N extends CommandName>(name: N, params: Params<N>, workspace?: string) => Promise<Result<N>>;
    /** Starts the stream of events; batches of at most 50 ms. */
    listen: (onEvents: (events: ApiEvent[]) => void, onConnection: (connection: Connection) => void) => void;
    /** Tries again at once, where the line is broken. */
    reconnect: () => void;
    shell?: Shell;
}
