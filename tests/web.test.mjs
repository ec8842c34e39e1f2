// The web over MCP and in the terminal, against a site on this machine: read once, kept, quoted, refreshed.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { basename, join } from "node:path";
import { test } from "node:test";

import { Core } from "./core.mjs";
import { HostileWeb, ORDER } from "./hostile-web.mjs";
import { PROGRAM, Place, jsonLines, until } from "./lib.mjs";
import { Client, ERAS } from "./mcp-client.mjs";
import { encryptedPdf, pdf as paper } from "./papers.mjs";
import { searchService } from "./search-service.mjs";

const PAGE = "<!doctype html><title>Tides</title><h1>Tides</h1><p>The tide rose 4.2 metres in May.</p>";

/** A site on this machine that counts what is asked of it. */
class Site {
    /** @type {string[]} */
    asked = [];

    /** @param {import("node:test").TestContext} context */
    static async for(context) {
        const site = new Site();
        const server = createServer((request, response) => {
            const path = String(request.url);
            site.asked.push(path);
            const send = (
                /** @type {number} */ status,
                /** @type {string} */ type,
                /** @type {string | Buffer} */ body,
                headers = {},
            ) => response.writeHead(status, { "content-type": type, connection: "close", ...headers }).end(body);
            if (path === "/page" && request.headers["if-none-match"] === '"1"') send(304, "text/html", "");
            else if (path === "/page") send(200, "text/html", PAGE, { etag: '"1"' });
            else if (path === "/paper.pdf") send(200, "application/octet-stream", PDF);
            else if (path === "/news") send(200, "text/plain", `Version ${site.times("/news")} of the news.`);
            else if (path === "/inside") send(302, "text/plain", "", { location: "http://169.254.169.254/latest/" });
            else if (path === "/away") send(302, "text/plain", "", { location: "https://unknown.example/" });
            else if (path === "/secret/x") send(200, "text/plain", "not for programs");
            else if (path === "/big.pdf")
                response
                    .writeHead(200, { "content-type": "application/pdf", "content-length": 101 << 20 })
                    .write("%PDF-1.4\n");
            else if (path === "/locked.pdf") send(200, "application/pdf", encryptedPdf());
            else if (path === "/slow.pdf")
                response.writeHead(200, { "content-length": PDF.length }).write(PDF.subarray(0, 200));
            else if (path === "/robots.txt") send(200, "text/plain", "User-agent: *\nDisallow: /secret\n");
            else send(404, "text/plain", "");
        });
        await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
        context.after(() => server.close());
        const address = server.address();
        assert.ok(address !== null && typeof address === "object");
        site.host = `127.0.0.1:${address.port}`;
        return site;
    }

    host = "";

    /** @param {string} path */
    url(path) {
        return `http://${this.host}${path}`;
    }

    /** @param {string} path */
    times(path) {
        return this.asked.filter((asked) => asked === path).length;
    }
}

const PDF = paper([["The first page speaks of ships."], ["The second page speaks of tides."]]);

/**
 * @param {(method: string, params?: any) => Promise<any>} ask
 * @returns {(name: string, args: object) => Promise<any>} the structured content of a call
 */
function caller(ask) {
    return async (name, args) => (await ask("tools/call", { name, arguments: args })).result.structuredContent;
}

for (const [era, greet] of ERAS) {
    test(`a client of ${era} reads a page and a PDF once, and checks quotes in them`, async (context) => {
        const place = Place.for(context);
        const site = await Site.for(context);
        const client = new Client(place, ["web", "--local", site.host]);
        const ask = await greet(client);
        const call = caller(ask);
        const { tools } = (await ask("tools/list")).result;
        assert.deepEqual(
            tools.map((/** @type {any} */ tool) => [tool.name, tool.annotations.readOnlyHint]),
            [
                "web_search",
                "web_fetch",
                "pdf_fetch",
                "library_search",
                "library_page",
                "library_verify",
                "academic_search",
            ].map((name) => [name, true]),
        );
        const page = await call("web_fetch", { url: site.url("/page") });
        assert.equal(page.cached, false);
        assert.equal(page.blocks[1].text, "The tide rose 4.2 metres in May.");
        const again = await call("web_fetch", { url: site.url("/page") });
        assert.equal(again.cached, true);
        assert.match(again.note, /^read on \d{4}-\d\d-\d\d; pass refresh: true/);
        assert.equal(site.times("/page"), 1);
        const refreshed = await call("web_fetch", { url: site.url("/page"), refresh: true });
        assert.deepEqual([refreshed.freshness, site.times("/page")], ["confirmed", 2]);

        // Read in a process of its own, as the program does with every document.
        const pdf = await call("pdf_fetch", { url: site.url("/paper.pdf") });
        assert.equal(pdf.source?.pages, 2, JSON.stringify(pdf));
        const { hits } = await call("library_search", { query: "tides second" });
        assert.deepEqual([hits[0].object, hits[0].page], [pdf.source.object, 2]);
        const quoted = await call("library_verify", {
            object: pdf.source.object,
            quote: "second page  speaks of tides",
        });
        assert.deepEqual([quoted.found, quoted.places[0].page], [true, 2]);
        const wrong = await call("library_verify", { object: pdf.source.object, quote: "second page speaks of ships" });
        assert.equal(wrong.found, false);

        // Each refusal is one row of the log, with its reason.
        const rows = () => {
            const log = readFileSync(join(place.data, "library", "log.jsonl"), "utf8");
            return jsonLines(log).map(({ kind, code, why, place }) => ({ kind, code, why, place }));
        };
        for (const [tool, path, code, why] of [
            ["web_fetch", "/inside", "private_address", /169\.254\.169\.254 is not on the public internet/],
            ["web_fetch", "/secret/x", "robots", /robots\.txt/],
            ["web_fetch", "/gone", "status", /404/],
            ["pdf_fetch", "/inside", "private_address", /169\.254\.169\.254/],
            ["pdf_fetch", "/secret/a.pdf", "robots", /robots\.txt/],
            ["pdf_fetch", "/page", "wrong_type", /is .*, not a PDF/],
            ["pdf_fetch", "/big.pdf", "too_large", /larger than/],
            ["pdf_fetch", "/locked.pdf", "unreadable", /password|encrypted/],
        ]) {
            const before = rows().length;
            const url = site.url(String(path));
            const { refusal, source } = await call(String(tool), { url });
            const added = rows().slice(before);
            assert.deepEqual([refusal?.code ?? "unreadable", refusal === undefined], [code, source !== undefined]);
            assert.deepEqual(
                added.map((row) => [row.kind, row.code, row.place]),
                [[refusal === undefined ? "fetched" : "refused", code, url]],
            );
            assert.match(added[0].why, /** @type {RegExp} */ (why));
        }
        assert.equal(site.times("/secret/x") + site.times("/secret/a.pdf"), 0);
        const unknown = await call("web_fetch", { url: site.url("/away") });
        assert.deepEqual(unknown.needs_approval, { host: "unknown.example" });
        // Off in strict, so nobody is asked.
        const science = await call("academic_search", { query: "tides" });
        assert.equal(science.refusal.code, "service_off");
        writeFileSync(join(place.data, "library", "policy.json"), "{");
        for (const name of ["web_fetch", "pdf_fetch"]) {
            const { refusal } = await call(name, { url: site.url("/paper.pdf") });
            assert.deepEqual([refusal.code, rows().at(-1)?.code], ["settings", "settings"], "nothing is fetched then");
        }
        await client.close();
    });
}

test("the terminal lists, shows, refreshes and cleans what was fetched, and decides about hosts", async (context) => {
    const place = Place.for(context);
    const site = await Site.for(context);
    const local = ["--local", site.host];
    const first = jsonLines((await place.do(["web", "refresh", site.url("/page"), ...local, "--json"])).stdout)[0];
    assert.equal(first.freshness, "fetched");
    const again = await place.do(["web", "refresh", site.url("/page"), ...local]);
    assert.match(again.stdout, /^confirmed +http/);
    const failed = await place.run(["web", "refresh", site.url("/inside"), ...local]);
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /169\.254\.169\.254 is not on the public internet/);

    const rows = jsonLines((await place.do(["web", "list", "--json"])).stdout);
    assert.deepEqual(
        rows.map((row) => [row.url, row.title]),
        [[site.url("/page"), "Tides"]],
    );
    assert.equal((await place.do(["web", "list", "nothing"])).stdout, "");
    const shown = await place.do(["web", "show", first.object]);
    assert.match(shown.stdout, /\[2\] The tide rose 4\.2 metres in May\./);
    const absent = await place.run(["web", "show", "https://example.org/"]);
    assert.deepEqual([absent.code, /not in the library/.test(absent.stderr)], [2, true]);

    const strict = await place.run(["web", "refresh", "https://unknown.example/"]);
    assert.match(strict.stderr, /unknown\.example needs approval.*agentnative web allow/s);
    const all = await place.run(["web", "allow", "*.com"]);
    assert.equal(all.code, 2);
    assert.match(all.stderr, /covers every host that ends with \.com: write com/);
    await place.do(["web", "allow", "example.org/reports"]);
    await place.do(["web", "block", "ads.example"]);
    await place.do(["web", "allow", "mistaken.example"]);
    await place.do(["web", "withdraw", "mistaken.example"]);
    await place.do(["web", "policy", "--set", "permissive"]);
    const policy = JSON.parse((await place.do(["web", "policy", "--json"])).stdout);
    assert.deepEqual(policy, { profile: "permissive", allow: ["example.org/reports"], block: ["ads.example"] });
    const blocked = await place.run(["web", "refresh", "https://www.ads.example/x", "--json"]);
    assert.equal(JSON.parse(blocked.stdout).code, "blocked");

    const log = jsonLines((await place.do(["web", "log", "--json"])).stdout);
    assert.deepEqual(
        log.map(({ kind, code }) => code ?? kind),
        [
            "fetched",
            "confirmed",
            "private_address",
            "needs_approval",
            "allowed",
            "blocked",
            "allowed",
            "withdrawn",
            "blocked",
        ],
    );
    await place.do(["web", "forget", site.url("/page")]);
    assert.match((await place.do(["web", "clean"])).stdout, /^removed: 0 addresses, 0 files/);
});

test("a mission asks about hosts whose pages it left out, and researches again once they are decided", async (context) => {
    const place = Place.for(context);
    // Its criteria are never met: something is left to be read.
    const rest = { successCriteria: { qualityScore: 100 }, constraints: { iterations: 2 }, pauses: ["plan", "hosts"] };
    place.profile("careful", { ...rest, agents: { allow: ["web-researcher"] } });
    const script = join(place.work, "script.json");
    writeFileSync(script, JSON.stringify({ answers: [] }));
    const found = await searchService(context, ["https://unknown.example/report"]);
    const env = { AGENTNATIVE_SCRIPT: script, ...found };
    await place.do(["permissions", "allow", "web-researcher"], { env });
    const start = ["mission", "start", "careful", "What is materiality?", "--connection", "scripted"];
    assert.equal((await place.run(start, { env })).code, 3, "it waits at its plan");
    // What another program left out meanwhile is no matter of the mission.
    const client = new Client(place, ["web"]);
    const [[, greet]] = ERAS;
    const call = caller(await greet(client));
    const refused = await call("web_fetch", { url: "https://another.example/report" });
    assert.equal(refused.needs_approval.host, "another.example");
    await client.close();

    const paused = await place.run(["mission", "steer", "last", "--proceed"], { env });
    assert.equal(paused.code, 3, paused.stderr);
    assert.match(paused.stderr, /Web hosts[^]*- unknown\.example/);
    assert.doesNotMatch(paused.stderr, /another\.example/);
    await place.do(["web", "block", "unknown.example"]);
    const done = jsonLines((await place.do(["mission", "resume", "last", "--json"], { env })).stdout).at(-1);
    assert.equal(done.exit, "completed");
    const journal = (await place.do(["mission", "journal"])).stdout;
    assert.match(
        journal,
        /neither allowed nor blocked were left out: unknown\.example[^]*repeat the research that needed their pages/,
    );
    assert.match(journal, /The pause was answered: [^]*Iteration 2 began/);
    assert.equal(journal.match(/ were left out: /g)?.length, 1);
});

test("a mission cites page and block of a paper, and leads to the bytes that were read", async (context) => {
    const place = Place.for(context);
    const site = await Site.for(context);
    mkdirSync(join(place.data, "library"), { recursive: true });
    writeFileSync(join(place.data, "library", "policy.json"), JSON.stringify({ local: [site.host] }));
    const rest = { successCriteria: { coverage: 0.5 }, constraints: { iterations: 1 } };
    place.profile("papers", { ...rest, agents: { allow: ["web-researcher"] } });
    const words = "The second page speaks of tides.";
    const read = {
        pages: [{ page: "1", kind: "primary" }],
        claims: [{ text: words, citations: [{ source: "1", quote: words }] }],
        gaps: [],
    };
    const script = join(place.work, "script.json");
    writeFileSync(
        script,
        JSON.stringify({ answers: [{ match: ["You read pages of the web"], times: 1, json: read }] }),
    );
    const env = { AGENTNATIVE_SCRIPT: script, ...(await searchService(context, [site.url("/paper.pdf")])) };
    await place.do(["permissions", "allow", "web-researcher"], { env });
    const ask = ["mission", "start", "papers", "What does the paper speak of?", "--connection", "scripted"];
    const { outcome } = jsonLines((await place.do([...ask, "--yes", "--json"], { env })).stdout).at(-1);
    assert.equal(outcome, "satisfied");
    const claim = ["mission", "graph", "last", "--claim", "c1"];
    const [{ citation, source }] = JSON.parse((await place.do([...claim, "--json"])).stdout).citations;
    assert.deepEqual([citation.page, citation.paragraph, citation.verdict], [2, "block 2", "verified"]);
    const shown = (await place.do(claim)).stdout;
    assert.match(shown, /^ {2}q1 \(.*, page 2, block 2\): The second page speaks of tides\.$/m);
    assert.ok(shown.includes(`\n      address  ${site.url("/paper.pdf")}\n      SHA-256  ${source.object}\n`), shown);
    assert.match((await place.do(["mission", "report"])).stdout, /\]: block 2 \(.*, page 2\): “The second page/);
    const bytes = join(place.data, "library", "objects", source.object.slice(0, 2), source.object);
    assert.deepEqual(readFileSync(bytes), PDF);

    // What was cited is shown as it was read, whatever stands at the address now.
    const fetched = async () =>
        jsonLines((await place.do(["web", "refresh", site.url("/news"), "--json"])).stdout)[0].object;
    const [first, second] = [await fetched(), await fetched()];
    const host = place.start(["serve", "--json"]);
    await host.saw(/"url"/);
    const core = await Core.of(place.data);
    const text = async (/** @type {string} */ url, block = 1) => {
        const { page, earlier, blocks } = await core.call("web_show", { url, block });
        return [page.sha256, earlier, blocks.at(-1).text];
    };
    assert.deepEqual(await text(source.object, 2), [source.object, false, words]);
    assert.deepEqual(await text(first), [first, true, "Version 1 of the news."]);
    assert.deepEqual(await text(site.url("/news")), [second, false, "Version 2 of the news."]);
    host.kill("SIGTERM");
    await host.ended;
});

test("many processes fetch the same page at once, and one that is killed leaves nothing half", async (context) => {
    const place = Place.for(context);
    const site = await Site.for(context);
    const refresh = () => place.run(["web", "refresh", site.url("/paper.pdf"), "--local", site.host, "--json"]);
    const ended = await Promise.all(Array.from({ length: 6 }, refresh));
    const objects = new Set(
        ended.map(({ code, stdout, stderr }) => (assert.equal(code, 0, stderr), JSON.parse(stdout).object)),
    );
    assert.equal(objects.size, 1);
    const [object] = objects;
    const folder = join(place.data, "library", "objects");
    assert.deepEqual(readFileSync(join(folder, object.slice(0, 2), object)), PDF);
    assert.ok(existsSync(join(folder, object.slice(0, 2), `${object}.text.json`)));
    const incoming = () => readdirSync(join(folder, ".incoming"));
    assert.deepEqual(incoming(), []);

    const killed = place.start(["web", "refresh", site.url("/slow.pdf"), "--local", site.host]);
    assert.ok(await until(() => incoming().length === 1, 10_000), killed.stderr);
    killed.child.kill("SIGKILL");
    assert.ok(await until(() => killed.end !== undefined, 5_000));
    const folders = readdirSync(folder).filter((name) => name !== ".incoming");
    assert.deepEqual(folders, [object.slice(0, 2)]);
    const rows = jsonLines((await place.do(["web", "list", "--json"])).stdout);
    assert.deepEqual(
        rows.map((row) => row.url),
        [site.url("/paper.pdf")],
    );
});

/**
 * What a hostile web does, what becomes of it in the library (of a mission, of another program), and in a conversation, whose
 * `fetch` follows no robots.txt and keeps nothing: the reason of the refusal, or that it was read.
 * @type {[string, string, string?][]}
 */
const HOSTILE = [
    ["http://site.test/to/private", "private_address"],
    ["http://site.test/to/metadata", "private_address"],
    ["http://site.test/to/mapped", "private_address"],
    ["http://site.test/to/here", "private_address"],
    ["http://site.test/to/decimal", "redirect_target", "malformed_address"],
    ["http://site.test/to/octal", "redirect_target", "malformed_address"],
    ["http://site.test/to/user", "redirect_target", "malformed_address"],
    ["http://site.test/to/port", "redirect_target", "malformed_address"],
    ["http://site.test/to/file", "redirect_target", "malformed_address"],
    ["http://site.test/to/name", "private_address", "other_site"],
    ["http://site.test/to/loop", "redirect_loop", "too_many_redirects"],
    ["http://site.test/chain/0", "too_many_redirects"],
    ["http://both.test/page", "private_address"],
    ["http://inside.test/page", "private_address"],
    ["http://nowhere.example/page", "unknown_host"],
    ["http://2130706433/direct", "malformed_address"],
    ["http://[::ffff:10.0.0.1]/direct", "private_address"],
    ["http://someone:secret@site.test/direct", "malformed_address"],
    ["ftp://site.test/direct", "malformed_address"],
    ["http://site.test/big.pdf", "too_large"],
    ["http://site.test/endless", "too_large"],
    ["http://site.test/program", "executable", "wrong_type"],
    ["http://site.test/archive.pdf", "archive", "wrong_type"],
    ["http://site.test/gzip", "unpacks_too_large", "packed"],
    ["http://site.test/twice", "packed"],
    ["http://site.test/brotli", "packed"],
    ["http://site.test/bomb.pdf", "unreadable", "read"],
    ["http://site.test/header", "no_answer"],
    ["http://site.test/headers", "no_answer"],
    ["http://site.test/lies", "no_answer"],
    ["http://site.test/drip", "deadline"],
    ["http://site.test/drip/head", "deadline"],
    ["http://site.test/gone", "status"],
    ["http://closed.test/page", "robots", "read"],
    ["http://endless.test/page", "robots", "read"],
    ["http://elsewhere.test/page", "robots_unreachable", "read"],
    ["http://slow.test/page", "deadline", "read"],
    ["http://site.test/orders", "read"],
    ["http://site.test/cookie", "read"],
    ["http://site.test/paper.pdf", "read"],
];

test("a hostile web is refused or data, in a conversation, in a mission and for another program, each in a row", async (context) => {
    const place = Place.for(context);
    const web = await HostileWeb.for(context, place);
    if (web === undefined) return context.skip("no network of its own can be made on this machine");
    const library = join(place.data, "library");
    mkdirSync(library, { recursive: true });
    const policy = { profile: "max_automation", maxSeconds: 4, maxPageMegabytes: 2 };
    writeFileSync(join(library, "policy.json"), JSON.stringify(policy));
    // Whoever asks a proxy lets it look names up.
    const proxy = "http://127.0.0.1:8080";
    const env = { http_proxy: proxy, HTTP_PROXY: proxy, ALL_PROXY: proxy };
    const options = { env, through: web.through, seconds: 120 };
    /** The addresses of a way, each with the reason; a name is looked up for robots.txt as well, but not in a conversation. */
    const cases = (/** @type {string} */ way) => {
        const [times, at] = way === "chat" ? [1, 2] : [2, 1];
        const all = HOSTILE.map((row) => [`${row[0]}?${way}`, row[at] ?? row[1]]);
        // Public for so many questions, then this machine: pages are read from where the name led when it was checked.
        all.push([`http://first-${times}.a.${way}.test/page`, "read"]);
        all.push([`http://first-${times}.b.${way}.test/to/page`, "private_address"]);
        return /** @type {[string, string][]} */ (all);
    };

    const client = new Client(place, ["web"], options);
    const [[, greet]] = ERAS;
    const call = caller(await greet(client));
    const given = await Promise.all(cases("mcp").map(([url]) => call("web_fetch", { url })));
    for (const { refusal } of given.filter((one) => one.refusal !== undefined))
        assert.ok(refusal.message.length > 0 && refusal.remedy.length > 0, JSON.stringify(refusal));
    // What a page orders is told as its words, and nothing of it is done.
    assert.ok(given.some(({ blocks }) => blocks?.some((/** @type {any} */ { text }) => text === ORDER)));
    // The name leads here by now.
    const again = await call("web_fetch", { url: "http://first-2.a.mcp.test/page", refresh: true });
    assert.equal(again.refusal.code, "private_address");
    await client.close();

    const calls = cases("chat").map(([url]) => ({ name: "fetch", arguments: { url } }));
    // The web researcher, given the addresses instead of searching for some.
    const agents = join(place.data, "workspaces", "default", "agents");
    cpSync(new URL("../agents/web-researcher", import.meta.url), join(agents, "reader"), { recursive: true });
    cpSync(new URL("../prompts/web-researcher", import.meta.url), join(agents, "reader", "prompts"), {
        recursive: true,
    });
    const file = join(agents, "reader", "config.json");
    const agent = { ...JSON.parse(readFileSync(file, "utf8")), slug: "reader" };
    const [search, fetch] = agent.controlFlow.stages;
    Object.assign(search, { steps: [], when: undefined, whenNot: undefined, skippedOutput: undefined });
    search.output.addresses = cases("mission").map(([url]) => url);
    fetch.limits.parallel = 16;
    writeFileSync(file, JSON.stringify(agent));
    const rest = { successCriteria: { coverage: 0.5 }, constraints: { iterations: 1 } };
    place.profile("careful", { ...rest, securityProfile: "max_automation", agents: { allow: ["reader"] } });
    const script = join(place.work, "script.json");
    const answers = [
        { match: ["Read them all"], times: 1, calls },
        { match: ["You read pages of the web"], json: { pages: [], claims: [], gaps: [] } },
    ];
    writeFileSync(script, JSON.stringify({ answers, default: { text: "Done." } }));
    const scripted = { ...options, env: { ...env, AGENTNATIVE_SCRIPT: script } };
    const chat = ["chat", "--json", "--connection", "scripted", "--mode", "allow-all", "Read them all"];
    await place.do(chat, scripted);
    await place.do(["permissions", "allow", "reader"], scripted);
    const mission = ["mission", "start", "careful", "What is read?", "--connection", "scripted", "--yes", "--json"];
    const researched = await place.run(mission, scripted);

    const rows = jsonLines(readFileSync(join(library, "log.jsonl"), "utf8"));
    for (const way of ["mcp", "chat", "mission"]) {
        const found = cases(way).map(([url]) => {
            const place = Object.assign(new URL(url), { username: "", password: "" }).href;
            const row = rows.find((one) => one.place === place);
            const why = row?.code === undefined || / /.test(row.why);
            return [url, why ? (row?.code ?? row?.kind.replace("fetched", "read")) : "no reason in words"];
        });
        assert.deepEqual(found, cases(way), `${way}: ${researched.stderr}`);
    }
    assert.doesNotMatch(JSON.stringify(rows), /secret/);

    // Nothing else was reached, and nothing went along.
    const { requests } = web;
    assert.deepEqual(new Set(requests.map(({ at }) => at)), new Set(["93.184.215.14"]));
    assert.equal(requests.filter(({ path }) => path === "/echo").length, 3);
    for (const { headers } of requests)
        assert.deepEqual(
            Object.keys(headers).filter((name) => /cookie|authorization|referer|proxy|forwarded/.test(name)),
            [],
        );
    // Nothing of the bytes is left but of what was read.
    const objects = join(library, "objects");
    assert.deepEqual(readdirSync(join(objects, ".incoming")), []);
    const kept = readdirSync(objects, { recursive: true }).map((name) => basename(String(name)));
    assert.deepEqual(
        new Set(kept.filter((name) => /^[0-9a-f]{64}$/.test(name))),
        new Set(rows.map(({ object }) => object).filter((object) => object !== undefined)),
    );
});

/** A network of its own with one way out: what leaves it is counted. */
const NETWORK = `
printf 'nameserver 198.18.0.2\\noptions timeout:1 attempts:1\\n' > "$TMPDIR/resolv.conf"
mount --bind "$TMPDIR/resolv.conf" /etc/resolv.conf || exit 77
ip link add out type veth peer name far || exit 77
for name in out far; do echo 1 > /proc/sys/net/ipv6/conf/$name/disable_ipv6; done
ip addr add 198.18.0.1/24 dev out && ip link set far up && ip link set out up && ip link set lo up || exit 77
ip route add default via 198.18.0.2 && ip neigh add 198.18.0.2 lladdr 02:00:00:00:00:01 dev out || exit 77
"$@" 1>&2
grep -E '^ *(out|lo):' /proc/net/dev
`;

test("strict sends nothing about a host that nobody allowed", (context) => {
    const place = Place.for(context);
    /** How many packets a command sends. */
    const sent = (/** @type {string[]} */ ...args) => {
        const ended = spawnSync("unshare", ["-rnm", "sh", "-c", NETWORK, "sh", ...args], {
            env: place.environment(),
            encoding: "utf8",
            timeout: 60_000,
        });
        if (ended.error !== undefined || ended.status === 77) return undefined;
        assert.equal(ended.status, 0, ended.stderr);
        const rows = ended.stdout.trim().split("\n");
        assert.equal(rows.length, 2, ended.stdout);
        return rows.reduce((sum, row) => sum + Number(row.split(":")[1]?.trim().split(/\s+/)[9]), 0);
    };
    if (sent("true") !== 0) return context.skip("no network of its own can be made on this machine");
    const refresh = [PROGRAM, "web", "refresh", "https://unknown.example/report.pdf"];
    assert.equal(sent(...refresh), 0);
    // The control: once it is allowed, its name is asked for.
    assert.ok(Number(sent(...refresh, "--allow", "unknown.example")) > 0);
});
