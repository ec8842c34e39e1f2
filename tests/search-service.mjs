// A search service of the user's own on this machine, as SearXNG answers: every question finds the same pages.

import { createServer } from "node:http";

/**
 * @param {import("node:test").TestContext} context
 * @param {string[]} urls
 * @returns {Promise<{ AGENTNATIVE_SEARXNG_URL: string }>} the environment of a program that asks it
 */
export async function searchService(context, urls) {
    const server = createServer((_, response) => {
        const body = JSON.stringify({ results: urls.map((url) => ({ url, title: url, content: "" })) });
        response.writeHead(200, { "content-type": "application/json", connection: "close" }).end(body);
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
    context.after(() => server.close());
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the service has no port");
    return { AGENTNATIVE_SEARXNG_URL: `http://127.0.0.1:${address.port}` };
}
