// Sources from the page alone: every form with a key is filled, saved and tested; a source that lies there is approved.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { Place } from "../lib.mjs";
import { Served, findings, go, launch, picture, seen } from "./served.mjs";

const KEY = "canary-7319-of-the-page";

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
    browser = await launch();
});
after(() => browser?.close());

/** @param {import("node:test").TestContext} context */
async function opened(context) {
    /** @type {import("node:http").IncomingHttpHeaders[]} */
    const asked = [];
    const service = createServer((request, response) => {
        asked.push(request.headers);
        response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
    await new Promise((resolve) => service.listen(0, "127.0.0.1", () => resolve(undefined)));
    context.after(() => service.close());
    const address = service.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    const place = Place.for(context);
    const served = await Served.start(place);
    const core = await served.core();
    await core.call("settings_update", { welcomed: true });
    const room = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
    context.after(() => room.close());
    const page = await room.newPage();
    await page.goto(served.url);
    return { place, core, page, asked, base: `http://127.0.0.1:${address.port}/` };
}

test("every form for a web API with a key leads to a source that sends it", async (context) => {
    const { core, page, asked, base } = await opened(context);
    /** @type {any[]} */
    const presets = await core.call("source_presets");
    const keyed = presets.filter(({ config }) => config.type === "api" && config.api.authType !== "oauth");
    assert.equal(keyed.length, 10);
    for (const { name, config } of keyed) {
        await go(page, `/new-source?preset=${encodeURIComponent(name)}`);
        await page.getByRole("textbox", { name: "Base address" }).fill(base);
        await page.getByLabel(/key \(header|bearer token/i).fill(KEY);
        await page.getByRole("checkbox", { name: /checked the address/ }).check();
        await page.getByRole("button", { name: "Save", exact: true }).click();
        await seen(page, /Stored/);
        const before = asked.length;
        await page.getByRole("button", { name: "Test", exact: true }).click();
        await seen(page, /Works/);
        if (config.api.testEndpoint === undefined) continue;
        assert.equal(asked.length, before + 1, name);
        assert.ok(JSON.stringify(asked.at(-1)).includes(KEY), `${name} sends its key`);
    }
    const kept = await page.evaluate(() => JSON.stringify([document.documentElement.outerHTML, { ...localStorage }]));
    assert.ok(!kept.includes(KEY), "the key is not on the page afterwards");
});

test("the form for a remote MCP server with a key leads to a source that sends it", async (context) => {
    const { page } = await opened(context);
    /** @type {(string | undefined)[]} */
    const shown = [];
    const server = createServer((request, response) => {
        let body = "";
        request.on("data", (chunk) => (body += chunk));
        request.on("end", () => {
            shown.push(request.headers.authorization);
            const { id, method } = body === "" ? /** @type {any} */ ({}) : JSON.parse(body);
            const tool = { name: "look", description: "Looks.", inputSchema: { type: "object" } };
            const serverInfo = { name: "desk", version: "1" };
            /** @type {Record<string, object>} */
            const results = {
                initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo },
                "tools/list": { tools: [tool] },
            };
            const result = results[method];
            if (id === undefined) response.writeHead(202).end();
            else {
                const error = { code: -32601, message: "no such method" };
                const answer = { jsonrpc: "2.0", id, ...(result === undefined ? { error } : { result }) };
                response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
            }
        });
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
    context.after(() => server.close());
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    await go(page, "/new-source?preset=GitHub");
    await page.getByRole("textbox", { name: "Address" }).fill(`http://127.0.0.1:${address.port}/mcp`);
    await page.getByLabel(/bearer token/i).fill(KEY);
    await page.getByRole("checkbox", { name: /checked the address/ }).check();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await seen(page, /Stored/);
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await seen(page, /Works/);
    assert.deepEqual([...new Set(shown)], [`Bearer ${KEY}`]);
});

test("a source whose file was put there is given its secret, approved and tested on its page", async (context) => {
    const { place, core, page, asked, base } = await opened(context);
    const folder = join(place.data, "workspaces", "default", "sources", "desk");
    mkdirSync(folder, { recursive: true });
    const api = { baseUrl: base, authType: "header", headerName: "X-Key", testEndpoint: { path: "me" } };
    const config = { slug: "desk", name: "Desk", description: "Keeps items.", type: "api", api };
    writeFileSync(join(folder, "config.json"), JSON.stringify(config));
    await core.call("secret_put", { name: "source/desk/apikey", value: KEY });
    await go(page, "/source/desk");
    await page.getByRole("button", { name: "Use the stored values here" }).click();
    await page.getByRole("checkbox", { name: /I have read this/ }).check();
    await page.getByRole("button", { name: "Approve and test" }).click();
    await seen(page, /Ready/);
    assert.equal(asked.at(-1)?.["x-key"], KEY);
});

test("every form with a sign-in and an own client leads to a source that sends its token", async (context) => {
    const { core, page } = await opened(context);
    const provider = await SignIn.start(context);
    /** @type {any[]} */
    const presets = await core.call("source_presets");
    const signed = presets.filter(({ config }) => config.type === "api" && config.api.authType === "oauth");
    assert.deepEqual(
        signed.map(({ name }) => name),
        ["GitHub (sign in)", "Google", "Microsoft 365", "Slack (sign in)"],
    );
    for (const { name, config } of signed) {
        provider.forget();
        await go(page, `/new-source?preset=${encodeURIComponent(name)}`);
        await page.getByRole("textbox", { name: "Base address" }).fill(`${provider.address}/api/`);
        await page.getByRole("textbox", { name: "Client ID" }).fill(`client-of-${config.slug}`);
        await page.getByRole("textbox", { name: "Address of the sign-in page" }).fill(`${provider.address}/authorize`);
        await page.getByRole("textbox", { name: "Address for tokens" }).fill(`${provider.address}/token`);
        const secret = page.getByLabel(/client secret/i);
        if ((await secret.count()) > 0) await secret.fill(KEY);
        await page.getByRole("checkbox", { name: /checked the address/ }).check();
        await page.getByRole("button", { name: "Save", exact: true }).click();
        const opens = page.context().waitForEvent("page");
        await page.getByRole("button", { name: "Sign in", exact: true }).click();
        const signIn = await opens;
        await seen(signIn, /You can close this page/);
        // Behind another page a page draws once a second.
        await signIn.close();
        await seen(page, /Ready/);
        await page.getByRole("button", { name: "Test", exact: true }).click();
        await seen(page, /Works/);

        const asked = provider.authorized ?? assert.fail("no sign-in page was opened");
        assert.equal(asked.get("client_id"), `client-of-${config.slug}`);
        assert.equal(asked.get("code_challenge_method"), "S256");
        assert.equal(asked.get("scope") ?? "", (config.api.oauth.scopes ?? []).join(" "));
        // A service that compares the whole address is given the registered one.
        const back = config.api.oauth.redirectUrl ?? /^http:\/\/127\.0\.0\.1:\d+\/callback$/;
        assert.match(asked.get("redirect_uri") ?? "", new RegExp(back));
        assert.equal(provider.exchanged?.get("redirect_uri"), asked.get("redirect_uri"));
        for (const [key, value] of Object.entries(config.api.oauth.extra ?? {})) assert.equal(asked.get(key), value);
        assert.equal(provider.exchanged?.get("code"), "code-1");
        assert.ok(provider.called.includes("Bearer token-of-the-provider"), `${name} sends its token`);
    }
    const kept = await page.evaluate(() => JSON.stringify([document.documentElement.outerHTML, { ...localStorage }]));
    assert.ok(!kept.includes(KEY) && !kept.includes("token-of-the-provider"), "no secret is on the page afterwards");
});

/** A provider with a sign-in page that agrees at once, a token address and an interface. */
class SignIn {
    /** @type {URLSearchParams | undefined} what the sign-in page was asked */
    authorized;
    /** @type {URLSearchParams | undefined} what the token address was asked */
    exchanged;
    /** @type {string[]} what authorised the interface's requests */
    called = [];
    address = "";

    /** @param {import("node:test").TestContext} context */
    static async start(context) {
        const provider = new SignIn();
        const server = createServer((request, response) => {
            const url = new URL(request.url ?? "/", provider.address);
            let body = "";
            request.on("data", (chunk) => (body += chunk));
            request.on("end", () => provider.#answer(url, request, body, response));
        });
        await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
        context.after(() => server.close());
        const address = server.address();
        if (address === null || typeof address === "string") throw new Error("no port");
        provider.address = `http://127.0.0.1:${address.port}`;
        return provider;
    }

    forget() {
        this.authorized = this.exchanged = undefined;
        this.called = [];
    }

    /**
     * @param {URL} url
     * @param {import("node:http").IncomingMessage} request
     * @param {string} body
     * @param {import("node:http").ServerResponse} response
     */
    #answer(url, request, body, response) {
        const json = (/** @type {object} */ value) =>
            response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
        if (url.pathname === "/authorize") {
            this.authorized = url.searchParams;
            const back = new URL(url.searchParams.get("redirect_uri") ?? "");
            back.searchParams.set("code", "code-1");
            back.searchParams.set("state", url.searchParams.get("state") ?? "");
            response.writeHead(302, { location: back.href }).end();
        } else if (url.pathname === "/token") {
            this.exchanged = new URLSearchParams(body);
            const token = { access_token: "token-of-the-provider", expires_in: 3600, refresh_token: "r-1" };
            // Slack gives the token of a person one level down.
            if (this.authorized?.has("user_scope") === true)
                json({ ok: true, authed_user: { ...token, token_type: "user" } });
            else json({ ...token, token_type: "Bearer" });
        } else {
            this.called.push(request.headers.authorization ?? "");
            json({});
        }
    }
}

test("what was fetched from the web is read in the window, and a host that waits is decided about", async (context) => {
    const site = createServer((_, response) =>
        response
            .writeHead(200, { "content-type": "text/html", connection: "close" })
            .end("<!doctype html><title>Tides</title><h1>Tides</h1><p>The tide rose 4.2 metres in May.</p>"),
    );
    await new Promise((resolve) => site.listen(0, "127.0.0.1", () => resolve(undefined)));
    context.after(() => site.close());
    const address = site.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    const { place, page } = await opened(context);
    await go(page, "/sources");
    await page.getByRole("button", { name: "Web library" }).click();
    await seen(page, /No pages yet/);
    assert.deepEqual(await findings(page), []);
    // Another process fetches; the page is read again when the window comes to the front.
    const host = `127.0.0.1:${address.port}`;
    await place.do(["web", "refresh", `http://${host}/tides`, "--local", host]);
    await place.run(["web", "refresh", "https://unknown.example/a"]);
    await page.evaluate(() => window.dispatchEvent(new Event("focus")));
    await seen(page, /unknown\.example/);
    assert.deepEqual(await findings(page), []);
    await picture(page, "web-library");
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    await page.getByRole("tab", { name: "Rules" }).click();
    await page.getByRole("list", { name: "Allowed" }).getByText("unknown.example").waitFor();
    assert.equal(JSON.parse((await place.do(["web", "policy", "--json"])).stdout).allow[0], "unknown.example");
    assert.deepEqual(await findings(page), []);
    await picture(page, "web-rules");
    await page.getByRole("tab", { name: "Pages" }).click();
    await page.getByRole("button", { name: /^Tides/ }).click();
    await page.getByRole("dialog", { name: "Tides" }).getByText("The tide rose 4.2 metres in May.").waitFor();
    assert.deepEqual(await findings(page), []);
    await picture(page, "web-page");
});
