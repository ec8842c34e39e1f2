// The knowledge server as any MCP client meets it: raw JSON-RPC lines over standard input and output, in both protocol eras.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Place, jsonLines, until } from "./lib.mjs";

const MODERN = "2026-07-28";
const LEGACY = "2025-11-25";

/** A client that knows nothing but lines of JSON. */
class Client {
    id = 0;

    /**
     * @param {Place} place
     * @param {string[]} [args]
     */
    constructor(place, args = []) {
        this.server = place.start(["mcp", "knowledge", ...args], { open: true });
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
        const answered = await until(() => (found = jsonLines(whole()).find((message) => message.id === id)) !== undefined, 20_000);
        assert.ok(answered, `no answer to ${method}: ${this.server.stdout.slice(-500)} ${this.server.stderr}`);
        return found;
    }

    /** The old handshake. */
    async initialize() {
        const answer = await this.ask("initialize", { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: "lines", version: "1" } });
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
}

/** @param {any} answer of `tools/call` */
function value(answer) {
    assert.equal(answer.error, undefined, JSON.stringify(answer.error));
    assert.notEqual(answer.result.isError, true, JSON.stringify(answer.result.content));
    return answer.result.structuredContent ?? JSON.parse(answer.result.content[0].text);
}

const NAMES = ["isa_hybrid_search", "isa_hop_retrieve", "isa_citation_verify", "isa_entity_verify", "isa_contradiction_check"];
/** @type {[string, (client: Client) => Promise<(method: string, params?: any) => Promise<any>>][]} */
const ERAS = [
    [`${LEGACY} (initialize)`, async (client) => {
        const greeted = await client.initialize();
        assert.equal(greeted.protocolVersion, LEGACY);
        assert.ok(greeted.capabilities.tools && greeted.serverInfo.name);
        return (method, params) => client.ask(method, params);
    }],
    [`${MODERN} (server/discover)`, async (client) => {
        const { result, error } = await client.modern("server/discover");
        assert.equal(error, undefined, JSON.stringify(error));
        assert.ok(JSON.stringify(result).includes(MODERN), JSON.stringify(result));
        return (method, params) => client.modern(method, params);
    }],
];

for (const [era, greet] of ERAS) {
    test(`a client of ${era} lists, searches and verifies, and end-of-file ends the server`, async (context) => {
        const place = Place.for(context);
        const client = new Client(place);
        const ask = await greet(client);

        const { tools } = (await ask("tools/list")).result;
        const names = tools.map((/** @type {any} */ tool) => tool.name);
        for (const name of NAMES) assert.ok(names.includes(name), `${name} is not among ${names.join(", ")}`);
        for (const tool of tools) {
            assert.equal(tool.inputSchema.type, "object", tool.name);
            assert.ok(tool.description.length > 20, tool.name);
        }

        const found = value(await ask("tools/call", { name: "isa_hybrid_search", arguments: { query: "going concern assessment period", limit: 3 } }));
        assert.equal(found.hits.length, 3);
        const { id, text } = found.hits[0];
        assert.match(id, /^12\./);
        const quote = text.split(". ")[0];
        const ref = `(Primer ${id})`;
        const citations = [
            { source_ref: ref, quote, claim: quote },
            { source_ref: "(Primer 99.99)", quote, claim: quote },
            { source_ref: ref, quote: `${quote.slice(0, 20)} zebra ${quote.slice(20)}`, claim: quote },
        ];
        const checked = value(await ask("tools/call", { name: "isa_citation_verify", arguments: { citations } }));
        const verdicts = JSON.stringify(checked).match(/"verdict":"\w+"/g)?.map((word) => word.slice(11, -1));
        assert.deepEqual(verdicts?.slice(0, 3), ["verified", "missing", "quote_mismatch"]);

        const unknown = await ask("tools/call", { name: "isa_dance", arguments: {} });
        assert.ok(unknown.error !== undefined || unknown.result.isError === true, JSON.stringify(unknown));
        assert.match(JSON.stringify(unknown), /isa_dance/);
        for (const bad of [{ query: 7 }, { limit: 3 }, { query: "x", limit: "many" }]) {
            const answer = await ask("tools/call", { name: "isa_hybrid_search", arguments: bad });
            assert.ok(answer.error !== undefined || answer.result.isError === true, JSON.stringify(bad));
        }
        for (const garbage of ["not json", "{", "[]", "null", '{"jsonrpc":"2.0"}', `"${"x".repeat(100_000)}"`]) client.raw(garbage);
        assert.equal((await ask("tools/list")).result.tools.length, tools.length, "it still answers after garbage");

        client.server.child.stdin.end();
        assert.ok(await until(() => client.server.end !== undefined, 5_000), "end-of-file does not end it");
        assert.equal(client.server.end?.code, 0, client.server.stderr);
        assert.deepEqual(place.processes(), []);
        jsonLines(client.server.stdout).forEach((message) => assert.equal(message.jsonrpc, "2.0", "only messages are on standard output"));
    });
}

test("a server for a base that does not exist says so", async (context) => {
    const place = Place.for(context);
    const client = new Client(place, ["--base", "nowhere"]);
    const greeted = await Promise.race([client.initialize().catch(() => undefined), client.server.ended.then(() => undefined)]);
    if (greeted === undefined) {
        const ended = await client.server.ended;
        assert.notEqual(ended.code, 0);
        assert.match(ended.stderr, /nowhere/);
        return;
    }
    const answer = await client.ask("tools/call", { name: "kb_search", arguments: { query: "x" } });
    assert.match(JSON.stringify(answer), /nowhere/);
    assert.ok(answer.error !== undefined || answer.result.isError === true);
});
