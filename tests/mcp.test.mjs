// The knowledge server as any MCP client meets it: raw JSON-RPC over standard input and output, in both protocol eras, and over HTTP.

import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";

import { Place } from "./lib.mjs";
import { Client, ERAS, GARBAGE, LEGACY, value } from "./mcp-client.mjs";

const NAMES = [
    "isa_hybrid_search",
    "isa_gather",
    "isa_hop_retrieve",
    "isa_citation_verify",
    "isa_entity_verify",
    "isa_contradiction_check",
];

for (const [era, greet] of ERAS) {
    test(`a client of ${era} lists, searches and verifies, and end-of-file ends the server`, async (context) => {
        const place = Place.for(context);
        const client = new Client(place, ["knowledge"]);
        const ask = await greet(client);

        const { tools } = (await ask("tools/list")).result;
        const names = tools.map((/** @type {any} */ tool) => tool.name);
        for (const name of NAMES) assert.ok(names.includes(name), `${name} is not among ${names.join(", ")}`);
        for (const tool of tools) {
            assert.equal(tool.inputSchema.type, "object", tool.name);
            assert.ok(tool.description.length > 20, tool.name);
        }

        const found = value(
            await ask("tools/call", {
                name: "isa_hybrid_search",
                arguments: { query: "going concern assessment period", limit: 3 },
            }),
        );
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
        const verdicts = JSON.stringify(checked)
            .match(/"verdict":"\w+"/g)
            ?.map((word) => word.slice(11, -1));
        assert.deepEqual(verdicts?.slice(0, 3), ["verified", "missing", "quote_mismatch"]);

        const unknown = await ask("tools/call", { name: "isa_dance", arguments: {} });
        assert.ok(unknown.error !== undefined || unknown.result.isError === true, JSON.stringify(unknown));
        assert.match(JSON.stringify(unknown), /isa_dance/);
        for (const bad of [{ query: { words: 7 } }, { limit: 3 }, { query: "x", limit: "many" }]) {
            const answer = await ask("tools/call", { name: "isa_hybrid_search", arguments: bad });
            assert.ok(answer.error !== undefined || answer.result.isError === true, JSON.stringify(bad));
        }
        for (const garbage of GARBAGE) client.raw(garbage);
        assert.equal((await ask("tools/list")).result.tools.length, tools.length, "it still answers after garbage");

        await client.close();
        assert.deepEqual(place.processes(), []);
    });
}

test("a server for a base that does not exist says so", async (context) => {
    const place = Place.for(context);
    const client = new Client(place, ["knowledge", "--base", "nowhere"]);
    const greeted = await Promise.race([
        client.initialize().catch(() => undefined),
        client.server.ended.then(() => undefined),
    ]);
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

/** Every tool with arguments that make sense for the primer. @type {Record<string, any>} */
const CALLS = (() => {
    const quote = "A going concern assessment should match the risk";
    const claims = [{ text: `${quote}, as ISA 570 says.`, source_refs: ["(Primer 12.4)"] }];
    /** @type {Record<string, any>} by the general name; `isa_*` is the same without the base */
    const general = {
        kb_search: { query: "going concern", hops: 1, limit: 3 },
        kb_gather: {
            question: "going concern",
            queries: [{ query: "doubt, disclosure", targets: ["12.4", "ISA 570"] }],
            limit: 6,
        },
        kb_hop: { paragraph_id: "12.3", depth: 2 },
        kb_format_context: { paragraph_ids: ["12.3", "12.4"] },
        kb_verify_citations: { citations: [{ source_ref: "(Primer 12.4)", quote }] },
        kb_verify_entities: { claims },
        kb_verify_relations: { pairs: [{ from: "12.3", to: "12.7" }] },
        kb_check_contradictions: {
            claims: ["A going concern assessment must be signed by 2 partners."],
            paragraph_ids: ["12.4"],
        },
        kb_verify_answer: {
            synthesis: `“${quote}” (Primer 12.4).`,
            citations: [{ source_ref: "(Primer 12.4)", quote }],
        },
        kb_paragraph: { id: "12.4" },
        kb_outline: { query: "going concern" },
        kb_standards: {},
    };
    const bound = [
        "isa_hybrid_search",
        "isa_gather",
        "isa_hop_retrieve",
        "isa_format_context",
        "isa_citation_verify",
        "isa_entity_verify",
        "isa_relation_verify",
        "isa_contradiction_check",
        "isa_answer_verify",
        "isa_paragraph",
        "isa_outline",
        "isa_standards",
    ];
    const own = Object.values(general).map((args, index) => [bound[index], args]);
    const named = Object.entries(general).map(([name, args]) => [name, { ...args, base: "isa-primer" }]);
    return { ...Object.fromEntries([...own, ...named]), kb_list: {} };
})();

/**
 * Calls every tool that the server lists, once.
 * @param {(method: string, params?: any) => Promise<any>} ask
 */
async function callEach(ask) {
    const { tools } = (await ask("tools/list")).result;
    // The web search needs a key, and a network that is not this machine.
    const names = tools
        .map((/** @type {any} */ tool) => tool.name)
        .filter((/** @type {string} */ name) => !name.endsWith("web_search"));
    assert.deepEqual([...names].sort(), Object.keys(CALLS).sort());
    for (const tool of tools) {
        assert.equal(tool.outputSchema?.type, "object", tool.name);
        assert.deepEqual(
            [tool.annotations.readOnlyHint, tool.annotations.openWorldHint],
            [true, tool.name.endsWith("web_search")],
            tool.name,
        );
    }
    for (const name of names) {
        const found = value(await ask("tools/call", { name, arguments: CALLS[name] }));
        assert.ok(Object.keys(found).length > 0, name);
        for (const key of tools.find((/** @type {any} */ tool) => tool.name === name).outputSchema.required ?? []) {
            assert.ok(key in found, `${name} lacks ${key}`);
        }
    }
}

test("every tool of the list answers, and documents, paragraphs and prompts can be read", async (context) => {
    const place = Place.for(context);
    const client = new Client(place, ["knowledge"]);
    await client.initialize();
    const ask = (/** @type {string} */ method, /** @type {any} */ params = {}) => client.ask(method, params);
    await callEach(ask);
    const [document] = (await ask("resources/list")).result.resources;
    assert.equal(document.uri, "kb://isa-primer/documents/Primer");
    for (const uri of [document.uri, "kb://isa-primer/paragraphs/12.4"]) {
        const [content] = (await ask("resources/read", { uri })).result.contents;
        assert.match(content.text, /Primer/, uri);
    }
    assert.ok((await ask("resources/read", { uri: "kb://isa-primer/paragraphs/../../etc" })).error !== undefined);
    for (const prompt of (await ask("prompts/list")).result.prompts) {
        const given = Object.fromEntries(
            prompt.arguments
                .filter((/** @type {any} */ one) => one.required)
                .map((/** @type {any} */ one) => [one.name, "going concern"]),
        );
        const { messages } = (await ask("prompts/get", { name: prompt.name, arguments: given })).result;
        assert.match(JSON.stringify(messages), /going concern/, prompt.name);
    }
});

test("over HTTP the same tools answer whoever has the token, and no page of a browser", async (context) => {
    const place = Place.for(context);
    const server = place.start(["mcp", "knowledge", "--http"]);
    await server.saw(/\}\n/);
    const { url, token } = JSON.parse(server.stdout);
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    assert.ok(token.length >= 32);
    let id = 0;
    /**
     * @param {string} method
     * @param {any} params
     * @param {Record<string, string>} [headers] more, or others
     */
    const post = (method, params, headers) =>
        fetch(url, {
            method: "POST",
            headers: {
                authorization: `Bearer ${token}`,
                "content-type": "application/json",
                accept: "application/json, text/event-stream",
                "mcp-protocol-version": LEGACY,
                ...headers,
            },
            body: JSON.stringify({ jsonrpc: "2.0", id: (id += 1), method, params }),
        });
    await callEach(async (method, params = {}) => {
        const answer = await post(method, params);
        const text = await answer.text();
        assert.equal(answer.status, 200, text);
        const lines = text
            .split("\n")
            .filter((line) => line.startsWith("data: {"))
            .map((line) => line.slice(6));
        return JSON.parse(lines.at(-1) ?? text);
    });
    for (const { headers, status } of [
        { headers: { authorization: "" }, status: 401 },
        { headers: { authorization: `Bearer ${"0".repeat(token.length)}` }, status: 401 },
        { headers: { origin: "https://example.org" }, status: 403 },
        { headers: { origin: "null" }, status: 403 },
    ]) {
        const refused = await post("tools/list", {}, headers);
        assert.equal(refused.status, status, `${JSON.stringify(headers)}: ${await refused.text()}`);
    }
    assert.equal(await status(new URL(url), token, "evil.example"), 403, "a name that was made to point here");
    server.kill("SIGINT");
    const { code, late } = await server.ended;
    assert.deepEqual([code, late], [0, false]);
});

/**
 * The status of a request that names another host; `fetch` would not send that.
 * @param {URL} url
 * @param {string} token
 * @param {string} host
 * @returns {Promise<number | undefined>}
 */
function status(url, token, host) {
    return new Promise((resolve, reject) => {
        const headers = {
            host,
            authorization: `Bearer ${token}`,
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
        };
        const sent = request(url, { method: "POST", headers }, (answer) => {
            answer.resume();
            resolve(answer.statusCode);
        });
        sent.on("error", reject);
        sent.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }));
    });
}
