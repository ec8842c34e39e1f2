// A client of our MCP servers that knows nothing but lines of JSON on standard input and output.

import assert from "node:assert/strict";

import { jsonLines, until } from "./lib.mjs";

const MODERN = "2026-07-28";
export const LEGACY = "2025-11-25";

export class Client {
    id = 0;

    /**
     * @param {import("./lib.mjs").Place} place
     * @param {string[]} args of `agentnative mcp`
     * @param {import("./lib.mjs").StartOptions} [options]
     */
    constructor(place, args, options = {}) {
        this.server = place.start(["mcp", ...args], { ...options, open: true });
    }

    /** @param {string} line */
    raw(line) {
        this.server.say(`${line}\n`);
    }

    /**
     * @param {string} method
     * @param {any} [params]
     * @returns {Promise<any>} the answer with this request's id
     */
    async ask(method, params = {}) {
        this.id += 1;
        const id = this.id;
        this.raw(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
        let found;
        const whole = () => this.server.stdout.slice(0, this.server.stdout.lastIndexOf("\n") + 1);
        const answered = await until(
            () =>
                (found = jsonLines(whole()).find((message) => message.id === id)) !== undefined ||
                this.server.end !== undefined,
            20_000,
        );
        assert.ok(
            answered && found !== undefined,
            `no answer to ${method}: ${this.server.stdout.slice(-500)} ${this.server.stderr}`,
        );
        return found;
    }

    /** The old handshake. */
    async initialize() {
        const answer = await this.ask("initialize", {
            protocolVersion: LEGACY,
            capabilities: {},
            clientInfo: { name: "lines", version: "1" },
        });
        this.raw(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
        return answer.result;
    }

    /**
     * @param {string} method
     * @param {any} [params]
     * @returns {Promise<any>}
     */
    modern(method, params = {}) {
        const meta = {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { name: "lines", version: "1" },
        };
        return this.ask(method, { ...params, _meta: meta });
    }

    /** Ends its input; the server has to end by itself. */
    async close() {
        this.server.child.stdin.end();
        assert.ok(await until(() => this.server.end !== undefined, 10_000), "end-of-file does not end it");
        assert.equal(this.server.end?.code, 0, this.server.stderr);
        jsonLines(this.server.stdout).forEach((message) =>
            assert.equal(message.jsonrpc, "2.0", "only messages are on standard output"),
        );
    }
}

/**
 * How clients of each era greet, with how they ask afterwards.
 * @type {[string, (client: Client) => Promise<(method: string, params?: any) => Promise<any>>][]}
 */
export const ERAS = [
    [
        `${LEGACY} (initialize)`,
        async (client) => {
            const greeted = await client.initialize();
            assert.equal(greeted.protocolVersion, LEGACY);
            assert.ok(greeted.capabilities.tools && greeted.serverInfo.name);
            return (method, params) => client.ask(method, params);
        },
    ],
    [
        `${MODERN} (server/discover)`,
        async (client) => {
            const { result, error } = await client.modern("server/discover");
            assert.equal(error, undefined, JSON.stringify(error));
            assert.ok(JSON.stringify(result).includes(MODERN), JSON.stringify(result));
            return (method, params) => client.modern(method, params);
        },
    ],
];

/** Lines that are no requests. */
export const GARBAGE = ["not json", "{", "[]", "null", '{"jsonrpc":"2.0"}', `"${"x".repeat(100_000)}"`];

/** @param {any} answer of `tools/call` */
export function value(answer) {
    assert.equal(answer.error, undefined, JSON.stringify(answer.error));
    assert.notEqual(answer.result.isError, true, JSON.stringify(answer.result.content));
    return answer.result.structuredContent ?? JSON.parse(answer.result.content[0].text);
}
