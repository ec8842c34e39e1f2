// Sources and the web search from the terminal, against servers on this machine.

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";

import { Place, QUESTION, document } from "./lib.mjs";

const KEY = "canary-7319-of-the-desk";

/**
 * A service that notes what it is asked and answers everything alike.
 * @param {import("node:test").TestContext} context
 * @param {object} answer
 */
async function service(context, answer) {
    /** @type {{ url: string, headers: import("node:http").IncomingHttpHeaders }[]} */
    const asked = [];
    const server = createServer((request, response) => {
        asked.push({ url: request.url ?? "", headers: request.headers });
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
    context.after(() => server.close());
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    return { asked, base: `http://127.0.0.1:${address.port}` };
}

test("a source is added from a form, given its secret, tested and removed", async (context) => {
    const place = Place.for(context);
    const { asked, base } = await service(context, {});
    const open = await place.run(["source", "add", "vault", "--preset", "azure-ai-search", "--yes"]);
    assert.match(open.stderr, /\/api\/baseUrl: replace the placeholder/);

    const added = await place.do([
        "source",
        "add",
        "find",
        "--preset",
        "Brave Search",
        "--set",
        `/api/baseUrl=${base}/`,
        "--yes",
    ]);
    assert.match(added.stdout, /find: needs_auth, missing: API key \(header X-Subscription-Token\)/);
    assert.match(added.stdout, /agentnative source secret find apikey/);
    const given = await place.do(["source", "secret", "find"], { input: KEY });
    assert.match(given.stdout, /^find: idle/m);
    await place.do(["source", "test", "find"]);
    assert.equal(asked.at(-1)?.headers["x-subscription-token"], KEY);
    const all = (await place.do(["source", "test", "--all"])).stdout;
    assert.match(all, /^works +find {2}[^]*^works +isa-knowledge-base {2}\d+ tools/m);

    await place.do(["source", "remove", "find", "--yes"]);
    assert.doesNotMatch((await place.do(["secrets", "show"])).stdout, /source\/find/);
});

test("a server of another program's configuration becomes a source, and its secret leaves the file", async (context) => {
    const place = Place.for(context);
    const file = join(place.work, "mcp.json");
    const there = { command: "node", args: ["server.js"], env: { API_KEY: KEY, LEVEL: "debug" } };
    writeFileSync(file, JSON.stringify({ mcpServers: { There: there } }));
    await place.do(["source", "add", "--file", file, "--yes"]);
    const shown = JSON.parse((await place.do(["source", "show", "there", "--json"])).stdout);
    assert.equal(shown.config.mcp.env.API_KEY, "${secret:API_KEY}");
    assert.deepEqual([shown.secrets[0].present, shown.secrets[0].unbound], [true, false]);
    assert.doesNotMatch(JSON.stringify(shown), new RegExp(KEY));
});

test("settings of other programs become sources, whatever their notation, and nothing of them starts", async (context) => {
    const place = Place.for(context);
    const started = join(place.work, "started");
    const program = ["-e", `require("fs").writeFileSync(${JSON.stringify(started)}, "")`];
    const quoted = JSON.stringify(program);
    const files = {
        "mcp.json": `\ufeff{ // of an editor
            "inputs": [{ "type": "promptString", "id": "key", "description": "The key", "password": true }],
            "servers": {
                "asked": { "command": "node", "args": ${quoted}, "env": { "API_KEY": "\${input:key}" } },
                "opened": { "command": "node", "args": ["\${workspaceFolder}/s.js"] }, /* comma: */
            },
        }`,
        "settings.json": `{ "context_servers": { "zed": { "command": { "path": "node", "args": ${quoted}, "env": { "TOKEN": "${KEY}" } } }, }, }`,
        "opencode.jsonc": `{ "mcp": { "local": { "type": "local", "command": ["node"], "environment": { "B": "c" }, "enabled": false } } }`,
        "config.toml": `model = "x"\n[mcp_servers.far]\nurl = "http://127.0.0.1:9/mcp"\nbearer_token_env_var = "FAR"\n`,
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(place.work, name), text);
    const add = (/** @type {string} */ name) =>
        place.do(["source", "add", "--file", join(place.work, name), "--all", "--yes"]);
    const asked = await add("mcp.json");
    assert.match(asked.stderr, /API_KEY is to be given: what its program asks for as key: The key/);
    assert.match(asked.stdout, /opened:\nleft out: opened can't be a source here: an argument takes the folder/);
    await add("settings.json");
    assert.match((await add("opencode.jsonc")).stderr, /switched off in the other program/);
    assert.match((await add("config.toml")).stderr, /bearer is to be given: the environment variable FAR/);
    const again = await add("settings.json");
    assert.match(again.stdout, /left out: there is a source zed, and it stays as it is/);
    const shown = async (/** @type {string} */ slug) =>
        JSON.parse((await place.do(["source", "show", slug, "--json"])).stdout);
    const zed = await shown("zed");
    assert.deepEqual([zed.config.mcp.env.TOKEN, zed.secrets[0].present], ["${secret:TOKEN}", true]);
    assert.equal((await shown("far")).config.mcp.authType, "bearer");
    const kept = (/** @type {string} */ slug) =>
        readFileSync(join(place.data, "workspaces/default/sources", slug, "config.json"), "utf8");
    assert.deepEqual(JSON.parse(kept("local")).mcp.env, { B: "c" });
    assert.doesNotMatch(kept("zed"), new RegExp(KEY), "the secret is in the vault alone");
    assert.equal(existsSync(started), false, "nothing was started");
});

test("what can't be a source or one of its secrets is told with its place and what to do", async (context) => {
    const place = Place.for(context);
    const [two, huge] = [join(place.work, "two.json"), join(place.work, "huge.json")];
    writeFileSync(two, JSON.stringify({ mcpServers: { one: { command: "a" }, other: { command: "b" } } }));
    writeFileSync(huge, " ".repeat((8 << 20) + 1));
    await place.do(["source", "add", "here", "--yes", "--", "node", "server.js"]);
    await place.do(["source", "add", "there", "--url", "http://127.0.0.1:9/mcp", "--auth", "bearer", "--yes"]);
    for (const [args, input, said] of /** @type {[string[], string, RegExp][]} */ ([
        [["source", "add", "--file", two, "--yes"], "", /names the servers one, other[^]*source add one --file/],
        [["source", "add", "--file", huge, "--yes"], "", /huge\.json: it has more than 8388608 bytes/],
        [["source", "add", "Bad Slug", "--yes", "--", "a"], "", /\/slug[^]*give another name/],
        [["source", "add", "x", "--url", "http://127.0.0.1:9/", "--env", "A=b", "--yes"], "", /--env/],
        [["source", "secret", "here"], KEY, /source here wants no secret/],
        [["source", "secret", "there", "token"], KEY, /source there has no secret token[^]*it has bearer/],
        [["source", "secret", "there"], "k".repeat((64 << 10) + 1), /more than 65536 bytes/],
        [["secrets", "put", "web-search/searxng"], "search.example", /must begin with https:[^]*such as/],
        [["secrets", "put", "web-search/other"], KEY, /no secret of the name web-search\/other[^]*web-search\/brave/],
    ])) {
        const refused = await place.run(args, { input });
        assert.equal(refused.code, 2, `${args.join(" ")}: ${refused.stderr}`);
        assert.match(refused.stderr, said, args.join(" "));
    }
    const kept = (await place.do(["secrets", "show"])).stdout;
    assert.doesNotMatch(kept, /source\/|web-search/, "nothing of it was stored");
});

test("the web search has its key from the vault, also where the key comes beside a running program", async (context) => {
    const place = Place.for(context);
    const page = { title: "A page", url: "https://page.example/", description: "Words." };
    const { asked, base } = await service(context, { web: { results: [page] } });
    const env = { BRAVE_API_KEY: "", AGENTNATIVE_BRAVE_URL: base };
    const server = place.start(["serve", "--json"], { env, seconds: 120 });
    await server.saw(/\}\n/);
    const call = ["source", "call", "isa-knowledge-base", "isa_web_search", '{"queries": ["audit evidence"]}'];
    assert.match((await place.do(call, { env })).stdout, /no web search is set up/);
    await place.do(["secrets", "put", "web-search/brave"], { input: KEY });
    const found = await place.do(call, { env });
    assert.match(found.stdout, /https:\/\/page\.example\//);
    assert.equal(asked.at(-1)?.headers["x-subscription-token"], KEY);
    assert.doesNotMatch(found.stdout + found.stderr, new RegExp(KEY));
    await place.do(["secrets", "remove", "web-search/brave"]);
    assert.match((await place.do(call, { env })).stdout, /no web search is set up/);
    server.kill("SIGTERM");
    await server.ended;
});

test("standards-research searches the web where it is told to, and a run says beforehand that none is set up", async (context) => {
    const place = Place.for(context);
    const page = {
        title: "Going concern",
        url: "https://page.example/",
        description: "Auditors assess going concern.",
    };
    const { asked, base } = await service(context, { web: { results: [page] } });
    const env = { BRAVE_API_KEY: "", AGENTNATIVE_BRAVE_URL: base };
    const run = (/** @type {string[]} */ agent, /** @type {string[]} */ ...more) =>
        place.do(["run", ...agent, "--corpus", "isa-primer", "--yes", ...more, QUESTION], { env });
    for (const agent of ["standards-research", "isa-deep-research"])
        assert.match((await run([agent])).stderr, /^No web search is set up: /m, agent);
    assert.doesNotMatch((await run(["isa-deep-research"], "--depth", "quick")).stderr, /web search is set up/);

    await place.do(["secrets", "put", "web-search/brave"], { input: KEY });
    const without = await run(["standards-research"]);
    assert.doesNotMatch(without.stderr, /web search is set up/);
    assert.doesNotMatch(document(without).markdown, /page\.example|did not run/);
    assert.deepEqual(asked, [], "nothing leaves the machine unless it is chosen");
    const answers = join(place.work, "answers.json");
    writeFileSync(answers, JSON.stringify([{ choice: "search" }]));
    const found = document(await run(["standards-research"], "--answers", answers));
    assert.match(found.markdown, /\[Going concern\]\(https:\/\/page\.example\/\)/);
    assert.ok(asked.length > 0);
});
