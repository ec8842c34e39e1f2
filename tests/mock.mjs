// A wire-compatible server of five model providers, in a process of its own on loopback: the npm package aimock.

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { until } from "./lib.mjs";

const AIMOCK = join(
    dirname(dirname(fileURLToPath(import.meta.url))),
    "node_modules",
    "@copilotkit",
    "aimock",
    "dist",
    "cli.js",
);

/**
 * The protocols: how a connection to the server is added, and where its requests arrive.
 * @type {{ provider: string, below: string, path: RegExp }[]}
 */
export const PROTOCOLS = [
    { provider: "anthropic", below: "", path: /^\/v1\/messages$/ },
    { provider: "openai", below: "/v1", path: /^\/v1\/responses$/ },
    { provider: "openai-chat", below: "/v1", path: /^\/v1\/chat\/completions$/ },
    { provider: "gemini", below: "/v1beta", path: /^\/v1beta\/models\/[^/]+:streamGenerateContent$/ },
    { provider: "ollama", below: "", path: /^\/api\/chat$/ },
];

/** @returns {Promise<number>} a port that is free now */
function freePort() {
    return new Promise((resolve, reject) => {
        const server = createServer().once("error", reject);
        server.listen(0, "127.0.0.1", () => {
            const address = server.address();
            server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
        });
    });
}

/** A running server. */
export class Mock {
    /** @param {number} port */
    constructor(port) {
        this.address = `http://127.0.0.1:${port}`;
    }

    /**
     * Starts one; with the test's end it is gone.
     * @param {import("node:test").TestContext} context
     * @param {import("./lib.mjs").Place} place where its script is written
     * @param {object[]} fixtures what it answers: see the package
     */
    static async for(context, place, fixtures) {
        const script = join(place.work, "fixtures.json");
        writeFileSync(script, JSON.stringify({ fixtures }));
        const port = await freePort();
        const child = spawn(
            process.execPath,
            [AIMOCK, "-p", String(port), "-h", "127.0.0.1", "-f", script, "--chunk-size", "64"],
            { stdio: ["ignore", "ignore", "inherit"] },
        );
        context.after(() => child.kill("SIGKILL"));
        const mock = new Mock(port);
        if (!(await until(() => mock.#up(), 10_000))) throw new Error("the mock server did not come up");
        return mock;
    }

    async #up() {
        try {
            return (await fetch(`${this.address}/__aimock/health`)).ok;
        } catch {
            return false;
        }
    }

    /** @returns {Promise<any[]>} the requests that arrived, oldest first, each with `path`, `headers` and `body` */
    async requests() {
        const answer = await fetch(`${this.address}/__aimock/journal?limit=500`);
        const journal = /** @type {any} */ (await answer.json());
        return Array.isArray(journal) ? journal : (journal.entries ?? journal.requests);
    }

    /** Forgets the requests that arrived. */
    async forget() {
        await fetch(`${this.address}/__aimock/reset/journal`, { method: "POST" });
    }
}
