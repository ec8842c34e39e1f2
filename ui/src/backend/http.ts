// Over loopback, for a browser: commands as POST ./api, events over a WebSocket at ./events. The token comes with the address that
// `agentnative serve` prints, in the fragment, which browsers send to nobody.

import type { ApiEvent } from "./generated";
import { Failure, toProblem } from "./problem";
import type { CommandName, Connection, Params, Result, Transport } from "./transport";

const KEY = "token";
const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 8_000;
/** Browsers let requests of at most 64 KiB outlive their page; a character takes up to three bytes. */
const KEEPALIVE = 20_000;
/** After this many attempts the person is told what to do. */
const LOST_AFTER = 4;
/** The line was closed because the token is not the one of the program that runs now. */
const WRONG_TOKEN = 1_008;
const TOKEN_ADVICE =
    "This address has no token, or one of an earlier start. Open the address that `agentnative serve` printed last, in this tab: typed text stays.";
const ADVICE =
    "The core has stopped. Stored data is kept. Start `agentnative serve` again and open the printed address.";

/** Takes the token out of the address, so that it is in no history and no screenshot. */
export function takeToken(): string {
    const found = /[#&]token=([^&]+)/.exec(location.hash)?.[1];
    if (found !== undefined) {
        sessionStorage.setItem(KEY, decodeURIComponent(found));
        history.replaceState(null, "", `${location.pathname}${location.search}#/`);
    }
    return sessionStorage.getItem(KEY) ?? "";
}

export function httpTransport(base = "."): Transport {
    let token = takeToken();
    let socket: WebSocket | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let attempt = 0;
    let onEvents: (events: ApiEvent[]) => void = () => {};
    let onConnection: (connection: Connection) => void = () => {};

    const later = () => {
        attempt += 1;
        onConnection(
            attempt >= LOST_AFTER ? { state: "lost", attempt, advice: ADVICE } : { state: "reconnecting", attempt },
        );
        clearTimeout(timer);
        timer = setTimeout(connect, Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)));
    };
    const connect = () => {
        clearTimeout(timer);
        const address = new URL(`${base}/events`, location.href);
        address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
        address.hash = "";
        const line = new WebSocket(address);
        socket = line;
        line.onopen = () => line.send(JSON.stringify({ hello: { token } }));
        line.onmessage = (message: MessageEvent<string>) => {
            if (line !== socket) return;
            const told: unknown = JSON.parse(message.data);
            // The first word means that the token was right.
            if (attempt > 0 || told === "welcome") onConnection({ state: "connected", attempt: 0 });
            attempt = 0;
            if (Array.isArray(told)) onEvents(told as ApiEvent[]);
        };
        line.onclose = ({ code }) => {
            if (line !== socket) return;
            if (code === WRONG_TOKEN) onConnection({ state: "refused", attempt: 1, advice: TOKEN_ADVICE });
            else later();
        };
    };

    // The address of a later start, opened in this tab, changes nothing but the fragment: the page stays, with what was typed in it.
    addEventListener("hashchange", ({ oldURL }) => {
        if (!/[#&]token=/.test(location.hash)) return;
        token = takeToken();
        history.replaceState(null, "", oldURL);
        attempt = 0;
        socket?.close();
        connect();
    });

    return {
        async call<N extends CommandName>(name: N, params: Params<N>, workspace?: string): Promise<Result<N>> {
            let answer: Response;
            try {
                const body = JSON.stringify({
                    command: name,
                    ...(params !== null && { params }),
                    ...(workspace !== undefined && { workspace }),
                });
                answer = await fetch(`${base}/api`, {
                    method: "POST",
                    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
                    body,
                    // What is stored while the page goes away arrives all the same.
                    keepalive: name === "draft_save" && body.length <= KEEPALIVE,
                });
            } catch {
                throw new Failure({
                    code: "source",
                    message: "The AgentNative server does not respond.",
                    retryable: true,
                    action: "Start `agentnative serve` again.",
                });
            }
            const text = await answer.text();
            let body: unknown;
            try {
                body = text === "" ? null : JSON.parse(text);
            } catch {
                body = text;
            }
            if (!answer.ok)
                throw new Failure(
                    toProblem(
                        body === null || body === "" ? `The server responded with status ${answer.status}.` : body,
                    ),
                );
            return (body as { ok: Result<N> }).ok;
        },
        listen(events, connection) {
            onEvents = events;
            onConnection = connection;
            connection({ state: "connecting", attempt: 0 });
            connect();
        },
        reconnect() {
            attempt = 0;
            const before = socket;
            connect();
            before?.close();
        },
    };
}
