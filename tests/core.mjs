// Speaks to the core of a running program as a second process does: lines of JSON over loopback, after the token.

import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";

import { until } from "./lib.mjs";

/** A connection to the core behind a data directory. */
export class Core {
    /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
    #waiting = new Map();
    #next = 1;
    #rest = "";
    /** @type {any[]} what happened, as surfaces are told */
    events = [];
    /** Whether it has gone away. */
    closed = false;

    /** @param {import("node:net").Socket} socket */
    constructor(socket) {
        this.socket = socket;
        socket.setEncoding("utf8").on("data", (text) => this.#heard(String(text)));
        socket.on("close", () => {
            this.closed = true;
            this.#waiting.forEach(({ reject }) => reject(new Error("the core has gone away")));
        });
        socket.on("error", () => undefined);
    }

    /**
     * @param {string} home the data directory
     * @param {number} [ms]
     */
    static async of(home, ms = 15_000) {
        /** @type {Core | undefined} */
        let core;
        await until(async () => (core = await Core.#attempt(home)) !== undefined, ms);
        if (core === undefined) throw new Error(`no core answers for ${home}`);
        return core;
    }

    /** @returns {Promise<Core | undefined>} */
    static async #attempt(/** @type {string} */ home) {
        let card;
        try {
            card = JSON.parse(readFileSync(join(home, "instance.json"), "utf8"));
        } catch {
            return undefined;
        }
        const socket = connect(card.port, "127.0.0.1");
        const core = new Core(socket);
        const connected = await new Promise((resolve) => {
            socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
        });
        if (!connected) return undefined;
        socket.write(`${JSON.stringify({ hello: { token: card.token } })}\n`);
        return core;
    }

    #heard(/** @type {string} */ text) {
        const lines = (this.#rest + text).split("\n");
        this.#rest = lines.pop() ?? "";
        for (const line of lines) {
            const frame = JSON.parse(line);
            if (frame.event !== undefined) this.events.push(frame.event);
            const { id, result } = frame.response ?? {};
            const waiting = this.#waiting.get(id);
            this.#waiting.delete(id);
            if (waiting === undefined) continue;
            if (result.Ok !== undefined) waiting.resolve(result.Ok.value ?? null);
            else waiting.reject(Object.assign(new Error(result.Err.message), { problem: result.Err }));
        }
    }

    /**
     * Carries out a command of the api.
     * @param {string} command
     * @param {object} [params]
     * @returns {Promise<any>}
     */
    call(command, params) {
        const id = this.#next++;
        const request = params === undefined ? { command } : { command, params };
        return new Promise((resolve, reject) => {
            this.#waiting.set(id, { resolve, reject });
            this.socket.write(`${JSON.stringify({ request: { id, request } })}\n`);
        });
    }

    /** The newest run's state, or that of one. */
    run(/** @type {string | undefined} */ id = undefined) {
        return this.call("run_show", { run: id === undefined ? "last" : { id }, events_after: null, outputs: false });
    }

    /**
     * A run that was just started: its state, as soon as it is stored.
     * @param {string} id
     * @returns {Promise<any>}
     */
    async begun(id) {
        /** @type {any} */
        let state;
        await until(async () => (state = await this.run(id).catch(() => undefined)) !== undefined, 10_000);
        return state;
    }

    /** @returns {Promise<any[]>} runs, newest first */
    async runs() {
        return (await this.call("run_list", { limit: 100, agent: null, status: null, before: null })).runs;
    }

    end() {
        this.socket.destroy();
    }
}
