// A line to no core, for tests: what it is asked is kept, what it answers is told beforehand.

import { setTransport } from "./client";
import { startEvents } from "./events";
import type { ApiEvent } from "./generated";
import { forget } from "./query";
import { forgetRuns } from "./run-events";
import type { CommandName, Connection, Transport } from "./transport";

export interface MockTransport {
    /** Every command that was asked, in order. */
    asked: { name: CommandName; params: unknown }[];
    /** What a command is answered: a value, or a function of its parameters that may throw. */
    answers: Partial<{ [N in CommandName]: unknown }>;
    tell: (...events: ApiEvent[]) => void;
    connection: (connection: Connection) => void;
}

const core: MockTransport = { asked: [], answers: {}, tell: () => {}, connection: () => {} };

const transport: Transport = {
    call(name, params) {
        core.asked.push({ name, params });
        const answer = core.answers[name];
        // A test knows what it answers.
        return Promise.resolve().then(
            () => (typeof answer === "function" ? (answer as (params: unknown) => unknown)(params) : answer) as never,
        );
    },
    listen(onEvents, onConnection) {
        core.tell = (...events) => onEvents(events);
        core.connection = onConnection;
        onConnection({ state: "connected", attempt: 0 });
    },
    reconnect() {},
};

/** Sets the line up, with nothing asked and nothing answered. */
export function mockTransport(): MockTransport {
    setTransport(transport);
    startEvents();
    forget();
    forgetRuns();
    core.asked = [];
    core.answers = {};
    return core;
}
